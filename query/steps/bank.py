"""The steps by name. A maker takes ``StepParts`` and makes a step for one question."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from clausegraph.core.errors import SettingsError
from clausegraph.query.registry import Entry, Registry

if TYPE_CHECKING:
    from clausegraph.core.models.embedding import Embedder
    from clausegraph.indexes.views import View
    from clausegraph.query.read.model.options import ReadOptions
    from clausegraph.query.steps.choice import StepMaker
    from clausegraph.query.steps.experiences import Experiences
    from clausegraph.query.steps.look import Lookup
    from clausegraph.query.steps.model import StepModel
    from clausegraph.query.steps.protocol import Commentor, Router, Validator, Verifier, Widener


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
    reading: ReadOptions | None = None
    experiences: Experiences | None = None


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
    StepEntry("llm", "one call with the route and experiences", "steps.llm.making:llm_commentor", asks=True),
    StepEntry(
        "llm-without-experiences", "one call with the route", "steps.llm.making:llm_commentor_without_experiences", True
    ),
    StepEntry("bare", "the word wrong and nothing else", "steps.making:bare_commentor"),
)
VERIFIERS: Registry[StepEntry] = Registry(
    "verifier",
    StepEntry(
        "llm", "decides without the draft, changes it only when clearly surer", "steps.llm.making:model_verifier", True
    ),
)
WIDENERS = Registry(
    "widener",
    StepEntry("rules", "relations like the question", "steps.making:no_filter"),
    StepEntry("llm", "one call a hop with its relations", "steps.llm.making:llm_relations", asks=True),
)
NONE = "none"


def _made(registry: Registry[StepEntry], name: str | StepMaker, parts: StepParts) -> Any:
    if not isinstance(name, str):
        return name(parts)
    return _entry(registry, name, parts.model).load()(parts)


def _entry(registry: Registry[StepEntry], name: str, model: StepModel | None) -> StepEntry:
    entry = registry[name]
    if entry.asks and model is None:
        raise SettingsError(f"step {name!r} asks a language model, and none is set; set CLAUSEGRAPH_LLM")
    return entry


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


def make_verifier(name: str | StepMaker, parts: StepParts) -> Verifier | None:
    """The verifier of that name; none for "none"."""
    if name == NONE:
        return None
    made: Verifier = _made(VERIFIERS, name, parts)
    return made


def make_widener(name: str | StepMaker, model: StepModel | None) -> Widener | None:
    """What chooses among the relations of the retriever ``wide``, made from the model alone; none for similarity."""
    maker = name if not isinstance(name, str) else _entry(WIDENERS, name, model).load()
    made: Widener | None = maker(model)
    return made
