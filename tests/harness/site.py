"""A web site on a real socket that a test changes while it is visited, and that keeps count of what it was asked."""

import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

NAME = "policy.test"
HTML = "text/html; charset=utf-8"


@dataclass
class Answer:
    """What a path answers; ``chunks`` in place of a body are sent as they come, for as long as somebody listens."""

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    content_type: str = HTML
    chunks: Callable[[], Iterator[bytes]] | None = None
    etag: bool = True


@dataclass
class Request:
    path: str
    headers: Mapping[str, str]
    status: int
    body: bytes = b""


class Site:
    """Answers by path; a path without one is a 404. ``asked`` has every request in its order."""

    def __init__(self, host: str) -> None:
        self.answers: dict[str, Answer | Callable[[str], Answer | None]] = {}
        self.fallback: Callable[[str], Answer | None] = lambda path: None
        self.asked: list[Request] = []
        self._server = _Server((host, 0), _handler(self))
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self.port = int(self._server.server_address[1])

    def page(self, path: str, body: str | bytes, **more: Any) -> None:
        """Let a path answer with a page."""
        self.answers[path] = Answer(body.encode() if isinstance(body, str) else body, **more)

    def moved(self, path: str, to: str, status: int = 301) -> None:
        """Let a path redirect."""
        self.answers[path] = Answer(status=status, headers={"Location": to}, etag=False)

    def error(self, path: str, status: int, **headers: str) -> None:
        """Let a path answer with a status and nothing else."""
        self.answers[path] = Answer(status=status, headers=headers, etag=False)

    def url(self, path: str = "/", name: str = NAME) -> str:
        return f"http://{name}:{self.port}{path}"

    def counts(self, *, status: int | None = None) -> Counter[str]:
        """How often each path was asked for, robots.txt apart."""
        return Counter(one.path for one in self.asked if status in (None, one.status) and one.path != "/robots.txt")

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def answer(self, path: str) -> Answer:
        found = self.answers.get(path)
        made = found(path) if callable(found) else found or self.fallback(path)
        return made or Answer(b"<p>no such page</p>", 404, etag=False)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, request: Any, client_address: Any) -> None:
        """The client hung up on purpose."""


def _handler(site: Site) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = 5  # an idle connection does not keep the test waiting

        def do_GET(self) -> None:
            answer = site.answer(self.path)
            tag = f'"{sha256(answer.body).hexdigest()[:16]}"'
            same = answer.etag and answer.status == 200 and self.headers.get("If-None-Match") == tag
            status = 304 if same else answer.status
            sent = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            site.asked.append(Request(self.path, dict(self.headers), status, sent))
            self.send_response(status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            if answer.etag:
                self.send_header("ETag", tag)
            if answer.content_type and status != 304:
                self.send_header("Content-Type", answer.content_type)
            if answer.chunks is None:
                body = b"" if same else answer.body
                if "Content-Length" not in answer.headers and status != 304:
                    self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
                return
            self.send_header("Connection", "close")
            self.end_headers()
            self.close_connection = True
            with suppress(OSError):
                for chunk in answer.chunks():
                    self.wfile.write(chunk)

        def do_POST(self) -> None:
            self.do_GET()

        def log_message(self, format: str, *args: Any) -> None:
            """Nobody reads it."""

    return Handler


@contextmanager
def local_site(host: str = "127.0.0.1") -> Iterator[Site]:
    """A site that is up while the block runs."""
    site = Site(host)
    site.start()
    try:
        yield site
    finally:
        site.stop()
