"""A mail server over TLS on a real socket, and certificates for such servers."""

from __future__ import annotations

import socketserver
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

_OPENSSL = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -keyout key.pem -out cert.pem"


def certified(folder: Path, name: str) -> ssl.SSLContext:
    """What a server of that name speaks TLS with; whoever trusts ``cert.pem`` of the folder believes it."""
    command = ["openssl", *_OPENSSL.split(), "-subj", f"/CN={name}", "-addext", f"subjectAltName=DNS:{name}"]
    if subprocess.run(command, cwd=folder, capture_output=True, check=False).returncode:
        pytest.skip("no openssl")
    served = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    served.load_cert_chain(folder / "cert.pem", folder / "key.pem")
    return served


class MailServer(socketserver.ThreadingTCPServer):
    """Takes what it is sent: ``mails`` has each as it came, ``said`` every line of a client before its mail."""

    daemon_threads = True

    def __init__(self, tls: ssl.SSLContext) -> None:
        super().__init__(("127.0.0.1", 0), _Conversation)
        self.socket = tls.wrap_socket(self.socket, server_side=True)
        self.port = self.server_address[1]
        self.mails: list[str] = []
        self.said: list[str] = []

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that does not believe the certificate hangs up."""


class _Conversation(socketserver.StreamRequestHandler):
    server: MailServer
    _REPLIES = {"EHLO": "250-here\r\n250 AUTH PLAIN", "AUTH": "235 come in", "DATA": "354 go on", "QUIT": "221 bye"}

    def handle(self) -> None:
        self._say("220 ready")
        while line := self.rfile.readline().decode().strip():
            self.server.said.append(line)
            self._say(self._REPLIES.get(line.split()[0].upper(), "250 ok"))
            if line.upper() == "DATA":
                self.server.mails.append("".join(iter(lambda: self.rfile.readline().decode(), ".\r\n")))
                self._say("250 taken")

    def _say(self, text: str) -> None:
        self.wfile.write(f"{text}\r\n".encode())


@contextmanager
def mail_server(folder: Path, name: str) -> Iterator[MailServer]:
    """A mail server that is up while the block runs."""
    with MailServer(certified(folder, name)) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
