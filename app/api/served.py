"""The server process: what it holds, who may ask and how often, its socket, and how it ends."""

from __future__ import annotations

import asyncio
import hashlib
import ipaddress
import math
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated, Any, cast

from fastapi import Depends
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from starlette.requests import HTTPConnection

from clausegraph.app.access.rules import AuditLog
from clausegraph.app.access.sign_in import sign_in_of
from clausegraph.app.access.tokens import FOLDER, AccessRole, Principal, Sessions, Tokens
from clausegraph.app.api.problems import refusal
from clausegraph.app.api.work import WorkPool
from clausegraph.app.process import listening_socket
from clausegraph.app.services.evaluations import Evaluations
from clausegraph.app.services.jobs import Jobs
from clausegraph.app.services.kept import KeptAnswers
from clausegraph.core.errors import InputError, SettingsError
from clausegraph.core.models.bert_numpy import cores
from clausegraph.indexes.files import OWN_TOKEN, file_errors, write_whole
from clausegraph.indexes.kept_answers import answers_in

if TYPE_CHECKING:
    import uvicorn
    from fastapi import FastAPI

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
            gauge.labels(pool.name).set_function(partial(getattr, pool, "held"))
            full.labels(pool.name).set(pool.capacity)

    def page(self) -> bytes:
        """In Prometheus's text form."""
        return generate_latest(self._registry)


_READERS, _READS_WAITING = 8, 64


class Served:
    """What a server of a workspace holds, shared by all requests; it closes the workspace at its end.

    ``work`` runs what embeds or asks a model, ``reads`` what only looks things up.

    Raises:
        SettingsError: those of the sign-in do not fit together.
    """

    def __init__(self, workspace: Workspace) -> None:
        settings = workspace.settings
        self.workspace, self.metrics = workspace, Metrics()
        self.sign_in = sign_in_of(settings)
        self.tokens = Tokens(settings.home, workspace.shared)
        self.sessions = Sessions(self.tokens)
        self.audit = AuditLog(settings.home, workspace.shared)
        self.rate = RateLimit(settings.serve_rate)
        at_once = settings.serve_workers
        if not (settings.llm or settings.embedding_url or settings.serve_addresses):
            at_once = min(at_once, cores())  # nothing is waited for: more at once would only be slow together
        self.work = WorkPool("work", at_once, 5 * settings.serve_workers - at_once)
        self.reads = WorkPool("reads", _READERS, _READS_WAITING)
        self.jobs = Jobs(workspace)
        self.evaluations = Evaluations(settings)
        self.kept = KeptAnswers(answers_in(settings.home, workspace.shared), lambda: workspace.ledger)
        self.kept.forget_strangers(one.id for one in self.tokens.all())
        self.metrics.watch(self.work, self.reads)

    def close(self) -> None:
        """End: answers in work are finished first, runs stop at their next step."""
        self.jobs.close()
        self.work.close()
        self.reads.close()
        self.workspace.close()


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


async def served(connection: HTTPConnection) -> Served:
    """What the server holds."""
    return cast(Served, connection.app.state.served)


async def principal(connection: HTTPConnection) -> Principal:
    """Who sends a request to a route that is not open to everybody."""
    return cast(Principal, connection.scope["state"]["principal"])


def about(connection: HTTPConnection, words: str, why: str = "") -> None:
    """What the audit log says of a request beside its path, of what only its body has, and the reason."""
    connection.scope["state"] |= {"about": f" ({words})" if words else "", "why": why}


Held = Annotated[Served, Depends(served)]
Who = Annotated[Principal, Depends(principal)]


TOKEN_NAME = "serve"  # noqa: S105 - a name, no secret
_BACKLOG = 512
_GRACE = 30  # seconds that answers in work get when the server ends


def own_token(workspace: Workspace) -> tuple[str | None, Path]:
    """The token of whoever may start the server, an admin's: its text where it was made just now, and its file.

    Of machines that share a ledger each home has a token of its own.

    Raises:
        StorageError: a file cannot be read or written.
        InputError: there is a token "serve" whose file was removed.
    """
    home, name = workspace.settings.home, TOKEN_NAME
    tokens, path = Tokens(home, workspace.shared), home / FOLDER / OWN_TOKEN
    if workspace.shared is not None:
        name += "-" + hashlib.sha256(f"{socket.gethostname()} {home.resolve()}".encode()).hexdigest()[:8]
    with file_errors(path):
        kept = path.read_text("ascii").strip() if path.exists() else ""
    if kept and tokens.find(kept) is not None:
        return None, path
    if any(one.name == name for one in tokens.all()):
        raise InputError(
            f"the text of token {name!r} is not in {path} any more; `clausegraph tokens revoke {name}` and start again "
            "for a new one"
        )
    _, text = tokens.add(name, AccessRole.ADMIN)
    write_whole(path, f"{text}\n".encode())
    return text, path


def server_config(app: FastAPI, proxies: Sequence[str], **limits: Any) -> uvicorn.Config:
    """How uvicorn serves the application.

    Args:
        limits: of :class:`Port`.
        proxies: addresses or networks whose word on the client's address and scheme is taken (``X-Forwarded-For``,
            ``X-Forwarded-Proto``); whoever else sends such headers is not believed.

    Raises:
        SettingsError: one of them is neither an address nor a network.
    """
    import uvicorn

    from clausegraph.app.api.port import Port

    for proxy in proxies:
        try:
            ipaddress.ip_network(proxy)
        except ValueError as error:
            raise SettingsError(
                f"CLAUSEGRAPH_SERVE_PROXIES has {proxy[:80]!r}, which is no address and no network ({error}); write "
                "the address that the proxy connects from, as 10.0.0.7 or 10.1.0.0/16"
            ) from error
    port: Any = Port(proxies, **limits)  # called as uvicorn calls a class of protocols
    return uvicorn.Config(
        app,
        http=port,
        log_config=None,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=bool(proxies),
        forwarded_allow_ips=list(proxies),
        ws="none",
        timeout_graceful_shutdown=_GRACE,
    )


def run(app: FastAPI, host: str, port: int, announce: Callable[[str], None], proxies: Sequence[str] = ()) -> None:
    """Serve until Ctrl-C or SIGTERM; ``announce`` is told the address once requests are answered.

    Answers in work get half a minute to end.

    Raises:
        InputError: the address cannot be used.
        SettingsError: as of :func:`server_config`.
    """
    import uvicorn

    config = server_config(app, proxies)

    class Ending(uvicorn.Server):
        """A signal is the ordinary end, not an error; a second one does not wait."""

        def handle_exit(self, sig: int, frame: FrameType | None) -> None:
            """Tell the runs, and who follows them, at once: an open stream would keep the server waiting."""
            app.state.served.jobs.ending.set()
            super().handle_exit(sig, frame)

        @contextmanager
        def capture_signals(self) -> Iterator[None]:
            """Take Ctrl-C and SIGTERM."""
            taken = (signal.SIGINT, signal.SIGTERM)
            before = {number: signal.signal(number, self.handle_exit) for number in taken}
            try:
                yield
            finally:
                for number, handler in before.items():
                    signal.signal(number, handler)

    bound = listening_socket(host, port, _BACKLOG)
    bound.set_inheritable(True)
    server = Ending(config)

    async def serving() -> None:
        task = asyncio.create_task(server.serve(sockets=[bound]))
        while not server.started and not task.done():
            await asyncio.sleep(0.01)
        if server.started:
            shown = f"[{host}]" if ":" in host else host
            announce(f"http://{shown}:{bound.getsockname()[1]}")
        await task

    with bound:
        asyncio.run(serving())
