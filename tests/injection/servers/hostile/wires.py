"""What goes over the connection when the HTTP server is left out."""

from collections.abc import Callable

from tests.harness.fake_llm.wire import packed
from tests.injection.servers.hostile.asked import Pieces, Sent, Wire

_OK = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n"
_EVENTS = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n"
_BLOCK = b" " * 65536
_DRIP = 0.2  # seconds


def _sent(*pieces: bytes | float) -> Callable[[Sent], Pieces]:
    """Fixed pieces."""

    async def play(asked: Sent) -> Pieces:
        for piece in pieces:
            yield piece

    return play


def _then_for_ever(start: bytes, again: bytes, pause: float = 0.0) -> Callable[[Sent], Pieces]:
    """A beginning, then the same again and again."""

    async def play(asked: Sent) -> Pieces:
        yield start
        while True:
            yield again
            yield pause

    return play


def _around(before: bytes, after: bytes, length: int | None = None) -> Callable[[Sent], Pieces]:
    """A good reply between other bytes; with a length that is not its own."""

    async def play(asked: Sent) -> Pieces:
        data = packed(asked.completion)
        said = b"" if length is None else b"content-length: %d\r\n" % (len(data) + length)
        yield before + said + b"\r\n" + data + after

    return play


async def _dripping_body(asked: Sent) -> Pieces:
    data = packed(asked.completion)
    yield _OK + b"content-length: %d\r\n\r\n" % len(data)
    for place in range(len(data)):
        yield data[place : place + 1]
        yield _DRIP


async def _dripping_events(asked: Sent) -> Pieces:
    yield _EVENTS
    while True:
        yield b'data: {"id": "x", "choices": [{"index": 0, "delta": {"content": "x"}}]}\n\n'
        yield _DRIP


async def _second_reply(asked: Sent) -> Pieces:
    data = packed(asked.completion)
    head = _OK + b"content-length: %d\r\n\r\n" % len(data)
    yield head + data + head + packed(asked.with_content("[]"))
    yield 1.0


_MANY = b"".join(b"x-%d: y\r\n" % number for number in range(20_000))

WIRES: dict[str, Wire] = {
    "endless_body": Wire("a body without end", _then_for_ever(_OK + b"\r\n", _BLOCK)),
    "endless_chunks": Wire(
        "chunks without end",
        _then_for_ever(_OK + b"transfer-encoding: chunked\r\n\r\n", b"10000\r\n" + _BLOCK + b"\r\n"),
    ),
    "endless_error": Wire("an error without end", _then_for_ever(b"HTTP/1.1 500 No\r\n\r\n", _BLOCK)),
    "endless_headers": Wire("headers without end", _then_for_ever(_OK, b"x-more: " + b"y" * 1000 + b"\r\n")),
    "endless_hints": Wire("1xx responses without end", _then_for_ever(b"", b"HTTP/1.1 103 Hints\r\n\r\n" * 100)),
    "many_hints": Wire(
        "5,000 1xx responses, then a good reply", _around(b"HTTP/1.1 103 H\r\n\r\n" * 5000 + _OK, b"", 0)
    ),
    "switching": Wire("status 101", _sent(b"HTTP/1.1 101 Switching Protocols\r\nupgrade: evil\r\n\r\n", _BLOCK)),
    "drip": Wire("a good reply, five bytes a second", _dripping_body),
    "drip_headers": Wire("headers, five bytes a second", _then_for_ever(_OK + b"x: ", b"y", _DRIP)),
    "drip_spaces": Wire("spaces, five a second", _then_for_ever(_OK + b"\r\n", b" ", _DRIP)),
    "headers_long": Wire("a header of a megabyte", _around(_OK + b"x: " + b"y" * 1_000_000 + b"\r\n", b"", 0)),
    "headers_many": Wire("20,000 headers", _around(_OK + _MANY, b"", 0)),
    "headers_broken": Wire("headers that are none", _around(_OK + b"\x00\xff: \x01\r\n no colon\r\n", b"", 0)),
    "status_999": Wire("status 999", _around(b"HTTP/1.1 999 Evil\r\n", b"", 0)),
    "status_0": Wire("status 0", _around(b"HTTP/1.1 0 None\r\n", b"", 0)),
    "status_words": Wire("a status in words", _around(b"HTTP/1.1 fine OK\r\n", b"", 0)),
    "http_9": Wire("a version that there is not", _around(b"HTTP/9.9 200 OK\r\n", b"", 0)),
    "no_head": Wire("a body and no head", _sent(b'{"choices": []}')),
    "random_bytes": Wire("bytes that are no HTTP", _sent(bytes(range(256)) * 100)),
    "tls_bytes": Wire(
        "the beginning of a TLS handshake", _sent(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\0" * 500)
    ),
    "http_2": Wire("HTTP/2 frames", _sent(b"\0\0\x12\x04\0\0\0\0\0" + b"\0" * 18)),
    "length_short": Wire("fewer bytes said than sent", _around(_OK, b"", -20)),
    "length_long": Wire("more bytes said than sent", _around(_OK, b"", 1000)),
    "length_negative": Wire("a negative length", _sent(_OK + b"content-length: -1\r\n\r\n{}")),
    "length_huge": Wire("a length of 10**30", _sent(_OK + b"content-length: " + b"9" * 30 + b"\r\n\r\n{}")),
    "length_twice": Wire("two lengths", _around(_OK + b"content-length: 3\r\n", b"", 0)),
    "chunk_broken": Wire("a chunk that is none", _sent(_OK + b"transfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n")),
    "chunk_huge": Wire("a chunk of 10**14 bytes", _sent(_OK + b"transfer-encoding: chunked\r\n\r\nFFFFFFFFFFFF\r\n{}")),
    "chunk_extension": Wire(
        "a chunk's line without end", _then_for_ever(_OK + b"transfer-encoding: chunked\r\n\r\n5;x=", b"y" * 1000)
    ),
    "trailing_bytes": Wire("bytes after a good reply", _around(_OK, b"\r\nHTTP/1.1 evil", 0)),
    "second_reply": Wire("a second reply that nobody asked for", _second_reply),
    "silence": Wire("nothing; the connection is closed", _sent()),
    "reset": Wire("half a head, then a reset", _sent(_OK[:20]), "abort"),
    "reset_in_body": Wire("half a body, then a reset", _sent(_OK + b'content-length: 999\r\n\r\n{"cho'), "abort"),
    "half_closed": Wire("half a body; only our side is closed", _sent(_OK + b'content-length: 999\r\n\r\n{"c'), "half"),
    "events_drip": Wire("an event now and then, without end", _dripping_events),
    "events_long": Wire("an event without end", _then_for_ever(_EVENTS + b"data: ", b"x" * 1000)),
    "events_comments": Wire("comments without end", _then_for_ever(_EVENTS, b": still there\n\n", 0.05)),
    "events_broken": Wire("events that are no JSON", _sent(_EVENTS + b"data: {{{\n\ndata: [DONE]\n\n")),
    "events_types": Wire(
        "events of wrong types",
        _sent(_EVENTS + b'data: 7\n\ndata: {"choices": {"a": 1}}\n\ndata: {"choices": [{"delta": 3}]}\n\n'),
    ),
    "events_brackets": Wire("an event of brackets", _sent(_EVENTS + b"data: " + b"[" * 100_000 + b"\n\n")),
    "events_not_utf8": Wire("an event that is no text", _sent(_EVENTS + b"data: \xff\xfe\xc3\x28\n\n")),
    "events_fields": Wire(
        "events with odd fields", _sent(_EVENTS + b"retry: " + b"9" * 5000 + b"\nid: \0\nevent: x\n\n")
    ),
}
