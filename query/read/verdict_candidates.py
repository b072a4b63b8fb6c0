"""The yes or no that surely follows: of the rule that says all of the question, if none as good says otherwise."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from clausegraph.core.condition_trees import deciding
from clausegraph.core.language.lexicon import MONTHS, word_set
from clausegraph.core.types import ConditionState, JudgedCondition, Modality, holds, leaves
from clausegraph.query.read.figures import compare, is_one_of
from clausegraph.query.read.group_verdicts import RuleVerdict, says_yes, verdict_of
from clausegraph.query.read.places import Fit, figures_left, fit
from clausegraph.query.read.probability import Features
from clausegraph.query.read.question_context import QuestionContext, judged_condition
from clausegraph.query.read.questions import asked_for, kind_fit
from clausegraph.query.read.rule_groups import (
    GroupRule,
    RuleGroup,
    asks_of_topic,
    asks_who,
    group_of,
    is_gate,
    is_granting,
)
from clausegraph.query.read.statements import Candidate, ReadStatement, is_hedged, statements_of
from clausegraph.query.read.word_match import NEGATIVE, content_terms, missing_terms, terms

_DEPTH = 12
_FITS = 0.8
_LONG = 16  # words of a story that tells much
_UNHEARD = 1 / 3  # share of the words of a story that none of the rules has
_RULED = ("duty", "ability", "eligible")
_AGE = re.compile(r"\b(?:aged?|years old|born|birth|birthday)\b", re.IGNORECASE)
_NEED_NOT = re.compile(r"\b(?:do|does)(?: not|n['’]t) (?:need|have) to\b|\bneed not\b", re.IGNORECASE)
_MONTHS = content_terms(" ".join(MONTHS))  # of a date, which is compared as a figure
_NOT_THAT = re.compile(
    r"(?:[-–—,;(]\s*|\b(?:and|but)\s+)not\b(?!\s+only)|\b(?:rather than|instead of)\b", re.IGNORECASE
)
_ADVISES = re.compile(r"\b(?:should|ought|advised|recommended|encouraged)\b", re.IGNORECASE)
_PLACE = re.compile(r"\b(?:in|at|near)\s+([A-Z][a-z]+)(?![\w\s]*[A-Z])")  # where somebody lives says nothing by itself
_ALLOWS = re.compile(r"\b(?:allow\w*|permitted|entitle\w*|eligib\w*|qualif\w*|requir\w*|possible)\b", re.IGNORECASE)

_ANYBODY = word_set("anyone anybody everyone everybody someone person people aged only just you your own other")
_PRONOUN = re.compile(r"(?:it|they|this|that|these)\b", re.IGNORECASE)
_SOMEBODY = re.compile(r"(?:the|your) \w+", re.IGNORECASE)
_THEY = re.compile(r"\bthey\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class FittingStatement:
    """A statement, how it fits the question, and how well its modality answers what is asked."""

    statement: ReadStatement
    fit: Fit
    kind: float
    of_topic: bool  # whether it says who gets what its page is about, as is asked
    of_others: bool  # than the one who asks

    @property
    def key(self) -> tuple[int, bool, bool, int, float, int, int]:
        """Smaller is better."""
        around = 0 if self.of_topic else len(self.fit.only_around)
        who = not self.of_topic, self.of_others
        return (self.fit.lacking, *who, around, -self.kind, self.fit.untold, self.fit.rank)


@dataclass(frozen=True, slots=True)
class VerdictCandidate:
    """The verdict of a group of rules, the statement by which it was found, and its features."""

    statement: ReadStatement
    verdict: RuleVerdict
    features: Features


def best_verdict(context: QuestionContext, ranked: Sequence[Candidate]) -> VerdictCandidate | None:
    """The verdict of the rules whose statement says most of the question; None where nothing is stated."""
    found = sorted(_found(context, ranked), key=lambda one: one.key)
    if not found:
        return None
    best, group, verdict = _governing(context, found)
    rules = _shown_rules(group, verdict)
    gate = is_gate(group.own.statement)
    asks = asks_who(context)
    missing = [word for word in best.fit.missing if not (asks and gate and is_granting(word))]
    text = " ".join(rule.statement.full for rule in group.rules)
    judged = list(leaves(verdict.tree))
    met = [leaf.leaf.text for leaf in judged if leaf.state is ConditionState.MET]
    bounds = [leaf.leaf.text for leaf in judged] + [rule.statement.subject for rule in rules]
    said_in = [best.statement, *(rule.statement for rule in rules)]
    hedged = any(is_hedged(one.main, context.form.sentence, context.today) for one in said_in)
    compared = any(compare(leaf.leaf.text, context.user_text, context.today) for leaf in judged)
    left = figures_left(context, best.statement.candidate, text, bounds, met)
    rival = not (verdict.barred and compared) and _has_rival(context, best, group, verdict, found)
    failed = {
        "question words missing": bool(missing),
        "does not say who gets it": asks and (not gate or bool(_NEED_NOT.search(group.own.statement.main))),
        "answers another question": best.kind < _FITS,
        "said of others": _is_of_others(rules[0].statement, context.user_text),
        "hedged": hedged,
        "figure not compared": left and not (verdict.barred and not group.own.positive),
        "user text not mentioned": _is_unheard(context, group, verdict),
        "another section has a rule": group.elsewhere and not verdict.barred,
        "another place says otherwise": rival,
        "not told to be of the listed things": verdict.is_of_things,
        "case is like an exception": not verdict.barred
        and _is_like_excepted(context, best.statement, group, verdict.tree),
        "mentioned as excluded": _is_excluded(content_terms(context.parts.asks), best.statement.text),
        "asked with “not”": bool(NEGATIVE.search(context.parts.asks)) and not NEGATIVE.search(best.statement.full),
        "only advised": bool(_ADVISES.search(best.statement.full)) and asked_for(context.form) == "duty",
        "only a condition mentions it": not (verdict.barred or best.of_topic)
        and _is_only_conditional(context, best.statement, verdict.tree),
    }
    return VerdictCandidate(best.statement, verdict, {name: float(value) for name, value in failed.items()})


def _governing(
    context: QuestionContext, found: Sequence[FittingStatement]
) -> tuple[FittingStatement, RuleGroup, RuleVerdict]:
    """The best statement with its group of rules; before it, the first that fits as well and surely leads to a "no"."""
    first, seen = found[0], dict[str, tuple[FittingStatement, RuleGroup, RuleVerdict]]()
    for one in found:
        if one.fit.lacking > first.fit.lacking:
            break
        if one.statement.candidate.page != first.statement.candidate.page or one.kind < first.kind:
            continue
        place = one.statement.candidate.element
        if any((place.lead_in or place.anchor) in _places(group) for _, group, _ in seen.values()):
            continue
        group = group_of(context, one.statement)
        made = one, group, verdict_of(context, group)
        if made[2].barred:
            return made
        seen[place.anchor] = made
    return next(iter(seen.values()))


def _shown_rules(group: RuleGroup, verdict: RuleVerdict) -> list[GroupRule]:
    """The rules that a verdict rests on: those that decide, else those that say it, its own first."""
    terms = [rule for rule in group.rules if rule.positive == (verdict.text == "yes")] or list(group.rules)
    if verdict.tree is not None and holds(verdict.tree) is not ConditionState.UNKNOWN:
        anchors = {one.leaf.anchor for one in leaves(deciding(verdict.tree))}
        terms = [rule for rule in group.rules if rule.anchors & anchors] or terms
    return sorted(terms, key=lambda rule: rule is not group.own)


def _places(group: RuleGroup) -> frozenset[str]:
    return frozenset(anchor for rule in group.rules for anchor in rule.anchors)


def _found(context: QuestionContext, ranked: Sequence[Candidate]) -> Iterator[FittingStatement]:
    for rank, candidate in enumerate(ranked[:_DEPTH]):
        if candidate.element.is_heading or _is_nested(context, candidate):
            continue
        for one in statements_of(candidate, context.pages):
            if not one.text.rstrip().endswith(":"):
                yield FittingStatement(
                    one,
                    fit(context, candidate, rank, one.full),
                    *_answers(context, one),
                    _is_of_others(one, context.user_text),
                )


def _is_nested(context: QuestionContext, candidate: Candidate) -> bool:
    """Whether an item belongs to an item: it is a part of that one's rule."""
    lead = context.pages(candidate.page).element(candidate.element.lead_in)
    return lead is not None and lead.tag == "li"


def _answers(context: QuestionContext, statement: ReadStatement) -> tuple[float, bool]:
    """How well a modality answers what is asked, and whether it says who gets what the page is about.

    What is merely so does not say what is allowed.
    """
    if asks_of_topic(context, statement):
        return 1.0, True
    plain = statement.modality is Modality.IS and statement.polarity and not _ALLOWS.search(statement.full)
    plain = plain and asked_for(context.form) in _RULED
    return 0.6 if plain else kind_fit(context.form, statement.modality), False


def _has_rival(
    context: QuestionContext,
    best: FittingStatement,
    group: RuleGroup,
    verdict: RuleVerdict,
    others: Sequence[FittingStatement],
) -> bool:
    """Whether another statement fits as well and says the opposite; of what surely bars, without any condition."""
    own = _places(group)
    for other in others:
        place = other.statement.candidate
        same = place.page == best.statement.candidate.page
        if same and {place.element.anchor, place.element.lead_in} & own:
            continue
        if other.fit.lacking > best.fit.lacking or other.kind < best.kind or (verdict.barred and other.statement.lead):
            continue
        if best.of_topic and not other.of_topic and same:
            continue
        tree = judged_condition(context, place, other.statement.start, other.statement.end)
        if says_yes(other.statement, tree) != (verdict.text == "yes") and not (verdict.barred and tree is not None):
            return True
    return False


def _is_excluded(words: frozenset[str], text: str) -> bool:
    """Whether a text says some of the words only of what it leaves out: "for repairs - not an extension"."""
    kept, *out = _NOT_THAT.split(text, maxsplit=1)
    left = missing_terms(words, kept)
    return bool(out) and bool((words & terms(out[0])) - terms(kept) or left - missing_terms(left, out[0]))


def _is_like_excepted(
    context: QuestionContext, statement: ReadStatement, group: RuleGroup, tree: JudgedCondition | None
) -> bool:
    """Whether the case that a question puts has words of an open exception, which nothing else there has."""
    open_ones = [one.leaf.text for one in leaves(tree) if one.state is ConditionState.UNKNOWN]
    others = [leaf.text for rule in group.bars for leaf in leaves(rule.condition)]
    user_text = f"{context.parts.case} {context.parts.scenario_text}"
    rest = f"{statement.lead} {statement.text} {context.pages(statement.candidate.page).title or ''}"
    for texts, words in (
        (statement.exceptions, content_terms(f"{context.parts.asks} {user_text}")),
        (others, content_terms(user_text)),
    ):
        excepted = [text for text in open_ones if text in texts]
        left = rest
        for text in excepted:
            left = left.replace(text, " ")
        case = missing_terms(words, left)
        if any(missing_terms(case, text) != case for text in excepted):
            return True
    return False


def _is_only_conditional(context: QuestionContext, statement: ReadStatement, tree: JudgedCondition | None) -> bool:
    """Whether only the condition of a statement has words of the question."""
    words, main = content_terms(context.parts.asks), f"{statement.lead} {statement.text}"
    for one in leaves(tree):
        main = main.replace(one.leaf.text, " ")
    return tree is not None and bool(words) and missing_terms(words, main) == words and not _ALLOWS.search(main)


def _is_unheard(context: QuestionContext, group: RuleGroup, verdict: RuleVerdict) -> bool:
    """Whether the rules do not have many of the words of the user text, or it is a long story."""
    words = content_terms(context.scenario_text)
    if len(words) >= _LONG or verdict.barred:
        return len(words) >= _LONG
    page = context.pages(group.own.statement.candidate.page)
    here = [page.title or "", *(rule.statement.full for rule in group.rules)]
    here += [f"{one.source.lead_in} {one.leaf.text}" for one in leaves(verdict.tree)]
    words -= content_terms(" ".join(_PLACE.findall(context.scenario_text))) | _MONTHS
    if _AGE.search(" ".join(here)):
        words -= content_terms("born birthday birth old aged age")  # said in one way, and asked for in another
    return len(missing_terms(words, " ".join(here))) > _UNHEARD * len(words)


def _is_of_others(statement: ReadStatement, user_text: str) -> bool:
    """Whether a statement is about somebody or something that neither question nor scenario names."""
    subject = statement.subject
    they = _SOMEBODY.fullmatch(subject) and _THEY.search(user_text)  # "can they …?": whoever it is
    if they or _PRONOUN.match(subject) or is_one_of(subject, user_text):
        return False
    return bool(missing_terms(frozenset(w for w in terms(subject) if not (w in _ANYBODY or w[0].isdigit())), user_text))
