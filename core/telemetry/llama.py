"""LlamaIndex's own instrumentation as spans: queries, retrievals, predictions and embeddings that go through it.

Only figures are taken (how many nodes, texts), and the class and model; never arguments or results. Streams end with
the call that opens them; what a model was asked and used is in ``model.call``.
"""

from __future__ import annotations

from collections.abc import Sized
from inspect import BoundArguments
from typing import Any

from llama_index_instrumentation import root_dispatcher
from llama_index_instrumentation.span import BaseSpan
from llama_index_instrumentation.span_handlers import BaseSpanHandler
from pydantic import PrivateAttr

from clausegraph.core.telemetry.spans import TelemetrySpan, span

_KINDS = {
    "query": "query",
    "retrieve": "retrieve",
    "chat": "chat",
    "complete": "chat",
    "predict": "predict",
    "structured_predict": "predict",
    "get_query_embedding": "embed",
    "get_text_embedding": "embed",
    "get_text_embedding_batch": "embed",
}
_NAMES = _KINDS | {f"a{name}": kind for name, kind in _KINDS.items()}
_NAMES |= {"aget_query_embedding": "embed", "aget_text_embedding": "embed", "aget_text_embedding_batch": "embed"}


class _Bridge(BaseSpanHandler[BaseSpan]):
    """Opens a span of ours for each call of LlamaIndex that has a name above."""

    _open: dict[str, TelemetrySpan] = PrivateAttr(default_factory=dict)

    def span_enter(
        self,
        id_: str,
        bound_args: BoundArguments,
        instance: Any | None = None,
        parent_id: str | None = None,
        tags: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        owner, _, method = id_.split("-", 1)[0].rpartition(".")
        kind = _NAMES.get(method)
        if kind is not None:
            model = getattr(instance, "model_name", None) or getattr(instance, "model", None)
            texts = bound_args.arguments.get("texts")
            opened = span(
                f"llama.{kind}",
                **{"class": owner},
                model=model if isinstance(model, str) else None,
                texts=len(texts) if isinstance(texts, Sized) else None,
            )
            self._open[id_] = opened.__enter__()

    def span_exit(
        self,
        id_: str,
        bound_args: BoundArguments,
        instance: Any | None = None,
        result: Any | None = None,
        **kwargs: Any,
    ) -> None:
        opened = self._open.pop(id_, None)
        if opened is not None:
            nodes = result if isinstance(result, list) and "retrieve" in id_.split("-", 1)[0] else None
            opened.set(nodes=None if nodes is None else len(nodes))
            opened.__exit__(None, None, None)

    def span_drop(
        self,
        id_: str,
        bound_args: BoundArguments,
        instance: Any | None = None,
        err: BaseException | None = None,
        **kwargs: Any,
    ) -> None:
        opened = self._open.pop(id_, None)
        if opened is not None:
            opened.__exit__(type(err) if err else None, err, None)

    def new_span(self, *_: Any, **__: Any) -> None:
        """Spans are ours, not LlamaIndex's."""

    def prepare_to_exit_span(self, *_: Any, **__: Any) -> None:
        """Spans are ours, not LlamaIndex's."""

    def prepare_to_drop_span(self, *_: Any, **__: Any) -> None:
        """Spans are ours, not LlamaIndex's."""


def attach_bridge() -> None:
    """Follow LlamaIndex's calls."""
    detach_bridge()
    root_dispatcher.add_span_handler(_Bridge())


def detach_bridge() -> None:
    """Follow them no longer."""
    root_dispatcher.span_handlers = [each for each in root_dispatcher.span_handlers if not isinstance(each, _Bridge)]
