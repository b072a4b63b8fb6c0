"""The value that surely answers: the one whose place says all of the question, and no other place says otherwise."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from clausegraph.core.language.clauses import sentence_spans
from clausegraph.core.language.conditions import parse_conditions
from clausegraph.core.types import ConditionState, Element, leaves
from clausegraph.query.read.evidence import introduction, table_of
from clausegraph.query.read.places import Fit, figures_left, fit, is_user_cell, values_in
from clausegraph.query.read.probability import Features
from clausegraph.query.read.question_context import QuestionContext, judge
from clausegraph.query.read.questions import AnswerType
from clausegraph.query.read.statements import Candidate, is_hedged, is_of_now, is_uncertain
from clausegraph.query.read.word_match import content_terms, missing_terms

_DEPTH = 25
_FEW = 3  # of so many words of the case asked about ("if …") a place may lack one
_MANY = 4  # words that are asked, of which a place may lack one
_FIRST = 3  # places that the search puts first
_LATE = 8  # rank from which a place is far down
_SHARE = re.compile(
    r"\b(?:rates?|percent(?:age)?|per cent|interest|discount|reduc\w+|off|share|proportion|surcharge|tax|vat"
    r"|deduct\w*)\b|%",
    re.IGNORECASE,
)
_BOUND = re.compile(r"\b(?:limits?|thresholds?|most|maximum|max|least|minimum|earliest|latest|lowest|highest)\b", re.I)
_EXCLUDES = re.compile(r"\b(?:but not|except|other than|not for|apart from|excluding)\b", re.IGNORECASE)
_DAY = re.compile(r"\b(?:what|which) (?:day|date)\b", re.IGNORECASE)
_MONEY = re.compile(r"\b(?:costs?|prices?|fees?|charges?|pay|pays|paid|payable|payments?|rates?)\b", re.IGNORECASE)
_FOR_WHOM = r"\bfor (?:an? )?{0}\W*$|\b(?:do|does|can|will) (?:an? |the )?{0} (?:get|pay|receive|claim|have)\b"
_DOES = r"(?:i|we|you|he|she|it|they|to|be|is|are|was|get|gets)"  # behind it stands what is done
_CUT = re.compile(r"[,;:](?=\s)|\s(?:and|but|or|if|unless)\s")
_DEPENDS = re.compile(r"\bdepends? on\b", re.IGNORECASE)
_AIMS = re.compile(r"\bwe aim to\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ValueCandidate:
    """A value ``[start, end)`` of an element, how its place fits, what bounds it, whether it belongs to a condition."""

    candidate: Candidate
    start: int
    end: int
    kind: str
    fit: Fit
    place: str
    bounds: tuple[str, ...]
    required: bool
    apart: int  # words of the question that its clause does not say
    clause: str
    met: int  # of its bounds, those that what is told meets
    in_user_cell: bool = False  # whether its row and column are told, and it is the only one

    @property
    def text(self) -> str:
        return self.candidate.element.text[self.start : self.end]

    @property
    def headings(self) -> tuple[str, ...]:
        """Of its element."""
        return self.candidate.element.headings

    @property
    def key(self) -> tuple[int, int, int, int, int, int]:
        """Smaller is better."""
        return (*self.fit.key, -self.met, self.apart, self.fit.rank)


def best_value(context: QuestionContext, ranked: Sequence[Candidate]) -> tuple[ValueCandidate, Features] | None:
    """The value whose place says most of the question, with its features; None where no value of the kind is found."""
    found = [one for one in _found(context, ranked) if one.met >= 0]
    found.sort(key=lambda one: (one.required, not (one.in_user_cell and _says_asked(context, one)), *one.key))
    if not found:
        return None
    best = found[0]
    asks_date = context.form.type is AnswerType.DATE and best.kind != "date"
    dates = [o for o in found if o.kind == "date" and o.headings == best.headings and not o.required]
    plain = "" if best.in_user_cell else best.place  # the day until which its row or column is for is told
    place = plain
    for bound in best.bounds:
        place = place.replace(bound, " ")
    words = content_terms(context.parts.asks)
    apart = missing_terms(words, best.clause)
    only_around = best.met < 1 and 0 < len(words) == len(best.fit.only_around)
    case = content_terms(context.parts.case)
    failed = {
        "question words missing": only_around or not _says_asked(context, best),
        "case not mentioned": len(best.fit.case) > len(case) / _FEW,
        "another value fits as well": _has_rival(best, found[1:]) or (asks_date and bool(dates)),
        "figure not compared": figures_left(context, best.candidate, best.place, best.bounds),
        "user text fits another value better": not best.in_user_cell and _fits_better(context, best, found[1:]),
        "hedged": is_hedged(
            (_DEPENDS if best.candidate.element.tag == "tr" else _AIMS).sub(" ", plain),
            context.form.sentence,
            context.today,
        ),
        "denied, past or rough": is_uncertain(place),
        "said of others": bool(_EXCLUDES.search(best.place)) and bool(apart),
        "belongs to a condition": best.required and not _BOUND.search(context.form.sentence),
        "far down in the search": best.fit.rank >= _LATE and not best.in_user_cell,
    }
    return best, {name: float(value) for name, value in failed.items()}


def _says_asked(context: QuestionContext, one: ValueCandidate) -> bool:
    """Whether a place says what is asked, but for one of many words; a sum in a table is to be paid, said or not."""
    missing = one.fit.missing
    if one.in_user_cell and context.form.type is AnswerType.AMOUNT:
        missing = frozenset(word for word in missing if not _MONEY.fullmatch(word))
    return not missing or _lacks_little(context, one)


def _lacks_little(context: QuestionContext, one: ValueCandidate) -> bool:
    """Whether one of many words is missing, which is not what is done (days to pay are no days to appeal), nor for whom
    it is asked, where another place of the page speaks of them: "for a couple"."""
    found = one.fit
    if len(found.missing) != 1 or len(content_terms(context.parts.asks)) < _MANY or found.rank >= _FIRST:
        return False
    (word,) = found.missing
    if re.search(_FOR_WHOM.format(re.escape(word)), context.parts.asks, re.IGNORECASE):
        page = context.pages(one.candidate.page)
        return all(missing_terms(found.missing, element.text) for element in page.elements)
    return re.search(rf"\b{_DOES}\s+(?:\w+ly\s+)?{re.escape(word)}\b", context.parts.asks, re.IGNORECASE) is None


def _found(context: QuestionContext, ranked: Sequence[Candidate]) -> list[ValueCandidate]:
    found = []
    for rank, candidate in _with_rows(context, ranked[:_DEPTH]):
        if not candidate.element.is_heading and _is_in_force(context, candidate.element):
            for start, end, kind in values_in(context.form, candidate.element):
                if _is_of_kind(context, kind):
                    found.append(_placed(context, candidate, rank, (start, end, kind)))
    return found


def _with_rows(context: QuestionContext, ranked: Sequence[Candidate]) -> Iterator[tuple[int, Candidate]]:
    """The candidates with their ranks, and behind them those rows of their tables that are none."""
    yield from enumerate(ranked)
    seen = {(one.page, one.element.anchor) for one in ranked}
    for rank, one in enumerate(ranked):
        for row in table_of(one.element, context.pages(one.page)) if one.element.tag == "tr" else ():
            if (one.page, row.anchor) not in seen:
                seen.add((one.page, row.anchor))
                yield rank, replace(one, element=row)


def _is_in_force(context: QuestionContext, element: Element) -> bool:
    """Whether a row is not of a time that is over or to come; what other elements say of time is doubted."""
    return element.tag != "tr" or is_of_now(
        _row_and_column(element, len(element.text))[0], context.form.sentence, context.today
    )


def _is_of_kind(context: QuestionContext, kind: str) -> bool:
    sentence, wanted = context.form.sentence, context.form.type
    if wanted is AnswerType.AMOUNT and kind == "percent":
        return bool(_SHARE.search(sentence))
    return not (wanted is AnswerType.DATE and kind == "duration" and _DAY.search(sentence))


def _placed(context: QuestionContext, candidate: Candidate, rank: int, value: tuple[int, int, str]) -> ValueCandidate:
    element, reading = candidate.element, context.pages(candidate.page)
    if element.tag == "tr":
        row, column = _row_and_column(element, value[0])
        above = reading.element(element.lead_in)
        place = f"{row} {column} {above.text if above is not None else ''}"
        bounds = (f"{' '.join(element.headers[:1])} {row}", column)
        limit = bool(_BOUND.search(column)) and not _BOUND.search(context.form.sentence)
        met, words = _met(context, bounds), content_terms(row)
        if met >= 0 and words and not missing_terms(words, context.scenario_text):
            met += 1  # all that the row is called is told
        told = is_user_cell(context, element, element.text[: value[0]].count(" | "), reading)
        fits = fit(context, candidate, rank, place)
        return ValueCandidate(candidate, *value, fits, place, bounds, limit, 0, place, met, told)
    sentence = next((s for s in sentence_spans(element.text) if s[0] <= value[0] < s[1]), (0, len(element.text)))
    place = f"{introduction(element, reading)} {element.text[slice(*sentence)]}"
    parts = list(leaves(parse_conditions(element.text, "", *sentence).condition))
    others = tuple(leaf.text for leaf in parts if not leaf.start <= value[0] < leaf.end)
    clause = _clause_around(element.text, sentence, value[:2])
    apart = len(missing_terms(content_terms(context.parts.asks), clause))
    required, fits = len(others) < len(parts), fit(context, candidate, rank, place)
    return ValueCandidate(candidate, *value, fits, place, others, required, apart, clause, _met(context, others))


def _row_and_column(element: Element, position: int) -> tuple[str, str]:
    """The first cell of a row, and the header of the cell at a position."""
    cells = element.text.split(" | ")
    column = element.text[:position].count(" | ")
    header = element.headers[column] if column < len(element.headers) else ""
    return ("" if column == 0 else cells[0]), header


def _clause_around(text: str, sentence: tuple[int, int], span: tuple[int, int]) -> str:
    """What stands around a value between commas, "and", "or", "if" and "unless"."""
    cuts = [match.span() for match in _CUT.finditer(text, *sentence)]
    left = max((b for _, b in cuts if b <= span[0]), default=sentence[0])
    return text[left : min((a for a, _ in cuts if a >= span[1]), default=sentence[1])]


def _met(context: QuestionContext, bounds: Sequence[str]) -> int:
    """How many of the bounds are met by what is told; -1 where one is not."""
    states = [judge(bound, context.user_text, context.today) for bound in bounds if bound.strip()]
    return -1 if ConditionState.UNMET in states else states.count(ConditionState.MET)


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
    return any(
        other.text.lower() != best.text.lower() and len(missing_terms(words, other.place)) < here for other in others
    )
