"""Publishing with a projection: what wiring does for a run, for one town."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

import indexes.publish
import ingestion.entities
import ingestion.pipeline
from indexes.graph.projections import Projections
from indexes.ledger.leases import RunLease
from indexes.ledger.store import Ledger


@contextmanager
def taking_along(projections: Projections) -> Iterator[None]:
    """Publishes prepare these projections between the vector segment and the flip, and tell them after it."""
    finish, abandon = indexes.publish.finish, indexes.publish.abandon

    def finish_with(ledger: Ledger, lease: RunLease, number: int) -> None:
        projections.prepare(lease.corpus_id, number)
        finish(ledger, lease, number)
        projections.published(lease.corpus_id)

    def abandon_with(ledger: Ledger, lease: RunLease, number: int) -> None:
        abandon(ledger, lease, number)
        projections.abandoned(lease.corpus_id, number)

    patch = pytest.MonkeyPatch()
    patch.setattr(indexes.publish, "finish", finish_with)
    patch.setattr(indexes.publish, "abandon", abandon_with)
    for module in (ingestion.pipeline, ingestion.entities):
        if hasattr(module, "finish"):
            patch.setattr(module, "finish", finish_with)
    try:
        yield
    finally:
        patch.undo()
