"""The yes or no that the rules of a page give to the one who asks: eligible and not excluded, bound and not exempt.

The statement that says most of the question leads to its group of rules, and their conditions decide: a requirement
that is not met is a "no", a prohibition whose exception is met no longer forbids.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from clausegraph.core.condition_trees import deciding, negated, with_children
from clausegraph.core.language.clauses import sentence_spans
from clausegraph.core.language.lexicon import word_set
from clausegraph.core.types import (
    All,
    AnyOf,
    ConditionState,
    Evidence,
    JudgedCondition,
    JudgedLeaf,
    Leaf,
    Modality,
    Not,
    holds,
    leaves,
    mapped,
)
from clausegraph.query.read.evidence import evidence_of
from clausegraph.query.read.figures import Comparison, compare, is_one_of
from clausegraph.query.read.places import Fit, figures_left, fit
from clausegraph.query.read.question_context import (
    AnswerCandidate,
    QuestionContext,
    judge,
    judged_condition,
    source_of,
    with_condition,
)
from clausegraph.query.read.questions import asked_for
from clausegraph.query.read.rule_groups import (
    DUTY,
    GRANTS,
    GroupRule,
    RuleGroup,
    asks_of_topic,
    group_of,
    introducing,
    says_who,
)
from clausegraph.query.read.statements import BOUNDED, Candidate, ReadStatement, is_hedged, statements_of
from clausegraph.query.read.word_match import (
    NEGATIVE,
    content_terms,
    coverage,
    is_named,
    is_said_both_ways,
    missing_terms,
    terms,
)

_MET, _UNMET, _UNKNOWN = ConditionState.MET, ConditionState.UNMET, ConditionState.UNKNOWN
_DEPTH = 12  # places that are looked at
_LONG = 16  # words of a story that tells much
_UNHEARD = 1 / 3  # share of the words of a story that none of the rules has
_SPOKEN = 0.5  # share of a condition's words that are told, from which it was spoken of
_ENOUGH = 0.75  # share of a condition's words by which it is met
_TELLS = 5  # letters from which a word tells that a case is spoken of
_SHOWN = 4  # places that are shown at most
_FITTING = {
    "duty": (Modality.MUST, Modality.NEED_NOT),
    "ability": (Modality.MAY, Modality.CAN, Modality.CANNOT),
    "eligible": (Modality.MAY, Modality.CAN, Modality.CANNOT),
}
_ALLOWS = re.compile(r"\b(?:allow\w*|permitted|entitle\w*|eligib\w*|qualif\w*|requir\w*|possible)\b", re.IGNORECASE)
_NOT_THAT = re.compile(
    r"(?:[-–—,;(]\s*|\b(?:and|but)\s+)not\b(?!\s+only)|\b(?:rather than|instead of)\b", re.IGNORECASE
)
_DURING = re.compile(r"\b(?:during|between|throughout|in the week|one day)\b", re.IGNORECASE)
_KIND = re.compile(r"(?!you|they|it|we|he|she|the)\w+(?:\s\w+)?\s(?:that|which|who|where)\b", re.IGNORECASE)
_OF_ONE = ("age", "born", "number", "amount")  # bounds that a sentence can set for one without "if"
_SOMEBODY, _THEY = re.compile(r"(?:the|your) \w+", re.IGNORECASE), re.compile(r"\bthey\b", re.IGNORECASE)
_ANYBODY = word_set(
    "anyone anybody everyone everybody someone person people aged only just you your own other it they this that these"
)


@dataclass(frozen=True, slots=True)
class RuleVerdict:
    """What a group of rules says: yes, no or "not excluded", under which condition, and what holds otherwise.

    ``barred``: the user text surely leads to a "no", whatever else holds. ``is_of_things``: it is a
    "yes" for listed things, and the user text names none of them.
    """

    text: str
    tree: JudgedCondition | None
    otherwise: str
    evidence: tuple[Evidence, ...]
    barred: bool
    is_of_things: bool


@dataclass(frozen=True, slots=True)
class _Found:
    """A statement, how it fits the question, and how it answers what is asked."""

    statement: ReadStatement
    fit: Fit
    answers: bool  # whether its modality is what is asked for: "must" says little of "can I"
    of_topic: bool  # whether it says who gets what its page is about, as is asked
    of_others: bool  # than the one who asks

    @property
    def key(self) -> tuple[int, bool, bool, int, bool, int, int]:
        """Smaller is better."""
        around = 0 if self.of_topic else len(self.fit.only_around)
        who = not self.of_topic, self.of_others
        return (self.fit.lacking, *who, around, not self.answers, self.fit.untold, self.fit.rank)


def best_verdict(context: QuestionContext, ranked: Sequence[Candidate]) -> AnswerCandidate | None:
    """The verdict of the rules whose statement says most of the question; None where nothing is stated."""
    found = sorted(_found(context, ranked[:_DEPTH]), key=lambda one: one.key)
    if not found:
        return None
    best, group, verdict = _governing(context, found)
    rules = _deciding_rules(group, verdict)
    own = group.own.statement
    gate = says_who(own.main) and (own.positive or own.modality not in DUTY)  # what one need not have is no gate
    missing = [word for word in best.fit.missing if not (gate and word in GRANTS)]
    judged = list(leaves(verdict.tree))
    bounds = [leaf.leaf.text for leaf in judged] + [rule.statement.subject for rule in rules]
    met = [leaf.leaf.text for leaf in judged if leaf.state is _MET]
    text = " ".join(rule.statement.full for rule in group.rules)
    left = figures_left(context, best.statement.candidate, text, bounds, met)
    compared = any(compare(text, context.user_text, context.today) for text in (one.leaf.text for one in judged))
    said_in = [best.statement, *(rule.statement for rule in rules)]
    failed = {
        "question words missing": bool(missing),
        "does not say who gets it": asked_for(context.form) != "duty" and says_who(context.parts.asks) and not gate,
        "answers another question": not best.answers,
        "said of others": _is_of_others(rules[0].statement, context.user_text),
        "hedged": any(is_hedged(one.main, context.form.sentence, context.today) for one in said_in),
        "figure not compared": left and not (verdict.barred and not group.own.positive),
        "user text not mentioned": _is_unheard(context, group, verdict),
        "another place says otherwise": not (verdict.barred and compared)
        and _has_rival(context, best, group, verdict, found),
        "not told to be of the listed things": verdict.is_of_things,
        "only a condition mentions it": not (verdict.barred or best.of_topic)
        and _is_only_conditional(context, best.statement, verdict.tree),
        "mentioned as excluded": _is_excluded(content_terms(context.parts.asks), best.statement.text),
        "case is like an exception": not verdict.barred and _is_like_exception(context, best.statement, verdict.tree),
        "asked with “not”": bool(NEGATIVE.search(context.parts.asks)) and not NEGATIVE.search(best.statement.full),
    }
    return _answer(context, best.statement, verdict, {name: float(value) for name, value in failed.items()})


def _answer(
    context: QuestionContext, one: ReadStatement, verdict: RuleVerdict, features: dict[str, float]
) -> AnswerCandidate:
    """The verdict with its condition; the rule itself is no condition of itself."""
    tree = verdict.tree
    if isinstance(tree, JudgedLeaf) and tree.leaf.text == one.text and tree.state is _MET:
        tree = None
    made, granted = with_condition(context, verdict.text, one.candidate, (one.start, one.end), 0.0, tree)
    evidence = verdict.evidence or made.evidence
    return AnswerCandidate(replace(made, otherwise=verdict.otherwise, evidence=evidence), "verdict", features, granted)


def _found(context: QuestionContext, ranked: Sequence[Candidate]) -> Iterator[_Found]:
    for rank, candidate in enumerate(ranked):
        lead = context.pages(candidate.page).element(candidate.element.lead_in)
        if candidate.element.is_heading or (lead is not None and lead.tag == "li"):  # a part of that item's rule
            continue
        for one in statements_of(candidate, context.pages):
            if not one.text.rstrip().endswith(":"):
                of_topic = asks_of_topic(context, one)
                answers = of_topic or _answers(asked_for(context.form), one)
                fits = fit(context, candidate, rank, one.full)
                yield _Found(one, fits, answers, of_topic, _is_of_others(one, context.user_text))


def _answers(asked: str, one: ReadStatement) -> bool:
    """Whether a modality answers what is asked; what is merely so does not say what is allowed."""
    if one.modality is Modality.IS and asked in _FITTING:
        return not one.polarity or bool(_ALLOWS.search(one.full))
    return asked not in _FITTING or one.modality in _FITTING[asked]


def _is_of_others(statement: ReadStatement, user_text: str) -> bool:
    """Whether a statement is about somebody or something that neither question nor scenario names."""
    if _SOMEBODY.fullmatch(statement.subject) and _THEY.search(user_text):  # "can they …?": whoever it is
        return False
    words = frozenset(w for w in terms(statement.subject) if not (w in _ANYBODY or w[0].isdigit()))
    return bool(missing_terms(words, user_text)) and not is_one_of(statement.subject, user_text)


def _governing(context: QuestionContext, found: Sequence[_Found]) -> tuple[_Found, RuleGroup, RuleVerdict]:
    """The best statement with its group of rules; before it, the first that fits as well and surely leads to a "no"."""
    first, seen = found[0], dict[tuple[str, int], tuple[_Found, RuleGroup, RuleVerdict]]()
    for one in found:
        place = introducing(context, one.statement).place
        same = one.statement.candidate.page == first.statement.candidate.page
        if same and one.fit.lacking == first.fit.lacking and one.answers >= first.answers and place not in seen:
            group = group_of(context, one.statement)
            seen[place] = one, group, verdict_of(context, group)
            if seen[place][2].barred:
                return seen[place]
    return next(iter(seen.values()))


def _deciding_rules(group: RuleGroup, verdict: RuleVerdict) -> list[GroupRule]:
    """The rules that a verdict rests on: those that decide, else those that say it, its own first."""
    rules = (group.grants if verdict.text == "yes" else group.bars) or group.rules
    if verdict.tree is not None and holds(verdict.tree) is not _UNKNOWN:
        anchors = {one.leaf.anchor for one in leaves(deciding(verdict.tree))}
        rules = [rule for rule in group.rules if rule.anchors & anchors] or rules
    return sorted(rules, key=lambda rule: rule is not group.own)


def _has_rival(
    context: QuestionContext, best: _Found, group: RuleGroup, verdict: RuleVerdict, others: Sequence[_Found]
) -> bool:
    """Whether another statement fits as well and says the opposite; of what surely bars, without any condition."""
    own = frozenset(anchor for rule in group.rules for anchor in rule.anchors)
    for other in others:
        place = other.statement.candidate
        same = place.page == best.statement.candidate.page
        if same and ({place.element.anchor, place.element.lead_in} & own or (best.of_topic and not other.of_topic)):
            continue
        if other.fit.lacking > best.fit.lacking or other.answers < best.answers:
            continue
        tree = judged_condition(context, place, other.statement.start, other.statement.end)
        says_yes = other.statement.positive
        if tree is not None and holds(tree) is not _MET and holds(_presumed(tree, "")) is _UNMET:
            says_yes = not says_yes
        if says_yes != (verdict.text == "yes") and not (verdict.barred and (tree is not None or other.statement.lead)):
            return True
    return False


def _is_only_conditional(context: QuestionContext, statement: ReadStatement, tree: JudgedCondition | None) -> bool:
    """Whether only the condition of a statement has words of the question."""
    words, main = content_terms(context.parts.asks), f"{statement.lead} {statement.text}"
    for one in leaves(tree):
        main = main.replace(one.leaf.text, " ")
    return tree is not None and bool(words) and missing_terms(words, main) == words and not _ALLOWS.search(main)


def _is_like_exception(context: QuestionContext, statement: ReadStatement, tree: JudgedCondition | None) -> bool:
    """Whether the case that a question puts has words of an open exception, which nothing else there has."""
    pairs = zip(leaves(tree), leaves(tree and _presumed(tree, "")), strict=True)
    excepted = [one.leaf.text for one, presumed in pairs if one.state is not presumed.state]
    rest = f"{statement.lead} {statement.text} {context.pages(statement.candidate.page).title or ''}"
    for text in excepted:
        rest = rest.replace(text, " ")
    words = missing_terms(content_terms(f"{context.parts.case} {context.parts.scenario_text}"), rest)
    return any(missing_terms(words, text) != words for text in excepted)


def _is_excluded(words: frozenset[str], text: str) -> bool:
    """Whether a text says some of the words only of what it leaves out: "for repairs - not an extension"."""
    kept, *out = _NOT_THAT.split(text, maxsplit=1)
    return bool(out) and bool((words & terms(out[0])) - terms(kept))


def _is_unheard(context: QuestionContext, group: RuleGroup, verdict: RuleVerdict) -> bool:
    """Whether the rules do not have many of the words of the user text, or it is a long story."""
    words = content_terms(context.scenario_text)
    if len(words) >= _LONG or verdict.barred:
        return len(words) >= _LONG
    page = context.pages(group.own.statement.candidate.page)
    here = [page.title or "", *(rule.statement.full for rule in group.rules)]
    here += [f"{one.source.lead_in} {one.leaf.text}" for one in leaves(verdict.tree)]
    return len(missing_terms(words, " ".join(here))) > _UNHEARD * len(words)


# --- the verdict of a group ------------------------------------------------------------------------


def verdict_of(context: QuestionContext, group: RuleGroup) -> RuleVerdict:
    """The verdict that follows from all rules of a group."""
    grants = [tree for rule in group.grants if (tree := _judged_rule(context, rule)) is not None]
    bars = [tree for rule in group.bars if (tree := _judged_rule(context, rule)) is not None]
    opened = [tree.child for tree in bars if isinstance(tree, Not)]  # "cannot, unless …" says who can
    granted = _joined(All, [*grants, *opened])
    barred = _joined(AnyOf, [tree for tree in bars if not isinstance(tree, Not)])
    excluded = "not excluded" if asked_for(context.form) in ("ability", "eligible") else "not said"
    if group.own.statement.modality in DUTY:
        excluded = "not exempt"
    certain, otherwise = False, ""
    surely = barred is not None and holds(_presumed(barred, context.user_text)) is _MET
    lacking = granted is not None and holds(_presumed(granted, context.user_text)) is _UNMET
    unless = granted is not None and barred is None and not group.grants and holds(granted) is _UNKNOWN
    if surely or lacking or unless or (barred is not None and _is_touched(context, group, barred)):
        text, certain = "no", surely or lacking
        tree = _joined(AnyOf, [part for part in (barred, granted and negated(granted)) if part is not None])
        otherwise = "" if group.grants or opened else excluded
    elif group.grants or opened:
        text = "yes"
        tree = _joined(All, [part for part in (granted, barred and negated(barred)) if part is not None])
    elif barred is not None and holds(barred) is _UNMET:  # whom nothing bars is no more than not excluded
        text, tree, otherwise = excluded, negated(barred), "no"
    else:
        text, tree, otherwise = "no", barred, excluded if barred is not None else ""
    things = frozenset(anchor for rule in group.grants if rule.listed for anchor in rule.anchors)
    unknown = [one.leaf for one in leaves(tree) if one.state is _UNKNOWN]
    of_things = text == "yes" and any(leaf.anchor in things or _KIND.match(leaf.text) for leaf in unknown)
    decided = [one.leaf.text for one in leaves(tree and deciding(tree)) if one.state is not _UNKNOWN]
    certain = certain and all(_is_sure(context, text) for text in decided)
    return RuleVerdict(text, tree, otherwise, _shown(context, group, text, tree), certain, of_things)


def _is_sure(context: QuestionContext, condition: str) -> bool:
    """Whether what is told of a condition is told in all of its words, or by a figure with many of them."""
    told = coverage(content_terms(condition), context.user_text)
    by_figure = told >= _SPOKEN and compare(condition, context.user_text, context.today) is not None
    return told == 1.0 or by_figure or is_named(condition, context.user_text, about=context.parts.asks)


def _presumed(tree: JudgedCondition, user_text: str, *, excepts: bool = False) -> JudgedCondition:
    """The tree with the exceptions of which nothing is told as unmet."""
    if not isinstance(tree, JudgedLeaf):
        return with_children(tree, lambda child, below: _presumed(child, user_text, excepts=excepts or below))
    untold = excepts and tree.state is _UNKNOWN and coverage(content_terms(tree.leaf.text), user_text) < _SPOKEN
    return replace(tree, state=_UNMET) if untold else tree


def _is_touched(context: QuestionContext, group: RuleGroup, barred: JudgedCondition) -> bool:
    """Whether an open case that bars is met in part, or what is told or asked for has words of it: it comes first."""
    open_ones = [one.leaf.text for one in leaves(barred) if one.state is _UNKNOWN]
    if holds(barred) is not _UNKNOWN or _is_engaged(barred):
        return holds(barred) is _UNKNOWN
    title = context.pages(group.own.statement.candidate.page).title or ""
    required = " ".join(leaf.text for rule in group.grants for leaf in leaves(rule.condition))
    words = missing_terms(content_terms(f"{context.scenario_text} {context.parts.case}"), f"{title} {required}")
    words = frozenset(word for word in words if len(word) >= _TELLS)
    return any(missing_terms(words, text) != words for text in open_ones)


def _is_engaged(tree: JudgedCondition) -> bool:
    """Whether a branch of a condition is met in part."""
    match tree:
        case All(children):
            return holds(tree) is _UNKNOWN and any(holds(child) is _MET for child in children)
        case AnyOf(children):
            return any(_is_engaged(child) for child in children)
        case _:
            return holds(tree) is _MET


def _judged_rule(context: QuestionContext, rule: GroupRule) -> JudgedCondition | None:
    """The condition of a rule, each leaf as what is told has it; None without one."""
    candidate, one = rule.statement.candidate, rule.statement
    if rule.condition is None:
        own = judged_condition(context, candidate, one.start, one.end)
        bound = compare(one.text, context.user_text, context.today)
        return own if bound is not None and bound.bound.kind in _OF_ONE else None
    reading = context.pages(candidate.page)

    def judged(leaf: Leaf) -> JudgedLeaf:
        return JudgedLeaf(leaf, _state_of(context, rule, leaf), source_of(candidate.page, reading, leaf), False)

    tree = mapped(rule.condition, judged)
    if rule.listed and isinstance(tree, AnyOf):  # what is named is asked about, not the rest of the list
        named = tuple(child for child in tree.children if any(one.state is _MET for one in leaves(child)))
        return named[0] if len(named) == 1 else AnyOf(named or tree.children)
    return tree


def _state_of(context: QuestionContext, rule: GroupRule, leaf: Leaf) -> ConditionState:
    """What somebody says of a condition: by figures, by one of the cases that it names, or by most of its words."""
    compared = compare(leaf.text, context.user_text, context.today)
    if compared is not None:
        return judge(leaf.text, context.user_text, context.today) if _is_bounded(leaf.text, compared) else _UNKNOWN
    if is_said_both_ways(leaf.text, context.user_text):
        return _UNKNOWN
    topic = f"{context.pages(rule.statement.candidate.page).title or ''} {rule.statement.main}"
    if is_named(leaf.text, context.user_text, topic, context.parts.asks):
        return _MET
    words = content_terms(leaf.text)
    if not missing_terms(words, topic):  # the question names the topic, not the case
        return _UNKNOWN
    state = judge(leaf.text, context.user_text, context.today, _ENOUGH)
    return state if state is _MET or coverage(words, context.user_text) == 1.0 else _UNKNOWN


def _is_bounded(text: str, compared: Comparison) -> bool:
    """Whether a condition bounds the figure that is told: not what was left undone, nor when else something was."""
    if compared.bound.kind in ("date", "since") and _DURING.search(text):
        return False
    return not NEGATIVE.search(BOUNDED.sub(" ", text))


def _joined(
    kind: Callable[[tuple[JudgedCondition, ...]], JudgedCondition], parts: Sequence[JudgedCondition]
) -> JudgedCondition | None:
    """One group of all parts, flat; a single part itself, None without any."""
    flat: list[JudgedCondition] = []
    for part in parts:
        flat += part.children if isinstance(part, (All, AnyOf)) and type(part) is kind else (part,)
    return None if not flat else flat[0] if len(flat) == 1 else kind(tuple(flat))


def _shown(context: QuestionContext, group: RuleGroup, text: str, tree: JudgedCondition | None) -> tuple[Evidence, ...]:
    """What decides, with its lead-in; where nothing does yet, each rule, by what is told of it or with its list."""
    if tree is not None and holds(tree) is not _UNKNOWN:
        return tuple(dict.fromkeys(_whole(context, one) for one in leaves(deciding(tree))))[:_SHOWN]
    shown: dict[Evidence, None] = {}
    for rule in sorted(group.rules, key=lambda rule: (rule.positive != (text == "yes"), rule is not group.own)):
        one, judged = rule.statement, leaves(_judged_rule(context, rule))
        met = [_whole(context, leaf) for leaf in judged if leaf.state is _MET and leaf.source.lead_in]
        place = one.candidate
        whole = evidence_of(place.page, context.pages(place.page), place.element, one.start, one.end)
        shown |= dict.fromkeys(met[:1] if met and text == "no" else [whole])
    return tuple(shown)[:_SHOWN]


def _whole(context: QuestionContext, one: JudgedLeaf) -> Evidence:
    """The item or the sentence that a condition is of."""
    reading = context.pages(one.source.page)
    element = reading.element(one.leaf.anchor)
    if element is None:
        return one.source
    spans = sentence_spans(element.text) if element.tag not in ("li", "tr") else []
    start, end = next(((s, e) for s, e in spans if s <= one.leaf.start < e), (0, len(element.text)))
    return evidence_of(one.source.page, reading, element, start, end)
