"""The yes or no that surely follows: of the rule that says all of the question, if none as good says otherwise."""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from clausegraph.core.condition_trees import deciding
from clausegraph.core.language.sentences import sentence_spans
from clausegraph.core.types import ConditionState, JudgedCondition, Modality, holds, leaves
from clausegraph.query.read.answers import Asked, judged_condition
from clausegraph.query.read.candidates import Candidate
from clausegraph.query.read.cues import cued, main_clause, of_others, subject_of
from clausegraph.query.read.figures import compare
from clausegraph.query.read.governing import GoverningRule, of_rule
from clausegraph.query.read.matter import (
    Matter,
    asks_of_topic,
    asks_who,
    is_gate,
    is_granting,
    matter_of,
    of_another,
)
from clausegraph.query.read.matter_rule import MatterRule
from clausegraph.query.read.matter_verdict import MatterRuling, ruling_of
from clausegraph.query.read.meeting import said, telling, uncovered
from clausegraph.query.read.polarity import asked_for, kind_fit
from clausegraph.query.read.scenario import NEGATIVE
from clausegraph.query.read.statements import ReadStatement, statements_of
from clausegraph.query.read.sure import Fit, fit, missing_words, uncompared
from clausegraph.query.read.told import of_partner

_DEPTH = 12
_FITS = 0.8
_LONG = 16  # words of a story that tells much
_UNHEARD = 1 / 3  # share of the words of a story that none of the rules has
_FIRST, _LATE = 3, 8  # places that the search puts first; far down
_RULED = ("duty", "ability", "eligible")
_EXCEPT = re.compile(r"\b(?:unless|except(?: for)?|other than|apart from|but not)\b", re.IGNORECASE)
_NOT_THAT = re.compile(
    r"(?:[-–—,;(]\s*|\b(?:and|but)\s+)not\b(?!\s+only)|\b(?:rather than|instead of)\b", re.IGNORECASE
)
_AGE = re.compile(r"\b(?:aged?|years old|born|birth|birthday)\b", re.IGNORECASE)
_NEED_NOT = re.compile(r"\b(?:do|does)(?: not|n['’]t) (?:need|have) to\b|\bneed not\b", re.IGNORECASE)
_WE = re.compile(r"\b(?:we|us)\b", re.IGNORECASE)
_MONTHS = telling(" ".join(calendar.month_name))  # of a date, which is compared as a figure
_PLACE = re.compile(r"\b(?:in|at|near)\s+([A-Z][a-z]+)(?![\w\s]*[A-Z])")  # where somebody lives says nothing by itself
_RESTRICTS = re.compile(
    r"\s(?=(?:for|on|in|at|during|between|within|after|before|from|until|up to|with|without|by)\s(?!the same time)"
    r"|(?:that|which|who|whose)\s)"
)
_REFUSED = re.compile(r"\b(?:refus|reject|withh[eo]ld|turn(?:ed)? down)\w*", re.IGNORECASE)
_WHOLE = re.compile(r"\b(?:the|your|an?) (whole|entire|full)\b", re.IGNORECASE)
_FURTHER = re.compile(r"\b(?:further|additional|another|other|second|more than)\b", re.IGNORECASE)
_NUMBERS = re.compile(r"\d[\d.,]*")
_ADVISES = re.compile(r"\b(?:should|ought|advised|recommended|encouraged)\b", re.IGNORECASE)
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
    """The verdict of a matter, the statement by which it was found, and what remains to be doubted."""

    statement: ReadStatement
    ruling: MatterRuling
    doubts: tuple[str, ...]


def sure_verdict(asked: Asked, ranked: Sequence[Candidate]) -> SureVerdict | None:
    """The verdict and what remains to be doubted about it; None where nothing is stated."""
    found = sorted(_found(asked, ranked), key=lambda one: one.key)
    if not found:
        return None
    best, matter, ruling = _governing(asked, found)
    rules = _shown_rules(matter, ruling)
    gate = asks_who(asked) and is_gate(matter.own.statement)
    doubts = missing_words(asked, best.fit, ignored=is_granting if gate else None)
    if asks_who(asked) and not gate:
        doubts.append("it does not say who gets it")
    elif asks_who(asked) and _NEED_NOT.search(main_clause(matter.own.statement)):
        doubts.append("it says what one need not do to get it")
    if not doubts and (other := of_another(asked, matter.own.statement)):
        doubts.append(f"it is said of “{other}”")
    if best.kind < _FITS:
        doubts.append("it says something else than what is asked")
    if not best.of_topic and best.fit.rank >= _FIRST and len(best.fit.only_around) == len(telling(asked.parts.asks)):
        doubts.append("all of the question is said only around it")
    if not best.of_topic and best.fit.rank >= _LATE:
        doubts.append("the search has many places before it")
    doubts += [*_as_said(asked, best, rules[0].statement), *_unused(asked, matter, ruling), *ruling.doubts]
    if not doubts and ruling.tree is None and (only := _restricted(asked, matter.own.statement)):
        doubts.append(f"it is said only “{only}”")
    for rule in rules:
        doubts += cued(main_clause(rule.statement), asked.form.sentence, asked.today)
    bounds = [leaf.leaf.text for leaf in leaves(ruling.tree)]
    text = " ".join(rule.statement.full for rule in matter.rules)
    met = [leaf.leaf.text for leaf in leaves(ruling.tree) if leaf.state is ConditionState.MET]
    people = [subject_of(rule.statement) for rule in rules]
    figures = uncompared(asked, best.statement.candidate, text, [*bounds, *people], met)
    if ruling.barred:
        counted = any(compare(one, asked.told, asked.today) for one in bounds)
        doubts += [] if counted else _rivals(asked, best, matter, ruling, found, plain=True)
        doubts += figures if matter.own.positive else []
    else:
        doubts += [*_rivals(asked, best, matter, ruling, found), *figures]
        doubts += _about_conditions(asked, best, ruling.tree, (*matter.lifts, *matter.bars))
    both = bool(_WE.search(asked.form.sentence))
    told_of = next((who for text in bounds if both and (who := of_partner(text, asked.story))), "")
    if told_of:
        doubts.append(f"what is told of “{told_of}” is asked of both of them")
    return SureVerdict(best.statement, ruling, tuple(dict.fromkeys(doubts)))


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


def _restricted(asked: Asked, statement: ReadStatement) -> str:
    """The part of a clause by which it holds only for some of what is asked: "for the first month"."""
    page = asked.pages(statement.candidate.page)
    around = f"{asked.told} {page.title or ''} {' '.join(statement.candidate.element.headings)}"
    whole = _WHOLE.search(main_clause(statement))
    if whole is not None and whole[1].lower() not in asked.told.lower():
        return whole[0]
    for part in _RESTRICTS.split(main_clause(statement))[1:]:
        words = telling(part) or frozenset(_NUMBERS.findall(part))
        if words and uncovered(words, around) == words:
            return part.strip()
    return ""


def _shown_rules(matter: Matter, ruling: MatterRuling) -> list[MatterRule]:
    """The rules that a verdict rests on: those that decide, else those that say it, its own first."""
    said = [rule for rule in matter.rules if rule.positive == (ruling.text == "yes")] or list(matter.rules)
    if ruling.tree is not None and holds(ruling.tree) is not ConditionState.UNKNOWN:
        anchors = {one.leaf.anchor for one in leaves(deciding(ruling.tree))}
        said = [rule for rule in matter.rules if rule.anchors & anchors] or said
    return sorted(said, key=lambda rule: rule is not matter.own)


def _places(matter: Matter) -> frozenset[str]:
    return frozenset(anchor for rule in matter.rules for anchor in rule.anchors)


def _as_said(asked: Asked, best: FittingStatement, statement: ReadStatement) -> list[str]:
    """Doubts about how a statement says it: by its cues, of whom, as advice, or the other way round than is asked."""
    main = statement.full
    for leaf in leaves(statement.parsed.condition):
        main = main.replace(leaf.text, " ")
    doubts = cued(main, asked.form.sentence, asked.today)
    doubts += of_others(statement, asked.told)
    if _REFUSED.search(asked.parts.asks):
        doubts.append("it is asked whether something is refused")  # "may refuse" is a yes then
    if _is_excluded(telling(asked.parts.asks), main):
        doubts.append("the question is about what is excluded")
    whole = best.statement.candidate.element.text
    spans = [(start, end) for start, end in sentence_spans(whole) if start <= best.statement.start < end]
    text = " ".join(whole[start:end] for start, end in spans).replace(best.statement.text, " ")
    beside = best.fit.only_around - uncovered(best.fit.only_around, text)
    if beside and not best.of_topic:
        doubts.append(f"“{min(beside)}” is said beside it, of something else")
    after = [whole[start:end] for start, end in sentence_spans(whole) if start >= best.statement.end]
    if asked.story and after and _FURTHER.search(after[0]):
        doubts.append("the next sentence speaks of further ones")
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


def _found(asked: Asked, ranked: Sequence[Candidate]) -> Iterator[FittingStatement]:
    for rank, candidate in enumerate(ranked[:_DEPTH]):
        if candidate.element.is_heading or _is_nested(asked, candidate):
            continue
        for one in statements_of(candidate, asked.pages):
            if not one.text.rstrip().endswith(":"):
                yield FittingStatement(
                    one, fit(asked, candidate, rank, one.full), *_answers(asked, one), bool(of_others(one, asked.told))
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


def _rivals(
    asked: Asked,
    best: FittingStatement,
    matter: Matter,
    ruling: MatterRuling,
    others: Sequence[FittingStatement],
    *,
    plain: bool = False,
) -> list[str]:
    """A doubt for another statement that fits as well and says the opposite; if ``plain``, without any condition."""
    own = _places(matter)
    for other in others:
        place = other.statement.candidate
        same = place.page == best.statement.candidate.page and {place.element.anchor, place.element.lead_in} & own
        if same or other.fit.lacking > best.fit.lacking or other.kind < best.kind or (plain and other.statement.lead):
            continue
        if best.of_topic and not other.of_topic and place.page == best.statement.candidate.page:
            continue
        rule = other.rule(asked)
        if of_rule(rule).yes != (ruling.text == "yes") and not (plain and rule.tree is not None):
            return [f"another place says otherwise: “{other.statement.text[:80]}”"]
    return []


def _about_conditions(
    asked: Asked, best: FittingStatement, tree: JudgedCondition | None, lifts: Sequence[MatterRule]
) -> list[str]:
    """A doubt where the question is about a condition or an exception which is open all the same."""
    lifted = [leaf.text for rule in lifts for leaf in leaves(rule.condition)]
    statement = best.statement
    own = f"{statement.lead} {statement.text}"
    for text in statement.exceptions:
        own = own.replace(text, " ")
    title = asked.pages(statement.candidate.page).title or ""
    words = telling(asked.parts.asks)
    apart = uncovered(words, f"{own} {title}")
    unknown = [one.leaf.text for one in leaves(tree) if one.state is ConditionState.UNKNOWN]
    asks_not = bool(NEGATIVE.search(asked.form.sentence))
    doubts = [
        f"the question is about “{text}”"
        for text in unknown
        if len(uncovered(apart, text)) < len(apart)
        and (text in statement.exceptions or bool(NEGATIVE.search(text)) != asks_not)
    ]
    excepted = [text for text in unknown if text in statement.exceptions or text in lifted]
    doubts += _like_excepted(asked, f"{own} {title}", tree, excepted)
    kept = _EXCEPT.split(statement.text, maxsplit=1)
    left = uncovered(words, f"{kept[0]} {statement.lead} {title}")
    if unknown and len(kept) > 1 and uncovered(left, kept[1]) != left:
        doubts.append("the question is about an exception")
    main = f"{statement.lead} {statement.text}"
    for one in leaves(tree):
        main = main.replace(one.leaf.text, " ")
    if (
        tree is not None
        and words
        and uncovered(words, main) == words
        and not best.of_topic
        and not _ALLOWS.search(main)
    ):
        doubts.append("only its condition speaks of what is asked")
    return doubts


def _like_excepted(asked: Asked, place: str, tree: JudgedCondition | None, excepted: Sequence[str]) -> list[str]:
    """A doubt where the case that a question puts has words of an open exception, which nothing else there has."""
    rest = " ".join([place, *(one.leaf.text for one in leaves(tree) if one.state is ConditionState.MET)])
    for text in excepted:
        rest = rest.replace(text, " ")
    case = uncovered(telling(f"{asked.parts.case} {asked.parts.story}"), rest)
    return [f"the case asked about is like “{text}”" for text in excepted if uncovered(case, text) != case]


def _unused(asked: Asked, matter: Matter, ruling: MatterRuling) -> list[str]:
    """A doubt where much is told, or where the verdict does not rest on what is told."""
    words = telling(asked.story)
    if len(words) >= _LONG:
        return ["more is told than can be compared"]
    if not words or ruling.barred:
        return []
    page = asked.pages(matter.own.statement.candidate.page)
    said = [page.title or "", *(rule.statement.full for rule in (*matter.rules, *matter.lifts))]
    said += [f"{one.source.lead_in} {one.leaf.text}" for one in leaves(ruling.tree)]
    words -= telling(" ".join(_PLACE.findall(asked.story))) | _MONTHS
    if _AGE.search(" ".join(said)):
        words -= telling("born birthday birth old aged age")  # said in one way, and asked for in another
    unused = uncovered(words, " ".join(said))
    if len(unused) > _UNHEARD * len(words):
        return [f"nothing there speaks of “{word}”" for word in sorted(unused)[:1]]
    return []
