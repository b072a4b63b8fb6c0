"""What responses look like, for the OpenAPI document."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field


class ShownQuote(BaseModel):
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


class ShownAlternative(BaseModel):
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


class ShownContradiction(BaseModel):
    """Two places of two pages that cannot both hold, or of which the newer takes the place of the older."""

    kind: str = Field(description="value, polarity, threshold or page (which another one says it replaces).")
    superseded: bool
    since: str | None = Field(description="The day (ISO) from which the newer holds.")
    newer: ShownQuote
    older: ShownQuote


class ShownStep(BaseModel):
    """A step of the engine."""

    name: str
    milliseconds: float
    detail: dict[str, Any]


class CorrectedWord(BaseModel):
    """A misspelt word of the question, as it was read."""

    typed: str
    read: str


class PresentedRow(BaseModel):
    """A row of a table with the number of its quote, or a note of rows that are left out."""

    cells: list[str]
    number: int | None
    note: str


class TableWithRows(BaseModel):
    """Column heads and rows of a table of a page: the cited ones and their neighbours."""

    place: str
    heads: list[str]
    number: int | None = Field(description="Of a quote of the heads.")
    rows: list[PresentedRow]


class PresentedWords(BaseModel):
    """A line of an answer as people read it, with the numbers of its citations."""

    kind: str
    text: str
    citations: list[int]
    depth: int
    calculations: list[str]
    table: TableWithRows | None = Field(description="May be shown in place of this line and the next in it.")
    is_in_table: bool


class NumberedQuote(ShownQuote):
    """A quote by the number that lines cite."""

    number: int


class SourcePage(BaseModel):
    """A page that an answer rests on, with its quotes."""

    title: str
    address: str
    updated: str | None
    citations: list[NumberedQuote]
    lines: list[PresentedWords] = Field(description="The quotes that do not stand above, in words.")


class PresentedAnswer(BaseModel):
    """An answer in the order in which people read it, and the same as plain text."""

    headline: list[PresentedWords]
    disputed: list[PresentedWords]
    for_you: list[str]
    check: list[str]
    next: list[PresentedWords]
    more: list[PresentedWords]
    sources: list[SourcePage]
    text: str


class AnswerReply(BaseModel):
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


class UnreadPage(BaseModel):
    """A page that could not be read."""

    page: str
    reason: str


class WebAnswerReply(AnswerReply):
    """An answer from pages of this question alone: of the corpus "pages", epoch 0."""

    not_read: list[UnreadPage]


class ListedAnswer(BaseModel):
    """An answer that is kept for whoever asked."""

    id: str
    question: str
    scenario: str
    epoch: int
    status: str
    asked: float = Field(description="Seconds since 1970.")


class AnswersReply(BaseModel):
    """Answers that are kept for whoever asks for them, newest first."""

    corpus: str
    items: list[ListedAnswer]


class ShownPassage(BaseModel):
    """A passage that a question is about, with what each part of the score adds."""

    page: str
    title: str
    url: str | None
    headings: list[str]
    anchor: str
    anchors: list[str]
    page_number: int | None
    text: str
    score: float
    parts: dict[str, float]


class PassagesReply(BaseModel):
    """Passages, best first."""

    question: str
    corpus: str
    epoch: int
    retriever: str
    hits: list[ShownPassage]


class PartOfList(BaseModel):
    """A part of a list; `next` is the cursor of the next one."""

    corpus: str
    next: str | None


class AnsweredPage(BaseModel):
    """What the address of a page that is fetched answered when it was asked last."""

    outcome: str
    status: int | None
    failures: int = Field(description="How often in a row it had no page.")


class ListedPage(BaseModel):
    """A page in a list."""

    source: str
    uri: str
    title: str
    statements: int
    published: str | None = Field(description="The day that the page states of itself, as `updated`.")
    updated: str | None
    read: float | None = Field(description="When this version was read, in seconds since 1970.")
    answered: AnsweredPage | None = Field(description="null for a page that is not fetched.")


class PagesReply(PartOfList):
    """Pages by source and uri."""

    epoch: int
    items: list[ListedPage]


class ListedElement(BaseModel):
    """An element of a page."""

    page: str
    anchor: str
    tag: str
    headings: list[str]
    text: str
    html: str
    lead_in: str | None
    parent: str | None
    page_number: int | None


class ElementsReply(PartOfList):
    """The elements of a page in its order."""

    epoch: int
    items: list[ListedElement]


class ShownStatement(BaseModel):
    """What a page states of a fact."""

    id: str
    words: str
    subject: str
    object: str
    modality: str
    polarity: bool
    page: str
    title: str
    updated: str | None
    condition: str = Field(description="When it holds, in words; empty where it always does.")
    effective_from: str | None
    effective_to: str | None
    step: str | None  # of a procedure: "2", in a step of it "2.1"
    procedure: str | None  # the words that its steps stand under
    quotes: list[str]


class ShownFact(BaseModel):
    """A fact with its statements."""

    id: str
    subject: str
    relation: str
    object: str
    literal: bool  # the object is a value, and no entity
    supports: int
    statements: list[ShownStatement]


class FactsReply(PartOfList):
    """Facts by id."""

    epoch: int
    items: list[ShownFact]


class NearFact(ShownFact):
    """A fact around entities: so many steps away."""

    hop: int


class NeighbourhoodReply(BaseModel):
    """The facts around entities, and the entities among them."""

    corpus: str
    epoch: int
    around: list[str]
    more: bool
    entities: list[str]
    facts: list[NearFact]


class ListedEntity(BaseModel):
    """An entity, and the statements it is in."""

    entity: str
    statements: int


class EntitiesReply(PartOfList):
    """Entities by key."""

    epoch: int
    items: list[ListedEntity]


class ListedEpoch(BaseModel):
    """A retained epoch; times are seconds since 1970."""

    epoch: int
    published: bool
    created: float
    run: str
    model: str
    changes: dict[str, dict[str, int]]


class EpochsReply(BaseModel):
    """Retained epochs, newest first."""

    corpus: str
    items: list[ListedEpoch]


class ListedRun(BaseModel):
    """A run, without its report."""

    id: str
    kind: str
    source: str
    started: float
    ended: float | None
    status: str


class RunsReply(PartOfList):
    """Runs, newest first."""

    items: list[ListedRun]


class AnchoredQuote(BaseModel):
    """A sentence, and the element it stands in."""

    anchor: str
    quote: str


class SaidThen(BaseModel):
    """A statement as one of two epochs has it."""

    fact: str
    words: str
    quotes: list[AnchoredQuote]


class ChangedStatement(BaseModel):
    """A statement that is new, gone or changed."""

    kind: str
    page: str
    old: SaidThen | None
    new: SaidThen | None


class ChangedPage(BaseModel):
    """A page that is new, gone, changed or read again."""

    kind: str
    source: str
    uri: str
    title: str


class ChangesReply(BaseModel):
    """What differs between two epochs."""

    corpus: str
    since: int
    until: int
    pages: list[ChangedPage]
    statements: list[ChangedStatement]


class ListedVersion(BaseModel):
    """A version of a page, with the retained epochs that have it."""

    source: str
    uri: str
    version: int
    title: str | None
    url: str | None
    read: float
    content_type: str
    bytes: str
    epochs: list[int]


class VersionsReply(BaseModel):
    """The versions of a page, newest first."""

    corpus: str
    items: list[ListedVersion]


class ElementThen(BaseModel):
    """An element as one of two versions has it."""

    tag: str
    anchor: str
    text: str


class ComparedElement(BaseModel):
    """An element that is the same, new, gone or changed."""

    kind: str
    old: ElementThen | None
    new: ElementThen | None


class ComparisonReply(BaseModel):
    """Two versions of a page beside each other."""

    corpus: str
    page: str
    title: str
    versions: list[ListedVersion]
    old: ListedVersion | None
    new: ListedVersion | None
    elements: list[ComparedElement]
    statements: list[ChangedStatement]


class JudgedQuestion(BaseModel):
    """An answer that somebody judged."""

    id: int
    question: str
    scenario: str
    epoch: int
    verdict: Literal["right", "wrong"]
    expected: str
    status: str
    judged_by: str
    judged: float


class QuestionsReply(PartOfList):
    """Judged answers, oldest first."""

    items: list[JudgedQuestion]


class ListedEvaluation(BaseModel):
    """A run of `eval`."""

    name: str
    benchmark: str
    system: str
    date: str
    seconds: float
    version: str
    corpus: str | None
    epoch: int | None


class EvaluationsReply(BaseModel):
    """Finished runs of `eval`, newest first."""

    items: list[ListedEvaluation]


State = Literal["proposed", "accepted", "rejected"]


class NameDecision(BaseModel):
    """A name is taken for an entity, or that is proposed or rejected; times are seconds since 1970."""

    id: int
    name: str
    entity: str
    state: State
    score: float
    evidence: dict[str, Any]
    decided_by: str | None
    decided: float | None
    created: float


class ListedDecision(NameDecision):
    """A decision, and the epoch since which it is in force; null where it waits, or is none to be in force."""

    in_force_since: int | None


class ListedDefinition(BaseModel):
    """What pages define, and the epoch since which it is in force."""

    name: str
    entity: str
    pages: list[str]
    in_force_since: int | None


class PendingName(BaseModel):
    """What a name stands for now, and from the next publish on."""

    name: str
    before: str
    after: str


class HidingDecision(BaseModel):
    """A statement that is hidden: where it stands, why it is wrong, and whether that is in force."""

    id: int
    anchor: str
    reason: str
    decided_by: str
    decided: float
    page: str
    words: str | None = Field(description="The statement; null where its page does not state it now.")
    state: Literal["hidden", "waits", "nothing to hide"]
    since: int | None = Field(description="The epoch since which it is hidden.")


class HideReply(HidingDecision):
    """The decision that hides a statement; `new` is false for one that was made before."""

    new: bool


class ReturningStatement(BaseModel):
    """A statement that the next publish shows again."""

    page: str
    words: str


class DecisionsReply(BaseModel):
    """Every decision of a corpus, and what waits for the next publish."""

    corpus: str
    published: int
    newest: int
    decisions: list[ListedDecision]
    defined: list[ListedDefinition]
    pending: list[PendingName]
    hidden: list[HidingDecision]
    returning: list[ReturningStatement]


class SettledReply(BaseModel):
    """The decision as it is now, or as it was where it is removed."""

    decision: NameDecision
    now: Literal["proposed", "accepted", "rejected", "removed"]
