"""Where pages of a corpus contradict each other, and what a later page has taken the place of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clausegraph.app.services.browse import open_shelf
from clausegraph.app.services.records import quotes, statement_words
from clausegraph.app.workspace import Workspace
from clausegraph.core.types import PageKey, Reading
from clausegraph.indexes.contradictions.assertions import Assertion, assertions_of
from clausegraph.indexes.contradictions.compare import Conflict, find_conflicts
from clausegraph.indexes.graph.links import Replacement, replacements


def contradictions(workspace: Workspace, corpus: str, epoch: int | None = None) -> dict[str, Any]:
    """Pairs of statements of an epoch that cannot both hold, newest first.

    Returns:
        ``contradictions`` and ``superseded``: of each pair its kind ("value", "polarity" or "threshold") and both
        sides, ``newer`` and ``older``, with the statement in words, its sentences, page, title and dates.
        ``replaced_pages``: pages that another one says it replaces, with that sentence.

    Raises:
        NotFoundError: no such corpus or epoch, or nothing published yet.
    """
    shelf = open_shelf(workspace.ledger, corpus, epoch)
    readings = {page: shelf.reading(version) for page, (version, _) in shelf.versions().items()}
    replaced = list(replacements(readings))
    stated = assertions_of(shelf.graph.all_supports(), readings, shelf.graph.names())
    found = find_conflicts(stated, replaced)
    records = [(one.superseded, _record(one, readings[one.newer.page], readings[one.older.page])) for one in found]
    return {
        "corpus": shelf.corpus.name,
        "epoch": shelf.epoch,
        "contradictions": [record for superseded, record in records if not superseded],
        "superseded": [record for superseded, record in records if superseded],
        "replaced_pages": [_replaced(one, readings) for one in replaced],
    }


def _replaced(one: Replacement, readings: Mapping[PageKey, Reading]) -> dict[str, Any]:
    sides = {name: {"page": str(page), "title": readings[page].title, "updated": readings[page].updated}
             for name, page in (("older", one.older), ("newer", one.newer))}  # fmt: skip
    return sides | {"quote": one.quote, "said_on": str(one.said_on)}


def _record(conflict: Conflict, newer: Reading, older: Reading) -> dict[str, Any]:
    return {"kind": conflict.kind, "newer": _side(conflict.newer, newer), "older": _side(conflict.older, older)}


def _side(assertion: Assertion, reading: Reading) -> dict[str, Any]:
    return {
        "fact": assertion.support.fact_id,
        "words": statement_words(assertion.support.statement),
        "quotes": [quote for _, quote in quotes(assertion.support, reading)],
        "page": str(assertion.page),
        "title": reading.title,
        "updated": reading.updated,
        "effective_from": assertion.validity.start,
        "effective_to": assertion.validity.end,
    }
