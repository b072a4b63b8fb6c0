"""The engines by name, and the one factory that the command line, the library, LlamaIndex and evaluation call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clausegraph.query.registry import Entry, Registry

if TYPE_CHECKING:
    from clausegraph.core.models.embedding import Embedder
    from clausegraph.indexes.views import View
    from clausegraph.query.engines.protocol import Engine
    from clausegraph.query.read.protocol import Reader

DEFAULT = "single-pass"

ENGINES = Registry("engine", Entry("single-pass", "retrieve once, read once", "engines.single_pass:make"))


def make_engine(
    view: View,
    embedder: Embedder,
    *,
    engine: str = DEFAULT,
    retriever: str = "hybrid",
    reader: str | Reader = "extractive",
    limit: int = 60,
) -> Engine:
    """The engine of that name on a view; the other arguments as in ``EngineOptions``.

    Raises:
        InputError: no such engine, retriever or reader, or a limit below 1.
    """
    from clausegraph.query.engines.protocol import EngineOptions

    made: Engine = ENGINES[engine].load()(view, embedder, EngineOptions(retriever, reader, limit))
    return made
