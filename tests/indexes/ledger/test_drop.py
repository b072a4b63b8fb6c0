"""Dropping a corpus takes every row that belongs to it, of tables that are yet to come too."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import Column, Connection, ForeignKey, Integer, MetaData, Table, func, insert, select

from clausegraph.indexes.ledger.schema import OPEN, corpora, identity, members, metadata, page_versions, pages, sources
from clausegraph.indexes.ledger.store import open_ledger
from clausegraph.indexes.sweep import corpus_condition, delete_rows

pytestmark = pytest.mark.unit


def test_every_table_but_the_identity_belongs_to_corpora() -> None:
    assert [table.name for table in metadata.sorted_tables if corpus_condition(table, 1) is None] == [identity.name]


def test_tables_that_are_new_are_covered(tmp_path: Path) -> None:
    """Some name the corpus, in a column of whatever name; some reach it by what they refer to. None cascades."""
    tables = MetaData()
    for table in metadata.sorted_tables:
        table.to_metadata(tables)
    notes = Table("a_notes", tables, _id(), Column("about", ForeignKey("corpora.id"), nullable=False))
    marks = Table("a_marks", tables, _id(), Column("page", ForeignKey("pages.id"), nullable=False))
    replies = Table("a_replies", tables, _id(), Column("mark", ForeignKey("a_marks.id"), nullable=False))
    shared = Table("a_shared", tables, _id())
    new = (notes, marks, replies, shared)
    with open_ledger(tmp_path) as ledger, ledger.write() as connection:
        tables.create_all(connection, new)
        for corpus in (1, 2):
            _fill(connection, corpus)
            connection.execute(insert(notes).values(id=corpus, about=corpus))
            connection.execute(insert(marks).values(id=corpus, page=corpus))
            connection.execute(insert(replies).values(id=corpus, mark=corpus))
        connection.execute(insert(shared).values(id=1))
        delete_rows(connection, tables, 1)
        left = {table.name: connection.execute(select(table)).all() for table in new}
        assert left == {"a_notes": [(2, 2)], "a_marks": [(2, 2)], "a_replies": [(2, 2)], "a_shared": [(1,)]}
        counted = [connection.execute(select(func.count()).select_from(t)).scalar() for t in (corpora, pages, members)]
        assert counted == [1, 1, 1]


def _id() -> Column[int]:
    return Column("id", Integer, primary_key=True)


def _fill(connection: Connection, corpus: int) -> None:
    """A corpus with one page, and rows that refer to rows of the same corpus without cascading."""
    mine = {"corpus_id": corpus}
    connection.execute(insert(corpora).values(id=corpus, name=str(corpus), settings="{}", created=0.0))
    connection.execute(insert(sources).values(**mine, id=corpus, name="a", kind="folder", location="/a"))
    connection.execute(insert(pages).values(**mine, id=corpus, source_id=corpus, uri="a"))
    version = {"version_key": "k", "raw_hash": "h", "content_type": "t", "pipeline": "p", "fetched": 0.0}
    connection.execute(insert(page_versions).values(**mine, **version, id=corpus, page_id=corpus, reading=b""))
    member = {"page_id": corpus, "page_version_id": corpus, "extractor": "e", "projection": "p"}
    connection.execute(insert(members).values(**mine, **member, since=1, until=OPEN))
