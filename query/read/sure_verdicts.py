"""The yes or no that surely follows: of the rule that says all of the question, if none as good says otherwise."""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from clausegraph.core.condition_trees import deciding
from clausegraph.core.types import ConditionState, JudgedCondition, Modality, holds, leaves
from clausegraph.query.read.answers import Asked, judged_condition
from clausegraph.query.read.candidates import Candidate
from clausegraph.query.read.cues import is_hedged, is_of_others, main_clause, subject_of
from clausegraph.query.read.figures import compare
from clausegraph.query.read.governing import GoverningRule, says_yes
from clausegraph.query.read.matter import (
    Matter,
    asks_of_topic,
    asks_who,
    is_gate,
    is_granting,
    matter_of,
)
from clausegraph.query.read.matter_rule import MatterRule
from clausegraph.query.read.matter_verdict import MatterRuling, ruling_of
from clausegraph.query.read.meeting import said, telling, uncovered
from clausegraph.query.read.polarity import asked_for, kind_fit
from clausegraph.query.read.probability import Features
from clausegraph.query.read.scenario import NEGATIVE
from clausegraph.query.read.statements import ReadStatement, statements_of
from clausegraph.query.read.sure import Fit, figures_left, fit

_DEPTH = 12
_FITS = 0.8
_LONG = 16  # words of a story that tells much
_UNHEARD = 1 / 3  # share of the words of a story that none of the rules has
_RULED = ("duty", "ability", "eligible")
_AGE = re.compile(r"\b(?:aged?|years old|born|birth|birthday)\b", re.IGNORECASE)
_NEED_NOT = re.compile(r"\b(?:do|does)(?: not|n['’]t) (?:need|have) to\b|\bneed not\b", re.IGNORECASE)
_MONTHS = telling(" ".join(calendar.month_name))  # of a date, which is compared as a figure
_NOT_THAT = re.compile(
    r"(?:[-–—,;(]\s*|\b(?:and|but)\s+)not\b(?!\s+only)|\b(?:rather than|instead of)\b", re.IGNORECASE
)
_ADVISES = re.compile(r"\b(?:should|ought|advised|recommended|encouraged)\b", re.IGNORECASE)
_PLACE = re.compile(r"\b(?:in|at|near)\s+([A-Z][a-z]+)(?![\w\s]*[A-Z])")  # where somebody lives says nothing by itself
_ALLOWS = re.compile(r"\b(?:allow\w*|permitted|entitle\w*|eligib\w*|qualif\w*|requir\w*|possible)\b", re.IGNORECASE)


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

    def rule(self, asked: Asked) -> GoverningRule:
        """It with its condition, judged."""
        statement = self.statement
        tree = judged_condition(asked, statement.candidate, statement.start, statement.end)
        return GoverningRule(statement, tree, 1.0)


@dataclass(frozen=True, slots=True)
class SureVerdict:
    """The verdict of a group of rules, the statement by which it was found, and its features."""

    statement: ReadStatement
    ruling: MatterRuling
    features: Features


def best_verdict(asked: Asked, ranked: Sequence[Candidate]) -> SureVerdict | None:
    """The verdict of the rules whose statement says most of the question; None where nothing is stated."""
    found = sorted(_found(asked, ranked), key=lambda one: one.key)
    if not found:
        return None
    best, matter, ruling = _governing(asked, found)
    rules = _shown_rules(matter, ruling)
    gate = is_gate(matter.own.statement)
    asks = asks_who(asked)
    missing = [word for word in best.fit.missing if not (asks and gate and is_granting(word))]
    text = " ".join(rule.statement.full for rule in matter.rules)
    judged = list(leaves(ruling.tree))
    met = [leaf.leaf.text for leaf in judged if leaf.state is ConditionState.MET]
    bounds = [leaf.leaf.text for leaf in judged] + [subject_of(rule.statement) for rule in rules]
    said_in = [best.statement, *(rule.statement for rule in rules)]
    hedged = any(is_hedged(main_clause(one), asked.form.sentence, asked.today) for one in said_in)
    compared = any(compare(leaf.leaf.text, asked.told, asked.today) for leaf in judged)
    left = figures_left(asked, best.statement.candidate, text, bounds, met)
    rival = not (ruling.barred and compared) and _has_rival(asked, best, matter, ruling, found)
    failed = {
        "question words missing": bool(missing),
        "does not say who gets it": asks and (not gate or bool(_NEED_NOT.search(main_clause(matter.own.statement)))),
        "answers another question": best.kind < _FITS,
        "said of others": is_of_others(rules[0].statement, asked.told),
        "hedged": hedged,
        "figure not compared": left and not (ruling.barred and not matter.own.positive),
        "user text not mentioned": _is_unheard(asked, matter, ruling),
        "another section has a rule": bool(matter.elsewhere) and not ruling.barred,
        "another place says otherwise": rival,
        "not told to be of the listed things": ruling.is_of_things,
        "case is like an exception": not ruling.barred
        and _is_like_excepted(asked, best.statement, matter, ruling.tree),
        "mentioned as excluded": _is_excluded(telling(asked.parts.asks), best.statement.text),
        "asked with “not”": bool(NEGATIVE.search(asked.parts.asks)) and not NEGATIVE.search(best.statement.full),
        "only advised": bool(_ADVISES.search(best.statement.full)) and asked_for(asked.form) == "duty",
        "only a condition mentions it": not (ruling.barred or best.of_topic)
        and _is_only_conditional(asked, best.statement, ruling.tree),
    }
    return SureVerdict(best.statement, ruling, {name: float(value) for name, value in failed.items()})


def _governing(asked: Asked, found: Sequence[FittingStatement]) -> tuple[FittingStatement, Matter, MatterRuling]:
    """The best statement with its matter; before it, the first that fits as well and surely leads to a "no"."""
    first, seen = found[0], dict[str, tuple[FittingStatement, Matter, MatterRuling]]()
    for one in found:
        if one.fit.lacking > first.fit.lacking:
            break
        if one.statement.candidate.page != first.statement.candidate.page or one.kind < first.kind:
            continue
        place = one.statement.candidate.element
        if any((place.lead_in or place.anchor) in _places(matter) for _, matter, _ in seen.values()):
            continue
        matter = matter_of(asked, one.statement)
        made = one, matter, ruling_of(asked, matter)
        if made[2].barred:
            return made
        seen[place.anchor] = made
    return next(iter(seen.values()))


def _shown_rules(matter: Matter, ruling: MatterRuling) -> list[MatterRule]:
    """The rules that a verdict rests on: those that decide, else those that say it, its own first."""
    said = [rule for rule in matter.rules if rule.positive == (ruling.text == "yes")] or list(matter.rules)
    if ruling.tree is not None and holds(ruling.tree) is not ConditionState.UNKNOWN:
        anchors = {one.leaf.anchor for one in leaves(deciding(ruling.tree))}
        said = [rule for rule in matter.rules if rule.anchors & anchors] or said
    return sorted(said, key=lambda rule: rule is not matter.own)


def _places(matter: Matter) -> frozenset[str]:
    return frozenset(anchor for rule in matter.rules for anchor in rule.anchors)


def _found(asked: Asked, ranked: Sequence[Candidate]) -> Iterator[FittingStatement]:
    for rank, candidate in enumerate(ranked[:_DEPTH]):
        if candidate.element.is_heading or _is_nested(asked, candidate):
            continue
        for one in statements_of(candidate, asked.pages):
            if not one.text.rstrip().endswith(":"):
                yield FittingStatement(
                    one, fit(asked, candidate, rank, one.full), *_answers(asked, one), is_of_others(one, asked.told)
                )


def _is_nested(asked: Asked, candidate: Candidate) -> bool:
    """Whether an item belongs to an item: it is a part of that one's rule."""
    lead = asked.pages(candidate.page).element(candidate.element.lead_in)
    return lead is not None and lead.tag == "li"


def _answers(asked: Asked, statement: ReadStatement) -> tuple[float, bool]:
    """How well a modality answers what is asked, and whether it says who gets what the page is about.

    What is merely so does not say what is allowed.
    """
    if asks_of_topic(asked, statement):
        return 1.0, True
    plain = statement.modality is Modality.IS and statement.polarity and not _ALLOWS.search(statement.full)
    plain = plain and asked_for(asked.form) in _RULED
    return 0.6 if plain else kind_fit(asked.form, statement.modality), False


def _has_rival(
    asked: Asked, best: FittingStatement, matter: Matter, ruling: MatterRuling, others: Sequence[FittingStatement]
) -> bool:
    """Whether another statement fits as well and says the opposite; of what surely bars, without any condition."""
    own = _places(matter)
    for other in others:
        place = other.statement.candidate
        same = place.page == best.statement.candidate.page
        if same and {place.element.anchor, place.element.lead_in} & own:
            continue
        if other.fit.lacking > best.fit.lacking or other.kind < best.kind or (ruling.barred and other.statement.lead):
            continue
        if best.of_topic and not other.of_topic and same:
            continue
        rule = other.rule(asked)
        if says_yes(rule) != (ruling.text == "yes") and not (ruling.barred and rule.tree is not None):
            return True
    return False


def _is_excluded(words: frozenset[str], text: str) -> bool:
    """Whether a text says some of the words only of what it leaves out: "for repairs - not an extension"."""
    kept, *out = _NOT_THAT.split(text, maxsplit=1)
    left = uncovered(words, kept)
    return bool(out) and bool((words & said(out[0])) - said(kept) or left - uncovered(left, out[0]))


def _is_like_excepted(asked: Asked, statement: ReadStatement, matter: Matter, tree: JudgedCondition | None) -> bool:
    """Whether the case that a question puts has words of an open exception, which nothing else there has."""
    open_ones = [one.leaf.text for one in leaves(tree) if one.state is ConditionState.UNKNOWN]
    others = [leaf.text for rule in matter.bars for leaf in leaves(rule.condition)]
    told = f"{asked.parts.case} {asked.parts.story}"
    rest = f"{statement.lead} {statement.text} {asked.pages(statement.candidate.page).title or ''}"
    for texts, words in ((statement.exceptions, telling(f"{asked.parts.asks} {told}")), (others, telling(told))):
        excepted = [text for text in open_ones if text in texts]
        left = rest
        for text in excepted:
            left = left.replace(text, " ")
        case = uncovered(words, left)
        if any(uncovered(case, text) != case for text in excepted):
            return True
    return False


def _is_only_conditional(asked: Asked, statement: ReadStatement, tree: JudgedCondition | None) -> bool:
    """Whether only the condition of a statement has words of the question."""
    words, main = telling(asked.parts.asks), f"{statement.lead} {statement.text}"
    for one in leaves(tree):
        main = main.replace(one.leaf.text, " ")
    return tree is not None and bool(words) and uncovered(words, main) == words and not _ALLOWS.search(main)


def _is_unheard(asked: Asked, matter: Matter, ruling: MatterRuling) -> bool:
    """Whether the rules do not have many of the words of the user text, or it is a long story."""
    words = telling(asked.story)
    if len(words) >= _LONG or ruling.barred:
        return len(words) >= _LONG
    page = asked.pages(matter.own.statement.candidate.page)
    here = [page.title or "", *(rule.statement.full for rule in matter.rules)]
    here += [f"{one.source.lead_in} {one.leaf.text}" for one in leaves(ruling.tree)]
    words -= telling(" ".join(_PLACE.findall(asked.story))) | _MONTHS
    if _AGE.search(" ".join(here)):
        words -= telling("born birthday birth old aged age")  # said in one way, and asked for in another
    return len(uncovered(words, " ".join(here))) > _UNHEARD * len(words)
