"""The steps by name. A maker takes ``StepParts`` and makes a step for one question."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from clausegraph.core.errors import SettingsError
from clausegraph.query.registry import Entry, Registry

if TYPE_CHECKING:
    from clausegraph.core.models.embedding import Embedder
    from clausegraph.indexes.views import View
    from clausegraph.query.steps.choice import StepMaker
    from clausegraph.query.steps.look import Lookup
    from clausegraph.query.steps.model import StepModel
    from clausegraph.query.steps.protocol import Commentor, Router, Validator


@dataclass(frozen=True, slots=True)
class StepEntry(Entry):
    """An implementation of a step; whether it asks a language model."""

    asks: bool = False


@dataclass(frozen=True, slots=True)
class StepParts:
    """What a step of one question is made of."""

    view: View
    embedder: Embedder
    lookup: Lookup
    model: StepModel | None = None


ROUTERS = Registry(
    "router",
    StepEntry("rules", "names in the question, kind by its words", "steps.making:rule_router"),
    StepEntry(
        "llm", "two calls of one chat: what it is about, then where to look", "steps.llm.making:llm_router", asks=True
    ),
)
VALIDATORS = Registry(
    "validator",
    StepEntry("rules", "names and values among the best hits", "steps.making:rule_validator"),
    StepEntry("llm", "one call with what was found and how", "steps.llm.making:llm_validator", asks=True),
    StepEntry(
        "llm-without-paths", "one call with what was found", "steps.llm.making:llm_validator_without_paths", asks=True
    ),
)
COMMENTORS = Registry(
    "commentor",
    StepEntry("rules", "what a rejection implies", "steps.making:rule_commentor"),
    StepEntry("llm", "one call with the route and examples", "steps.llm.making:llm_commentor", asks=True),
    StepEntry("bare", "the word wrong and nothing else", "steps.making:bare_commentor"),
)


def _made(registry: Registry[StepEntry], name: str | StepMaker, parts: StepParts) -> Any:
    if not isinstance(name, str):
        return name(parts)
    entry = registry[name]
    if entry.asks and parts.model is None:
        raise SettingsError(f"step {name!r} asks a language model, and none is set; set CLAUSEGRAPH_LLM")
    return entry.load()(parts)


def make_router(name: str | StepMaker, parts: StepParts) -> Router:
    """The router of that name. Errors of all makers here:

    Raises:
        InputError: no such implementation.
        SettingsError: it asks a language model, and there is none.
    """
    made: Router = _made(ROUTERS, name, parts)
    return made


def make_validator(name: str | StepMaker, parts: StepParts) -> Validator:
    """The validator of that name."""
    made: Validator = _made(VALIDATORS, name, parts)
    return made


def make_commentor(name: str | StepMaker, parts: StepParts) -> Commentor:
    """The commentor of that name."""
    made: Commentor = _made(COMMENTORS, name, parts)
    return made
