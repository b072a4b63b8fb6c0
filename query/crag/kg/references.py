"""Facts of a graph as references that can be cited."""

from __future__ import annotations

from collections.abc import Iterable

from clausegraph.core.types import Evidence, PageKey, Span
from clausegraph.query.crag.types import Reference, ReferenceKind


def kg_reference(
    fact: str, graph: str, call: str, entities: Iterable[str] = (), stated: tuple[Evidence, ...] = ()
) -> Reference:
    """A fact in words. It is cited by where it is stated; an API has no pages, so there the call is the page."""
    if stated:
        return Reference(ReferenceKind.KG, fact, graph, stated, score=1.0)
    evidence = Evidence(
        page=PageKey("kg", call),
        title=graph,
        headings=tuple(entities),
        span=Span("", 0, len(fact)),
        quote=fact,
        html="",
    )
    return Reference(ReferenceKind.KG, fact, f"{graph}: {call}", (evidence,), score=1.0)
