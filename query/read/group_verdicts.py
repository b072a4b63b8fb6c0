"""What the rules of a group together say to the one who asks: eligible and not excluded, bound and not exempt.

The verdict is what the trees of the conditions give: a requirement that is not met is a "no", a prohibition whose
exception is met no longer forbids.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from clausegraph.core.condition_trees import deciding, negated, with_children
from clausegraph.core.language.clauses import sentence_spans
from clausegraph.core.types import (
    All,
    AnyOf,
    ConditionState,
    Evidence,
    JudgedCondition,
    JudgedLeaf,
    Leaf,
    Not,
    holds,
    leaves,
    mapped,
)
from clausegraph.query.read.evidence import evidence_of
from clausegraph.query.read.figures import Comparison, compare
from clausegraph.query.read.question_context import QuestionContext, judge, judged_condition, source_of
from clausegraph.query.read.questions import asked_for
from clausegraph.query.read.rule_groups import DUTY, GroupRule, RuleGroup
from clausegraph.query.read.statements import BOUNDED, ReadStatement
from clausegraph.query.read.word_match import (
    NEGATIVE,
    content_terms,
    coverage,
    is_named,
    is_said_both_ways,
    missing_terms,
)

MET, UNMET, UNKNOWN = ConditionState.MET, ConditionState.UNMET, ConditionState.UNKNOWN
_SPOKEN = 0.5  # share of a condition's words that are told, from which it was spoken of
_ENOUGH = 0.75  # share of a condition's words by which it is met
_DURING = re.compile(r"\b(?:during|between|throughout|in the week|one day)\b", re.IGNORECASE)
_TELLS = 5  # letters from which a word tells that a case is spoken of
_SHOWN = 4  # places that are shown at most
_KIND = re.compile(r"(?!you|they|it|we|he|she|the)\w+(?:\s\w+)?\s(?:that|which|who|where)\b", re.IGNORECASE)
_OF_ONE = ("age", "born", "number", "amount")  # bounds that a sentence can set for one without "if"


def says_yes(statement: ReadStatement, tree: JudgedCondition | None) -> bool:
    """The verdict of one rule alone, turned round where its condition is not met or only exceptions would meet it."""
    if tree is None or holds(tree) is MET:
        return statement.positive
    short = holds(tree) is UNMET or holds(presumed_tree(tree, statement.exceptions, "")) is UNMET
    return statement.positive != short


def spoken_of(condition: str, user_text: str) -> bool:
    """Whether what is told has most of a condition's words."""
    return coverage(content_terms(condition), user_text) >= _SPOKEN


def presumed_tree(
    tree: JudgedCondition, untold: Sequence[str], user_text: str, *, excepts: bool = False
) -> JudgedCondition:
    """The tree with the exceptions of which nothing is told, and the ``untold`` conditions, as unmet."""
    if not isinstance(tree, JudgedLeaf):
        return with_children(
            tree, lambda child, below_not: presumed_tree(child, untold, user_text, excepts=excepts or below_not)
        )
    assumed = tree.state is UNKNOWN and (excepts or tree.leaf.text in untold)
    return replace(tree, state=UNMET) if assumed and not spoken_of(tree.leaf.text, user_text) else tree


def engaged(tree: JudgedCondition) -> bool:
    """Whether the scenario touches a condition that is still open: a branch of it is met in part."""
    match tree:
        case AnyOf(children):
            return any(engaged(child) for child in children)
        case All(children):
            return holds(tree) is UNKNOWN and any(holds(child) is MET for child in children)
        case Not(child):
            return engaged(child)
        case JudgedLeaf(state=state):
            return state is MET


@dataclass(frozen=True, slots=True)
class RuleVerdict:
    """Verdict: yes, no or "not excluded"; condition tree, fallback answer, evidence.

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
class _Weighed:
    """What is granted under which condition, and what bars; ``stated``: whether the page says who may at all.

    ``only``: whether it says so by what it excepts alone ("cannot, unless …").
    """

    granted: JudgedCondition | None
    barred: JudgedCondition | None
    stated: bool
    only: bool


def verdict_of(context: QuestionContext, group: RuleGroup) -> RuleVerdict:
    """The verdict that follows from all rules of a group."""
    duty = group.own.statement.modality in DUTY
    asks = "not excluded" if asked_for(context.form) in ("ability", "eligible") else "not said"
    text, tree, otherwise, barred = _verdict(context, group, _weighed(context, group), "not exempt" if duty else asks)
    known = [one for one in leaves(deciding(tree)) if one.state is not UNKNOWN] if tree is not None else []
    barred = barred and all(_is_sure(context, one) for one in known)
    things = frozenset(anchor for rule in group.grants if rule.listed for anchor in rule.anchors)
    unknown = [one.leaf for one in leaves(tree) if one.state is UNKNOWN]
    of_things = text == "yes" and any(leaf.anchor in things or _KIND.match(leaf.text) for leaf in unknown)
    return RuleVerdict(text, tree, otherwise, _shown(context, group, text, tree), barred, of_things)


def _weighed(context: QuestionContext, group: RuleGroup) -> _Weighed:
    grants = [tree for rule in group.grants if (tree := judged_rule(context, rule)) is not None]
    bars = [tree for rule in group.bars if (tree := judged_rule(context, rule)) is not None]
    opened = [tree.child for tree in bars if isinstance(tree, Not)]  # "cannot, unless …" says who can
    bars = [tree for tree in bars if not isinstance(tree, Not)]
    granted = _joined(All, [*grants, *opened])
    return _Weighed(granted, _joined(AnyOf, bars), bool(group.grants or opened), not group.grants)


def _verdict(
    context: QuestionContext, group: RuleGroup, found: _Weighed, excluded: str
) -> tuple[str, JudgedCondition | None, str, bool]:
    """The text, its tree, what holds otherwise, and whether a "no" is certain."""
    granted, barred = found.granted, found.barred
    forbids = barred is not None and (engaged(barred) or holds(presumed_tree(barred, (), context.user_text)) is MET)
    untold = [
        text for rule in group.grants for text in rule.statement.exceptions if not spoken_of(text, context.user_text)
    ]
    lacks = granted is not None and holds(presumed_tree(granted, untold, context.user_text)) is UNMET
    forbids = forbids or _is_touched(context, group, barred)
    if granted is not None and barred is None and found.only and holds(granted) is UNKNOWN:
        return "no", negated(granted), "", False
    if barred is not None and forbids:
        tree = barred if granted is None else _joined(AnyOf, [barred, negated(granted)])
        certain = holds(presumed_tree(barred, (), context.user_text)) is MET
        return "no", tree, "" if found.stated else excluded, certain
    if granted is not None and lacks:
        short = negated(granted)
        return "no", short if barred is None else _joined(AnyOf, [short, barred]), "", True
    if not found.stated:
        return _of_bars(barred, excluded)
    return "yes", _joined(All, [part for part in (granted, barred and negated(barred)) if part is not None]), "", False


def _of_bars(barred: JudgedCondition | None, excluded: str) -> tuple[str, JudgedCondition | None, str, bool]:
    """The same where nothing grants: whom nothing bars is no more than not excluded."""
    if barred is not None and holds(barred) is UNMET:
        return excluded, negated(barred), "no", False
    return "no", barred, excluded if barred is not None else "", False


def _is_touched(context: QuestionContext, group: RuleGroup, barred: JudgedCondition | None) -> bool:
    """Whether what is told, or the case that is asked for, has words of an open case that bars: it comes first then."""
    title = context.pages(group.own.statement.candidate.page).title or ""
    required = " ".join(leaf.text for rule in group.grants for leaf in leaves(rule.condition))
    words = missing_terms(content_terms(f"{context.scenario_text} {context.parts.case}"), f"{title} {required}")
    words = frozenset(word for word in words if len(word) >= _TELLS)
    texts = [one.leaf.text for one in leaves(barred) if one.state is UNKNOWN]
    return any(len(missing_terms(words, text)) < len(words) for text in texts)


def judged_rule(context: QuestionContext, rule: GroupRule) -> JudgedCondition | None:
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
        named = tuple(child for child in tree.children if any(one.state is MET for one in leaves(child)))
        return named[0] if len(named) == 1 else AnyOf(named or tree.children)
    return tree


def _state_of(context: QuestionContext, rule: GroupRule, leaf: Leaf) -> ConditionState:
    """What somebody says of a condition: by figures, by one of the cases that it names, or by most of its words."""
    compared = compare(leaf.text, context.user_text, context.today)
    if compared is not None:
        return judge(leaf.text, context.user_text, context.today) if _is_bounded(leaf.text, compared) else UNKNOWN
    topic = f"{context.pages(rule.statement.candidate.page).title or ''} {rule.statement.main}"
    if is_said_both_ways(leaf.text, context.user_text):
        return UNKNOWN
    if is_named(leaf.text, context.user_text, topic, context.parts.asks):
        return MET
    words = content_terms(leaf.text)
    if not missing_terms(words, topic):  # the question names the topic, not the case
        return UNKNOWN
    state = judge(leaf.text, context.user_text, context.today, _ENOUGH)
    return state if state is MET or coverage(words, context.user_text) == 1.0 else UNKNOWN


def _is_bounded(text: str, compared: Comparison) -> bool:
    """Whether a condition bounds the figure that is told: not what was left undone, nor when else something was."""
    if compared.bound.kind in ("date", "since") and _DURING.search(text):
        return False
    return not NEGATIVE.search(BOUNDED.sub(" ", text))


def _is_sure(context: QuestionContext, one: JudgedLeaf) -> bool:
    text = one.leaf.text
    return (
        is_named(text, context.user_text, about=context.parts.asks)
        or compare(text, context.user_text, context.today) is not None
        or coverage(content_terms(text), context.user_text) == 1.0
    )


def _joined(
    kind: Callable[[tuple[JudgedCondition, ...]], JudgedCondition], parts: Sequence[JudgedCondition]
) -> JudgedCondition | None:
    """One group of all parts, flat; a single part itself, None without any."""
    flat: list[JudgedCondition] = []
    for part in parts:
        same = isinstance(part, (All, AnyOf)) and type(part) is kind
        flat += part.children if same and isinstance(part, (All, AnyOf)) else (part,)
    return None if not flat else flat[0] if len(flat) == 1 else kind(tuple(flat))


def _shown(context: QuestionContext, group: RuleGroup, text: str, tree: JudgedCondition | None) -> tuple[Evidence, ...]:
    """What decides, with its lead-in; where nothing does yet, each rule, by what is told of it or with its list."""
    if tree is not None and holds(tree) is not UNKNOWN:
        found = [_whole(context, one) for one in leaves(deciding(tree))]
        return tuple(dict.fromkeys(found))[:_SHOWN]
    shown: dict[Evidence, None] = {}
    for rule in sorted(group.rules, key=lambda rule: (rule.positive != (text == "yes"), rule is not group.own)):
        reading = context.pages(rule.statement.candidate.page)
        one = rule.statement
        whole = evidence_of(one.candidate.page, reading, rule.element, one.start, one.end)
        judged = judged_rule(context, rule)
        user_text = [_whole(context, leaf) for leaf in leaves(judged) if leaf.state is MET and leaf.source.lead_in]
        shown |= dict.fromkeys(user_text[:1] if user_text and text == "no" else [whole])
    return tuple(shown)[:_SHOWN]


def _whole(context: QuestionContext, one: JudgedLeaf) -> Evidence:
    """The item or the sentence that a condition is of."""
    page = one.source.page
    reading = context.pages(page)
    element = reading.element(one.leaf.anchor)
    if element is None:
        return one.source
    spans = sentence_spans(element.text) if element.tag not in ("li", "tr") else []
    start, end = next(((s, e) for s, e in spans if s <= one.leaf.start < e), (0, len(element.text)))
    return evidence_of(page, reading, element, start, end)
