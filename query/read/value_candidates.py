"""The value that surely answers: the one whose place says all of the question, and no other place says otherwise."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from clausegraph.core.language.clauses import sentence_spans
from clausegraph.core.language.conditions import parse_conditions
from clausegraph.core.types import ConditionState, leaves
from clausegraph.query.read.evidence import introduction
from clausegraph.query.read.places import CELLS, Fit, figures_left, fit, is_user_cell, limits_of, values_in
from clausegraph.query.read.question_context import AnswerCandidate, QuestionContext, conditioned, judge
from clausegraph.query.read.questions import AnswerType
from clausegraph.query.read.statements import Candidate, is_hedged, is_of_now, is_uncertain
from clausegraph.query.read.word_match import content_terms, missing_terms

_DEPTH = 25  # places that are looked at
_FEW = 3  # of so many words of the case asked about ("if …") a place may lack one
_MANY = 4  # words that are asked, of which a place may lack one
_FIRST, _LATE = 3, 8  # places that the search puts first; rank from which a place is far down
_BOUND = re.compile(r"\b(?:limits?|thresholds?|most|maximum|max|least|minimum|earliest|latest|lowest|highest)\b", re.I)
_EXCLUDES = re.compile(r"\b(?:but not|except|other than|not for|apart from|excluding)\b", re.IGNORECASE)
_MONEY = re.compile(r"\b(?:costs?|prices?|fees?|charges?|pay|pays|paid|payable|payments?|rates?)\b", re.IGNORECASE)
_FOR_WHOM = r"\bfor (?:an? )?{0}\W*$|\b(?:do|does|can|will) (?:an? |the )?{0} (?:get|pay|receive|claim|have)\b"
_DOES = r"(?:i|we|you|he|she|it|they|to|be|is|are|was|get|gets)"  # behind it stands what is done
_CUT = re.compile(r"[,;:](?=\s)|\s(?:and|but|or|if|unless)\s")
_AIMS = re.compile(r"\bwe aim to\b|\bdepends? on\b", re.IGNORECASE)
_EITHER = re.compile(r"\bor\b")


@dataclass(frozen=True, slots=True)
class ValueCandidate:
    """A value ``[start, end)`` of an element, how its place fits, what bounds it, whether it belongs to a condition."""

    candidate: Candidate
    start: int
    end: int
    fit: Fit
    place: str
    bounds: tuple[str, ...]
    required: bool
    apart: frozenset[str]  # words of the question that its clause does not say
    met: int  # of its bounds, those that what is told meets; -1 where one is not met
    in_user_cell: bool = False  # whether its row and column are told, and it is the only one

    @property
    def text(self) -> str:
        return self.candidate.element.text[self.start : self.end]

    @property
    def key(self) -> tuple[int, int, int, int, int, int]:
        """Smaller is better."""
        return (*self.fit.key, -self.met, len(self.apart), self.fit.rank)


def best_value(context: QuestionContext, ranked: Sequence[Candidate]) -> AnswerCandidate | None:
    """The value whose place says most of the question, with its features; None where no value of the kind is found."""
    found = [one for one in _found(context, ranked[:_DEPTH]) if one.met >= 0]
    found.sort(key=lambda one: (one.required, not (one.in_user_cell and _says_asked(context, one)), *one.key))
    if not found:
        return None
    best, *others = found
    plain = "" if best.in_user_cell else best.place  # the day until which its row or column is for is told
    place = plain
    for bound in best.bounds:
        place = place.replace(bound, " ")
    only_around = best.met < 1 and 0 < len(content_terms(context.parts.asks)) == len(best.fit.only_around)
    failed = {
        "question words missing": only_around or not _says_asked(context, best),
        "case not mentioned": len(best.fit.case) > len(content_terms(context.parts.case)) / _FEW,
        "another value fits as well": _has_rival(best, others),
        "figure not compared": figures_left(context, best.candidate, best.place, best.bounds),
        "user text fits another value better": not best.in_user_cell and _fits_better(context, best, others),
        "hedged": is_hedged(_AIMS.sub(" ", plain), context.form.sentence, context.today),
        "denied, past or rough": is_uncertain(place),
        "said of others": bool(_EXCLUDES.search(best.place)) and bool(best.apart),
        "belongs to a condition": best.required and not _BOUND.search(context.form.sentence),
        "far down in the search": best.fit.rank >= _LATE and not best.in_user_cell,
    }
    return _answer(context, best, {name: float(value) for name, value in failed.items()})


def _answer(context: QuestionContext, best: ValueCandidate, features: dict[str, float]) -> AnswerCandidate:
    """The value with its condition; of a table with the sentences that limit it."""
    page, element = best.candidate.page, best.candidate.element
    made, granted = conditioned(context, best.text, best.candidate, (best.start, best.end), 0.0)
    places = [one.leaf for one in leaves(made.condition) if one.leaf.anchor == element.anchor]
    if any(leaf.start <= best.start < leaf.end for leaf in places):
        made = replace(made, condition=None)  # it is what is required: nothing else that is required is its condition
    behind = [leaf.end for leaf in places if leaf.start >= best.end]
    if len(behind) == len(list(leaves(made.condition))) > 0 and _EITHER.search(best.text):
        # "£70, or £35 if you pay within 14 days": the condition is that of the second value alone, so all of it is said
        made = replace(made, text=element.text[best.start : max(behind)], condition=None)
    limits = limits_of(page, element, context.pages(page)) if element.tag == "tr" else []
    evidence = (*made.evidence, *(one for one in limits if one not in made.evidence))
    return AnswerCandidate(replace(made, evidence=evidence), "value", features, granted)


def _says_asked(context: QuestionContext, one: ValueCandidate) -> bool:
    """Whether a place says what is asked, but for one of many words; a sum in a table is to be paid, said or not."""
    missing = one.fit.missing
    if one.in_user_cell and context.form.type is AnswerType.AMOUNT:
        missing = frozenset(word for word in missing if not _MONEY.fullmatch(word))
    return not missing or _lacks_little(context, one)


def _lacks_little(context: QuestionContext, one: ValueCandidate) -> bool:
    """Whether one of many words is missing, which is not what is done (days to pay are no days to appeal), nor for whom
    it is asked, where another place of the page speaks of them: "for a couple"."""
    if len(one.fit.missing) != 1 or len(content_terms(context.parts.asks)) < _MANY or one.fit.rank >= _FIRST:
        return False
    (word,) = one.fit.missing
    if re.search(_FOR_WHOM.format(re.escape(word)), context.parts.asks, re.IGNORECASE):
        return all(missing_terms(one.fit.missing, other.text) for other in context.pages(one.candidate.page).elements)
    return re.search(rf"\b{_DOES}\s+(?:\w+ly\s+)?{re.escape(word)}\b", context.parts.asks, re.IGNORECASE) is None


def _has_rival(best: ValueCandidate, others: Sequence[ValueCandidate]) -> bool:
    """Whether the place of another value fits as well."""
    for other in others:
        if best.in_user_cell and not other.in_user_cell:
            continue
        worse = (*other.fit.key, -other.met) > (*best.fit.key, -best.met) or other.fit.rank >= _LATE > best.fit.rank
        if not other.required and not worse and other.text.lower() != best.text.lower():
            return True
    return False


def _fits_better(context: QuestionContext, best: ValueCandidate, others: Sequence[ValueCandidate]) -> bool:
    """Whether the place of another value has more of the user text: it may be the case that is asked about."""
    words = content_terms(context.scenario_text)
    here = len(missing_terms(words, best.place))
    unlike = (other for other in others if other.text.lower() != best.text.lower())
    return any(len(missing_terms(words, other.place)) < here for other in unlike)


# --- the values of the places ----------------------------------------------------------------------


def _found(context: QuestionContext, ranked: Sequence[Candidate]) -> Iterator[ValueCandidate]:
    """The values of the places, without rows of a time that is over or to come; elsewhere such a time is doubted."""
    for rank, candidate in enumerate(ranked):
        element = candidate.element
        is_row = element.tag == "tr"
        over = is_row and not is_of_now(element.text.split(CELLS)[0], context.form.sentence, context.today)
        for start, end in () if over or element.is_heading else values_in(context.form, element):
            yield (_in_row if is_row else _in_text)(context, candidate, rank, start, end)


def _in_row(context: QuestionContext, candidate: Candidate, rank: int, start: int, end: int) -> ValueCandidate:
    """A value of a table: its row's name, its column's header and what introduces the table are its place."""
    element, reading = candidate.element, context.pages(candidate.page)
    number = element.text.count(CELLS, 0, start)
    row = "" if number == 0 else element.text.split(CELLS)[0]
    column = element.headers[number] if number < len(element.headers) else ""
    above = reading.element(element.lead_in)
    place = f"{row} {column} {above.text if above is not None else ''}"
    bounds = (f"{' '.join(element.headers[:1])} {row}", column)
    limit = bool(_BOUND.search(column)) and not _BOUND.search(context.form.sentence)
    met, words = _met(context, bounds), content_terms(row)
    if met >= 0 and words and not missing_terms(words, context.scenario_text):
        met += 1  # all that the row is called is told
    told = is_user_cell(context, element, number, reading)
    fits = fit(context, candidate, rank, place)
    return ValueCandidate(candidate, start, end, fits, place, bounds, limit, frozenset(), met, told)


def _in_text(context: QuestionContext, candidate: Candidate, rank: int, start: int, end: int) -> ValueCandidate:
    """A value of a sentence, with what introduces it; its clause stands between commas, "and", "or", "if"."""
    text = candidate.element.text
    sentence = next((s for s in sentence_spans(text) if s[0] <= start < s[1]), (0, len(text)))
    place = f"{introduction(candidate.element, context.pages(candidate.page))} {text[slice(*sentence)]}"
    parts = list(leaves(parse_conditions(text, "", *sentence).condition))
    others = tuple(leaf.text for leaf in parts if not leaf.start <= start < leaf.end)
    cuts = [match.span() for match in _CUT.finditer(text, *sentence)]
    left = max((b for _, b in cuts if b <= start), default=sentence[0])
    clause = text[left : min((a for a, _ in cuts if a >= end), default=sentence[1])]
    apart = missing_terms(content_terms(context.parts.asks), clause)
    required, fits = len(others) < len(parts), fit(context, candidate, rank, place)
    return ValueCandidate(candidate, start, end, fits, place, others, required, apart, _met(context, others))


def _met(context: QuestionContext, bounds: Sequence[str]) -> int:
    """How many of the bounds are met by what is told; -1 where one is not."""
    states = [judge(bound, context.user_text, context.today) for bound in bounds if bound.strip()]
    return -1 if ConditionState.UNMET in states else states.count(ConditionState.MET)
