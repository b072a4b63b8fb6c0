"""Postings in blocks of versions: what is brought there together, what stays a version's own, and what is cut out."""

import pytest
from sqlalchemy import delete, select

from clausegraph.indexes import lexical
from clausegraph.indexes import postings as module
from clausegraph.indexes.ledger.schema import page_versions, page_words, postings
from clausegraph.indexes.postings import EVERY, versions_of
from clausegraph.indexes.views import open_view
from tests.law.world import CORPUS, World

PAGES = {f"p{number}": [f"You can get grant {number} if you are over 65."] for number in range(6)}


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    for one in (module, lexical):
        monkeypatch.setattr(one, "SPAN", 4)


def in_blocks(world: World, term: str = EVERY) -> list[set[int]]:
    with world.ledger.read() as connection:
        rows = connection.execute(select(postings).where(postings.c.term == term).order_by(postings.c.block))
        return [versions_of(row) for row in rows]


def test_versions_come_together_and_one_alone_waits(world: World) -> None:
    assert in_blocks(world) == [{1, 2, 3}, {4, 5, 6}]  # SPAN is 4 here
    world.write("p0", ["You can get a loan."])
    world.ingest()
    assert in_blocks(world) == [{1, 2, 3}, {4, 5, 6}]
    with open_view(world.ledger, CORPUS) as view:
        assert view.words.loose.keys() == {7} and 1 not in view.words.shown.numbers
    world.write("p1", ["You can get a pension."])
    world.ingest()
    assert in_blocks(world) == [{1, 2, 3}, {4, 5, 6, 7}, {8}] and in_blocks(world, "loan") == [{7}]
    world.assert_lawful()


def test_what_is_removed_is_cut_out_though_its_own_words_are_lost(world: World) -> None:
    for name in ("p0", "p1"):
        world.remove(name)
        world.ingest()
    with world.ledger.write() as connection:
        connection.execute(delete(page_words).where(page_words.c.version_id == 1))
    world.vacuum(1, 0.0)
    with world.ledger.read() as connection:
        rows = connection.execute(select(postings)).all()
        kept = set(connection.execute(select(page_versions.c.id)).scalars())
    assert kept == {3, 4, 5, 6} == set().union(*map(versions_of, rows))
    world.assert_lawful()


def test_a_view_reads_on_while_versions_come_together(world: World) -> None:
    world.write("p0", ["You can get a loan."])
    world.ingest()
    with open_view(world.ledger, CORPUS) as view:
        assert view.words.having(["loan"]) == {"loan": [(7, 0)]}
        world.write("p1", ["You can get a pension."])
        world.ingest()
        assert view.words.having(["get"])["get"] == [(number, 0) for number in range(2, 8)]
