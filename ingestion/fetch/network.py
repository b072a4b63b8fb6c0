"""Connections to addresses that were checked, each read and write within one deadline.

httpcore asks its backend for a connection to a host; ours connects to an address that the guard has checked, while
TLS still verifies the host's name and the request still names it. A server that sends one byte a second keeps every
single read short; the deadline is of the whole request.
"""

from __future__ import annotations

import ssl
import time
from collections.abc import Iterable
from functools import cache
from typing import Any

import httpcore
import httpx

from clausegraph.ingestion.fetch.guard import AddressGuard


class Deadline:
    """The moment at which the request that is going on has to be over."""

    def __init__(self) -> None:
        self._ends = 0.0

    def set(self, seconds: float) -> None:
        """A request begins that may take so long."""
        self._ends = time.monotonic() + seconds

    def left(self, timeout: float | None, error: type[httpcore.TimeoutException]) -> float:
        """The seconds that one operation may take."""
        left = self._ends - time.monotonic()
        if left <= 0:
            raise error("it took too long")
        return left if timeout is None else min(left, timeout)


class _Stream(httpcore.NetworkStream):
    """A connection of which every operation ends by the deadline."""

    def __init__(self, inner: httpcore.NetworkStream, deadline: Deadline) -> None:
        self._inner = inner
        self._deadline = deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._inner.read(max_bytes, self._deadline.left(timeout, httpcore.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._inner.write(buffer, self._deadline.left(timeout, httpcore.WriteTimeout))

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        left = self._deadline.left(timeout, httpcore.ConnectTimeout)
        return _Stream(self._inner.start_tls(ssl_context, server_hostname, left), self._deadline)

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


class GuardedBackend(httpcore.NetworkBackend):
    """Connects to what the guard has checked, and to nothing else."""

    def __init__(self, guard: AddressGuard, deadline: Deadline, network: httpcore.NetworkBackend | None = None) -> None:
        """Connect through ``network``, the system's by default."""
        self._guard = guard
        self._deadline = deadline
        self._inner = network or httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        addresses = self._guard.checked(host, port)
        for at, address in enumerate(addresses[:-1]):
            # an address that swallows what is sent must leave time for the others
            share = self._deadline.left(timeout, httpcore.ConnectTimeout) / (len(addresses) - at)
            try:
                return self._connected(address, port, share, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                continue
        return self._connected(addresses[-1], port, timeout, local_address, socket_options)

    def _connected(
        self, address: str, port: int, timeout: float | None, local: str | None, options: Iterable[Any] | None
    ) -> httpcore.NetworkStream:
        left = self._deadline.left(timeout, httpcore.ConnectTimeout)
        return _Stream(self._inner.connect_tcp(address, port, left, local, options), self._deadline)

    def connect_unix_socket(
        self, path: str, timeout: float | None = None, socket_options: Iterable[Any] | None = None
    ) -> httpcore.NetworkStream:
        raise httpcore.UnsupportedProtocol("pages are not fetched from sockets of this machine")

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)


@cache
def _authorities() -> ssl.SSLContext:
    """Verifies certificates by the authorities that everybody trusts; reading them takes a tenth of a second."""
    return httpx.create_ssl_context()


class GuardedTransport(httpx.BaseTransport):
    """HTTP/1.1 over the connections of a guard; no proxy, no cookies, no redirect, no second try."""

    def __init__(self, guard: AddressGuard, deadline: Deadline, verify: ssl.SSLContext | None = None) -> None:
        self._pool = httpcore.ConnectionPool(
            ssl_context=verify or _authorities(),
            max_connections=4,
            keepalive_expiry=5.0,
            network_backend=GuardedBackend(guard, deadline),
        )

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request; the body is read by whoever takes the response, who closes it.

        Raises:
            httpcore's errors, and those of ``AddressGuard.checked``.
        """
        url = httpcore.URL(
            scheme=request.url.raw_scheme,
            host=request.url.raw_host,
            port=request.url.port,
            target=request.url.raw_path,
        )
        sent = self._pool.handle_request(httpcore.Request(request.method, url, headers=request.headers.raw))
        assert isinstance(sent.stream, Iterable)
        return httpx.Response(sent.status, headers=sent.headers, stream=_Body(sent), request=request)

    def close(self) -> None:
        """Close the connections."""
        self._pool.close()


class _Body(httpx.SyncByteStream):
    def __init__(self, response: httpcore.Response) -> None:
        self._response = response

    def __iter__(self) -> Any:
        return self._response.iter_stream()

    def close(self) -> None:
        self._response.close()
