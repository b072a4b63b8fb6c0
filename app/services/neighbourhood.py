"""What lies around entities: the facts within one or two steps, and the entities they join."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from clausegraph.app.services.browse import open_shelf
from clausegraph.app.services.explore import entity_of, with_statements
from clausegraph.app.workspace import Workspace
from clausegraph.core.types import LITERAL


def neighbourhood(
    workspace: Workspace,
    corpus: str,
    names: Sequence[str],
    *,
    hops: int = 1,
    limit: int = 200,
    relations: Sequence[str] | None = None,
    epoch: int | None = None,
) -> dict[str, Any]:
    """The facts around entities, nearest and most stated first, with their statements, and the entities among them.

    Args:
        hops: 1 or 2.
        limit: facts at most; ``more`` says whether there are others.

    Raises:
        NotFoundError: no such corpus or epoch, or no entity of one of the names.
    """
    shelf = open_shelf(workspace.ledger, corpus, epoch)
    keys = list(dict.fromkeys(entity_of(shelf, name) for name in names))
    found = shelf.graph.neighbourhood(keys, hops=hops, limit=limit + 1, relations=relations)
    facts = found[:limit]
    ends = {end for fact in facts for end in (fact.subject, fact.object) if not end.startswith(LITERAL)}
    hop = {fact.id: fact.hop for fact in facts}
    return {
        "corpus": shelf.corpus.name,
        "epoch": shelf.epoch,
        "around": keys,
        "more": len(found) > limit,
        "entities": sorted(ends.union(keys)),
        "facts": [one | {"hop": hop[one["id"]]} for one in with_statements(shelf, facts)],
    }
