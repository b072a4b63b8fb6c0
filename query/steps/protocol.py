"""What the steps of the loop take and give."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from clausegraph.core.inquiry import Inquiry
from clausegraph.query.rank.hits import Hit
from clausegraph.query.retrieve.topics import Offer, Topic


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
    def words(self) -> dict[str, object]:
        """The route for a trace."""
        named = [f"{topic.key} ({topic.type})" for topic in self.topics]
        return {
            "kind": self.kind.value,
            "module": self.module.value,
            "topics": named,
            "relations": list(self.relations),
        }


@dataclass(frozen=True, slots=True)
class LookedUp:
    """What a route led to. ``met`` is how many entities the ego-graphs of all topics share, none where not asked."""

    hits: tuple[Hit, ...]
    paths: tuple[str, ...] = ()
    met: int | None = None


class Lack(StrEnum):
    """What is missing from what was found."""

    NOTHING_FOUND = "nothing found"
    NAME = "a name of the question"
    KIND = "what the question asks for"
    SAID = "said by a model"


@dataclass(frozen=True, slots=True)
class Acceptance:
    """Whether what was found is enough and right; ``score`` orders what was rejected, higher is better."""

    accepted: bool
    reason: str
    lack: Lack | None = None
    about: str = ""
    score: float = 0.0


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
    """One error of a route, and the entity, relation, module or kind that it is about; none: it is wrong somehow."""

    kind: FeedbackKind | None
    about: str = ""

    @property
    def words(self) -> str:
        return "wrong" if self.kind is None else self.kind.value

    def __str__(self) -> str:
        return f"{self.words}: {self.about}" if self.about else self.words


@dataclass(frozen=True, slots=True)
class Tried:
    """A round: its route, and what was said of it."""

    route: Route
    feedback: Feedback | None = None


@dataclass(slots=True)
class StepNotes:
    """What a step has to say of itself for the trace: replies that could not be used, names that are not there."""

    said: dict[str, object] = field(default_factory=dict)

    def take(self) -> dict[str, object]:
        """What was said since the last time."""
        said, self.said = self.said, {}
        return said


class Router(Protocol):
    """Made for one question. ``calls`` is what one routing may ask of a model at most."""

    calls: int
    notes: StepNotes

    def route(self, inquiry: Inquiry, offer: Offer, tried: Sequence[Tried]) -> Route | None:
        """The route of the next round; none where everything was tried. One that was tried is not given again."""


class Validator(Protocol):
    """Made for one question. ``last``: of rejected rounds the last is read, not the one with the best score."""

    calls: int
    notes: StepNotes
    last: bool

    def validate(self, inquiry: Inquiry, offer: Offer, route: Route, found: LookedUp) -> Acceptance:
        """Whether what was found answers the question."""


class Commentor(Protocol):
    """Made for one question."""

    calls: int
    notes: StepNotes

    def comment(self, inquiry: Inquiry, offer: Offer, route: Route, found: LookedUp, judged: Acceptance) -> Feedback:
        """The one error of the route that most likely explains the rejection."""
