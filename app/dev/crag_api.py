"""The replay server: recorded responses of CRAG's mock API over a loopback socket.

The recording is a file of JSON lines, ``{"function", "args", "response"}``; it is read where it lies. A call that was
not recorded is a 404 that says so: a replay must not look like an API that knows nothing.
"""

from __future__ import annotations

import contextlib
import json
import threading
from collections import Counter
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self

from clausegraph.core.errors import InputError
from clausegraph.query.crag.kg.api import FUNCTIONS, path_of

HOST = "127.0.0.1"
_BODY = 1_000_000  # bytes of a request
_BY_PATH = {path_of(function): function for function in FUNCTIONS}


class RecordedCalls(dict[tuple[str, str], Any]):
    """Responses by function and arguments; case of texts does not matter."""

    @classmethod
    def read(cls, path: Path) -> RecordedCalls:
        """The recording of a file.

        Raises:
            InputError: it cannot be read, or a line is no recorded call.
        """
        found = cls()
        try:
            lines = path.read_text("utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"recorded responses {path} cannot be read: {error}") from error
        for number, line in enumerate(lines, 1):
            try:
                call = json.loads(line)
                path_of(call["function"])  # there must be such a function
                found[_key(call["function"], call["args"])] = call["response"]
            except (ValueError, KeyError, TypeError) as error:
                fix = "a line has function, args and response"
                raise InputError(f"{path}, line {number} is no recorded call ({error}); {fix}") from error
        return found

    def answer(self, path: str, body: Mapping[str, Any]) -> tuple[int, Any]:
        """Status and reply to a request."""
        function = _BY_PATH.get(path)
        if function is None:
            return 404, {"detail": f"the API has no {path}"}
        args = [body.get(name) for name in FUNCTIONS[function]]
        while args and args[-1] is None:  # optional ones at the end
            args.pop()
        if (key := _key(function, args)) in self:
            return 200, self[key]
        said = ", ".join(json.dumps(arg, ensure_ascii=False) for arg in args)
        return 404, {"detail": f"not recorded: {function}({said})"}


def _key(function: str, args: Any) -> tuple[str, str]:
    return function, json.dumps(list(args), ensure_ascii=False).casefold()


class ReplayServer:
    """Serves a recording in threads of this process; a context manager. ``asked`` counts requests by status."""

    def __init__(self, recording: RecordedCalls, port: int = 0) -> None:
        """Take the port; 0 is a free one.

        Raises:
            InputError: the port is taken.
        """
        self.asked: Counter[int] = Counter()
        try:
            self._server = ThreadingHTTPServer((HOST, port), _handler(recording, self.asked))
        except OSError as error:
            raise InputError(f"port {port} of {HOST} cannot be used ({error}); choose another, or 0 for any") from error
        self._server.daemon_threads = True

    @property
    def url(self) -> str:
        """The address, without a slash at its end."""
        return f"http://{HOST}:{self._server.server_address[1]}"

    def serve(self) -> None:
        """Serve until interrupted."""
        with self._server, contextlib.suppress(KeyboardInterrupt):
            self._server.serve_forever(poll_interval=0.02)

    def __enter__(self) -> Self:
        threading.Thread(target=self.serve, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()


def _handler(recording: RecordedCalls, asked: Counter[int]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = 30

        def do_POST(self) -> None:
            status, reply = self._reply()
            content = json.dumps(reply).encode()
            asked[status] += 1
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def _reply(self) -> tuple[int, Any]:
            length = self.headers.get("Content-Length", "0")
            if not length.isdecimal() or int(length) > _BODY:
                self.close_connection = True
                return 413, {"detail": f"a request has at most {_BODY} bytes"}
            try:
                body = json.loads(self.rfile.read(int(length)) or b"{}") or {}
            except ValueError:
                return 422, {"detail": "the body is no JSON"}
            if not isinstance(body, dict):
                return 422, {"detail": "the body is no JSON object"}
            return recording.answer(self.path, body)

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing: stdout is the command's."""

    return Handler
