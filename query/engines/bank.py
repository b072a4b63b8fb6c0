"""The engines by name, and the one factory that the command line, the library, LlamaIndex and evaluation call."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from clausegraph.query.registry import Entry, Registry

if TYPE_CHECKING:
    from clausegraph.core.models.embedding import Embedder
    from clausegraph.indexes.views import View
    from clausegraph.query.engines.protocol import Engine, EngineOptions

DEFAULT = "single-pass"

ENGINES = Registry(
    "engine",
    Entry("single-pass", "retrieve once, read once", "engines.single_pass:make"),
    Entry("loop", "route, retrieve, validate, and again with feedback; then read and verify", "engines.loop:make"),
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

    made: Engine = ENGINES[engine].load()(view, embedder, replace(options or EngineOptions(), **changes))
    return made
