"""What lies around entities: the facts within one or two steps, and the entities they join."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from clausegraph.app.services.browse import Shelf, open_shelf
from clausegraph.app.services.explore import entity_of, with_statements
from clausegraph.app.services.records import fact_record
from clausegraph.app.workspace import Workspace
from clausegraph.core.language.wording import condition_words
from clausegraph.core.text import one_line
from clausegraph.core.types import LITERAL, Fact, Support


def neighbourhood(
    workspace: Workspace,
    corpus: str,
    names: Sequence[str],
    *,
    hops: int = 1,
    limit: int = 200,
    relations: Sequence[str] | None = None,
    page: str | None = None,
    epoch: int | None = None,
) -> dict[str, Any]:
    """The facts around entities, nearest and most stated first, with their statements, and the entities among them.

    Args:
        hops: 1 or 2.
        limit: facts at most; ``more`` says whether there are others.
        page: only what this page states, in its order; without names all that it states.

    Raises:
        NotFoundError: no such corpus, epoch or page, or no entity of one of the names.
        InputError: several pages answer to the name.
    """
    shelf = open_shelf(workspace.ledger, corpus, epoch)
    keys, found, stated = _found(shelf, names, hops, limit + 1, relations, page)
    facts = found[:limit]
    ends = {end for fact in facts for end in (fact.subject, fact.object) if not end.startswith(LITERAL)}
    hop = {fact.id: fact.hop for fact in facts}
    return {
        "corpus": shelf.corpus.name,
        "epoch": shelf.epoch,
        "around": keys,
        "more": len(found) > limit,
        "entities": sorted(ends.union(keys)),
        "facts": [one | {"hop": hop[one["id"]]} for one in with_statements(shelf, facts, stated)],
    }


def outline(
    workspace: Workspace, corpus: str, names: Sequence[str], *, limit: int,
    relations: Sequence[str] | None = None, page: str | None = None, epoch: int | None = None,
) -> dict[str, Any]:  # fmt: skip
    """The same facts one step around, as a drawing needs them: each with the modality, polarity and condition of its
    statements in place of their words; errors as of ``neighbourhood``."""
    shelf = open_shelf(workspace.ledger, corpus, epoch)
    _, found, stated = _found(shelf, names, 1, limit + 1, relations, page)
    facts = found[:limit]
    told: dict[str, list[dict[str, Any]]] = {}
    for one in stated if stated is not None else shelf.graph.supports([fact.id for fact in facts]):
        statement = one.statement
        said: dict[str, Any] = {"modality": statement.modality.value, "polarity": statement.polarity}
        said["condition"] = one_line(condition_words(statement.condition))
        told.setdefault(one.fact_id, []).append(said)
    records = [fact_record(fact) | {"statements": told.get(fact.id, [])} for fact in facts]
    return {"corpus": shelf.corpus.name, "epoch": shelf.epoch, "facts": records, "more": len(found) > limit}


def _found(
    shelf: Shelf, names: Sequence[str], hops: int, limit: int, relations: Sequence[str] | None, page: str | None
) -> tuple[list[str], list[Fact], list[Support] | None]:
    """The entities, the facts around them, and what of them the page states (None: no page was named)."""
    keys = list(dict.fromkeys(entity_of(shelf, name) for name in names))
    if page is None:
        return keys, shelf.graph.neighbourhood(keys, hops=hops, limit=limit, relations=relations), None
    stated = shelf.facts_on(*shelf.page(page))
    facts = shelf.graph.facts([one.fact_id for one in stated])
    wanted = [
        fact
        for fact in facts
        if (relations is None or fact.relation in relations) and (not keys or {fact.subject, fact.object} & set(keys))
    ][:limit]
    ids = {fact.id for fact in wanted}
    return keys, wanted, [one for one in stated if one.fact_id in ids]
