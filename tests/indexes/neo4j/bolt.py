"""A server that only says who it is, or talks nonsense afterwards: the first messages of the Bolt protocol."""

import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

_SUCCESS = b"\xb1\x70"
_UNDERSTOOD = (b"\xb1\x01", b"\xb1\x6a", b"\xb1\x11")  # hello, logon, begin
_NONSENSE = b"\x00\x01\xc7\x00\x00"  # a message that is no structure


def _text(value: str) -> bytes:
    data = value.encode()
    assert len(data) < 16
    return bytes([0x80 + len(data)]) + data


def _message(fields: dict[str, str]) -> bytes:
    body = _SUCCESS + bytes([0xA0 + len(fields)]) + b"".join(_text(k) + _text(v) for k, v in fields.items())
    return struct.pack(">H", len(body)) + body + b"\x00\x00"


@contextmanager
def saying(agent: str, version: tuple[int, int] = (5, 4)) -> Iterator[str]:
    """The address of a server that calls itself ``agent`` and answers nothing else."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(10)

        def serve() -> None:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection:
                connection.recv(20)
                connection.sendall(bytes([0, 0, version[1], version[0]]))
                while connection.recv(4096):  # hello, and from 5.1 on logon, one by one or together
                    connection.sendall(_message({"server": agent, "connection_id": "bolt-1"}) * 2)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"bolt://127.0.0.1:{listener.getsockname()[1]}"
    thread.join(10)


@contextmanager
def talking_nonsense() -> Iterator[str]:
    """The address of a server that lets a client log in and begin a transaction; what it says then nobody can read."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(10)

        def serve() -> None:
            connection, _ = listener.accept()
            with connection, suppress(OSError):
                connection.recv(20)
                connection.sendall(bytes([0, 0, 4, 5]))
                while said := connection.recv(4096):
                    understood = sum(said.count(message) for message in _UNDERSTOOD)
                    hello = _message({"server": "Neo4j/5.26.0", "connection_id": "bolt-1"})
                    connection.sendall(hello * understood or _NONSENSE)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"bolt://127.0.0.1:{listener.getsockname()[1]}"
    thread.join(10)
