"""The words of the CRAG engine: question, attributes, references, feedback, answer; its switches and its parts."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Literal, Protocol, TypeVar

from clausegraph.core.errors import QuestionError
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.types import AnswerStatus, Evidence, TraceStep
from clausegraph.query.steps.model import QuestionUsage, StepModel

DONT_KNOW = "i don't know"
INVALID = "invalid question"


@dataclass(frozen=True, slots=True)
class CragQuestion:
    """A question and when it is asked: the time in the asker's zone, which "yesterday" and "now" are counted from."""

    text: str
    time: datetime
    id: str = ""

    def __post_init__(self) -> None:
        Inquiry(self.text)  # its limits are those of any question
        if self.time.tzinfo is None or self.time.utcoffset() is None:
            raise QuestionError(f"query time {self.time.isoformat()} has no zone; give 2024-03-05T10:00-08:00")

    @property
    def moment(self) -> str:
        """Its time for a prompt: ``Tuesday, 2024-03-05 23:18 PST``."""
        return f"{self.time:%A, %Y-%m-%d %H:%M %Z}".strip()


@dataclass(frozen=True, slots=True)
class SentPage:
    """A page whose HTML whoever asks has; the rest is what a search said of it."""

    url: str
    html: str
    name: str = ""
    snippet: str = ""
    modified: str = ""


# --- attributes -----------------------------------------------------------------------------------


class Domain(StrEnum):
    """What a question is about; each but OPEN has functions of its own in CRAG's API."""

    FINANCE = "finance"
    MUSIC = "music"
    MOVIE = "movie"
    SPORTS = "sports"
    OPEN = "open"


class CragKind(StrEnum):
    """CRAG's eight kinds of questions, as its files write them."""

    SIMPLE = "simple"
    CONDITION = "simple_w_condition"
    SET = "set"
    COMPARISON = "comparison"
    AGGREGATION = "aggregation"
    MULTI_HOP = "multi-hop"
    POST_PROCESSING = "post-processing"
    FALSE_PREMISE = "false_premise"


class Dynamism(StrEnum):
    """How fast the answer changes."""

    REAL_TIME = "real-time"
    FAST = "fast-changing"
    SLOW = "slow-changing"
    STATIC = "static"

    @property
    def is_dynamic(self) -> bool:
        """The collapse to two classes: only what never changes is static."""
        return self is not Dynamism.STATIC


@dataclass(frozen=True, slots=True)
class Attributes:
    """What was predicted of a question; none where nobody says."""

    domain: Domain | None = None
    kind: CragKind | None = None
    dynamism: Dynamism | None = None


# --- references -----------------------------------------------------------------------------------


class ReferenceKind(StrEnum):
    """Where a reference comes from. OWN is what a model says without any source: never cited."""

    WEB = "web"
    TABLE = "table"
    KG = "kg"
    CALCULATOR = "calculator"
    OWN = "own"


@dataclass(frozen=True, slots=True)
class Reference:
    """Something an answer may rest on.

    Args:
        text: what it says, as a model is shown it: sentences, a Markdown table, facts in words, ``expression = value``.
        source: what it is called: page and heading, the call of an API, the expression.
        evidence: page, headings and sentences, to be cited; of a graph its own page key (source "kg", uri the call).
        modified: when the page or fact was last changed, as it says so itself.
        score: of its ranking, 0 to 1; 1 for what was looked up by name.
    """

    kind: ReferenceKind
    text: str
    source: str
    evidence: tuple[Evidence, ...] = ()
    modified: str = ""
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class KgFound:
    """What a graph says.

    Args:
        calls: what was asked of it, in order, in words.
        entities: the names that were linked.
        looked_into: names of the functions that were called; of a graph without functions its own.
    """

    references: tuple[Reference, ...] = ()
    calls: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    looked_into: tuple[str, ...] = ()


# --- feedback -------------------------------------------------------------------------------------


class CragFault(StrEnum):
    """The one thing that was wrong with a round (HybGRAG's feedback of CRAG)."""

    KIND = "kind"  # the kind of question
    DYNAMISM = "dynamism"
    DOMAIN = "domain"
    ENTITIES = "entities"  # entity or relation that the graph was asked for
    GRAPH = "graph"  # the pages do not say: ask the graph, with these entities
    NEXT_BATCH = "next batch"  # the pages shown do not say: read the next ones


@dataclass(frozen=True, slots=True)
class CragFeedback:
    """A fault, and the label or the entities that are right instead; "" where nobody says."""

    fault: CragFault
    value: str = ""

    def __str__(self) -> str:
        return f"{self.fault.value}: {self.value}" if self.value else self.fault.value


# --- answer ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CragDraft:
    """What answering made of references.

    Args:
        text: the answer, ``DONT_KNOW`` or ``INVALID``.
        used: those of the references that it rests on; never what a model says of itself.
        reasons: how it came about, for the trace.
        missing: what the references do not say, where a model named it.
    """

    status: AnswerStatus
    text: str
    used: tuple[Reference, ...] = ()
    reasons: Mapping[str, object] = field(default_factory=dict)
    missing: str = ""


@dataclass(frozen=True, slots=True)
class CragAnswer:
    """What the engine returns: ``text`` is the answer, "i don't know" or "invalid question".

    ``used`` is what it rests on, ``references`` all that was before the one who answered, ``failed`` the sources that
    did not answer, each with the reason: what they would have said is not known. ``missing`` is what the references do
    not say, where a model named it; ``looked_into`` has titles of pages and names of a graph's functions, in order.
    """

    question: CragQuestion
    status: AnswerStatus
    text: str
    used: tuple[Reference, ...] = ()
    references: tuple[Reference, ...] = ()
    attributes: Attributes = Attributes()
    rounds: int = 1
    usage: QuestionUsage = field(default_factory=QuestionUsage)
    trace: tuple[TraceStep, ...] = ()
    failed: tuple[str, ...] = ()
    missing: str = ""
    looked_into: tuple[str, ...] = ()


# --- parts ----------------------------------------------------------------------------------------


class AttributePredictor(Protocol):
    """Says what a question is like."""

    def predict(self, question: CragQuestion) -> Attributes: ...


class TextLookup(Protocol):
    """Pages as references, a batch at a time."""

    @property
    def batches(self) -> int:
        """How many there are; at least one."""

    def find(self, question: CragQuestion, batch: int, limit: int, until: float = math.inf) -> tuple[Reference, ...]:
        """The references of the first batches up to ``batch`` (from 0) that are nearest to the question, best first.

        Args:
            until: of ``time.monotonic()``: what costs time is left out from then on.
        """


class KgLookup(Protocol):
    """A graph as references. Nothing found is no reference; a failure is an exception."""

    def lookup(
        self, question: CragQuestion, attributes: Attributes, feedback: tuple[CragFeedback, ...] = ()
    ) -> KgFound:
        """What the graph says to the question; feedback names entities that earlier rounds had wrong."""


class Calculator(Protocol):
    """Computes from references what the question asks for."""

    def compute(self, question: CragQuestion, references: tuple[Reference, ...]) -> tuple[Reference, ...]:
        """No reference where nothing is to be computed."""


Trust = Literal["together", "kg-first"]
Snippets = Literal["beside", "only", "off"]


@dataclass(frozen=True, slots=True)
class CragSwitches:
    """What is on. The first value of each is the default; "off" leaves a module out, for ablations.

    Args:
        attributes: "auto" asks a model, where there is one; or "off".
        policy: by label: {"real-time": "abstain"} says "i don't know" at once, "live" only where no graph is at hand.
        pages: whether pages are looked at, and their tables apart from text.
        snippets: what a search shows of pages: "beside" their pieces, "only" these (USTC), or "off".
        graph: whether a graph is asked, where one is given: "plan" (KERAG) or "off".
        trust: "kg-first": facts of the graph are used without pages, which are read only where it has none.
        self_check: one call that asks first whether the references answer the question.
        sub_problems: list sub-problems and solve them in order before answering.
        false_premise: ask for a false premise, and answer "invalid question".
        own_knowledge: what a model knows itself, as one reference among others.
        rounds: of answering and critic, at most; 1 is without a critic.
        batch: pages of a batch.
        references: pieces of pages that are shown, at most.
        summarise: a backup call where the reply does not parse.
        grouped: sentences together, and a question with what follows it; else each sentence alone.
        structured: the reply in its fixed order, with the rules; else a plain prompt (the benchmark's baseline).
        hops, filtered: of a plan on a graph: how far, and whether relations and facts are left out.
        seconds: after which no further step is begun, and a call in flight is given up; 0 is no limit.
    """

    attributes: str = "auto"
    policy: Mapping[str, str] = field(default_factory=dict)
    pages: bool = True
    tables: bool = True
    snippets: Snippets = "beside"
    graph: str = "plan"
    calculator: bool = True
    trust: Trust = "together"
    self_check: bool = True
    sub_problems: bool = True
    false_premise: bool = True
    own_knowledge: bool = False
    summarise: bool = True
    critic: bool = True
    rounds: int = 4
    batch: int = 5
    references: int = 30
    grouped: bool = True
    structured: bool = True
    hops: int = 3
    filtered: bool = True
    seconds: float = 30.0


P = TypeVar("P")
Maker = Callable[[StepModel | None], P | None]  # with the model of the question, where there is one


def nobody(_: StepModel | None) -> None:
    """There is no such part."""


@dataclass(frozen=True, slots=True)
class CragOptions:
    """How open questions are answered: which modules are on, and makers of the parts that a deployment has."""

    switches: CragSwitches = field(default_factory=CragSwitches)
    predictor: Maker[AttributePredictor] = nobody
    graph: Maker[KgLookup] = nobody
    calculator: Maker[Calculator] = nobody
