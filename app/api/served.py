"""What one server process holds: one workspace, its threads, its metrics, and who may ask."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest

from clausegraph.app.access.audit import AuditLog
from clausegraph.app.access.sessions import Sessions
from clausegraph.app.access.sign_in import SignIn, sign_in_of
from clausegraph.app.access.tokens import Tokens
from clausegraph.app.api.problems import refusal
from clausegraph.app.api.work import WorkPool
from clausegraph.app.services.evaluations import Evaluations
from clausegraph.app.services.kept import KeptAnswers

if TYPE_CHECKING:
    from clausegraph.app.workspace import Workspace


CONTENT_TYPE = CONTENT_TYPE_LATEST
_SECONDS = (0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120)


class Metrics:
    """Counted since the server started."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        labels = ("route", "method", "status")
        self._requests = Counter(
            "clausegraph_requests", "Requests that were answered.", labels, registry=self._registry
        )
        self._seconds = Histogram(
            "clausegraph_request_seconds",
            "Seconds until the whole response was sent.",
            ("route",),
            buckets=_SECONDS,
            registry=self._registry,
        )

    def answered(self, route: str, method: str, status: int, seconds: float) -> None:
        """Count a request; ``route`` is the template of its path."""
        self._requests.labels(route, method, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def watch(self, *pools: WorkPool) -> None:
        """Show how full the pools are."""
        gauge = Gauge("clausegraph_pool_held", "Work that runs or waits.", ("pool",), registry=self._registry)
        full = Gauge("clausegraph_pool_capacity", "Work that may run or wait.", ("pool",), registry=self._registry)
        for pool in pools:
            gauge.labels(pool.name).set_function(partial(_held, pool))
            full.labels(pool.name).set(pool.capacity)

    def page(self) -> bytes:
        """In Prometheus's text form."""
        return generate_latest(self._registry)


def _held(pool: WorkPool) -> float:
    return pool.held


_READERS, _READS_WAITING = 8, 64


@dataclass(slots=True)
class Served:
    """Shared by all requests. ``work`` runs what embeds or asks a model, ``reads`` what only looks things up."""

    workspace: Workspace
    tokens: Tokens
    sessions: Sessions
    audit: AuditLog
    work: WorkPool
    reads: WorkPool
    evaluations: Evaluations
    kept: KeptAnswers
    rate: RateLimit
    sign_in: SignIn | None = None
    metrics: Metrics = field(default_factory=Metrics)

    def close(self) -> None:
        """End: answers in work are finished first."""
        self.work.close()
        self.reads.close()
        self.workspace.close()


def serve_workspace(workspace: Workspace) -> Served:
    """What a server of a workspace holds; it closes the workspace at its end.

    Raises:
        SettingsError: those of the sign-in do not fit together.
    """
    settings = workspace.settings
    tokens = Tokens(settings.home)
    made = Served(
        workspace=workspace,
        tokens=tokens,
        sessions=Sessions(tokens),
        audit=AuditLog(settings.home),
        work=WorkPool("work", settings.serve_workers, 4 * settings.serve_workers),
        reads=WorkPool("reads", _READERS, _READS_WAITING),
        evaluations=Evaluations(settings),
        kept=KeptAnswers(workspace),
        rate=RateLimit(settings.serve_rate),
        sign_in=sign_in_of(settings),
    )
    made.kept.forget_strangers(one.id for one in tokens.all())
    made.metrics.watch(made.work, made.reads)
    return made


class RateLimit:
    """A bucket of requests for each token, which fills at an even pace: a minute's worth may be spent at once.

    Args:
        per_minute: requests; 0 for any number.
        clock: seconds that only grow.
    """

    def __init__(self, per_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_minute, self._clock = per_minute, clock
        self._lock = threading.Lock()
        self._left: dict[str, tuple[float, float]] = {}  # by token: requests, and when that was counted

    def take(self, token: str) -> None:
        """Count a request.

        Raises:
            Refusal: the token has none left (429, with the seconds until it has one).
        """
        if not self._per_minute:
            return
        now, each = self._clock(), 60 / self._per_minute
        with self._lock:
            left, then = self._left.get(token, (float(self._per_minute), now))
            left = min(self._per_minute, left + (now - then) / each)
            self._left[token] = (left - 1 if left >= 1 else left, now)
        if left < 1:
            said = f"a token has {self._per_minute} requests in a minute (the setting serve_rate)"
            wait = str(max(1, math.ceil((1 - left) * each)))
            raise refusal("TooManyRequests", 429, "Too many requests", said, Retry_After=wait)
