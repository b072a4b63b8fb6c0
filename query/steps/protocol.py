"""What the steps of the loop take and give, and the steps by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Protocol

from clausegraph.core.errors import SettingsError
from clausegraph.query.registry import Entry, Registry

if TYPE_CHECKING:
    from clausegraph.core.inquiry import Inquiry
    from clausegraph.core.models.embedding import Embedder
    from clausegraph.indexes.views import View
    from clausegraph.query.retrieve.bank import Hit
    from clausegraph.query.retrieve.graph import Offer, Topic
    from clausegraph.query.steps.model import StepModel
    from clausegraph.query.steps.rules import Lookup

Notes = dict[str, object]  # what a step says of itself for the trace; the loop takes and empties them
StepMaker = Callable[[Any], Any]  # from ``StepParts`` to a step for one question: for those that evaluation builds


class Module(StrEnum):
    """Where to look: ``text`` ranks all elements, ``graph`` takes what states the facts around the topics, ``hybrid``
    takes those first and ranks them as text."""

    TEXT = "text"
    GRAPH = "graph"
    HYBRID = "hybrid"


class AskedKind(StrEnum):
    """What is asked for: yes or no, one fact, how to do something, several things, or what holds in each case."""

    GATE = "gate"
    FACT = "fact"
    PROCEDURE = "procedure"
    LIST = "list"
    BRANCH = "branch"


@dataclass(frozen=True, slots=True)
class Route:
    """How a question is to be looked up. Without a topic there is nothing to walk from: the module is text."""

    kind: AskedKind
    module: Module = Module.TEXT
    topics: tuple[Topic, ...] = ()
    relations: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.topics:
            object.__setattr__(self, "module", Module.TEXT)
            object.__setattr__(self, "relations", ())

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(topic.key for topic in self.topics)

    @property
    def names(self) -> list[str]:
        """Its topics, each with its type."""
        return [f"{topic.key} ({topic.type})" for topic in self.topics]


@dataclass(frozen=True, slots=True)
class LookedUp:
    """What a route led to. ``met`` is how many entities the ego-graphs of all topics share, none where not asked."""

    hits: tuple[Hit, ...]
    paths: tuple[str, ...] = ()
    met: int | None = None


@dataclass(frozen=True, slots=True)
class Acceptance:
    """Whether what was found is enough and right, and what is missing; ``score`` orders rejected ones, best highest."""

    accepted: bool
    reason: str
    missing: str = ""
    score: float = 0.0
    nothing_found: bool = False


class FeedbackKind(StrEnum):
    """What may be wrong with a route: a fixed set, after HybGRAG (Lee et al. 2024)."""

    ENTITY_WRONG = "entity wrong"
    RELATION_WRONG = "relation wrong"
    MISSING = "entity or relation missing"
    NO_ENTITY = "no entity found"
    EMPTY = "intersection empty"
    LACKING = "intersection without the answer"
    MODULE_WRONG = "module wrong"
    KIND_WRONG = "kind wrong"


@dataclass(frozen=True, slots=True)
class Feedback:
    """One error of a route, and the entity, relation, module or kind that it is about."""

    kind: FeedbackKind
    about: str = ""

    def __str__(self) -> str:
        return f"{self.kind.value}: {self.about}" if self.about else self.kind.value


@dataclass(frozen=True, slots=True)
class Tried:
    """A round: its route, and what was said of it."""

    route: Route
    feedback: Feedback | None = None


class Router(Protocol):
    """Made for one question. ``calls`` is what one routing may ask of a model at most."""

    calls: int

    def route(self, inquiry: Inquiry, offer: Offer, tried: Sequence[Tried]) -> Route | None:
        """The route of the next round; none where everything was tried. One that was tried is not given again."""


class Validator(Protocol):
    """Made for one question. ``last``: of rejected rounds the last is read, not the one with the best score."""

    calls: int
    last: bool

    def validate(self, inquiry: Inquiry, offer: Offer, route: Route, found: LookedUp) -> Acceptance:
        """Whether what was found answers the question."""


class Commentor(Protocol):
    """Made for one question."""

    calls: int

    def comment(self, inquiry: Inquiry, offer: Offer, route: Route, found: LookedUp, judged: Acceptance) -> Feedback:
        """The one error of the route that most likely explains the rejection."""


# --- by name --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class StepEntry(Entry):
    """An implementation of a step, made of ``StepParts``; whether it asks a language model."""

    asks: bool = False


@dataclass(frozen=True, slots=True)
class StepParts:
    """What a step of one question is made of."""

    view: View
    embedder: Embedder
    lookup: Lookup
    model: StepModel | None = None
    notes: Notes = field(default_factory=dict)


ROUTERS = Registry(
    "router",
    StepEntry("rules", "names in the question, kind by its words", "steps.rules:RuleRouter"),
    StepEntry("llm", "two calls of one chat: what it is about, then where to look", "steps.llm:LlmRouter", asks=True),
)
VALIDATORS = Registry(
    "validator",
    StepEntry("rules", "names and values among the best hits", "steps.rules:RuleValidator"),
    StepEntry("llm", "one call with what was found and how", "steps.llm:LlmValidator", asks=True),
)
COMMENTORS = Registry(
    "commentor",
    StepEntry("rules", "what a rejection implies", "steps.rules:RuleCommentor"),
    StepEntry("llm", "one call with the route and examples", "steps.llm:LlmCommentor", asks=True),
)


def make_step(registry: Registry[StepEntry], name: str | StepMaker, parts: StepParts) -> Any:
    """The router, validator or commentor of that name, for one question."""
    if not isinstance(name, str):
        return name(parts)
    entry = registry[name]
    if entry.asks and parts.model is None:
        raise SettingsError(f"step {name!r} asks a language model, and none is set; set CLAUSEGRAPH_LLM")
    return entry.load()(parts)
