"""One request, one reply: what a server does comes back as a value, so that a crawl goes on."""

from __future__ import annotations

import http
import re
import ssl
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Literal, Self

import httpcore
import httpx
from protego import Protego

from clausegraph.ingestion.fetch.addresses import host_of, joined
from clausegraph.ingestion.fetch.bodies import BodyRefusedError, read_body
from clausegraph.ingestion.fetch.guard import (
    AddressGuard,
    AddressRefusedError,
    Deadline,
    GuardedBackend,
    Resolve,
    UnknownHostError,
    WebLimits,
    authorities,
)
from clausegraph.ingestion.fetch.politeness import AGENT, ROBOTS_BYTES, HostPace, HostRules, retry_after

Outcome = Literal["page", "unchanged", "moved", "gone", "failed", "refused"]
_PERMANENT, _TEMPORARY = (301, 308), (302, 303, 307)
_BUSY = (408, 425, 429)
_GONE = (404, 410)
_HOPS = 5
_SHOWN = 200  # characters of an error


@dataclass(frozen=True, slots=True)
class Validators:
    """What a server said of the version that is stored, for it to say whether that is still the one."""

    etag: str = ""
    last_modified: str = ""


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What of a reply is read: types, none for any, and bytes; ``cut``: the beginning will do where there are more."""

    accept: Collection[str]
    most: int
    cut: bool = False
    validators: Validators = Validators()


@dataclass(frozen=True, slots=True)
class WebReply:
    """What came of one request.

    ``page``: a body. ``unchanged``: the stored version is still the one. ``moved``: to ``target``, for good or not.
    ``gone``: 404 or 410. ``failed``: another day it may succeed. ``refused``: by the server, or by our limits.
    """

    address: str
    outcome: Outcome
    reason: str = ""
    status: int | None = None
    body: bytes = b""
    content_type: str = ""  # with its charset, in lower case
    etag: str = ""
    last_modified: str = ""
    target: str = ""
    permanent: bool = False
    again: bool = False  # whether another attempt at once may help
    after_s: float | None = None  # what Retry-After asked for


@cache
def user_agent(contact: str = "") -> str:
    """Who we say we are."""
    try:
        name = f"{AGENT}/{version('clausegraph')}"
    except PackageNotFoundError:
        name = AGENT
    return f"{name} (+{contact})" if contact else name


class WebClient:
    """Fetches one address after the other, within its limits; for one thread."""

    def __init__(
        self,
        limits: WebLimits,
        *,
        resolve: Resolve | None = None,
        verify: ssl.SSLContext | None = None,
        pace: HostPace | None = None,
    ) -> None:
        """Take the limits; names are looked up by ``resolve``, certificates verified as ``verify`` says."""
        self._limits = limits
        self._deadline = Deadline()
        self._pool = httpcore.ConnectionPool(  # HTTP/1.1; no proxy, no cookies, no redirect, no second try
            ssl_context=verify or authorities(),
            max_connections=4,
            keepalive_expiry=5.0,
            network_backend=GuardedBackend(AddressGuard(limits, resolve), self._deadline),
        )
        self._pace = pace or HostPace()
        self._rules: dict[str, HostRules] = {}
        self.requests = 0

    def fetch(
        self, address: str, accept: Collection[str], validators: Validators = Validators(), most: int | None = None
    ) -> WebReply:
        """Ask for a normalised address, as often as the limits allow; redirects are not followed. A body is read of
        these content types, without parameters, and where none is named; ``most`` bytes of it, or what the limits say.
        """
        rules = self.rules(address)
        if rules.problem:
            return WebReply(address, "refused" if rules.lasts else "failed", rules.problem)
        if not rules.may(address):
            return WebReply(address, "refused", "robots.txt forbids it")
        if rules.delay_s > self._limits.longest_wait_s:
            return WebReply(address, "refused", f"robots.txt asks for {rules.delay_s:g} seconds between two requests")
        wanted = _Wanted(accept, most or self._limits.body_bytes, validators=validators)
        return self._asked(address, wanted, rules.delay_s)

    def post(self, address: str, body: bytes, headers: Mapping[str, str]) -> WebReply:
        """Send a body to an address once; a ``page`` is that it was taken. Redirects are not followed."""

        def reply(response: httpcore.Response) -> WebReply:
            taken = http.HTTPStatus.OK <= response.status < http.HTTPStatus.MULTIPLE_CHOICES
            said = "" if taken else f"it answers {_named(response.status)}"
            return WebReply(address, "page" if taken else "refused", said, response.status)

        named = {"User-Agent": user_agent(self._limits.contact), **headers}
        return self._exchanged(httpx.Request("POST", address, headers=named, content=body), address, reply)

    def rules(self, address: str) -> HostRules:
        """What the robots.txt of the address's host says; it is fetched once."""
        place, _, _ = address.partition("://")
        origin = f"{place}://{host_of(address)}"
        if origin not in self._rules:
            self._rules[origin] = self._read_rules(f"{origin}/robots.txt")
        return self._rules[origin]

    def close(self) -> None:
        """Close the connections."""
        self._pool.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _read_rules(self, address: str) -> HostRules:
        wanted = _Wanted((), ROBOTS_BYTES, cut=True)
        reply = followed(lambda at: self._asked(at, wanted), address)
        if reply.outcome == "page":
            return HostRules(Protego.parse(reply.body.decode("utf-8", "replace")))
        if reply.status is not None and 400 <= reply.status < 500 and reply.outcome in ("gone", "refused"):
            return HostRules()  # there is none, or it is not for us: no rules
        problem = f"robots.txt cannot be read, so nothing is fetched: {reply.reason}"
        return HostRules(problem=problem, lasts=reply.outcome == "refused")

    def _asked(self, address: str, wanted: _Wanted, delay_s: float = 0.0) -> WebReply:
        """The last of the attempts at an address; none where its host is to be left alone."""
        host = host_of(address)
        if why := self._pace.why_not(host):
            return WebReply(address, "failed", why)
        reply = self._attempted(address, wanted, delay_s)
        after_s = reply.after_s or 0.0
        is_silent = reply.outcome == "failed" and reply.status is None
        self._pace.told(host, answered=not is_silent, after_s=after_s if after_s > self._limits.longest_wait_s else 0.0)
        return reply

    def _attempted(self, address: str, wanted: _Wanted, delay_s: float) -> WebReply:
        wait_s = self._limits.wait_s
        for attempt in range(1, self._limits.attempts + 1):
            self._pace.wait(host_of(address), max(self._limits.interval_s, delay_s))
            request = httpx.Request("GET", address, headers=self._headers(wanted))
            reply = self._exchanged(request, address, lambda response: _reply(address, response, wanted))
            if not reply.again or attempt == self._limits.attempts:
                return reply
            asked_s = wait_s if reply.after_s is None else reply.after_s
            if asked_s > self._limits.longest_wait_s:
                return reply
            self._pace.pause(asked_s)
            wait_s *= 2
        raise AssertionError("there is at least one attempt")

    def _exchanged(
        self, request: httpx.Request, address: str, read: Callable[[httpcore.Response], WebReply]
    ) -> WebReply:
        self.requests += 1
        self._deadline.set(self._limits.seconds)
        asked = request.url
        target = httpcore.URL(scheme=asked.raw_scheme, host=asked.raw_host, port=asked.port, target=asked.raw_path)
        try:
            head, body = request.headers.raw, request.content or None
            with self._pool.stream(request.method, target, headers=head, content=body) as response:
                return read(response)
        except (AddressRefusedError, BodyRefusedError) as error:
            return WebReply(address, "refused", str(error))
        except UnknownHostError as error:
            return WebReply(address, "failed", str(error), again=True)
        except httpcore.TimeoutException:
            return WebReply(address, "failed", f"no whole reply within {self._limits.seconds:g} seconds")
        except (httpcore.NetworkError, httpcore.ProtocolError) as error:
            return WebReply(address, "failed", f"the connection failed: {str(error)[:_SHOWN]}", again=True)

    def _headers(self, wanted: _Wanted) -> dict[str, str]:
        headers = {
            "User-Agent": user_agent(self._limits.contact),
            "Accept": ", ".join((*wanted.accept, "*/*;q=0.1")),
            "Accept-Encoding": "gzip",
        }
        if etag := _sendable(wanted.validators.etag, 1000):  # one that is stored may be of an older version's making
            headers["If-None-Match"] = etag
        if last_modified := _sendable(wanted.validators.last_modified, 100):
            headers["If-Modified-Since"] = last_modified
        return headers


def followed(ask: Callable[[str], WebReply], address: str) -> WebReply:
    """What is at the end of an address's redirects, each of which is asked for and checked as such."""
    reply = ask(address)
    for _ in range(_HOPS):
        if reply.outcome != "moved":
            break
        reply = ask(reply.target)
    return reply


def _reply(address: str, response: httpcore.Response, wanted: _Wanted) -> WebReply:
    status = response.status
    if status in (*_PERMANENT, *_TEMPORARY):
        return _moved(address, response)
    if status == http.HTTPStatus.NOT_MODIFIED and wanted.validators != Validators():
        return WebReply(address, "unchanged", "", status)
    if status in _GONE:
        return WebReply(address, "gone", f"it answers {_named(status)}", status)
    if status in (200, 203):
        return _page(address, response, wanted)
    if status < 500 and status not in _BUSY:
        return WebReply(address, "refused", f"it answers {_named(status)}", status)
    asked = retry_after(httpx.Headers(response.headers).get("retry-after"))
    said = f"it answers {_named(status)}" + (f" and asks to come back in {asked:.0f} seconds" if asked else "")
    return WebReply(address, "failed", said, status, again=True, after_s=asked)


def _moved(address: str, response: httpcore.Response) -> WebReply:
    status, location = response.status, httpx.Headers(response.headers).get("location", "")
    target = joined(address, location) if location else None
    if target is None:
        return WebReply(address, "failed", f"it answers {_named(status)}, but names no address", status)
    return WebReply(address, "moved", _named(status), status, target=target, permanent=status in _PERMANENT)


def _page(address: str, response: httpcore.Response, wanted: _Wanted) -> WebReply:
    most = wanted.most
    headers = httpx.Headers(response.headers)
    kind = _content_type(headers.get("content-type", ""))
    base = kind.partition(";")[0]
    if wanted.accept and base and base not in wanted.accept:
        return WebReply(address, "refused", f"it is {base}, which is not read", response.status, content_type=kind)
    length = headers.get("content-length", "")
    if length.isdecimal() and int(length[:15]) > most and not wanted.cut:
        size = f"{int(length[:15]) / 1024 / 1024:.0f} MB; the limit is {most / 1024 / 1024:g} MB"
        return WebReply(address, "refused", f"the body has {size}", response.status, content_type=kind)
    body = read_body(response.iter_stream(), headers.get("content-encoding", ""), most, cut=wanted.cut)
    return WebReply(
        address,
        "page",
        status=response.status,
        body=body,
        content_type=kind,
        etag=_sendable(headers.get("etag", ""), 1000),
        last_modified=_sendable(headers.get("last-modified", ""), 100),
    )


def _sendable(value: str, most: int) -> str:
    """A validator as it can be sent back; empty where it is too long or no plain ASCII, since a part of one is none."""
    return value if len(value) <= most and value.isascii() and value.isprintable() else ""


def _content_type(header: str) -> str:
    """Type and charset of a Content-Type header in lower case; what else it may say is left out."""
    base = header.partition(";")[0].strip().lower()[:100]
    charset = re.search(r"""charset\s*=\s*["']?([\w.:+-]{1,40})""", header, re.IGNORECASE)
    return f"{base}; charset={charset[1].lower()}" if base and charset else base


def _named(status: int) -> str:
    try:
        return f"{status} {http.HTTPStatus(status).phrase}"
    except ValueError:
        return str(status)
