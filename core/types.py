"""The words of ClauseGraph as frozen types; every room speaks in these.

Offsets are half-open ``[start, end)`` character positions in ``Element.text``. Anchors are unique within
one version of a page; a page is named by its key ``(source, uri)`` within a corpus.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Generic, TypeVar, Union
from typing import Literal as OneOf

from clausegraph.core.inquiry import Inquiry

HOLD_SHARE = 0.3  # of the pages of a source: a run by which more go or lose their text is held
WebMode = OneOf["auto", "page", "site", "sitemap", "feed"]  # what an address that pages are read from may be


@dataclass(frozen=True, slots=True, order=True)
class PageKey:
    """A page within a corpus: the source's name and the page's uri in it."""

    source: str
    uri: str

    def __str__(self) -> str:
        return f"{self.source}:{self.uri}"


@dataclass(frozen=True, slots=True)
class Link:
    """A hyperlink inside an element: target as written, and the linked text."""

    href: str
    text: str


@dataclass(frozen=True, slots=True)
class Element:
    """One addressable DOM element of a page.

    ``anchor`` is tag + short hash of the text + ordinal among equal elements of the page, so an edit
    elsewhere on the page does not change it. ``html`` is the exact serialised form; ``text`` its
    whitespace-normalised text (cells of a row joined by " | ").
    """

    anchor: str
    tag: str  # h1 h2 h3 p li tr
    html: str
    text: str
    headings: tuple[str, ...] = ()  # texts of the heading path above it, outermost first
    lead_in: str | None = None  # anchor of the paragraph or item that introduces its list
    parent: str | None = None  # anchor of the list item it is nested in
    headers: tuple[str, ...] = ()  # header cell texts of a table row, one per cell
    links: tuple[Link, ...] = ()
    page_number: int | None = None  # of a document with pages, from 1: where it begins

    @property
    def plain_html(self) -> str:
        """ConditionalQA's form of the element: ``<tag>text</tag>`` without inline markup."""
        return f"<{self.tag}>{self.text}</{self.tag}>"

    @property
    def is_heading(self) -> bool:
        return self.tag in ("h1", "h2", "h3")

    @property
    def number(self) -> int | None:
        """Its number as an item of a numbered list; none elsewhere. The reader writes it into the start tag."""
        found = _NUMBERED.match(self.html)
        return int(found[1]) if found else None


_NUMBERED = re.compile(r'<li\b[^>]*?\svalue="(-?\d{1,7})"')  # an attribute's own quotes are escaped


@dataclass(frozen=True, slots=True)
class Span:
    """Characters ``[start, end)`` of the text of the element at ``anchor``."""

    anchor: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Chunk:
    """Consecutive elements of one section, within the token limit.

    ``key`` names the occurrence on its page (first anchor, with ``@start`` when an element was split);
    ``text`` is what is embedded: title, heading path, element texts; ``content_hash`` covers it.
    """

    key: str
    headings: tuple[str, ...]
    parts: tuple[Span, ...]
    text: str
    content_hash: str

    @property
    def anchors(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(part.anchor for part in self.parts))


@dataclass(frozen=True, slots=True)
class Reading:
    """What a reader and a chunker made of one page version: title, address, dates, elements, chunks."""

    title: str
    url: str | None
    elements: tuple[Element, ...]
    chunks: tuple[Chunk, ...] = ()
    updated: str | None = None  # ISO date the page says it was last updated
    published: str | None = None  # … first published
    reviewed: str | None = None  # … last reviewed
    language: str | None = None  # as the page states it: "en", "en-GB"
    publisher: str | None = None  # the site's name as the page states it

    def element(self, anchor: str | None) -> Element | None:
        """The element at an anchor; none where the page has none."""
        return next((element for element in self.elements if element.anchor == anchor), None)


# --- conditions -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Leaf:
    """A condition stated by a span of an element; met, unmet or unknown only for a scenario.

    ``text`` is the page's words; ``meaning`` the same in words that are clear without the page, where the page's are
    not: "the landlord's visit is urgent" for "it is urgent".
    """

    anchor: str
    start: int
    end: int
    text: str
    meaning: str = ""

    @property
    def words(self) -> str:
        """What it says to one who does not see the page."""
        return self.meaning or self.text


class ConditionState(StrEnum):
    """What a scenario says about a condition."""

    MET = "met"
    UNMET = "unmet"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Evidence:
    """A quoted span of a page: enough to show it in its context, and to find it again."""

    page: PageKey
    title: str
    headings: tuple[str, ...]
    span: Span
    quote: str  # the sentence or item that holds the span
    html: str  # serialised form of the whole element (ConditionalQA form)
    updated: str | None = None
    url: str | None = None
    lead_in: str = ""  # the sentence that introduces the list of an item; the header cells of a row
    items: tuple[str, ...] = ()  # of the list that the quote introduces, or the others of the list or table it is of
    page_number: int | None = None  # of a document with pages, from 1
    item_depths: tuple[int, ...] = ()  # of the items: 0 beside the quote, 1 in its list, 2 in a list of that
    items_before: int = 0  # how many items beside the quote stand before it on the page
    items_left: int = 0  # how many more items the list has than are quoted
    position: int = 0  # the element's place among those of its page, from 0

    @property
    def nested_items(self) -> tuple[tuple[int, str], ...]:
        """The items, each with its depth below the quote."""
        depths = self.item_depths or (1,) * len(self.items)
        return tuple(zip(depths, self.items, strict=True))


@dataclass(frozen=True, slots=True)
class JudgedLeaf:
    """A condition with what a scenario says of it, and the evidence that states it.

    ``decisive``: whether the reader holds that the leaf, if open, matters for this scenario, rather than being taken
    for granted by the one who asks. ``question`` puts an open one to the person; "" where a reader has not worded it.
    ``settled_by`` are the words of the question or scenario that settle it; "" where a reader names none.
    """

    leaf: Leaf
    state: ConditionState
    source: Evidence
    decisive: bool = True
    question: str = ""
    settled_by: str = ""


_L = TypeVar("_L", Leaf, JudgedLeaf)
_M = TypeVar("_M", Leaf, JudgedLeaf)
_R = TypeVar("_R")


@dataclass(frozen=True, slots=True)
class All(Generic[_L]):
    """Holds when every child holds."""

    children: tuple[Tree[_L], ...]


@dataclass(frozen=True, slots=True)
class AnyOf(Generic[_L]):
    """Holds when at least one child holds."""

    children: tuple[Tree[_L], ...]


@dataclass(frozen=True, slots=True)
class Not(Generic[_L]):
    """Holds when the child does not (unless, except)."""

    child: Tree[_L]


Tree = Union[_L, "All[_L]", "AnyOf[_L]", "Not[_L]"]
Condition = Tree[Leaf]
JudgedCondition = Tree[JudgedLeaf]


def leaves(tree: Tree[_L] | None) -> Iterator[_L]:
    """Yield the leaves of a tree from left to right; nothing for ``None``."""
    match tree:
        case None:
            return
        case Not(child):
            yield from leaves(child)
        case All(children) | AnyOf(children):
            for child in children:
                yield from leaves(child)
        case _:
            yield tree


def fold(tree: Tree[_L], leaf: Callable[[_L], _R], group: Callable[[str, list[_R]], _R]) -> _R:
    """A tree as something else, from the leaves up.

    Args:
        group: takes "all", "any" or "not", and what the children became.
    """
    match tree:
        case Not(child):
            return group("not", [fold(child, leaf, group)])
        case All(children):
            return group("all", [fold(child, leaf, group) for child in children])
        case AnyOf(children):
            return group("any", [fold(child, leaf, group) for child in children])
        case _:
            return leaf(tree)


def mapped(tree: Tree[_L], leaf: Callable[[_L], Tree[_M]]) -> Tree[_M]:
    """The tree of the same form with something else in the place of each leaf."""
    match tree:
        case Not(child):
            return Not(mapped(child, leaf))
        case All(children):
            return All(tuple(mapped(child, leaf) for child in children))
        case AnyOf(children):
            return AnyOf(tuple(mapped(child, leaf) for child in children))
        case _:
            return leaf(tree)


def holds(tree: Tree[JudgedLeaf] | None) -> ConditionState:
    """What is known of a whole tree: Kleene's three-valued logic over its leaves. No condition is met."""
    if tree is None:
        return ConditionState.MET
    return fold(tree, lambda judged: judged.state, _joined_state)


_RANKED = (ConditionState.UNMET, ConditionState.UNKNOWN, ConditionState.MET)


def _joined_state(kind: str, parts: list[ConditionState]) -> ConditionState:
    ranks = [_RANKED.index(state) for state in parts]
    if kind == "not":
        return _RANKED[2 - ranks[0]]
    return _RANKED[min(ranks, default=2) if kind == "all" else max(ranks, default=0)]


# --- facts ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Mention:
    """An entity by name; ``key`` is its normalised name, by which mentions meet.

    ``written`` is what the page has in its place where that is another text: "you" for the employee it addresses.
    ``node`` is the key of the shorter name that other rules share, where this one narrows it ("first permit for 12
    months" is of the node "parking permit"); it begins with ``LITERAL`` where there is none.
    """

    surface: str
    key: str
    type: str = "thing"
    written: str = ""
    node: str = ""

    @property
    def node_key(self) -> str:
        """The key of its node of the graph."""
        return self.node or self.key


LITERAL = "="  # marks a literal among object keys; an entity key never starts with it


@dataclass(frozen=True, slots=True)
class Literal:
    """A value: ``kind`` is amount, percent, age, date, duration, number or text."""

    value: str
    kind: str = "text"


class Modality(StrEnum):
    """What a statement says of its subject."""

    IS = "is"  # it is or happens so
    MAY = "may"  # it is allowed or entitled to
    CAN = "can"  # it is able to, or it is possible
    MUST = "must"  # it has to
    SHOULD = "should"  # it is advised to
    NEED_NOT = "need not"  # it is free not to
    CANNOT = "cannot"  # it is not allowed, entitled or able to


@dataclass(frozen=True, slots=True)
class StepOrder:
    """Which step of a procedure something is.

    ``procedure`` is the text of the lead-in, or of the heading, that its steps stand under; ``number`` the step's own,
    those of the steps that it is nested in before it.
    """

    procedure: str
    number: tuple[int, ...]

    @property
    def text(self) -> str:
        """The number as it is written: "2.1"."""
        return ".".join(map(str, self.number))


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement of a fact as an extractor returns it for one chunk.

    Anchors in ``spans`` and ``condition`` are labels of the extraction input (``e0`` for an own element,
    ``c0`` for context, ``h0`` for a heading above), so that equal chunks share an extraction; ``spans`` cite own
    elements only. A leaf of the condition that lies in none of the elements of ``spans`` is its scope: what a
    heading, a lead-in or an earlier sentence sets. ``wording`` is the page's own words for the relation, where they
    are others; with modality ``CANNOT`` or ``NEED_NOT`` the polarity is false. ``step`` is known once it is
    placed on its page, where it stands in a step of a procedure.
    """

    subject: Mention
    relation: str
    object: Mention | Literal
    spans: tuple[Span, ...]
    polarity: bool = True
    modality: Modality = Modality.IS
    condition: Condition | None = None
    effective_from: str | None = None  # ISO date
    effective_to: str | None = None
    wording: str = ""
    step: StepOrder | None = None


# --- rules ----------------------------------------------------------------------------------------


class RuleKind(StrEnum):
    """What a rule does."""

    ELIGIBILITY = "eligibility"
    EXCLUSION = "exclusion"
    AMOUNT = "amount"
    DEADLINE = "deadline"
    DUTY = "duty"
    PERMISSION = "permission"
    PROHIBITION = "prohibition"
    STEP = "procedure step"
    DEFINITION = "definition"
    CONTACT = "contact"
    CONSEQUENCE = "consequence"


class RoleName(StrEnum):
    """What an entity is to a rule."""

    ABOUT = "about"  # the benefit, permit, leave or scheme that it is a rule of
    ACTOR = "actor"  # who gets, does, may or must
    COUNTERPARTY = "counterparty"  # the other person in it: who is told, paid or asked
    AUTHORITY = "authority"  # who decides, pays or is told
    OBJECT = "object"  # another benefit, tax or service that it names
    DOCUMENT = "document"
    PLACE = "place"
    NAMES = "names"  # what else its words name, whatever its part


class RuleLinkName(StrEnum):
    """How a rule belongs to another one."""

    EXCEPTION_OF = "exception of"
    STEP_AFTER = "step after"
    REFERS_TO = "refers to"


@dataclass(frozen=True, slots=True)
class Role:
    """An entity's part in a rule."""

    name: RoleName
    entity: Mention


PUBLISHER = Mention("the publisher", "<publisher>", "organisation", "we")
"""Who publishes a page, in a rule that is not placed on its page yet."""


@dataclass(frozen=True, slots=True)
class RuleLink:
    """From a rule to another of its page, which is told by where its own words begin."""

    name: RuleLinkName
    anchor: str
    start: int


@dataclass(frozen=True, slots=True)
class Rule:
    """One thing that a page rules: what it says verbatim, of which kinds, about what, when, with which values.

    ``kinds`` begins with its main one: "You can get up to £120" is eligibility, and an amount. ``spans`` begins with
    its own words; its lead-in, its list and the sentence that it goes on from follow. Values are those of what it
    rules, not of its condition.
    """

    kinds: tuple[RuleKind, ...]
    spans: tuple[Span, ...]
    roles: tuple[Role, ...]
    values: tuple[Literal, ...] = ()
    polarity: bool = True
    modality: Modality = Modality.IS
    condition: Condition | None = None
    effective_from: str | None = None  # ISO date
    effective_to: str | None = None
    step: StepOrder | None = None
    links: tuple[RuleLink, ...] = ()

    @property
    def kind(self) -> RuleKind:
        """Its main kind."""
        return self.kinds[0]

    def in_order(self, elements: Iterable[Element]) -> tuple[list[Span], list[Span]]:
        """Its spans in page order; apart from them whole sentences before its own words, which these go on from.

        Left out are headings that ask nothing: they are shown above the rules of their section.

        Args:
            elements: of its page, in page order.
        """
        own = self.spans[0].anchor
        shown = (one for one in elements if not one.is_heading or one.anchor == own or one.text.rstrip().endswith("?"))
        texts = {one.anchor: one.text for one in shown}
        place = {anchor: number for number, anchor in enumerate(texts)}
        spans = sorted(
            {one for one in self.spans if one.anchor in place}, key=lambda one: (place[one.anchor], one.start)
        )
        before = spans[: spans.index(self.spans[0])] if self.spans[0] in spans else []
        apart = [one for one in before if texts[one.anchor][one.start : one.end].rstrip().endswith((".", "!", "?"))]
        return [one for one in spans if one not in apart], apart

    def stated_in(self, elements: Mapping[str, Element]) -> dict[str, None]:
        """Anchors of its own words, its list and its lead-in, without what it only goes on from.

        Args:
            elements: of its page, by anchor.
        """
        own = elements[self.spans[0].anchor]
        above = {own.anchor, own.lead_in, own.parent}
        anchors = dict.fromkeys(span.anchor for span in self.spans)
        return {at: None for at in anchors if at in above or own.anchor in (elements[at].lead_in, elements[at].parent)}


Stated = Statement | Rule


@dataclass(frozen=True, slots=True)
class PlacedRule:
    """A rule at its place, with real anchors; ``key`` is unique on its page.

    ``entities`` are the keys of its roles' entities, in their order, as the epoch takes their names.
    """

    key: str
    page: PageKey
    chunk_key: str
    rule: Rule
    extractor: str  # fingerprint
    entities: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Support:
    """A statement at its place: page, chunk and real anchors. A fact holds where it has a support."""

    fact_id: str
    page: PageKey
    chunk_key: str
    statement: Statement
    extractor: str  # fingerprint


@dataclass(frozen=True, slots=True)
class Fact:
    """Identity only: subject key, relation, object key ("=" before a literal's value).

    ``supports`` counts its supports at the epoch it was read at, ``hop`` its distance from a query's entity.
    """

    id: str
    subject: str
    relation: str
    object: str
    supports: int = 0
    hop: int = 0

    @property
    def text(self) -> str:
        """The fact in words."""
        return f"{self.subject} {self.relation} {self.object.removeprefix(LITERAL)}"


# --- answers --------------------------------------------------------------------------------------


class AnswerStatus(StrEnum):
    """``QUOTED``: nothing is sure enough, and what probably decides is quoted. ``NOT_ANSWERABLE``: searched, the corpus
    does not say. ``UNKNOWN``: the evidence does not decide, or is probably not of what is asked."""

    ANSWERED = "answered"
    QUOTED = "quoted"
    NOT_ANSWERABLE = "not_answerable"
    UNKNOWN = "unknown"
    INVALID_PREMISE = "invalid_premise"


@dataclass(frozen=True, slots=True)
class Alternative:
    """One answer text, the conditions under which it holds as the scenario has them, and where it comes from.

    ``otherwise`` is what a yes or no becomes where its condition does not hold, if not the other one: whom nothing
    excludes is "not excluded", which is no "yes" where the page does not say who may.
    """

    text: str
    condition: JudgedCondition | None = None
    evidence: tuple[Evidence, ...] = ()
    score: float = 0.0
    otherwise: str = ""

    @property
    def sources(self) -> tuple[Evidence, ...]:
        """The evidence that states the conditions, in their order."""
        return tuple(judged.source for judged in leaves(self.condition))

    @property
    def open_conditions(self) -> tuple[str, ...]:
        """Serialised elements of the decisive leaves that the scenario leaves open (ConditionalQA's form)."""
        found = (j for j in leaves(self.condition) if j.decisive and j.state is ConditionState.UNKNOWN)
        return tuple(dict.fromkeys(judged.source.html for judged in found))


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two places of two pages that cannot both hold, the newer first.

    ``kind`` is value, polarity or threshold, or page where the newer one says that it replaces the other's page.
    ``superseded``: the newer takes the place of the older, ``since`` a day (ISO) where that is known.
    """

    kind: str
    newer: Evidence
    older: Evidence
    superseded: bool = False
    since: str | None = None


class SentenceRole(StrEnum):
    """What a sentence is for: the answer itself, an item of a list in it, what to do next, what was not asked."""

    ANSWER = "answer"
    ITEM = "item"
    NEXT = "next"
    MORE = "more"


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence that a model wrote for the person who asks, and the elements it rests on (at least one).

    ``quoted``: the words are the page's own, in the place of a sentence that could not be verified.
    ``calculations`` show how computed values came about, as "5 × £90 = £450".
    """

    text: str
    evidence: tuple[Evidence, ...]
    role: SentenceRole = SentenceRole.ANSWER
    quoted: bool = False
    calculations: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TraceStep:
    """One step of an engine: its name, milliseconds, and plain figures about it."""

    name: str
    milliseconds: float
    detail: dict[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Answer:
    """What an engine returns for an inquiry at one epoch.

    ``quotes`` are what the pages say where nothing is asserted. ``contradictions`` are what other pages say against
    that, or against what the alternatives rest on. ``extractors`` are the fingerprints of those that
    state facts at its evidence: rules, or prompt (id and digest) and model. ``corrected`` has the words of the
    question that were read as others: (as typed, as read). ``sentences`` are a model's answer in prose, verified
    sentence by sentence; none from readers that write none. ``missing`` names the part of the question that the pages
    do not answer ("opening hours of the pool"), ``nearby`` titles of pages that come nearest to it.
    """

    inquiry: Inquiry
    status: AnswerStatus
    alternatives: tuple[Alternative, ...]
    corpus: str
    epoch: int
    trace: tuple[TraceStep, ...] = ()
    extractors: tuple[str, ...] = ()
    quotes: tuple[Evidence, ...] = ()
    corrected: tuple[tuple[str, str], ...] = ()
    contradictions: tuple[Contradiction, ...] = ()
    sentences: tuple[Sentence, ...] = ()
    missing: str = ""
    nearby: tuple[str, ...] = ()
