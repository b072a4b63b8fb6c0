"""Responses with other statuses, headers, types and codings than a reply has."""

import gzip
import zlib
from functools import cache

from tests.harness.fake_llm.wire import error, packed
from tests.injection.servers.hostile.asked import RawReply, Sent, Whole

ELSEWHERE = "/elsewhere"
_HTML = b"<!doctype html><title>Sign in</title><h1>Sign in</h1>"


def _refusal(status: int) -> Whole:
    return Whole(f"status {status}", lambda asked: RawReply(error(status, "no"), status))


def _redirect(status: int) -> Whole:
    place = (("location", ELSEWHERE),)
    return Whole(
        f"status {status}, to {ELSEWHERE} of the same server", lambda asked: RawReply(b"", status, headers=place)
    )


def _wait(value: str) -> Whole:
    headers = (("retry-after", value),)
    return Whole(
        f"status 429 with Retry-After: {value}", lambda asked: RawReply(error(429, "slow"), 429, headers=headers)
    )


def _error(about: str, data: bytes, kind: str = "application/json", status: int = 500) -> Whole:
    return Whole(about, lambda asked: RawReply(data, status, kind))


def _typed(kind: str) -> Whole:
    return Whole(f"a good reply as {kind}", lambda asked: RawReply(packed(asked.completion), 200, kind))


def _coded(coding: str, about: str, data: bytes | None = None) -> Whole:
    headers = (("content-encoding", coding),)
    return Whole(
        about, lambda asked: RawReply(packed(asked.completion) if data is None else data, 200, headers=headers)
    )


@cache
def _bomb(times: int = 1) -> bytes:
    """Gzip of 200 megabytes: one compressed block again and again, which no compressor has to make."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    head = packer.compress(b'{"choices": "' + b"a" * 1_000_000) + packer.flush(zlib.Z_FULL_FLUSH)
    data = head + (packer.compress(b"a" * 1_000_000) + packer.flush(zlib.Z_FULL_FLUSH)) * 200
    for _ in range(times - 1):
        data = gzip.compress(data, 1)
    return data


def _events(asked: Sent) -> bytes:
    return b"data: " + packed(asked.completion) + b"\n\ndata: [DONE]\n\n"


ANSWERS: dict[str, Whole] = {
    **{str(status): _refusal(status) for status in (400, 401, 402, 403, 404, 409, 413, 418, 422, 502, 504, 529, 599)},
    **{f"redirect_{status}": _redirect(status) for status in (301, 302, 303, 307, 308)},
    "redirect_nowhere": Whole("status 307 to no place", lambda asked: RawReply(b"", 307)),
    "redirect_other_host": Whole(
        "status 308 to another host",
        lambda asked: RawReply(b"", 308, headers=(("location", "http://evil.invalid/v1/chat/completions"),)),
    ),
    "status_204": Whole("status 204", lambda asked: RawReply(b"", 204)),
    "status_206": Whole("status 206, a part", lambda asked: RawReply(packed(asked.completion)[:40], 206)),
    "status_201": Whole("a good reply with status 201", lambda asked: RawReply(packed(asked.completion), 201)),
    "retry_after_never": _wait("1e300"),
    "retry_after_infinite": _wait("inf"),
    "retry_after_before": _wait("-99999999999999999999"),
    "retry_after_no_date": _wait("Mon, 01 Jan 0001 00:00:00 +1400"),
    "retry_after_words": _wait("when you like"),
    "error_charset_hex": _error("an error in the charset hex", error(500, "no"), "application/json; charset=hex"),
    "error_charset_zlib": _error("an error in the charset zlib", b"x" * 99, "text/plain; charset=zlib_codec", 400),
    "error_brackets": _error("an error of 100,000 opening brackets", b"[" * 100_000),
    "error_long": _error("an error of 20 megabytes", b"x" * 20_000_000, "text/plain", 400),
    "error_not_utf8": _error("an error that is no text", b"\xff\xfe\x80" * 1000, status=400),
    "error_terminal": _error(
        "an error with terminal escapes", b'{"error": {"message": "\\u001b[2J\\u001b]0;owned\\u0007"}}', status=400
    ),
    "error_types": _error("an error of wrong types", b'{"error": [1, {"message": null}], "message": {}, "code": []}'),
    "type_text": _typed("text/plain"),
    "type_image": _typed("image/png"),
    "type_none": _typed(""),
    "type_hex": _typed("application/json; charset=hex"),
    "type_unknown_charset": _typed("application/json; charset=klingon"),
    "type_long": _typed("application/json; x=" + "y" * 20_000),
    "type_html": Whole("a sign-in page", lambda asked: RawReply(_HTML, 200, "text/html")),
    "events_unasked": Whole(
        "events where none were asked for", lambda asked: RawReply(_events(asked), 200, "text/event-stream")
    ),
    "gzip": _coded("gzip", "gzip that nobody asked for", gzip.compress(b"{}")),
    "gzip_bomb": Whole(
        "200 megabytes in 200 kilobytes of gzip",
        lambda asked: RawReply(_bomb(), 200, headers=(("content-encoding", "gzip"),)),
    ),
    "gzip_bombs": Whole(
        "gzip of gzip of 200 megabytes",
        lambda asked: RawReply(_bomb(2), 200, headers=(("content-encoding", "gzip, gzip"),)),
    ),
    "gzip_broken": _coded("gzip", "gzip that is none", b"\x1f\x8b\x08 this is none"),
    "deflate": _coded("deflate", "deflate that nobody asked for", zlib.compress(b"x" * 1000)),
    "coding_unknown": _coded("br, zstd, x-evil", "codings that nobody knows"),
}
