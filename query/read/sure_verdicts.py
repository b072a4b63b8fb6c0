"""The yes or no that surely follows: of the rule that says all of the question, if none as good says otherwise."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from clausegraph.core.types import ConditionState, JudgedCondition, Modality, leaves
from clausegraph.query.read.answers import Asked, judged_condition
from clausegraph.query.read.candidates import Candidate
from clausegraph.query.read.conditions import settled
from clausegraph.query.read.cues import cued, of_others
from clausegraph.query.read.figures import compare
from clausegraph.query.read.governing import GoverningRule, Ruling, of_rule, presumed
from clausegraph.query.read.meeting import coverage, said, telling, uncovered
from clausegraph.query.read.polarity import asked_for, kind_fit
from clausegraph.query.read.scenario import NEGATIVE
from clausegraph.query.read.statements import ReadStatement, statements_of
from clausegraph.query.read.sure import Fit, fit, missing_words, uncompared

_DEPTH = 12
_FITS = 0.8
_LONG = 16  # words of a story that tells much
_OTHER = 0.8  # share of the scenario's words that a rule does not have
_FIRST, _LATE = 3, 8  # places that the search puts first; far down
_TOLD = 0.5  # share of a condition's words that are told, from which it was spoken of
_RULED = ("duty", "ability", "eligible")
_EXCEPT = re.compile(r"\b(?:unless|except(?: for)?|other than|apart from|but not)\b", re.IGNORECASE)
_NOT_THAT = re.compile(
    r"(?:[-–—,;(]\s*|\b(?:and|but)\s+)not\b(?!\s+only)|\b(?:rather than|instead of)\b", re.IGNORECASE
)
_ADVISES = re.compile(r"\b(?:should|ought|advised|recommended|encouraged)\b", re.IGNORECASE)
_ALLOWS = re.compile(r"\b(?:allow\w*|permit\w*|entitle\w*|eligib\w*|qualif\w*|requir\w*|possible)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class FittingStatement:
    """A statement, how it fits the question, and how well its modality answers what is asked."""

    statement: ReadStatement
    fit: Fit
    kind: float

    @property
    def key(self) -> tuple[int, int, float, int, int]:
        """Smaller is better."""
        return self.fit.lacking, len(self.fit.only_around), -self.kind, self.fit.untold, self.fit.rank

    def rule(self, asked: Asked) -> GoverningRule:
        """It with its condition, judged."""
        statement = self.statement
        tree = judged_condition(asked, statement.candidate, statement.start, statement.end)
        return GoverningRule(statement, tree, 1.0)


def sure_verdict(asked: Asked, ranked: Sequence[Candidate]) -> tuple[Ruling, list[str]] | None:
    """The verdict and what remains to be doubted about it; None where nothing is stated."""
    found = sorted(_found(asked, ranked), key=lambda one: one.key)
    if not found:
        return None
    best = _barring(asked, found) or found[0]
    rule = best.rule(asked)
    ruling = of_rule(rule)
    tree = settled(ruling.tree) if ruling.tree is not None else None
    doubts = missing_words(asked, best.fit)
    if best.kind < _FITS:
        doubts.append("it says something else than what is asked")
    if best.fit.rank >= _FIRST and len(best.fit.only_around) == len(telling(asked.parts.asks)):
        doubts.append("all of the question is said only around it")
    if best.fit.rank >= _LATE:
        doubts.append("the search has many places before it")
    doubts += [*_as_said(asked, best.statement), *_unused(asked, best, tree)]
    bounds = [leaf.leaf.text for leaf in leaves(ruling.tree)]
    figures = uncompared(asked, best.statement.candidate, best.statement.full, bounds)
    if _is_barred(asked, rule):
        counted = any(compare(text, asked.told, asked.today) for text in bounds)
        rivals = [] if counted else _rivals(asked, best, ruling, found, plain=True)
        return ruling, [*doubts, *rivals, *(figures if rule.positive else ())]
    doubts += [*_rivals(asked, best, ruling, found), *figures]
    doubts += _about_conditions(asked, best.statement, tree)
    if asked.story:
        unknown = [one.leaf.text for one in leaves(tree) if one.state is ConditionState.UNKNOWN]
        doubts += [f"“{text}” is open" for text in unknown if coverage(telling(text), asked.told) < _TOLD]
    return ruling, doubts


def _as_said(asked: Asked, statement: ReadStatement) -> list[str]:
    """Doubts about how a statement says it: by its cues, of whom, as advice, or the other way round than is asked."""
    main = statement.full
    for leaf in leaves(statement.parsed.condition):
        main = main.replace(leaf.text, " ")
    doubts = cued(main, asked.form.sentence, asked.today)
    doubts += of_others(statement, asked.told)
    if _is_excluded(telling(asked.parts.asks), main):
        doubts.append("the question is about what is excluded")
    if _ADVISES.search(main) and asked_for(asked.form) == "duty":
        doubts.append("it is only advised")
    if NEGATIVE.search(asked.parts.asks) and not NEGATIVE.search(statement.full):
        doubts.append("the question is asked with “not”")
    return doubts


def _is_excluded(words: frozenset[str], text: str) -> bool:
    """Whether a text says some of the words only of what it leaves out: "for repairs - not an extension"."""
    kept, *out = _NOT_THAT.split(text, maxsplit=1)
    left = uncovered(words, kept)
    return bool(out) and bool((words & said(out[0])) - said(kept) or left - uncovered(left, out[0]))


def _is_barred(asked: Asked, rule: GoverningRule) -> bool:
    """Whether what is told surely leads to a "no", whatever else holds: a requirement is unmet, or what forbids it met.

    Exceptions of which nothing is told are taken not to hold.
    """
    if rule.tree is None:
        return False
    state = presumed(rule, asked.told)
    if rule.positive:
        return state is ConditionState.UNMET
    met = [one.leaf.text for one in leaves(rule.tree) if one.state is ConditionState.MET]
    sure = all(compare(text, asked.told, asked.today) or coverage(telling(text), asked.told) == 1.0 for text in met)
    return state is ConditionState.MET and bool(met) and sure


def _barring(asked: Asked, found: Sequence[FittingStatement]) -> FittingStatement | None:
    """The first statement that fits as well as the best one and surely leads to a "no"."""
    first = found[0]
    for one in found:
        if one.fit.lacking > first.fit.lacking:
            return None
        same = one.statement.candidate.page == first.statement.candidate.page and one.kind >= first.kind
        if same and _is_barred(asked, one.rule(asked)):
            return one
    return None


def _found(asked: Asked, ranked: Sequence[Candidate]) -> Iterator[FittingStatement]:
    for rank, candidate in enumerate(ranked[:_DEPTH]):
        if candidate.element.is_heading or _is_nested(asked, candidate):
            continue
        for one in statements_of(candidate, asked.pages):
            if not one.text.rstrip().endswith(":"):
                yield FittingStatement(one, fit(asked, candidate, rank, one.full), _answers(asked, one))


def _is_nested(asked: Asked, candidate: Candidate) -> bool:
    """Whether an item belongs to an item: it is a part of that one's rule."""
    lead = asked.pages(candidate.page).element(candidate.element.lead_in)
    return lead is not None and lead.tag == "li"


def _answers(asked: Asked, statement: ReadStatement) -> float:
    """How well a modality answers what is asked; what is merely so does not say what is allowed."""
    plain = statement.modality is Modality.IS and statement.polarity and not _ALLOWS.search(statement.full)
    return 0.6 if plain and asked_for(asked.form) in _RULED else kind_fit(asked.form, statement.modality)


def _rivals(
    asked: Asked, best: FittingStatement, ruling: Ruling, others: Sequence[FittingStatement], *, plain: bool = False
) -> list[str]:
    """A doubt for another statement that fits as well and says the opposite; if ``plain``, without any condition."""
    for other in others:
        as_good = other is not best and other.fit.lacking <= best.fit.lacking and other.kind >= best.kind
        if plain and other.statement.lead:
            continue
        if as_good and of_rule(rule := other.rule(asked)).yes != ruling.yes and not (plain and rule.tree is not None):
            return [f"another place says otherwise: “{other.statement.text[:80]}”"]
    return []


def _about_conditions(asked: Asked, statement: ReadStatement, tree: JudgedCondition | None) -> list[str]:
    """A doubt where the question is about a condition or an exception which is open all the same."""
    words = telling(asked.parts.asks)
    unknown = [one.leaf.text for one in leaves(tree) if one.state is ConditionState.UNKNOWN]
    asks_not = bool(NEGATIVE.search(asked.form.sentence))
    doubts = [
        f"the question is about “{text}”"
        for text in unknown
        if len(uncovered(words, text)) < len(words)
        and (text in statement.exceptions or bool(NEGATIVE.search(text)) != asks_not)
    ]
    kept = _EXCEPT.split(statement.text, maxsplit=1)
    if unknown and len(kept) > 1 and uncovered(uncovered(words, kept[0]), kept[1]) != uncovered(words, kept[0]):
        doubts.append("the question is about an exception")
    main = f"{statement.lead} {statement.text}"
    for one in leaves(tree):
        main = main.replace(one.leaf.text, " ")
    if tree is not None and uncovered(words, main) == words and not _ALLOWS.search(main):
        doubts.append("only its condition speaks of what is asked")
    return doubts


def _unused(asked: Asked, best: FittingStatement, tree: JudgedCondition | None) -> list[str]:
    """A doubt where much is told, or hardly anything of it is about a rule that has no condition."""
    words = telling(asked.story)
    if len(words) >= _LONG:
        return ["more is told than can be compared"]
    unused = len(uncovered(words, best.statement.full)) > _OTHER * len(words)
    return ["most of what is told is about other things"] if unused and tree is None else []
