"""The gate that every request passes before a route sees it: host, who asks, whether they may, how much they send."""

from __future__ import annotations

import secrets
import time
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from urllib.parse import urlencode

from fastapi import APIRouter
from starlette.requests import HTTPConnection, Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Match, Mount
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from clausegraph.app.access.rules import WHOLE, Deed, Rules
from clausegraph.app.access.tokens import COOKIE, AccessRole, Principal
from clausegraph.app.api.problems import Problem, problem_of, refusal
from clausegraph.app.api.served import Served
from clausegraph.core.telemetry.logs import log_fields, logger
from clausegraph.core.telemetry.redaction import error_fields

log = logger(__name__)

Screen = Callable[[Request, Problem], Response]  # of a problem, for somebody with a browser
LOOPBACK = frozenset(("127.0.0.1", "localhost", "[::1]"))
BODY_BYTES, TARGET_BYTES, HEADERS = 262_144, 32_768, 100  # of a request
SAFE = frozenset(("GET", "HEAD", "OPTIONS"))
_METHODS = SAFE | {"POST", "PUT", "PATCH", "DELETE"}
LOGIN = "GET /login"  # where people log in, if a face has it
_CLOSED = AccessRole.ADMIN  # what has no rule is not open


def rule_key(route: BaseRoute, method: str) -> str:
    """The key of a route in the table of rules."""
    asked = "*" if isinstance(route, Mount) else "GET" if method == "HEAD" else method
    return f"{asked} {getattr(route, 'path', '')}"


class Guard:
    """The gate of one application.

    Args:
        hosts: names that ``Host`` may have beside the loopback's; a page of another site that resolves its own name
            to this machine is refused by them.
        bodies: bytes that the body of a request may have, by the rule's key; of others ``BODY_BYTES``.
        screen: how somebody with a browser is told of a problem; None: as a program is.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        held: Served,
        routes: Iterable[BaseRoute],
        rules: Rules,
        hosts: Iterable[str],
        bodies: Mapping[str, int],
        screen: Screen | None,
    ) -> None:
        self._app, self._held, self._routes, self._rules, self._screen = app, held, routes, rules, screen
        self._bodies = bodies
        self._hosts = LOOPBACK | {name.lower() for name in hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or refuse it with a problem document."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return  # there are no web sockets: uvicorn closes the connection
        exchange = _Exchange(scope, receive, send)
        with log_fields(request=exchange.id):
            try:
                await self._pass(scope, exchange)
            except Exception as error:
                problem = problem_of(error)
                if problem.status == 500:  # nobody raised it on purpose, or the server's owner has to mend it
                    log.error("http.failed", endpoint=exchange.route, **error_fields(error))
                if exchange.status:
                    raise  # half a response is out: only closing the connection tells
                exchange.error = problem.kind
                response = problem.response(exchange.id)
                if problem.status == 401 and LOGIN in self._rules and is_browser(scope):
                    response = _to_login(scope)
                elif self._screen is not None and loads_page(scope):
                    response = self._screen(Request(scope), problem)
                await response(scope, receive, exchange.send)
            finally:
                exchange.ended(self._held, scope)

    async def _pass(self, scope: Scope, exchange: _Exchange) -> None:
        connection = HTTPConnection(scope)
        if len(scope["path"]) + len(scope["query_string"]) > TARGET_BYTES:
            raise refusal("TargetTooLong", 414, "Too long", f"path and query may have {TARGET_BYTES:,} bytes")
        if len(scope["headers"]) > HEADERS:
            raise refusal("HeadersTooLong", 431, "Too many headers", f"a request may have {HEADERS} headers")
        self._check_host(connection)
        key = self._find(scope, exchange)
        if key is None or self._rules.get(key, _CLOSED) is not None:
            exchange.who = scope["state"]["principal"] = _who(connection, self._held)
            self._check_rule(key, exchange, exchange.who)
            self._held.rate.take(exchange.who.token)
        exchange.longest = self._bodies.get(key or "", BODY_BYTES)
        stated = connection.headers.get("content-length", "0")
        if not stated.isdigit() or int(stated) > exchange.longest:
            raise _too_long(exchange.longest)
        await self._app(scope, exchange.receive, exchange.send)

    def _check_rule(self, key: str | None, exchange: _Exchange, who: Principal) -> None:
        if key is None:
            return  # there is no such thing, and the routing says so
        exchange.needed = needed = self._rules.get(key)
        if needed is None:
            raise refusal("Forbidden", 403, "Closed", f"{key} has no rule")
        if not who.role.covers(needed):
            said = f"token {who.name!r} is for {who.role.person}; this needs {needed.person}"
            raise refusal("Forbidden", 403, "Not allowed", said)
        if who.corpora is not None and key in WHOLE:
            said = f"token {who.name!r} is for some corpora; this is of all of them"
            raise refusal("Forbidden", 403, "Not allowed", said)
        if exchange.corpus and not who.may_see(exchange.corpus):
            raise refusal("Forbidden", 403, "Not allowed", f"token {who.name!r} is not for this corpus")

    def _check_host(self, connection: HTTPConnection) -> None:
        given = connection.headers.getlist("host")
        name = given[0].lower() if len(given) == 1 else ""
        if name.rpartition(":")[2].isdigit():
            name = name.rpartition(":")[0]
        if name not in self._hosts:
            said = "this server does not go by that name; set CLAUSEGRAPH_SERVE_HOSTS to the names it has"
            raise refusal("UnknownHost", 421, "Not this server", said)

    def _find(self, scope: Scope, exchange: _Exchange) -> str | None:
        """The key of a request's route in the rules; none for what the routing will say no to."""
        for route in self._routes:
            match, found = route.matches(scope)
            if match is Match.FULL:
                exchange.route = getattr(route, "path", "")
                corpus = found.get("path_params", {}).get("corpus", "")
                exchange.corpus = unicodedata.normalize("NFC", corpus)
                return rule_key(route, scope["method"])
        return None


def _who(connection: HTTPConnection, held: Served) -> Principal:
    """Whoever the token or the session is of; a session's request from a page of another origin is refused."""
    scheme, _, text = connection.headers.get("authorization", "").partition(" ")
    if scheme:
        found = held.tokens.find(text.strip()) if scheme.lower() == "bearer" else None
        if found is not None:
            return found
        raise _nobody("the token is unknown, revoked or expired; `clausegraph tokens list` shows them")
    cookie = connection.cookies.get(COOKIE)
    session = held.sessions.find(cookie) if cookie else None
    if session is None:
        raise _nobody("send a token, as `Authorization: Bearer TOKEN`; `clausegraph tokens add` makes one")
    connection.scope["state"]["session"] = session[1]
    if connection.scope["method"] not in SAFE and not same_origin(connection):
        raise refusal("Forbidden", 403, "Not from here", "a browser's session only works from this server's own pages")
    return session[0]


def same_origin(connection: HTTPConnection) -> bool:
    """Whether a browser says that a page of this server sent the request."""
    site = connection.headers.get("sec-fetch-site")
    if site is not None:
        return site == "same-origin"
    origin = connection.headers.get("origin", "")
    return origin.partition("://")[2] == connection.headers.get("host", "")


def _nobody(said: str) -> Exception:
    return refusal("Unauthorised", 401, "Who are you?", said, WWW_Authenticate='Bearer realm="clausegraph"')


def is_browser(scope: Scope) -> bool:
    """Whether a person sees the response, who can log in."""
    headers = HTTPConnection(scope).headers
    shown = "text/html" in headers.get("accept", "") or "hx-request" in headers
    return shown and "authorization" not in headers and not scope["path"].startswith("/v1/")


def loads_page(scope: Scope) -> bool:
    """Whether the response is a whole page of a browser's, not a part of one that htmx asks for."""
    return is_browser(scope) and "hx-request" not in HTTPConnection(scope).headers


def _to_login(scope: Scope) -> Response:
    """To the login and back; htmx follows nothing by itself, and console.js takes what was typed along."""
    if "hx-request" in HTTPConnection(scope).headers:
        return Response(status_code=401)
    back = scope["path"] + (f"?{scope['query_string'].decode('latin-1')}" if scope["query_string"] else "")
    return RedirectResponse(f"/login?{urlencode({'next': back})}", 303)


class _Exchange:
    """A request and its response while they are under way."""

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.id = secrets.token_hex(8)
        self.route, self.corpus, self.status, self.error = "", "", 0, ""
        self.who: Principal | None = None
        self.needed: AccessRole | None = None
        self.longest = BODY_BYTES
        self._receive, self._send, self._begun, self._bytes = receive, send, time.perf_counter(), 0
        headers = HTTPConnection(scope).headers
        self._is_read = "transfer-encoding" not in headers and headers.get("content-length", "0") == "0"
        scope.setdefault("state", {})["request"] = self.id

    async def receive(self) -> Message:
        """The next part of the body, as long as it is not too long."""
        message = await self._receive()
        self._bytes += len(message.get("body", b""))
        self._is_read = not message.get("more_body", False)
        if self._bytes > self.longest:
            raise _too_long(self.longest)
        return message

    async def send(self, message: Message) -> None:
        """Send a part of the response, with the headers that every one has; no body is read on after it."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            message["headers"] = [
                *message.get("headers", ()),
                (b"x-request-id", self.id.encode()),
                (b"x-content-type-options", b"nosniff"),
                (b"referrer-policy", b"no-referrer"),
                *(() if self._is_read else [(b"connection", b"close")]),
            ]
        await self._send(message)

    def ended(self, held: Served, scope: Scope) -> None:
        """Log, count, and for what changes something write down who did it."""
        method = scope["method"] if scope["method"] in _METHODS else "OTHER"
        seconds = time.perf_counter() - self._begun
        held.metrics.answered(self.route, method, self.status, seconds)
        log.info("http.request", endpoint=self.route, kind=method, status=self.status, milliseconds=seconds * 1000)
        if self.who is not None and method not in SAFE and self.needed not in (None, AccessRole.READER):
            outcome = "done" if 200 <= self.status < 400 else self.error or str(self.status)
            target = scope["path"] + scope["state"].get("about", "")
            why = scope["state"].get("why", "")
            deed = Deed(self.who.name, f"{method} {self.route}", target, outcome, self.corpus, self.id, why)
            held.audit.record(deed)


def _too_long(longest: int) -> Exception:
    return refusal("BodyTooLong", 413, "Too long", f"a request may have {longest:,} bytes")


@dataclass(frozen=True, slots=True)
class Face:
    """One more way in on the same application: its routes or mounted applications, and a rule for each.

    ``mounts`` are by path; ``running`` is entered while the server runs. ``screen`` tells somebody
    with a browser of a problem.
    """

    rules: Rules
    routers: Sequence[APIRouter] = ()
    routes: Sequence[BaseRoute] = ()
    mounts: Mapping[str, ASGIApp] = field(default_factory=dict)
    running: Callable[[], AbstractAsyncContextManager[None]] | None = None
    screen: Screen | None = None
