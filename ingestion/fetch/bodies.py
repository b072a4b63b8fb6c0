"""Reading a body within its limits: on bytes as they come, on bytes as they unpack, and on how these compare."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator

_PIECE = 64 * 1024  # bytes unpacked at once
_FREE = 1024 * 1024  # unpacked bytes from which on the ratio counts
_MOST_PARTS = 10_000  # gzip within gzip, one behind the other; large files are packed in parts of 64 KB
_MOST_TIMES = 200  # text that people wrote packs tenfold, tables that programs wrote fiftyfold


class BodyRefusedError(Exception):
    """The body is too large, unpacks to too much, or cannot be unpacked."""


def read_body(chunks: Iterable[bytes], encoding: str, limit: int, *, cut: bool = False) -> bytes:
    """The body that the chunks hold, unpacked; at most ``limit`` bytes of it, packed and unpacked. Where it has more,
    its beginning will do (``cut``) or it is refused; nothing that lies beyond the limit is read or unpacked."""
    encoding = encoding.strip().lower()
    if encoding not in ("", "identity", "gzip", "x-gzip"):
        raise BodyRefusedError(f"the body is packed as {encoding[:40]!r}, which was not asked for")
    unpacker = Gunzip() if encoding.endswith("gzip") else None
    taken, made = 0, bytearray()
    for chunk in chunks:
        taken += len(chunk)
        if taken > limit and not cut:
            raise BodyRefusedError(f"the body has more than {_mb(limit)} MB")
        for piece in unpacker.unpack(chunk) if unpacker else (chunk,):
            made += piece
            if len(made) >= limit and cut:
                return bytes(made[:limit])
            if len(made) > limit:
                raise BodyRefusedError(f"the body unpacks to more than {_mb(limit)} MB")
            if len(made) > _FREE and len(made) > _MOST_TIMES * taken:
                raise BodyRefusedError(f"the body unpacks to more than {_MOST_TIMES} times its size")
    return bytes(made + unpacker.rest() if unpacker and taken else made)


def gunzipped(raw: bytes, limit: int) -> bytes:
    """What a file that is packed with gzip holds; errors as of ``read_body``."""
    pieces = (raw[at : at + _PIECE] for at in range(0, len(raw), _PIECE))  # each part of it copies what is left of one
    return read_body(pieces, "gzip", limit)


def _mb(size: int) -> str:
    return f"{size / 1024 / 1024:g}"


class Gunzip:
    """Unpacks gzip, one member or several, never more than a piece at once."""

    def __init__(self) -> None:
        self._inner = zlib.decompressobj(zlib.MAX_WBITS | 16)
        self._parts = 1

    def unpack(self, data: bytes) -> Iterator[bytes]:
        """Yield what the bytes unpack to; raise ``BodyRefusedError`` where they are damaged or in very many parts."""
        while data:
            try:
                piece = self._inner.decompress(data, _PIECE)
            except zlib.error as error:
                raise BodyRefusedError("the body is damaged: it cannot be unpacked") from error
            if piece:
                yield piece
            data = self._inner.unconsumed_tail
            if self._inner.eof:
                data = self._inner.unused_data
                if not data.startswith(b"\x1f\x8b"):
                    return  # padding
                self._parts += 1
                if self._parts > _MOST_PARTS:
                    raise BodyRefusedError(f"the body is packed in more than {_MOST_PARTS} parts")
                self._inner = zlib.decompressobj(zlib.MAX_WBITS | 16)

    def rest(self) -> bytes:
        """The last bytes, fewer than a match has; raise ``BodyRefusedError`` where the body ended too early."""
        rest = self._inner.decompress(b"", _PIECE)
        if not self._inner.eof:
            raise BodyRefusedError("the body is damaged: it ends too early")
        return rest
