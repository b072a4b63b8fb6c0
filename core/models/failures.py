"""How servers fail: statuses, ``Retry-After``, texts without secrets, and replies that are too long or none."""

from __future__ import annotations

import json
import re
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from math import isnan
from typing import Any, Protocol

from clausegraph.core.errors import (
    ModelCallError,
    ModelRefused,
    ModelUnavailable,
    NotConnected,
    SettingsError,
    UnusableReply,
)
from clausegraph.core.secrets import MASK, mask_reply, register_secret
from clausegraph.core.telemetry.redaction import one_line

_LONGEST = 300  # characters of a server's message
_TRY_AGAIN = {408, 409, 425, 429}
_NEVER = {501, 505}  # what the server has not at all
_TOO_LONG = ("context", "too long", "too many tokens")  # what servers say of a prompt that does not fit
_USED_UP = ("insufficient_quota", "billing_hard_limit")  # OpenAI's 429 that no wait cures
_SECRET = re.compile(r"(?i)(bearer\s+|api[-_]?key\W{1,4}|\bsk-)[\w.~+/=-]+")
_NEVER_SENT = {"ConnectError", "ConnectTimeout", "PoolTimeout"}
_WRONG_REQUEST = {"LocalProtocolError", "UnsupportedProtocol", "InvalidURL", "TooManyRedirects"}
# How drivers fail on an unknown body: fields that are missing or of another type, unknown codecs, numbers and nesting
# beyond all bounds, and what LlamaIndex asserts
UNREADABLE = (ArithmeticError, AssertionError, AttributeError, LookupError, RecursionError, TypeError, ValueError)


@dataclass(frozen=True)
class Server:
    """Whom we talk to; what messages may show and what they must not."""

    model: str  # provider:name
    url: str
    key: str | None = field(default=None, repr=False)
    setting: str = "CLAUSEGRAPH_LLM"  # with which the names of its settings begin

    def __post_init__(self) -> None:
        if isinstance(self.key, str):
            register_secret(self.key)

    def failed_with(self, status: int, headers: Mapping[str, str], body: str) -> ModelCallError:
        """The error of an HTTP status."""
        said = self.clean(_said(body) or body) or "no message"
        message = f"{self.model} at {self.shown_url} answered {status}: {said}"
        if any(word in body.lower() for word in _USED_UP):
            return ModelRefused(message, status=status)
        if status in _TRY_AGAIN or (status >= 500 and status not in _NEVER):
            return ModelUnavailable(message, status=status, retry_after=retry_after(headers))
        return ModelRefused(f"{message}{self._advice(status, said)}", status=status)

    def failed_on_the_way(self, error: BaseException) -> ModelCallError:
        """The error of a connection."""
        names = {kind.__name__ for kind in type(error).__mro__}
        late = bool(names & {"TimeoutError", "TimeoutException"})
        reason = "the time-out ran out" if late else self.clean(str(error)) or type(error).__name__
        message = f"{self.model} at {self.shown_url} gave no answer: {reason}"
        if names & _WRONG_REQUEST:
            return ModelRefused(f"{message}; check {self.setting}_URL and {self.setting}_KEY")
        return NotConnected(message) if names & _NEVER_SENT else ModelUnavailable(message)

    def unreadable(self, reason: object) -> ModelCallError:
        """The error of a body that is no reply of the protocol, or of a prompt that cannot be sent."""
        if isinstance(reason, UnicodeEncodeError):
            return ModelRefused(f"the prompt for {self.model} holds half a character ({reason.reason}): remove it")
        kind = f"{type(reason).__name__}: " if isinstance(reason, Exception) else ""
        return UnusableReply(
            f"{self.model} at {self.shown_url} sent no readable reply: {kind}{self.clean(str(reason))}"
        )

    def redirected(self, status: int, place: str) -> ModelCallError:
        """The error of a redirect: page text goes to the server that was named and to no other."""
        return ModelRefused(
            f"{self.model} at {self.shown_url} answered {status}, a redirect to {self.clean(place) or 'nowhere'}; none "
            f"is followed: if that is the server you mean, set {self.setting}_URL to it",
            status=status,
        )

    def _advice(self, status: int, said: str) -> str:
        if status in (400, 413, 422) and any(words in said.lower() for words in _TOO_LONG):
            return "; give the server a larger context, or make prompts shorter: CLAUSEGRAPH_CALL_TOKENS for an ingest"
        if status in (401, 403):
            return f"; set {self.setting}_KEY to a key that this server accepts"
        model = self.setting if self.setting == "CLAUSEGRAPH_LLM" else f"{self.setting}_MODEL"
        return f"; check {model} and {self.setting}_URL" if status == 404 else ""

    @property
    def shown_url(self) -> str:
        """The address without user and password."""
        return re.sub(r"//[^/@]*@", "//", self.url)

    def clean(self, text: str) -> str:
        """A server's or a driver's text, short, on one line that can be printed, without secrets."""
        text = text[: 10 * _LONGEST]
        if self.key:
            text = text.replace(self.key, MASK)  # also one that is short enough to be a word
        text = " ".join(_SECRET.sub(rf"\1{MASK}", mask_reply(text)).split())
        return one_line(text if len(text) <= _LONGEST else text[:_LONGEST] + "…")


def _said(body: str) -> str:
    """The message within an error as OpenAI's and Mistral's protocols have it, empty where there is none."""
    try:
        found = json.loads(body)
        found = found.get("error", found)
        message = found if isinstance(found, str) else found.get("message")
    except (AttributeError, ValueError, RecursionError):
        return ""
    return message if isinstance(message, str) else ""


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that the server asks to wait, from ``Retry-After`` in seconds or as an HTTP date."""
    given = (headers.get("retry-after") or "").strip()
    if not given:
        return None
    try:
        seconds = float(given)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(given).timestamp() - time.time()
        except ValueError:
            return None
    return None if isnan(seconds) else max(0.0, seconds)


_PLAIN = {"accept-encoding": "identity"}  # what is not compressed cannot grow
_MARGIN = 1_000_000
_TOKEN_BYTES = 512  # of a reply token on the wire: a streamed one has an event of its own
_NUMBER_BYTES = 24
_DIMENSIONS = 8192


def reply_limit(max_output: int) -> int:
    """Bytes of a reply of at most so many tokens."""
    return _MARGIN + _TOKEN_BYTES * max_output


def vectors_limit(texts: int) -> int:
    """Bytes of the vectors of so many texts."""
    return _MARGIN + texts * _DIMENSIONS * _NUMBER_BYTES


class ResponseBody(Protocol):
    """A body as the HTTP libraries have it."""

    def __aiter__(self) -> AsyncIterator[bytes]: ...

    async def aclose(self) -> None: ...


class BoundedBody:
    """A body that ends with an error where it grows beyond a limit; mixed into the class of each HTTP library."""

    def __init__(self, body: ResponseBody, limit: int, server: Server) -> None:
        self._body, self._limit, self._server = body, limit, server

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = self._limit
        async for piece in self._body:
            left -= len(piece)
            if left < 0:
                raise self._server.unreadable(f"more than {self._limit:,} bytes, which no reply that was asked for has")
            yield piece

    async def aclose(self) -> None:
        """Close the body."""
        await self._body.aclose()


def open_http(library: Any, server: Server, timeout_s: float, connections: int, limit: int) -> Any:
    """A client of httpx or httpx2 for that many calls at once, of whose replies at most ``limit`` bytes are read.

    A redirect or a compressed body is an error, and nothing of the body is read.
    """
    bounded = type("_Body", (BoundedBody, library.AsyncByteStream), {})

    async def check(response: Any) -> None:
        if 300 <= response.status_code < 400:
            raise server.redirected(response.status_code, response.headers.get("location", ""))
        coding = response.headers.get("content-encoding", "identity")
        if coding.strip().lower() not in ("", "identity"):
            raise server.unreadable(f"its body is compressed ({coding[:40]}), which was not asked for")
        response.encoding = "utf-8"  # JSON is; the codec that the server names may be none for texts
        response.stream = bounded(response.stream, limit, server)

    return library.AsyncClient(
        headers=_PLAIN,
        follow_redirects=False,
        event_hooks={"response": [check]},
        timeout=timeout_s,
        limits=library.Limits(max_connections=connections, max_keepalive_connections=connections),
    )


@contextmanager
def http_errors(server: Server, library: Any) -> Iterator[None]:
    """Translate what an HTTP library raises, and what a driver raises of a body that it does not understand."""
    try:
        yield
    except (library.HTTPError, library.StreamError, library.InvalidURL, TimeoutError) as error:
        raise server.failed_on_the_way(error) from None
    except UNREADABLE as error:
        if isinstance(error, TypeError) and "unexpected keyword argument" in str(error):
            raise  # the driver was called wrongly: no server's fault
        raise server.unreadable(error) from None


def checked_key(provider: str, key: str | None, variable: str) -> str | None:
    """The key, if it can be one."""
    if not key and provider == "mistral":
        raise SettingsError(f"Mistral's API needs a key: set {variable} (any text will do for a server of your own)")
    if key and not (key.isascii() and key.isprintable() and " " not in key):
        raise SettingsError(f"the key in {variable} holds spaces, line ends or letters that no key has; copy it again")
    return key or None


def checked_url(url: str, variable: str) -> str:
    """The address without ``/v1``, which the clients add."""
    if not url.startswith(("http://", "https://")):
        raise SettingsError(f"{variable} is {url!r}; it must begin with http:// or https://")
    return url.rstrip("/").removesuffix("/v1").rstrip("/")
