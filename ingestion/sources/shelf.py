"""Where a source that is fetched keeps what came: in the ledger, or, for a dry run, nowhere."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from clausegraph.indexes.fetches import (
    ASIDE,
    FetchRow,
    begin_crawl,
    current_crawl,
    end_crawl,
    load_fetches,
    load_raw,
    store_fetch,
)
from clausegraph.indexes.ledger.store import Ledger


@dataclass(frozen=True, slots=True)
class LedgerShelf:
    """What one source of a corpus has fetched."""

    ledger: Ledger
    corpus_id: int
    source_id: int
    crawl: int = ASIDE

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
        store_fetch(self.ledger, self.corpus_id, self.source_id, row, raw)

    def load(self, raw_hash: str) -> bytes:
        """The bytes of that hash.

        Raises:
            StorageError: they are damaged.
        """
        return load_raw(self.ledger, self.corpus_id, raw_hash)

    def end(self, kept: Iterable[FetchRow], dropped: Iterable[str]) -> None:
        """The crawl is over: rows to change, and addresses to forget."""
        end_crawl(self.ledger, self.corpus_id, self.source_id, kept, dropped, whole=self.crawl != ASIDE)


@dataclass(slots=True)
class DryShelf:
    """What another shelf has, and what comes in a run that writes nothing."""

    under: LedgerShelf | None = None
    _rows: dict[str, FetchRow] = field(default_factory=dict)
    _raw: dict[str, bytes] = field(default_factory=dict)

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
            self._raw[row.raw_hash] = raw

    def load(self, raw_hash: str) -> bytes:
        """The bytes of that hash."""
        if raw_hash in self._raw or self.under is None:
            return self._raw[raw_hash]
        return self.under.load(raw_hash)

    def end(self, kept: Iterable[FetchRow], dropped: Iterable[str]) -> None:
        """Nothing is over that never began."""
