"""Which network addresses may be reached, and connections to nothing else, each within one deadline.

A page, a redirect or whoever owns a name may point to this machine, its network, or a cloud's server of secrets. So
names are looked up here, every answer is checked, and the connection is made to the very address that was checked,
while TLS still verifies the host's name and the request still names it. A server that sends one byte a second keeps
every single read short; the deadline is of the whole request. docs/sources.md has the reasons of the limits.
"""

from __future__ import annotations

import re
import socket
import ssl
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any

import httpcore
import httpx

from clausegraph.core.errors import SettingsError
from clausegraph.core.pages.read import MAX_PAGE_BYTES

NetworkAddress = IPv4Address | IPv6Address
Resolve = Callable[[str, int], Sequence[str]]

_HOST = re.compile(r"(?!\d+(?:\.\d+)*$)[a-z0-9_-]+(?:\.[a-z0-9_-]+)*")
_NAT64 = (IPv6Network("64:ff9b::/96"), IPv6Network("64:ff9b:1::/48"))
# Not public although registries count them so: protocol assignments, and the host's own server in a cloud.
_NEVER = (ip_network("192.0.0.0/24"), ip_network("168.63.129.16/32"), ip_network("192.88.99.0/24"))


@dataclass(frozen=True, slots=True)
class WebLimits:
    """How the client treats the web.

    ``allow`` names what may be reached although it is no public address: networks ("10.0.0.0/8") and hosts. ``names``
    are hosts that are not looked up, with their network addresses: for tests and intranets.
    """

    contact: str = ""  # in the User-Agent: a page or mail address of whoever runs this
    body_bytes: int = MAX_PAGE_BYTES  # of a reply, unpacked
    seconds: float = 30.0  # a whole request: connecting, waiting, every byte
    render_seconds: float = 120.0  # a browser with one page, all that it asks for included
    attempts: int = 3
    wait_s: float = 1.0  # before the second attempt, doubled each time
    longest_wait_s: float = 60.0  # what Retry-After and robots.txt may ask for
    interval_s: float = 1.0  # between two requests to one host
    allow: tuple[str, ...] = ()
    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


class AddressRefusedError(Exception):
    """The name leads to where nothing may be fetched from."""


class UnknownHostError(Exception):
    """The name could not be looked up."""


class AddressGuard:
    """Looks names up and says where they lead, if one may go there."""

    def __init__(self, limits: WebLimits, resolve: Resolve | None = None) -> None:
        """Take the limits; ``resolve`` is how names are looked up, the system's way by default."""
        self._resolve = resolve or _system
        self._names = {name.lower(): tuple(map(_address, found)) for name, found in limits.names.items()}
        self._hosts = {_host(entry) for entry in limits.allow if not _is_network(entry)}
        self._networks = [ip_network(entry, strict=False) for entry in limits.allow if _is_network(entry)]

    def checked(self, host: str, port: int) -> list[str]:
        """The network addresses of a host, all of which may be reached: where one may not, the others are not tried
        either, since the name cannot be trusted."""
        host = host.strip("[]").lower().rstrip(".")
        found = self._names.get(host) or [_address(one) for one in self._resolve(host, port)]
        if not found:
            raise UnknownHostError(f"host {host!r} has no network address")
        for address in found:
            if not (host in self._hosts or self._may(address)):
                raise AddressRefusedError(
                    f"{host} is {'' if host == str(address) else f'{address}, which is '}no public address; if it is a "
                    f"server of yours, allow it: CLAUSEGRAPH_WEB_ALLOW={host}"
                )
        return [str(address) for address in found]

    def _may(self, address: NetworkAddress) -> bool:
        if any(address in network for network in self._networks):
            return True
        return all(_is_public(one) for one in (address, *_inside(address)))


def _is_public(address: NetworkAddress) -> bool:
    if any(address in network for network in _NEVER):
        return False
    special = address.is_multicast or address.is_reserved or getattr(address, "is_site_local", False)
    return address.is_global and not special


def _inside(address: NetworkAddress) -> list[NetworkAddress]:
    """The addresses of the older kind that an address of the newer kind stands for."""
    if isinstance(address, IPv4Address):
        return []
    found: list[NetworkAddress | None] = [address.ipv4_mapped, address.sixtofour, *(address.teredo or ())]
    if any(address in network for network in _NAT64):
        found.append(IPv4Address(int(address) & 0xFFFFFFFF))
    if int(address) >> 32 == 0 and int(address) > 1:  # ::a.b.c.d, long given up
        found.append(IPv4Address(int(address)))
    return [one for one in found if one is not None]


def _address(text: str) -> NetworkAddress:
    try:
        found = ip_address(text.partition("%")[0])
    except ValueError as error:
        raise SettingsError(f"{text!r} is no network address; CLAUSEGRAPH_WEB_ALLOW takes host=address") from error
    mapped = found.ipv4_mapped if isinstance(found, IPv6Address) else None
    return mapped or found


def _host(entry: str) -> str:
    if not _HOST.fullmatch(entry.lower()):
        raise SettingsError(
            f"{entry!r} is no network and no host; CLAUSEGRAPH_WEB_ALLOW takes such as 10.0.0.0/8 and intra.example"
        )
    return entry.lower()


def _is_network(entry: str) -> bool:
    try:
        ip_network(entry, strict=False)
    except ValueError:
        return False
    return True


def _system(host: str, port: int) -> list[str]:
    """All addresses of both families, in the system's order."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise UnknownHostError(f"host {host!r} cannot be looked up: {error}") from error
    return list(dict.fromkeys(str(row[4][0]) for row in found))


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
def authorities() -> ssl.SSLContext:
    """Verifies certificates by the authorities that everybody trusts; reading them takes a tenth of a second."""
    return httpx.create_ssl_context()
