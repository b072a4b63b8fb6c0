"""Connections to a host with several addresses."""

from typing import Any

import httpcore

from clausegraph.ingestion.fetch import WebLimits
from clausegraph.ingestion.fetch.guard import AddressGuard, Deadline, GuardedBackend


class _BlackHole(httpcore.NetworkBackend):
    """A network in which addresses of the newer kind swallow what is sent."""

    def __init__(self) -> None:
        self.waited: list[tuple[str, float]] = []

    def connect_tcp(self, host: str, port: int, timeout: float | None = None, *more: Any) -> httpcore.NetworkStream:
        assert timeout is not None
        self.waited.append((host, timeout))
        if ":" in host:
            raise httpcore.ConnectTimeout("nothing comes back")
        return httpcore.MockStream([])


def test_an_address_that_swallows_everything_leaves_time_for_the_next() -> None:
    deadline, network = Deadline(), _BlackHole()
    deadline.set(30.0)
    found = ["2606:4700::1", "2606:4700::2", "93.184.216.34"]
    guard = AddressGuard(WebLimits(), lambda host, port: found)
    GuardedBackend(guard, deadline, network).connect_tcp("policy.example", 443)
    assert [host for host, _ in network.waited] == found
    assert [round(timeout) for _, timeout in network.waited] == [10, 15, 30]
