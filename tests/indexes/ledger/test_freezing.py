"""A publish writes its rows in short transactions, and nobody sees or keeps a part of them."""

from collections import Counter
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, event, select, text

from clausegraph.core.errors import NotFoundError
from clausegraph.indexes import publish
from clausegraph.indexes.corpora import list_sources
from clausegraph.indexes.entities.decisions import merge
from clausegraph.indexes.graph.neo4j.state import ledger_state
from clausegraph.indexes.ledger.leases import run_lease
from clausegraph.indexes.ledger.schema import FLIPPED, VERSIONED, epochs
from clausegraph.indexes.publish import ROWS_AT_ONCE, recover
from tests.harness.writes import killed_at
from tests.law.world import World

PAGES = {
    "a": ["You can get the heating grant if you are over 65.", "The heating grant is £200 a year."],
    "b": ["You must live in Lethmoor unless you are a student.", "Students can get the Study Loan."],
}


def rows(world: World) -> dict[str, list[tuple[Any, ...]]]:
    """Everything that a publish writes."""
    with world.ledger.read() as connection:
        tables = {table.name: connection.execute(select(table).order_by(table.c.id)) for table in VERSIONED}
        found = {name: [tuple(row) for row in result] for name, result in tables.items()}
        return found | {"epochs": [tuple(row) for row in connection.execute(select(epochs))]}


@pytest.mark.parametrize("every", [3, pytest.param(1, marks=pytest.mark.long)])
def test_killed_at_any_write_nobody_sees_a_part(world: World, monkeypatch: pytest.MonkeyPatch, every: int) -> None:
    monkeypatch.setattr(publish, "ROWS_AT_ONCE", 3)
    write, kinds = 0, Counter[str]()
    while True:
        write += every
        world.write("a", [f"You can get the grant if you are over {write}.", "The grant is £200 a year."])
        world.write("c", ["You may keep bees."]) if write % 2 else world.remove("c")
        before = world.dump(), world.newest(), list_sources(world.ledger, world.row.id)
        with killed_at(write, world.root) as writes:
            world.ingest()
        if not writes.stopped:
            break
        if world.newest() == before[1]:
            assert (world.dump(), list_sources(world.ledger, world.row.id)) == (before[0], before[2])
        with world.ledger.read() as connection:
            state = connection.execute(select(epochs.c.state).where(epochs.c.state != FLIPPED)).scalar()
        kinds[state or "none"] += 1
        known = ledger_state(world.ledger, world.row.id).tokens  # what Neo4j is told to follow
        assert max(known) == world.newest() + (state == "frozen")
    assert kinds["freezing"] > 5 // every and kinds["frozen"] > 1 // every
    world.assert_lawful()


def test_taking_back_goes_on_where_it_was_killed(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(publish, "ROWS_AT_ONCE", 3)
    before = rows(world)
    world.write("a", ["You can get the grant if you are over 66."])
    world.remove("b")
    with killed_at("os.rename", world.root):  # of the vector segment, which is written when all is frozen
        world.ingest()
    with world.ledger.write() as connection:
        connection.execute(text("DELETE FROM embeddings"))  # it cannot be finished
    for write in range(1, 100):
        with killed_at(write, world.root) as writes, run_lease(world.ledger, world.row.id, f"r{write}") as lease:
            recover(world.ledger, lease)
        if rows(world) == before:
            break
        assert writes.stopped
    assert write > 5
    with run_lease(world.ledger, world.row.id, "last") as lease:
        recover(world.ledger, lease)
        assert recover(world.ledger, lease) is None
    assert rows(world) == before


def test_no_transaction_is_long(world: World) -> None:
    """Whoever else wants to write waits for a few hundred rows at most."""
    for page in "cdefgh":
        world.write(page, [f"You must keep record {number} of {page} for {number} years." for number in range(80)])
    sizes: list[int] = []

    def begin(_connection: Connection) -> None:
        sizes.append(0)

    def count(_connection: Connection, cursor: Any, *_: object) -> None:
        sizes[-1] += max(0, cursor.rowcount)

    event.listen(Engine, "begin", begin)
    event.listen(Engine, "after_cursor_execute", count)
    try:
        report = world.ingest()
    finally:
        event.remove(Engine, "begin", begin)
        event.remove(Engine, "after_cursor_execute", count)
    assert report.rows["vectors"]["opened"] > 2 * ROWS_AT_ONCE
    assert ROWS_AT_ONCE <= max(sizes) <= ROWS_AT_ONCE + 10


def test_decisions_are_about_names_that_readers_have(world: World) -> None:
    """Not about those of an epoch that is only being written, nor without those that it takes away."""
    world.write("a", ["Beekeepers must live in Lethmoor."])
    with killed_at("os.rename", world.root):
        world.ingest()
    corpus = world.row
    merge(world.ledger, corpus, "the heating grant", "the study loan", "tester")
    with pytest.raises(NotFoundError, match="beekeeper"):
        merge(world.ledger, corpus, "beekeeper", "the study loan", "tester")
