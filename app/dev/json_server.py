"""A small server of JSON replies over a loopback socket: what ``clausegraph dev`` serves with."""

from __future__ import annotations

import contextlib
import json
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from clausegraph.core.errors import InputError

HOST = "127.0.0.1"
_BODY = 4_000_000  # bytes of a request
Answer = Callable[[str, Mapping[str, Any]], tuple[int, Any]]
"""Status and reply to a path and the JSON object that was sent there; a text is sent as a stream of events."""


class JsonServer:
    """Serves in threads of this process; a context manager. ``asked`` counts requests by status."""

    def __init__(self, answer: Answer, port: int = 0) -> None:
        """Take the port; 0 is a free one.

        Raises:
            InputError: the port is taken.
        """
        self.asked: Counter[int] = Counter()
        try:
            self._server = ThreadingHTTPServer((HOST, port), _handler(answer, self.asked))
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


def _handler(answer: Answer, asked: Counter[int]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = 30
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            status, reply = self._reply()
            is_stream = isinstance(reply, str)
            content = (reply if is_stream else json.dumps(reply, ensure_ascii=False)).encode("utf-8", "replace")
            asked[status] += 1
            self.send_response(status)
            self.send_header("Content-Type", "text/event-stream" if is_stream else "application/json")
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
            return answer(self.path, body)

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing: stdout is the command's."""

    return Handler
