"""Rows that are put aside until all are known: beyond a few megabytes in a temporary file, which has no name."""

from __future__ import annotations

import json
import weakref
from collections.abc import Iterable, Iterator
from itertools import islice
from tempfile import SpooledTemporaryFile
from typing import Any

_IN_MEMORY = 4_000_000  # bytes


class Spool:
    """Rows of JSON values, in the order in which they were added. One reads them at a time, and adds none meanwhile."""

    def __init__(self, rows: Iterable[Any] = ()) -> None:
        self._file = SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115  closed with this object
        self._count = 0
        weakref.finalize(self, self._file.close)
        self.extend(rows)

    def extend(self, rows: Iterable[Any]) -> None:
        """Add rows."""
        self._file.seek(0, 2)
        for row in rows:
            self._file.write(json.dumps(row, ensure_ascii=True).encode("ascii") + b"\n")
            self._count += 1

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Any]:
        self._file.seek(0)
        for line in self._file:
            yield json.loads(line)

    def parts(self, size: int) -> Iterator[list[Any]]:
        """Consecutive rows, at most ``size`` at a time."""
        rows = iter(self)
        while part := list(islice(rows, size)):
            yield part
