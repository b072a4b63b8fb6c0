"""An answer as programs read it: the JSON of the command line, the API and MCP (docs/answers.md)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, TypeVar

from pydantic import BeforeValidator, Field

from clausegraph.app.render import answer_text
from clausegraph.app.services import Record
from clausegraph.app.services.records import condition_json
from clausegraph.core.extraction import Reject
from clausegraph.core.presentation.answer import present
from clausegraph.core.presentation.wording import headline, open_questions, opposite, pages_disagree
from clausegraph.core.types import Alternative, Answer, Evidence, holds

SCHEMA = "clausegraph.answer/4"
"""Name and version of the form; the version grows when a reader of the one before could misread it."""

A = TypeVar("A", bound="AnswerReply")
_OrNone = BeforeValidator(lambda value: value or None)


class ShownQuote(Record):
    """A quoted span with everything that is needed to find it again."""

    source: str
    uri: str
    title: str
    url: str | None
    updated: str | None
    headings: list[str]
    anchor: str
    start: int
    end: int
    lead_in: str
    quote: str
    items: list[str]
    item_depths: list[int]
    items_left: int = Field(description="How many more items the list or table has.")
    html: str
    page_number: int | None


class ShownAlternative(Record):
    """An answer, the tree of conditions under which it holds, and where it is said."""

    text: str
    headline: str
    score: float
    holds: str
    otherwise: str
    condition: Any = Field(description='{"all": […]}, {"any": […]}, {"not": …}, {"leaf": {…}} or null.')
    open_conditions: list[str]
    open_questions: list[str]
    evidence: list[ShownQuote]


class ShownContradiction(Record):
    """Two places of two pages that cannot both hold, or of which the newer takes the place of the older."""

    kind: str = Field(description="value, polarity, threshold or page (which another one says it replaces).")
    superseded: bool
    since: str | None = Field(description="The day (ISO) from which the newer holds.")
    newer: ShownQuote
    older: ShownQuote


class ShownStep(Record):
    """A step of the engine."""

    name: str
    milliseconds: Annotated[float, BeforeValidator(lambda value: round(value, 1))]
    detail: dict[str, Any]


class CorrectedWord(Record):
    """A misspelt word of the question, as it was read."""

    typed: str
    read: str


class PresentedRow(Record):
    """A row of a table with the number of its quote, or a note of rows that are left out."""

    cells: list[str]
    number: Annotated[int | None, _OrNone]
    note: str


class TableWithRows(Record):
    """Column heads and rows of a table of a page: the cited ones and their neighbours."""

    place: str
    heads: list[str]
    number: Annotated[int | None, _OrNone] = Field(description="Of a quote of the heads.")
    rows: list[PresentedRow]


class PresentedWords(Record):
    """A line of an answer as people read it, with the numbers of its citations."""

    kind: str
    text: str
    citations: list[int]
    depth: int
    calculations: list[str]
    table: TableWithRows | None = Field(description="May be shown in place of this line and the next in it.")
    is_in_table: bool


class _Numbered(Record):
    number: int


class NumberedQuote(ShownQuote, _Numbered):
    """A quote by the number that lines cite."""


class SourcePage(Record):
    """A page that an answer rests on, with its quotes."""

    title: str
    address: str
    updated: Annotated[str | None, _OrNone]
    citations: list[NumberedQuote]
    lines: list[PresentedWords] = Field(description="The quotes that do not stand above, in words.")


class PresentedAnswer(Record):
    """An answer in the order in which people read it, and the same as plain text."""

    headline: list[PresentedWords]
    disputed: list[PresentedWords]
    for_you: list[str]
    check: list[str]
    next: list[PresentedWords]
    more: list[PresentedWords]
    sources: list[SourcePage]
    text: str


class AnswerReply(Record):
    """An answer; docs/answers.md describes it."""

    form: str = Field(alias="schema", description="Name and version of this form.")
    question: str
    scenario: str
    status: str
    corpus: str
    epoch: int
    corrected: list[CorrectedWord]
    pages_disagree: bool
    contradictions: list[ShownContradiction]
    extractors: list[str]
    alternatives: list[ShownAlternative]
    quotes: list[ShownQuote]
    presentation: PresentedAnswer
    trace: list[ShownStep] | None = None


class UnreadPage(Record):
    """A page that could not be read."""

    page: str
    reason: str


class WebAnswerReply(AnswerReply):
    """An answer from pages of this question alone: of the corpus "pages", epoch 0."""

    not_read: list[UnreadPage]


def shown_answer(answer: Answer, *, trace: bool = False) -> AnswerReply:
    """The answer; ``trace`` adds the engine's steps."""
    return _shown(AnswerReply, answer, trace)


def shown_web_answer(answer: Answer, rejects: Iterable[Reject], *, trace: bool = False) -> WebAnswerReply:
    """The answer with the pages that could not be read."""
    unread = [UnreadPage(page=one.what, reason=one.reason) for one in rejects]
    return _shown(WebAnswerReply, answer, trace, not_read=unread)


def _shown(kind: type[A], answer: Answer, trace: bool, **more: Any) -> A:
    if trace:
        more["trace"] = [ShownStep.of(step) for step in answer.trace]
    return kind.of(
        answer.inquiry,
        schema=SCHEMA,
        status=answer.status.value,
        corpus=answer.corpus,
        epoch=answer.epoch,
        extractors=answer.extractors,
        corrected=[CorrectedWord(typed=typed, read=read) for typed, read in answer.corrected],
        pages_disagree=pages_disagree(answer),
        contradictions=[
            ShownContradiction.of(one, newer=_quote(one.newer), older=_quote(one.older))
            for one in answer.contradictions
        ],
        alternatives=[_alternative(one) for one in answer.alternatives],
        quotes=[_quote(one) for one in answer.quotes],
        presentation=_presentation(answer),
        **more,
    )


def _alternative(one: Alternative) -> ShownAlternative:
    return ShownAlternative.of(
        one,
        headline=headline(one),
        score=round(one.score, 4),
        holds=holds(one.condition).value,
        otherwise=opposite(one),
        condition=condition_json(one.condition),
        open_questions=open_questions(one),
        evidence=[_quote(evidence) for evidence in one.evidence],
    )


def _presentation(answer: Answer) -> PresentedAnswer:
    shown = present(answer)
    sources = [
        SourcePage.of(source, citations=[_quote(one.evidence, number=one.number) for one in source.citations])
        for source in shown.sources
    ]
    return PresentedAnswer.of(shown, sources=sources, text=answer_text(answer))


def _quote(evidence: Evidence, **number: int) -> ShownQuote:
    depths = [depth for depth, _ in evidence.nested_items]
    made = NumberedQuote if number else ShownQuote
    return made.of(evidence, evidence.page, evidence.span, item_depths=depths, **number)
