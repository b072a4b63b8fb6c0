"""Which network addresses may be reached: public ones, and what the settings allow.

A page, a redirect or whoever owns a name may point to this machine, its network, or a cloud's server of secrets. So
names are looked up here, every answer is checked, and the connection is made to an address that was checked
(``network.py``), not to whatever the name says a moment later.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Callable, Sequence
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network

from clausegraph.core.errors import SettingsError
from clausegraph.ingestion.fetch.limits import WebLimits

NetworkAddress = IPv4Address | IPv6Address
Resolve = Callable[[str, int], Sequence[str]]

_HOST = re.compile(r"(?!\d+(?:\.\d+)*$)[a-z0-9_-]+(?:\.[a-z0-9_-]+)*")
_NAT64 = (IPv6Network("64:ff9b::/96"), IPv6Network("64:ff9b:1::/48"))
# Not public although registries count them so: protocol assignments, and the host's own server in a cloud.
_NEVER = (ip_network("192.0.0.0/24"), ip_network("168.63.129.16/32"), ip_network("192.88.99.0/24"))


class AddressRefusedError(Exception):
    """The name leads to where nothing may be fetched from."""


class UnknownHostError(Exception):
    """The name could not be looked up."""


class AddressGuard:
    """Looks names up and says where they lead, if one may go there."""

    def __init__(self, limits: WebLimits, resolve: Resolve | None = None) -> None:
        """Take the limits; ``resolve`` is how names are looked up, the system's way by default.

        Raises:
            SettingsError: what is allowed, or the address of a name, cannot be read.
        """
        self._resolve = resolve or _system
        self._names = {name.lower(): tuple(map(_address, found)) for name, found in limits.names.items()}
        self._hosts = {_host(entry) for entry in limits.allow if not _is_network(entry)}
        self._networks = [ip_network(entry, strict=False) for entry in limits.allow if _is_network(entry)]

    def checked(self, host: str, port: int) -> list[str]:
        """The network addresses of a host, all of which may be reached.

        Raises:
            AddressRefusedError: one of them may not; the others are not tried either, since the name cannot be trusted.
            UnknownHostError: there is none.
        """
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
