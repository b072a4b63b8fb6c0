"""Prometheus metrics of one server; no corpus, page, question or name is a label."""

from __future__ import annotations

from functools import partial

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest

from clausegraph.app.api.pool import WorkPool

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
