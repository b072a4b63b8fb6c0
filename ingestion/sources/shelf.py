"""Where a source that is fetched keeps what came: in the ledger, or, for a dry run, nowhere."""

from __future__ import annotations

import os
import tempfile
import zlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import IO, Self

from clausegraph.indexes.fetches import (
    ASIDE,
    FetchRow,
    begin_crawl,
    current_crawl,
    drop_raw,
    end_crawl,
    load_fetches,
    load_raw,
    store_fetch,
)
from clausegraph.indexes.forgotten import StaysOut
from clausegraph.indexes.ledger.store import Ledger


@dataclass(frozen=True, slots=True)
class LedgerShelf:
    """What one source of a corpus has fetched. Of a page that ``stays_out`` nothing is stored: its bytes are in
    ``unstored`` for their links."""

    ledger: Ledger
    corpus_id: int
    source_id: int
    crawl: int = ASIDE
    stays_out: StaysOut = lambda uri: None
    unstored: dict[str, bytes] = field(default_factory=dict)

    @classmethod
    def begun(cls, ledger: Ledger, corpus_id: int, source_id: int) -> LedgerShelf:
        """Begin a crawl, or go on with one that was killed."""
        return cls(ledger, corpus_id, source_id, begin_crawl(ledger, corpus_id, source_id))

    @classmethod
    def of(cls, ledger: Ledger, corpus_id: int, source_id: int) -> LedgerShelf:
        """What there is, for whoever only looks."""
        number, goes_on = current_crawl(ledger, source_id)
        return cls(ledger, corpus_id, source_id, number if goes_on else number + 1)

    def rows(self) -> dict[str, FetchRow]:
        """What is known of every address."""
        return load_fetches(self.ledger, self.source_id)

    def keep(self, row: FetchRow, raw: bytes | None = None) -> None:
        """Store what an address answered, with the bytes that came, in one transaction."""
        if self._is_out(row):
            self.unstored[row.raw_hash] = raw or b""
            return
        store_fetch(self.ledger, self.corpus_id, self.source_id, row, raw, of_crawl=self.crawl != ASIDE)

    def load(self, raw_hash: str) -> bytes:
        """The bytes of that hash."""
        if raw_hash in self.unstored:
            return self.unstored[raw_hash]
        return load_raw(self.ledger, self.corpus_id, raw_hash)

    def end(self, kept: Iterable[FetchRow], dropped: Iterable[str]) -> None:
        """The crawl is over: rows to change, and addresses to forget."""
        rows = list(kept)
        gone = [row for row in rows if self._is_out(row)]  # of some it was not known before that they lead there
        stay = [row for row in rows if not self._is_out(row)]
        dropped = [*dropped, *(row.address for row in gone)]
        end_crawl(self.ledger, self.corpus_id, self.source_id, stay, dropped, whole=self.crawl != ASIDE)
        drop_raw(self.ledger, self.corpus_id, [row.raw_hash for row in gone])

    def _is_out(self, row: FetchRow) -> bool:
        return any(map(self.stays_out, {row.address, row.uri, row.target, row.canonical}))


@dataclass(slots=True)
class DryShelf:
    """What another shelf has, and what comes in a run that writes nothing: bodies lie in a file without a name.

    A context manager, at whose end they are gone.
    """

    under: LedgerShelf | None = None
    _rows: dict[str, FetchRow] = field(default_factory=dict)
    _raw: dict[str, tuple[int, int]] = field(default_factory=dict)  # where in the file, and how long
    _file: IO[bytes] = field(default_factory=tempfile.TemporaryFile)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    @property
    def crawl(self) -> int:
        """The number that a run would have."""
        return self.under.crawl if self.under else 1

    def rows(self) -> dict[str, FetchRow]:
        """What is known of every address."""
        return (self.under.rows() if self.under else {}) | self._rows

    def keep(self, row: FetchRow, raw: bytes | None = None) -> None:
        """Remember what an address answered."""
        self._rows[row.address] = row
        if raw is not None:
            at, data = self._file.seek(0, os.SEEK_END), zlib.compress(raw)
            self._file.write(data)
            self._raw[row.raw_hash] = at, len(data)

    def load(self, raw_hash: str) -> bytes:
        """The bytes of that hash."""
        if raw_hash not in self._raw and self.under is not None:
            return self.under.load(raw_hash)
        at, length = self._raw[raw_hash]
        self._file.seek(at)
        return zlib.decompress(self._file.read(length))

    def end(self, kept: Iterable[FetchRow], dropped: Iterable[str]) -> None:
        """Nothing is over that never began."""


FetchShelf = LedgerShelf | DryShelf
