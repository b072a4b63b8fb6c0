"""The server process: a socket, uvicorn, and how both end."""

from __future__ import annotations

import asyncio
import ipaddress
import signal
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from clausegraph.app.access.roles import Role
from clausegraph.app.access.tokens import FOLDER, Tokens
from clausegraph.core.errors import InputError, SettingsError
from clausegraph.indexes.files import file_errors, write_whole

if TYPE_CHECKING:
    import uvicorn
    from fastapi import FastAPI


TOKEN_NAME = "serve"  # noqa: S105 - a name, no secret
_TOKEN_FILE = "serve-token"  # noqa: S105
_BACKLOG = 512
_GRACE = 30  # seconds that answers in work get when the server ends


def own_token(home: Path) -> tuple[str | None, Path]:
    """The token of whoever may start the server, an admin's: its text where it was made just now, and its file.

    Raises:
        StorageError: a file cannot be read or written.
        InputError: there is a token "serve" whose file was removed.
    """
    tokens, path = Tokens(home), home / FOLDER / _TOKEN_FILE
    with file_errors(path):
        kept = path.read_text("ascii").strip() if path.exists() else ""
    if kept and tokens.find(kept) is not None:
        return None, path
    if any(one.name == TOKEN_NAME for one in tokens.all()):
        raise InputError(
            f"the text of token {TOKEN_NAME!r} is not in {path} any more; `clausegraph tokens revoke {TOKEN_NAME}` and "
            "start again for a new one"
        )
    _, text = tokens.add(TOKEN_NAME, Role.ADMIN)
    write_whole(path, f"{text}\n".encode())
    return text, path


def server_config(app: FastAPI, proxies: Sequence[str]) -> uvicorn.Config:
    """How uvicorn serves the application.

    Args:
        proxies: addresses or networks whose word on the client's address and scheme is taken (``X-Forwarded-For``,
            ``X-Forwarded-Proto``); whoever else sends such headers is not believed.

    Raises:
        SettingsError: one of them is neither an address nor a network.
    """
    import uvicorn

    for proxy in proxies:
        try:
            ipaddress.ip_network(proxy)
        except ValueError as error:
            raise SettingsError(
                f"CLAUSEGRAPH_SERVE_PROXIES has {proxy[:80]!r}, which is no address and no network ({error}); write "
                "the address that the proxy connects from, as 10.0.0.7 or 10.1.0.0/16"
            ) from error
    return uvicorn.Config(
        app,
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

    bound = _bound(host, port)
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


def _bound(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    bound = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind((host, port))
    except OSError as error:
        bound.close()
        raise InputError(f"port {port} of {host} cannot be used ({error}); choose another, or 0 for any") from error
    bound.listen(_BACKLOG)
    bound.set_inheritable(True)
    return bound
