"""From chosen spans and statements to alternatives: list items, disagreeing pages, conditions, evidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.language.sentences import sentence_spans
from core.models.embedding import Embedder
from core.types import Alternative, ConditionState, Element, Evidence, leaves
from query.read.choose import ReadSpan, best_span
from query.read.conditions import judged, stated_condition, supports_at
from query.read.evidence import element_at, evidence_of
from query.read.questions import AnswerType, QuestionForm
from query.read.statements import ReadStatement, content, overlap
from query.read.types import Candidate, Pages, Supports

_ONE_VALUE = frozenset({AnswerType.AMOUNT, AnswerType.DURATION, AnswerType.AGE, AnswerType.NUMBER})
_VALUES = frozenset({"amount", "percent", "date", "age", "duration"})
_SAME_THING = 0.6  # share of the words of the shorter sentence; below it, two figures are about two things


@dataclass(frozen=True, slots=True)
class Asked:
    """A question being read: its form, words, scenario, and where to look things up."""

    form: QuestionForm
    question: str
    scenario: str
    pages: Pages
    supports: Supports
    embedder: Embedder | None
    open_below: float
    open_match: float

    @property
    def words(self) -> frozenset[str]:
        return content(self.question)

    @property
    def told(self) -> str:
        """Everything the asker says: the scenario, and what the question adds to it."""
        return f"{self.scenario} {self.question}".strip()


def conditioned(asked: Asked, text: str, candidate: Candidate, start: int, end: int, score: float) -> Alternative:
    """An alternative with its evidence and the conditions that its statement puts on it."""
    reading = asked.pages(candidate.page)
    element = candidate.element
    evidence = (evidence_of(candidate.page, reading, element, start, end),)
    first, last = _sentence(element.text, start, end)
    stated = stated_condition(reading, element, first, last, supports_at(asked.supports, candidate.page, element))
    if stated is None:
        return Alternative(text, evidence=evidence, score=score)
    near = overlap(asked.words, f"{element.text} {_lead(reading.elements, element)}") >= asked.open_match
    tree, judgements = judged(stated, asked.told, asked.embedder, asked.open_below if near else 0.0)
    states: list[ConditionState] = []
    sources: list[Evidence] = []
    for leaf in leaves(tree):
        holder = element_at(reading, leaf.anchor)
        if holder is None:  # a fact that cites an element the page no longer has
            return Alternative(text, evidence=evidence, score=score)
        states.append(judgements[leaf].state)
        sources.append(evidence_of(candidate.page, reading, holder, leaf.start, leaf.end))
    return Alternative(text, tree, tuple(states), tuple(sources), evidence, score)


def span_alternatives(asked: Asked, spans: Sequence[ReadSpan], most: int) -> tuple[tuple[Alternative, ...], str]:
    """The alternatives of the best span, and why there are several if so."""
    sides = _sides(asked, spans)
    if len(sides) > 1:
        return tuple(_of_span(asked, side) for side in sides), "pages disagree: newer first"
    best = spans[0]
    items = [] if asked.form.type in _ONE_VALUE else _sibling_items(asked, best)
    found = [best, *items][:most]
    return _unique(_of_span(asked, item) for item in found), "items of one list" if len(found) > 1 else "one span"


def _of_span(asked: Asked, found: ReadSpan) -> Alternative:
    return conditioned(asked, found.text, found.candidate, found.span.start, found.span.end, found.worth)


def _unique(alternatives: object) -> tuple[Alternative, ...]:
    assert hasattr(alternatives, "__iter__")
    kept: dict[str, Alternative] = {}
    for alternative in alternatives:
        kept.setdefault(alternative.text.lower(), alternative)
    return tuple(kept.values())


def _sibling_items(asked: Asked, best: ReadSpan) -> list[ReadSpan]:
    """The other items under the same lead-in, in the order of the page."""
    element, page = best.candidate.element, best.candidate.page
    if element.tag != "li" or element.lead_in is None:
        return []
    found: list[ReadSpan] = []
    for other in asked.pages(page).elements:
        same = other.tag == "li" and other.lead_in == element.lead_in and other.parent == element.parent
        if same and other.anchor != element.anchor:
            span = best_span(asked.form, asked.words, other, best.lead)
            if span is not None:
                candidate = Candidate(page, other, best.candidate.score, best.candidate.similarity)
                found.append(ReadSpan(candidate, *span, best.worth, best.lead))
    return found


def _sides(asked: Asked, spans: Sequence[ReadSpan]) -> list[ReadSpan]:
    """Spans of dated pages that give another value for the same thing as the best span; newest page first."""
    best = spans[0]
    dated = asked.pages(best.candidate.page).updated
    if dated is None or best.span.value not in _VALUES:
        return [best]
    sides = {best.candidate.page: best}
    for other in spans[1:]:
        page = other.candidate.page
        updated = asked.pages(page).updated
        if updated is None or updated == dated or page in sides or other.span.value != best.span.value:
            continue
        if other.text.lower() != best.text.lower() and _same_thing(best, other):
            sides[page] = other
    return sorted(sides.values(), key=lambda side: asked.pages(side.candidate.page).updated or "", reverse=True)


def _same_thing(first: ReadSpan, second: ReadSpan) -> bool:
    ours, theirs = (content(s.candidate.element.text) - content(s.text) for s in (first, second))
    shorter = min(len(ours), len(theirs))
    return shorter > 0 and len(ours & theirs) / shorter >= _SAME_THING


def deciding(asked: Asked, statements: Sequence[ReadStatement], yes: bool) -> list[ReadStatement]:
    """Statements in the order in which they speak for the verdict: agreeing sign, then words of the question."""

    def key(pair: tuple[int, ReadStatement]) -> tuple[bool, float, int]:
        rank, statement = pair
        positive = statement.polarity and statement.modality.value != "cannot"
        return (positive != yes, -overlap(asked.words, statement.full) / (1.0 + 0.1 * rank), rank)

    return [statement for _, statement in sorted(enumerate(statements), key=key)]


def _sentence(text: str, start: int, end: int) -> tuple[int, int]:
    touched = [(s, e) for s, e in sentence_spans(text) if s < end and e > start]
    return (touched[0][0], touched[-1][1]) if touched else (start, end)


def _lead(elements: Sequence[Element], element: Element) -> str:
    return next((other.text for other in elements if other.anchor == element.lead_in), "")
