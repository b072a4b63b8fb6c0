"""Facts of a graph as references that can be cited."""

from __future__ import annotations

from collections.abc import Iterable

from clausegraph.core.types import Evidence, PageKey, Span
from clausegraph.query.crag.types import Reference, ReferenceKind


def kg_reference(fact: str, graph: str, call: str, entities: Iterable[str] = ()) -> Reference:
    """A fact in words; its page is the call that gave it, since a graph has no pages."""
    evidence = Evidence(
        page=PageKey("kg", call),
        title=graph,
        headings=tuple(entities),
        span=Span("", 0, len(fact)),
        quote=fact,
        html="",
    )
    return Reference(ReferenceKind.KG, fact, f"{graph}: {call}", (evidence,), score=1.0)
