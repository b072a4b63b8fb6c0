"""What a publish takes along: projections that are required, which block the flip, and optional ones, which may lag.

A required projection that fails stops the publish before the flip: the epoch stays frozen, readers see the old one,
and the next run finishes or abandons it. After the flip nothing can fail any more: what a projection missed shows
in its status, and the next publish or ``clausegraph project`` brings it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from clausegraph.core.errors import StoreError
from clausegraph.core.telemetry.logs import logger
from clausegraph.indexes.graph.protocol import GraphProjection

_log = logger(__name__)


@dataclass(frozen=True, slots=True)
class Follower:
    """A projection, and whether a publish waits for it."""

    projection: GraphProjection
    required: bool = False


@dataclass(frozen=True, slots=True)
class Projections:
    """Every projection of a ledger, in order. ``problems`` are those that an optional one, or one after the flip,
    had since the object was made: they belong in the run's report."""

    followers: tuple[Follower, ...] = ()
    problems: list[str] = field(default_factory=list)

    def prepare(self, corpus_id: int, epoch: int) -> None:
        """Before the flip, after the vector segment.

        Raises:
            StoreError: a required projection does not have the epoch.
        """
        for follower in self.followers:

            def work(one: GraphProjection = follower.projection) -> None:
                report = one.prepare(corpus_id, epoch)
                _log.info("projection.prepared", projection=one.name, epoch=epoch, rows=report.written)

            self._try(follower, "prepare", work, raises=follower.required)

    def caught_up(self, corpus_id: int) -> None:
        """When a run has nothing to publish: what was missed before is brought now.

        Raises:
            StoreError: a required projection does not have what readers have.
        """
        for follower in self.followers:
            work = partial(follower.projection.catch_up, corpus_id)
            self._try(follower, "catch up", work, raises=follower.required)

    def published(self, corpus_id: int) -> None:
        """After a flip or a rollback."""
        for follower in self.followers:
            self._try(follower, "publish", partial(follower.projection.publish, corpus_id))

    def abandoned(self, corpus_id: int, epoch: int) -> None:
        """Around the ledger's abandoning of a frozen epoch; what stays behind is undone by the next ``prepare``."""
        for follower in self.followers:
            self._try(follower, "abandon", partial(follower.projection.abandon, corpus_id, epoch))

    def vacuumed(self, corpus_id: int) -> None:
        """After the ledger's vacuum."""
        for follower in self.followers:
            self._try(follower, "vacuum", partial(follower.projection.vacuum, corpus_id))

    def dropped(self) -> None:
        """After the ledger dropped a corpus, whichever process did it and whenever."""
        for follower in self.followers:
            self._try(follower, "drop", follower.projection.forget_dropped)

    def _try(self, follower: Follower, step: str, work: Callable[[], object], *, raises: bool = False) -> None:
        try:
            work()
        except StoreError as error:
            if raises:
                raise
            _log.warning("projection.lags", projection=follower.projection.name, step=step, reason=str(error))
            self.problems.append(f"{follower.projection.name} lags ({step}): {error}")


NO_PROJECTIONS = Projections()
