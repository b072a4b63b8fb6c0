"""From chosen spans and statements to alternatives: list items, disagreeing pages, conditions, evidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from clausegraph.core.condition_trees import settled
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.language.clauses import sentence_spans
from clausegraph.core.language.normalise import content
from clausegraph.core.types import (
    All,
    Alternative,
    ConditionState,
    Element,
    Evidence,
    JudgedCondition,
    JudgedLeaf,
    Leaf,
    PageKey,
    Reading,
    leaves,
)
from clausegraph.query.read.candidates import Candidate
from clausegraph.query.read.choose import ReadSpan, best_span, read_spans
from clausegraph.query.read.conditions import judged, stated_at, stated_condition, with_decisive
from clausegraph.query.read.evidence import evidence_of
from clausegraph.query.read.figures import compare
from clausegraph.query.read.hedges import is_of_now, is_time
from clausegraph.query.read.probability import UNFITTED
from clausegraph.query.read.protocol import Pages, Rules
from clausegraph.query.read.question_parts import Parts, parts
from clausegraph.query.read.questions import AnswerType, QuestionForm, QuestionKind
from clausegraph.query.read.scenario import as_sentences
from clausegraph.query.read.word_match import content_terms, coverage

Several = tuple[tuple[Alternative, ...], dict[str, object]]

_ONE_VALUE = frozenset({AnswerType.AMOUNT, AnswerType.DURATION, AnswerType.AGE, AnswerType.NUMBER})
_SPAN_DEPTH, _MOST = 20, 5  # places that are searched for spans; alternatives at most


@dataclass(frozen=True, slots=True)
class QuestionContext:
    """An inquiry being read: its form, and where to look things up."""

    form: QuestionForm
    inquiry: Inquiry
    rules: Rules

    @property
    def pages(self) -> Pages:
        return self.rules.reading

    @property
    def words(self) -> frozenset[str]:
        return content(self.inquiry.question)

    @property
    def user_text(self) -> str:
        """Everything the asker says: the scenario, and what the question adds to it."""
        return as_sentences(self.inquiry.scenario, self.inquiry.question)

    @property
    def parts(self) -> Parts:
        """What the question asks, for which case, and what it tells."""
        return parts(self.inquiry.question)

    @property
    def scenario_text(self) -> str:
        """What is told of the one who asks: the scenario, and what the question tells beside asking."""
        return as_sentences(self.inquiry.scenario, self.parts.scenario_text)

    @property
    def today(self) -> date:
        """The day from which ages count, whenever a page was written: that of the inquiry, else today."""
        return self.inquiry.as_of or date.today()


def judged_condition(context: QuestionContext, candidate: Candidate, first: int, last: int) -> JudgedCondition | None:
    """The condition under which a clause holds, as the one who asks has it; None without one."""
    reading = context.pages(candidate.page)
    element = candidate.element
    stated = stated_condition(reading, element, first, last, stated_at(context.rules, candidate.page, element))
    # A fact may cite an element that the page no longer has: then nothing can be shown for its condition.
    if stated is None:
        stated = _own_bound(context, element, first, last)
    if stated is None or any(reading.element(leaf.anchor) is None for leaf in leaves(stated)):
        return None
    sources = {leaf: source_of(candidate.page, reading, leaf) for leaf in leaves(stated)}
    tree = judged(stated, sources, context.user_text, context.today)
    return _without_row(tree, element, context) if element.tag == "tr" else tree


def _without_row(tree: JudgedCondition, element: Element, context: QuestionContext) -> JudgedCondition | None:
    """The condition of a cell without the name of its row, where that is asked for, or is a time that is now."""
    row = element.text.split(" | ")[0]
    asked_for = content_terms(row) and coverage(content_terms(row), context.user_text) == 1.0
    parts = tree.children if isinstance(tree, All) else (tree,)
    met = asked_for or (is_time(row) and is_of_now(row, context.form.sentence, context.today))

    def is_known(part: JudgedCondition) -> bool:
        if not isinstance(part, JudgedLeaf):
            return False
        return part.leaf.text in row if met else part.leaf.text == element.text and part.state is ConditionState.MET

    kept = [part for part in parts if not is_known(part)]
    return All(tuple(kept)) if len(kept) > 1 else kept[0] if kept else None


def _own_bound(context: QuestionContext, element: Element, first: int, last: int) -> Leaf | None:
    """The bound that a sentence states without "if" ("lets people aged 18 to 30 …"), where its like is told."""
    sentence = element.text[first:last]
    if compare(sentence, context.user_text, context.today) is None:
        return None
    return Leaf(element.anchor, first, last, sentence)


def conditioned(
    context: QuestionContext, text: str, candidate: Candidate, start: int, end: int, score: float
) -> tuple[Alternative, tuple[str, ...]]:
    """An alternative with its evidence and conditions, and the texts of those open but taken for granted."""
    tree = judged_condition(context, candidate, *_sentence(candidate.element.text, start, end))
    return with_condition(context, text, candidate, (start, end), score, tree)


def with_condition(
    context: QuestionContext,
    text: str,
    candidate: Candidate,
    span: tuple[int, int],
    score: float,
    tree: JudgedCondition | None,
) -> tuple[Alternative, tuple[str, ...]]:
    """The same with a condition that was judged before."""
    reading, element = context.pages(candidate.page), candidate.element
    evidence = (evidence_of(candidate.page, reading, element, *span),)
    tree = with_decisive(tree) if tree is not None else None
    undecided = settled(tree) if tree is not None else None
    unknown = [leaf for leaf in leaves(undecided) if leaf.state is ConditionState.UNKNOWN]
    granted = tuple(found.leaf.text for found in unknown if not found.decisive)
    return Alternative(text, tree, evidence, score), granted


def source_of(page: PageKey, reading: Reading, leaf: Leaf) -> Evidence:
    """Where a condition stands."""
    element = reading.element(leaf.anchor)
    assert element is not None, leaf.anchor  # conditioned() has looked
    return evidence_of(page, reading, element, leaf.start, leaf.end)


def spans_of(context: QuestionContext, ranked: Sequence[Candidate]) -> Several:
    """The best span of the candidates, with the other items of its list, and why; none for a yes/no question."""
    if context.form.kind is QuestionKind.YES_NO:
        return (), {}
    inquiry = context.inquiry
    spans = read_spans(context.form, inquiry.question, inquiry.scenario, ranked[:_SPAN_DEPTH], context.pages)
    if not spans:
        return (), {}
    items = [] if context.form.type in _ONE_VALUE else _sibling_items(context, spans[0])
    kept: dict[str, Alternative] = {}
    granted: dict[str, None] = {}
    for span in [spans[0], *items][:_MOST]:
        if span.text.lower() not in kept:
            made = conditioned(context, span.text, span.candidate, span.span.start, span.span.end, UNFITTED)
            kept[span.text.lower()] = made[0]
            granted |= dict.fromkeys(made[1])
    why = "items of one list" if len(kept) > 1 else "one span"
    return tuple(kept.values()), {"alternatives_because": why, "conditions_taken_for_granted": list(granted)}


def _sibling_items(context: QuestionContext, best: ReadSpan) -> list[ReadSpan]:
    """The other items under the same lead-in, in the order of the page."""
    element, page = best.candidate.element, best.candidate.page
    if element.tag != "li" or element.lead_in is None:
        return []
    found: list[ReadSpan] = []
    for other in context.pages(page).elements:
        same = other.tag == "li" and other.lead_in == element.lead_in and other.parent == element.parent
        if same and other.anchor != element.anchor:
            span = best_span(context.form, context.words, other, best.lead)
            if span is not None:
                candidate = Candidate(page, other, best.candidate.score, best.candidate.similarity)
                found.append(ReadSpan(candidate, *span, best.worth, best.lead))
    return found


def _sentence(text: str, start: int, end: int) -> tuple[int, int]:
    touched = [(s, e) for s, e in sentence_spans(text) if s < end and e > start]
    return (touched[0][0], touched[-1][1]) if touched else (start, end)
