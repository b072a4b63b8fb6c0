"""What was there before a run: what it compares with to say why it does a page or a chunk again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import exists, select

from clausegraph.indexes.ledger.schema import OPEN, chunks, members, page_versions, pages
from clausegraph.indexes.ledger.store import Ledger
from clausegraph.indexes.truth import batches


@dataclass(frozen=True, slots=True)
class KnownVersion:
    """A stored version of a page without its content; ``published``: an epoch has or had it."""

    key: str
    raw_hash: str
    content_type: str
    title: str | None
    url: str | None
    pipeline: str
    published: bool


def known_versions(ledger: Ledger, source_id: int) -> dict[str, dict[str, KnownVersion]]:
    """Every version of every page of a source that the ledger still has, by uri and version key."""
    columns = (page_versions.c.version_key, page_versions.c.raw_hash, page_versions.c.content_type)
    more = (page_versions.c.title, page_versions.c.url, page_versions.c.pipeline)
    published = exists().where(members.c.page_version_id == page_versions.c.id).correlate(page_versions)
    query = select(pages.c.uri, *columns, *more, published.label("published")).join(
        page_versions, page_versions.c.page_id == pages.c.id
    )
    found: dict[str, dict[str, KnownVersion]] = {}
    with ledger.read() as connection:
        for row in connection.execute(query.where(pages.c.source_id == source_id)):
            values = (row.version_key, row.raw_hash, row.content_type, row.title, row.url, row.pipeline)
            found.setdefault(row.uri, {})[row.version_key] = KnownVersion(*values, bool(row.published))
    return found


def open_chunks(ledger: Ledger, page_ids: Sequence[int]) -> dict[int, dict[str, str]]:
    """The chunks of these pages in the newest state: input key by content hash, by page id."""
    found: dict[int, dict[str, str]] = {}
    columns = (chunks.c.page_id, chunks.c.content_hash, chunks.c.input_key)
    with ledger.read() as connection:
        for part in batches(page_ids):
            query = select(*columns).where(chunks.c.page_id.in_(part), chunks.c.until == OPEN)
            for row in connection.execute(query):
                found.setdefault(row.page_id, {})[row.content_hash] = row.input_key
    return found
