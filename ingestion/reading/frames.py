"""Messages between the run and its reading process: a JSON object and bytes, each behind its length.

JSON and no pickle: whatever a page makes of the process that reads it, its reply is only data.
"""

from __future__ import annotations

import json
import struct
from typing import Any, BinaryIO

_LENGTHS = struct.Struct(">QQ")


class FrameTooLong(Exception):
    """A message is longer than its reader accepts."""


def write_frame(file: BinaryIO, values: dict[str, Any], body: bytes = b"") -> None:
    """Write one message."""
    head = json.dumps(values, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
    file.write(_LENGTHS.pack(len(head), len(body)))
    file.write(head)
    file.write(body)
    file.flush()


def read_frame(file: BinaryIO, longest: int | None = None) -> tuple[dict[str, Any], bytes] | None:
    """The next message, of ``longest`` bytes at most; None where the other side has ended, also in the midst of one."""
    lengths = file.read(_LENGTHS.size)
    if len(lengths) < _LENGTHS.size:
        return None
    head, body = _LENGTHS.unpack(lengths)
    if longest is not None and head + body > longest:
        raise FrameTooLong
    content = file.read(head + body)
    if len(content) < head + body:
        return None
    return json.loads(content[:head].decode("utf-8", "surrogatepass")), content[head:]
