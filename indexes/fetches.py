"""What a source that is fetched keeps: its addresses, what each answered, and the bytes, stored reply by reply."""

from __future__ import annotations

import time
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

from sqlalchemy import Connection, delete, select, update

from clausegraph.core.errors import StorageError
from clausegraph.core.hashing import content_hash
from clausegraph.indexes.ledger.cells import record_of
from clausegraph.indexes.ledger.dialect import insert_new, insert_or_update
from clausegraph.indexes.ledger.schema import blobs, crawls, fetches, page_versions
from clausegraph.indexes.ledger.store import Ledger

ASIDE = -1  # number of what is asked beside the crawls: a page alone
RESUMED_WITHIN_S = 86_400.0  # a day after its last reply what a killed crawl asked is asked again


@dataclass(frozen=True, slots=True)
class FetchRow:
    """One address: what it answered in its last crawl, and what it had when it last had a page.

    ``outcome`` is one of ``ingestion.fetch``. What follows ``uri`` is of the last good version, and stays while the
    address fails; ``raw_hash`` is empty where there never was one.
    """

    address: str
    crawl: int = 0
    outcome: str = ""
    status: int | None = None
    reason: str = ""
    target: str = ""
    permanent: bool = False
    uri: str = ""
    raw_hash: str = ""
    content_type: str = ""
    etag: str = ""
    last_modified: str = ""
    stated: str = ""
    canonical: str = ""
    text_hash: str = ""
    sketch: bytes = b""
    fetched: float = 0.0
    failures: int = 0


def current_crawl(ledger: Ledger, source_id: int) -> tuple[int, bool]:
    """Number of the newest crawl of a source, 0 before the first, and whether it is still to be gone on with."""
    for row in ledger.rows(select(crawls).where(crawls.c.source_id == source_id)):
        return int(row.number), row.ended is None and time.time() - row.heard < RESUMED_WITHIN_S
    return 0, False


def begin_crawl(ledger: Ledger, corpus_id: int, source_id: int) -> int:
    """The number under which addresses are asked now: that of a crawl that did not end, or the next one."""
    number, goes_on = current_crawl(ledger, source_id)
    if goes_on:
        return number
    key = {"source_id": source_id, "corpus_id": corpus_id}
    values = {"number": number + 1, "heard": time.time(), "ended": None}
    with ledger.write() as connection:
        connection.execute(insert_or_update(crawls, ["source_id"], key | values, values))
    return number + 1


def end_crawl(
    ledger: Ledger, corpus_id: int, source_id: int, kept: Iterable[FetchRow], dropped: Iterable[str], *, whole: bool
) -> None:
    """Its rows are as given, addresses that lead nowhere are forgotten, and the crawl is over if it was ``whole``."""
    with ledger.write() as connection:
        for row in kept:
            _write(connection, corpus_id, source_id, row)
        for address in dropped:
            connection.execute(delete(fetches).where(fetches.c.source_id == source_id, fetches.c.address == address))
        if whole:
            connection.execute(update(crawls).where(crawls.c.source_id == source_id).values(ended=time.time()))


def load_fetches(ledger: Ledger, source_id: int) -> dict[str, FetchRow]:
    """Every address of a source."""
    rows = ledger.rows(select(fetches).where(fetches.c.source_id == source_id))
    return {row.address: record_of(FetchRow, row, permanent=bool(row.permanent)) for row in rows}


def store_fetch(
    ledger: Ledger, corpus_id: int, source_id: int, row: FetchRow, raw: bytes | None = None, *, of_crawl: bool = True
) -> None:
    """Store what an address answered, with the bytes that came, at once; ``of_crawl``: the crawl that goes on asked."""
    data = None if raw is None else zlib.compress(raw)
    with ledger.write() as connection:
        if data is not None:
            connection.execute(insert_new(blobs), {"corpus_id": corpus_id, "hash": row.raw_hash, "data": data})
        _write(connection, corpus_id, source_id, row)
        if of_crawl:
            connection.execute(update(crawls).where(crawls.c.source_id == source_id).values(heard=time.time()))


def forget_pages(connection: Connection, source_id: int, uris: Sequence[str]) -> None:
    """Forget the addresses of these pages, and with them what was fetched there."""
    for uri in uris:
        connection.execute(delete(fetches).where(fetches.c.source_id == source_id, fetches.c.uri == uri))


def drop_raw(ledger: Ledger, corpus_id: int, hashes: Sequence[str]) -> None:
    """Remove stored bytes that neither an address nor a page version has."""
    used = (select(table.c.raw_hash).where(table.c.corpus_id == corpus_id) for table in (fetches, page_versions))
    with ledger.write() as connection:
        mine = (blobs.c.corpus_id == corpus_id, blobs.c.hash.in_(hashes))
        connection.execute(delete(blobs).where(*mine, *(blobs.c.hash.not_in(hashes) for hashes in used)))


def load_raw(ledger: Ledger, corpus_id: int, raw_hash: str) -> bytes:
    """The bytes of a page as they were stored."""
    query = select(blobs.c.data).where(blobs.c.corpus_id == corpus_id, blobs.c.hash == raw_hash)
    try:
        raw = zlib.decompress(ledger.value(query) or b"")
    except zlib.error:
        raw = b""
    if content_hash("raw", raw) != raw_hash:
        raise StorageError(f"{ledger.place}: the stored bytes {raw_hash[:12]} are not there, or damaged")
    return raw


def _write(connection: Connection, corpus_id: int, source_id: int, row: FetchRow) -> None:
    values = asdict(row) | {"permanent": int(row.permanent)}
    stored = {"corpus_id": corpus_id, "source_id": source_id} | values
    connection.execute(insert_or_update(fetches, ["source_id", "address"], stored, values))
