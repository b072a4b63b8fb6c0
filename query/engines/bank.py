"""The engines by name, and the one factory that the command line, the library, LlamaIndex and evaluation call."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from clausegraph.query.registry import Entry, Registry

if TYPE_CHECKING:
    from clausegraph.core.models.embedding import Embedder
    from clausegraph.indexes.views import View
    from clausegraph.query.engines.protocol import Engine, EngineOptions

DEFAULT = "loop"
_PRESETS = "engines.presets.engine"


@dataclass(frozen=True, slots=True)
class EngineEntry(Entry):
    """An engine by name, and what it can do.

    Args:
        asks: it cannot do without a language model.
        rounds: it has rounds and their steps.
        free_text: its reply is shown as it is; it has no prompt for each form of answer, and takes no examples.
    """

    asks: bool = False
    rounds: bool = False
    free_text: bool = False


ENGINES = Registry(
    "engine",
    EngineEntry("single-pass", "retrieve once, read once", "engines.single_pass:make"),
    EngineEntry(
        "loop",
        "route, retrieve, validate, and again with feedback; then read",
        "engines.loop:make",
        rounds=True,
    ),
    EngineEntry(
        "hybridcontextqa", "5 chunks and 30 triples in one prompt of four", f"{_PRESETS}:hybridcontextqa", asks=True
    ),
    EngineEntry(
        "hybgrag", "the loop with a model in every step", "engines.presets.hybgrag:make", asks=True, rounds=True
    ),
    EngineEntry("kg-only", "30 triples with their chunks in one prompt", f"{_PRESETS}:kg_only", asks=True),
    EngineEntry("vector-only", "5 chunks in one prompt", f"{_PRESETS}:vector_only", asks=True),
    EngineEntry(
        "vector-reranked", "20 chunks, the 5 that a model puts first", f"{_PRESETS}:vector_reranked", asks=True
    ),
    EngineEntry("text-prompt", "the nearest page in one prompt", f"{_PRESETS}:text_prompt", asks=True),
    EngineEntry("code-prompt", "the nearest page as pseudo-code in one prompt", f"{_PRESETS}:code_prompt", asks=True),
    EngineEntry(
        "chain-of-condition",
        "conditions of the nearest page identified, verified, solved by code",
        f"{_PRESETS}:chain_of_condition",
        asks=True,
    ),
    EngineEntry(
        "think-on-graph", "a model's beam over triples, then one prompt", f"{_PRESETS}:think_on_graph", asks=True
    ),
    EngineEntry("react", "thought and action in four turns, then one prompt", f"{_PRESETS}:react_turns", asks=True),
    EngineEntry(
        "corrective-rag", "chunks, or triples where a model finds them wrong", f"{_PRESETS}:corrective_rag", asks=True
    ),
    EngineEntry(
        "plain-rag",
        "5 chunks in one plain prompt; the reply as it is, without sources",
        "engines.presets.plain_rag:make",
        asks=True,
        free_text=True,
    ),
    EngineEntry("crag", "open questions: short answers from pages and graphs, or none", "crag.engine:make"),
)


def make_engine(
    view: View,
    embedder: Embedder,
    options: EngineOptions | None = None,
    *,
    engine: str = DEFAULT,
    **changes: Any,
) -> Engine:
    """The engine of that name on a view; ``changes`` are single ``EngineOptions``, by name.

    Raises:
        InputError: no such engine, retriever or reader, or a limit below 1.
        SettingsError: something asks a language model, and there is none.
    """
    from clausegraph.query.engines.protocol import EngineOptions
    from clausegraph.query.engines.spelled import Spelled

    made: Engine = ENGINES[engine].load()(view, embedder, replace(options or EngineOptions(), **changes))
    return Spelled(made, view)
