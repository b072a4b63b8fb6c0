"""Passages as they are stored: what was not understood of a page, at its place."""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import Connection, select

from clausegraph.core.serial import passage_from_text
from clausegraph.core.types import PageKey, PlacedPassage
from clausegraph.indexes.ledger.decoding import decode
from clausegraph.indexes.ledger.schema import pages, passages, seen_at, sources


def load_passages(connection: Connection, corpus_id: int, page: PageKey, epoch: int) -> Iterator[PlacedPassage]:
    """The passages of a page at an epoch, by chunk and key.

    Raises:
        StorageError: one is damaged.
    """
    query = (
        select(passages)
        .join(pages, pages.c.id == passages.c.page_id)
        .join(sources, sources.c.id == pages.c.source_id)
        .where(sources.c.corpus_id == corpus_id, sources.c.name == page.source, pages.c.uri == page.uri)
        .where(seen_at(passages, epoch))
        .order_by(passages.c.chunk_key, passages.c.content_key)
    )
    for row in connection.execute(query):
        passage = decode(passages.c.passage, row.id, row.passage, passage_from_text)
        yield PlacedPassage(row.content_key, page, row.chunk_key, passage, row.extractor)
