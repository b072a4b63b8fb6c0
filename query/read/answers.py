"""From chosen spans and statements to alternatives: list items, disagreeing pages, conditions, evidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from clausegraph.core.inquiry import Inquiry
from clausegraph.core.language.sentences import sentence_spans
from clausegraph.core.language.values import TELLING_KINDS
from clausegraph.core.models.embedding import Embedder
from clausegraph.core.types import Alternative, ConditionState, Evidence, Leaf, PageKey, Reading, leaves
from clausegraph.query.read.candidates import Candidate
from clausegraph.query.read.choose import ReadSpan, best_span
from clausegraph.query.read.conditions import Openness, judged, stated_condition, supports_at
from clausegraph.query.read.evidence import evidence_of
from clausegraph.query.read.protocol import Pages, Rules
from clausegraph.query.read.questions import AnswerType, QuestionForm
from clausegraph.query.read.statements import ReadStatement, content, lead_in_text, overlap

Several = tuple[tuple[Alternative, ...], dict[str, object]]

_ONE_VALUE = frozenset({AnswerType.AMOUNT, AnswerType.DURATION, AnswerType.AGE, AnswerType.NUMBER})
_SAME_THING = 0.6  # share of the words of the shorter sentence; below it, two figures are about two things


@dataclass(frozen=True, slots=True)
class Asked:
    """An inquiry being read: its form, and where to look things up."""

    form: QuestionForm
    inquiry: Inquiry
    rules: Rules
    embedder: Embedder | None
    openness: Openness
    open_match: float

    @property
    def pages(self) -> Pages:
        return self.rules.reading

    @property
    def words(self) -> frozenset[str]:
        return content(self.inquiry.question)

    @property
    def told(self) -> str:
        """Everything the asker says: the scenario, and what the question adds to it."""
        return f"{self.inquiry.scenario} {self.inquiry.question}".strip()


def conditioned(
    asked: Asked, text: str, candidate: Candidate, start: int, end: int, score: float
) -> tuple[Alternative, tuple[str, ...]]:
    """An alternative with its evidence and conditions, and the texts of those open but taken for granted."""
    reading = asked.pages(candidate.page)
    element = candidate.element
    evidence = (evidence_of(candidate.page, reading, element, start, end),)
    plain = Alternative(text, evidence=evidence, score=score)
    first, last = _sentence(element.text, start, end)
    stated = stated_condition(reading, element, first, last, supports_at(asked.rules, candidate.page, element))
    # A fact may cite an element that the page no longer has: then nothing can be shown for its condition.
    if stated is None or any(reading.element(leaf.anchor) is None for leaf in leaves(stated)):
        return plain, ()
    near = overlap(asked.words, f"{element.text} {lead_in_text(element, reading)}") >= asked.open_match
    openness = asked.openness if near else Openness(0.0, 1)
    sources = {leaf: _source(candidate.page, reading, leaf) for leaf in leaves(stated)}
    tree = judged(stated, sources, asked.told, asked.embedder, openness)
    unknown = [leaf for leaf in leaves(tree) if leaf.state is ConditionState.UNKNOWN]
    granted = tuple(found.leaf.text for found in unknown if not found.decisive)
    return Alternative(text, tree, evidence, score), granted


def _source(page: PageKey, reading: Reading, leaf: Leaf) -> Evidence:
    element = reading.element(leaf.anchor)
    assert element is not None, leaf.anchor  # conditioned() has looked
    return evidence_of(page, reading, element, leaf.start, leaf.end)


def span_alternatives(asked: Asked, spans: Sequence[ReadSpan], most: int) -> Several:
    """The alternatives of the best span, and why there are several if so."""
    sides = _sides(asked, spans)
    if len(sides) > 1:
        return _alternatives(asked, sides, "pages disagree: newer first")
    items = [] if asked.form.type in _ONE_VALUE else _sibling_items(asked, spans[0])
    found = [spans[0], *items][:most]
    return _alternatives(asked, found, "items of one list" if len(found) > 1 else "one span")


def _alternatives(asked: Asked, spans: Sequence[ReadSpan], why: str) -> Several:
    kept: dict[str, Alternative] = {}
    granted: list[str] = []
    for span in spans:
        if span.text.lower() not in kept:
            found, presumed = conditioned(asked, span.text, span.candidate, span.span.start, span.span.end, span.worth)
            kept[span.text.lower()] = found
            granted += presumed
    reasons: dict[str, object] = {
        "alternatives_because": why,
        "conditions_taken_for_granted": list(dict.fromkeys(granted)),
    }
    return tuple(kept.values()), reasons


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
    if dated is None or best.span.value not in TELLING_KINDS:
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
