"""A gate is asked of an epoch that is prepared; until it has passed nobody sees it, whatever dies."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from sqlalchemy import select

from clausegraph.core.errors import ModelError, NotFoundError
from clausegraph.indexes import publish
from clausegraph.indexes.corpora import get_run
from clausegraph.indexes.gates import find_gate, remove_gate, set_gate
from clausegraph.indexes.ledger.leases import run_lease
from clausegraph.indexes.ledger.schema import segments
from clausegraph.indexes.publish import take_back
from clausegraph.indexes.vectors.segments import vector_index
from clausegraph.indexes.views import open_view, prepared_view
from clausegraph.ingestion.guards import GateVerdict
from clausegraph.ingestion.quarantine import accept
from clausegraph.ingestion.sources import open_source
from clausegraph.ingestion.steps import run_steps
from tests.harness.writes import killed_at
from tests.indexes.ledger.test_freezing import rows
from tests.law.world import CORPUS, World

pytestmark = pytest.mark.unit
PAGES = {
    "a": ["You can get the heating grant if you are over 65.", "The heating grant is £200 a year."],
    "b": ["You must live in Lethmoor unless you are a student.", "Students can get the Study Loan."],
}


class Asking:
    """A gate that wants a word on the pages; it keeps what readers got meanwhile."""

    def __init__(self, world: World, word: str, *, keeps: bool = True) -> None:
        self.world, self.word, self.keeps = world, word, keeps
        self.seen: list[tuple[int, int, Sequence[str]]] = []
        set_gate(world.ledger, world.row.id, [{"question": "?", "has": [word]}], 1.0, "keep", "tester")
        world.gate = self

    def __call__(self, corpus: str, epoch: int) -> GateVerdict:
        world = self.world
        with prepared_view(world.ledger, corpus, epoch) as view:
            text = " ".join(element.text for page in view.page_keys() for element in view.reading(page).elements)
            hits = view.search("element", world.embedder.embed_query(self.word), 3)
            assert len({hit.ref for hit in hits}) == 3 and view.graph.rules_on(view.page_keys()[0])
        with pytest.raises(NotFoundError):
            open_view(world.ledger, corpus, epoch)
        self.seen.append((epoch, world.newest(), world.dump()))
        return GateVerdict(1, () if self.word in text else (f"{self.word} is missing",), 1.0, self.keeps)


def test_an_epoch_that_misses_leaves_nothing_and_the_next_one_passes(world: World) -> None:
    asking = Asking(world, "£200")
    before, listed = rows(world), world.dump()
    world.write("a", ["You can get the heating grant if you are over 66.", "It is £300 a year."])
    report = world.ingest()
    assert report.epoch is None and report.held[0].examples == ("£200 is missing",)
    assert get_run(world.ledger, world.row.id, report.run_id)["status"] == "quarantined"
    assert asking.seen == [(2, 1, listed)] and rows(world) == before
    names = {row.file for row in world.ledger.rows(select(segments.c.file))}
    assert vector_index(world.ledger).names(world.row.id) == names
    paid = world.extractor.calls
    world.write("c", ["The other grant is £200 a year."])
    again = world.ingest()
    assert again.epoch == 2 and again.gate == GateVerdict(1, (), 1.0) and not again.held
    assert world.extractor.calls == paid + 1  # of the new page alone
    assert get_run(world.ledger, world.row.id, report.run_id)["status"] == "superseded"
    world.assert_lawful()


@pytest.mark.parametrize("in_steps", [False, True])
def test_a_person_publishes_what_was_held(world: World, in_steps: bool) -> None:
    asking = Asking(world, "£200")
    world.write("a", ["You can get the heating grant if you are over 66."])
    source = open_source(str(world.folder))
    held = run_steps(world.tools(), CORPUS, source) if in_steps else world.ingest()
    assert held.held and held.chunks_extracted == 1 and world.newest() == 1
    report = accept(world.tools(), CORPUS, held.run_id, "ann")
    assert (report.epoch, report.accepted_by, report.pages_changed) == (2, "ann", ["a.html"])
    assert report.gate and report.gate.missed and len(asking.seen) == 1
    assert (report.chunks_extracted, report.chunks_reused, report.rejects) == (0, 1, held.rejects)
    world.assert_lawful()


def test_every_other_publish_asks_too(world: World) -> None:
    Asking(world, "£500")
    world.merge("the heating grant", "the study loan")
    held = world.apply()
    assert held.held and world.newest() == 1
    assert accept(world.tools(), CORPUS, held.run_id, "ann").epoch == 2
    Asking(world, "£500", keeps=False)
    world.write("a", ["You can get the heating grant if you are over 67."])
    told = world.ingest()
    assert told.epoch == 3 and not told.held and told.gate and told.gate.missed
    world.assert_lawful()


def test_a_gate_that_cannot_be_asked_fails_the_run(world: World) -> None:
    def broken(corpus: str, epoch: int) -> GateVerdict:
        raise ModelError("no answer")

    Asking(world, "£200")
    world.gate, before = broken, rows(world)
    world.write("a", ["You can get the heating grant if you are over 66."])
    with pytest.raises(ModelError, match="no answer"):
        world.ingest()
    assert rows(world) == before
    remove_gate(world.ledger, world.row.id)
    assert find_gate(world.ledger, world.row.id) is None and world.ingest().epoch == 2
    world.assert_lawful()


@pytest.mark.parametrize("every", [4, pytest.param(1, marks=pytest.mark.long)])
def test_killed_at_any_write_nothing_is_published_that_did_not_pass(
    world: World, monkeypatch: pytest.MonkeyPatch, every: int
) -> None:
    monkeypatch.setattr(publish, "ROWS_AT_ONCE", 12)
    asking, before = Asking(world, "£400"), world.dump()
    for write in range(every, 200, every):
        world.write("a", [f"You can get the heating grant if you are over {write}."])
        with killed_at(write, world.root) as writes:
            report = world.ingest()
        assert (world.newest(), world.dump()) == (1, before)
        if write % 3 == 0:  # a vacuum comes first
            with run_lease(world.ledger, world.row.id, "vacuum") as lease:
                assert take_back(world.ledger, lease) is None
        if not writes.stopped:
            break
    assert write > 15 and report.held and len(asking.seen) > 3 // every
    world.write("a", ["The heating grant is £400 a year."])
    assert world.ingest().epoch == 2
    world.assert_lawful()
