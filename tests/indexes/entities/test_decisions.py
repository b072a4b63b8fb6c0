"""Decisions on a real ledger: what they change, what they refuse, and that they can be taken back exactly."""

import itertools
import shutil

import pytest
from sqlalchemy import delete

from clausegraph.core.errors import InputError, LeaseHeldError, ModelMismatchError, NotFoundError
from clausegraph.core.models.embedding import HashingEmbedder
from clausegraph.indexes.corpora import get_run, rollback
from clausegraph.indexes.entities.decisions import Decision, Proposed, decide, store_proposals
from clausegraph.indexes.entities.names import NameChange, pending_changes
from clausegraph.indexes.ledger.leases import run_lease
from clausegraph.indexes.ledger.schema import embeddings
from clausegraph.indexes.views import open_view
from clausegraph.ingestion.pipeline import Options, Tools, apply_decisions, ingest
from clausegraph.ingestion.sources import open_source
from tests.harness.writes import killed_at
from tests.law.world import CORPUS, World

SHORT, LONG = "ztx", "zonal tax exchange"
PAGES = {
    "a": ["The Zonal Tax Exchange must pay the heating grant.", "Tenants must contact the Housing Office."],
    "b": ["The ZTX must reply within 10 working days.", "You can get the heating grant if you are over 65."],
    "c": ["Students can get the study loan."],
}


def proposal(world: World, name: str = SHORT, entity: str = LONG) -> int:
    store_proposals(world.ledger, world.row.id, [Proposed(name, entity, 0.9, {"origin": "review"})])
    return next(row.id for row in world.decisions() if (row.name, row.entity) == (name, entity))


def settle(world: World, accept: list[int], reject: list[int]) -> list[Decision]:
    return decide(world.ledger, world.row, accept, reject, "tester")


def entities(world: World, *words: str, epoch: int | None = None) -> list[str]:
    with open_view(world.ledger, CORPUS, epoch) as view:
        return [hit.key for hit in view.graph.entities(words)]


# --- what a decision does -------------------------------------------------------------------------


def test_a_merge_takes_effect_at_the_next_publish_and_not_before(world: World) -> None:
    before = world.dump()
    made = world.merge("the ZTX", "Zonal Tax Exchange")
    assert (made.name, made.entity, made.state, made.decided_by) == (SHORT, LONG, "accepted", "tester")
    assert world.dump() == before
    assert pending_changes(world.ledger, world.row.id, 1) == [NameChange(SHORT, SHORT, LONG)]
    report = world.apply()
    assert report.epoch == 2 and report.rows["entity_names"] == {"opened": 1, "closed": 0}
    assert report.rows["chunks"] == report.rows["members"] == {"opened": 0, "closed": 0}
    assert pending_changes(world.ledger, world.row.id, 2) == []
    run = get_run(world.ledger, world.row.id, report.run_id)
    assert (run["kind"], run["status"]) == ("entities", "done")
    world.assert_lawful()


def test_a_merged_name_finds_the_entity_and_statements_and_texts_keep_it_as_written(world: World) -> None:
    with open_view(world.ledger, CORPUS) as view:
        held = sum(hit.supports for hit in view.graph.entities([SHORT, *LONG.split()]))
    world.merge(SHORT, LONG)
    report = world.apply()
    assert report.rows["vectors"]["opened"] == report.rows["vectors"]["closed"] > 0  # under other facts
    assert report.texts_embedded == 0
    with open_view(world.ledger, CORPUS) as view:
        (hit,) = view.graph.entities([SHORT])
        assert (hit.key, hit.matched, hit.total, hit.supports) == (LONG, 1, 1, held)
        assert [hit.key for hit in view.graph.entities(["zonal"])] == [LONG]
        facts = {fact.id: fact for fact in view.graph.neighbourhood([LONG])}
        written = {view.graph.supports([key])[0].statement.subject for key in facts}
    assert {fact.subject for fact in facts.values()} == {LONG}
    assert {(mention.key, mention.surface) for mention in written} == {(SHORT, "ZTX"), (LONG, "Zonal Tax Exchange")}
    world.vacuum(1, 0)
    assert entities(world, SHORT) == [LONG]
    world.undo(SHORT)
    assert world.apply().texts_embedded == 0


def test_undo_and_publish_restore_the_earlier_dump(world: World) -> None:
    before = world.dump()
    world.merge(SHORT, LONG)
    world.apply()
    merged = world.dump()
    assert f'["entity","{SHORT}","{LONG}"]' in merged
    was, now = world.undo(SHORT)
    assert now == "removed" and was.state == "accepted" and world.decisions() == []
    assert world.dump() == merged
    world.apply()
    assert world.dump() == before and world.dump(2) == merged
    assert entities(world, SHORT) == [SHORT] and entities(world, SHORT, epoch=2) == [LONG]


def test_ingest_publishes_decisions(world: World) -> None:
    """That of an unchanged source, and that of another one."""
    world.merge(SHORT, LONG)
    report = world.ingest()
    assert (report.epoch, report.pages_unchanged, report.chunks_extracted) == (2, 3, 0)
    world.assert_lawful()
    assert world.ingest().epoch is None
    world.undo(SHORT)
    world.merge("ztx", LONG)
    other = world.root / "other"
    other.mkdir()
    (other / "x.html").write_text("<main><h1>X</h1><p>The ZTX must reply within 5 working days.</p></main>")
    ingest(world.tools(), CORPUS, open_source(str(other)), Options())
    with open_view(world.ledger, CORPUS) as view:
        assert view.graph.names() == {SHORT: LONG} and view.graph.neighbourhood([SHORT]) == []
        pages = {s.page.source for f in view.graph.neighbourhood([LONG]) for s in view.graph.supports([f.id])}
        assert pages == {"other", "pages"}


def test_chains_are_followed_and_their_middle_can_be_taken_out(world: World) -> None:
    world.merge(SHORT, LONG)
    world.merge(LONG, "housing office")
    world.apply()
    with open_view(world.ledger, CORPUS) as view:
        assert view.graph.names() == {LONG: "housing office", SHORT: "housing office"}
    world.assert_lawful()
    world.undo(LONG)
    world.apply()
    with open_view(world.ledger, CORPUS) as view:
        assert view.graph.names() == {SHORT: LONG}
    world.assert_lawful()


# --- what outlives what ---------------------------------------------------------------------------


def test_decisions_survive_force_deletion_return_and_vacuum(world: World) -> None:
    world.merge(SHORT, LONG)
    world.ingest(Options(force=True))
    world.assert_lawful()
    world.remove("b")  # the only page with the short name
    world.ingest()
    world.vacuum(1, 0)
    assert [row.state for row in world.decisions()] == ["accepted"]
    assert entities(world, SHORT) == [LONG]
    world.assert_lawful()
    world.remove("a")  # now neither name is there
    world.ingest()
    world.vacuum(1, 0)
    assert entities(world, SHORT) == [] and len(world.decisions()) == 1
    world.assert_lawful()
    for name in ("a", "b"):
        world.write(name, PAGES[name])
    world.ingest()
    assert entities(world, SHORT) == [LONG]
    world.assert_lawful()


def test_rollback_moves_readers_and_the_next_publish_goes_on_from_the_newest(world: World) -> None:
    before = world.dump()
    world.merge(SHORT, LONG)
    world.apply()
    rollback(world.ledger, world.row, 1)
    assert world.dump() == before and entities(world, SHORT) == [SHORT]
    assert world.apply().epoch is None  # nothing waits: readers stay where they were put
    assert world.row.published == 1
    world.ingest()
    assert entities(world, SHORT) == [LONG]
    world.assert_lawful()


# --- crashes --------------------------------------------------------------------------------------


def test_a_killed_apply_is_finished_or_done_again(world: World) -> None:
    """At each of its writes; a run that lost only its end has published all the same."""
    before, saved = world.dump(), world.root / "saved"
    world.merge(SHORT, LONG)
    world.ledger.close()
    shutil.copytree(world.ledger.home, saved)
    seen: set[tuple[bool, str]] = set()
    for write in itertools.count(1):
        with killed_at(write, world.root) as writes:
            world.apply()
        published = world.dump() != before
        report = world.apply()
        assert published == (report.epoch is None and not report.recovered)
        assert world.newest() == 2
        world.assert_lawful()
        if not writes.stopped:
            break
        seen.add((published, report.recovered))
        world.ledger.close()
        shutil.rmtree(world.ledger.home)
        shutil.copytree(saved, world.ledger.home)
    assert seen >= {(False, None), (False, "finished epoch 2"), (True, None)}


@pytest.mark.parametrize(("lost", "recovered", "newest"), [(False, "finished", 3), (True, "abandoned", 1)])
def test_an_undo_between_kill_and_recovery_is_published_after_it(
    world: World, lost: bool, recovered: str, newest: int
) -> None:
    """A plan whose embeddings are lost is taken back with its names."""
    before = world.dump()
    world.merge(SHORT, LONG)
    with killed_at("os.rename", world.root):  # of the vector segment, which is written after the plan
        world.apply()
    if lost:
        with world.ledger.write() as connection:
            connection.execute(delete(embeddings))
    world.undo(SHORT)
    assert world.apply().recovered == f"{recovered} epoch 2"
    assert world.newest() == newest and world.dump() == before


def test_apply_needs_the_lease_the_model_and_an_epoch(world: World) -> None:
    world.merge(SHORT, LONG)
    with run_lease(world.ledger, world.row.id, "other"), pytest.raises(LeaseHeldError):
        world.apply()
    other = Tools(world.ledger, HashingEmbedder(32), world.extractor)
    with pytest.raises(ModelMismatchError, match="hashing:16"):
        apply_decisions(other, CORPUS)
    with pytest.raises(NotFoundError):
        apply_decisions(world.tools(), "nope")
    ingest(other, CORPUS, open_source(str(world.folder)), Options())  # a change of model applies them too
    assert entities(world, SHORT) == [LONG]


# --- what is refused ------------------------------------------------------------------------------


def test_merge_refuses_what_is_not_there_and_circles(world: World) -> None:
    with pytest.raises(NotFoundError, match="near it are: 'ztx'"):
        world.merge("ZTXX", LONG)
    with pytest.raises(NotFoundError):
        world.merge("=10", LONG)
    with pytest.raises(InputError, match="same entity"):
        world.merge("The ZTX", "ZTX")
    world.merge(SHORT, LONG)
    assert world.merge(SHORT, LONG) == world.decisions()[0]  # again: nothing new
    with pytest.raises(InputError, match="already taken for 'zonal tax exchange'"):
        world.merge(SHORT, "housing office")
    world.merge(LONG, "housing office")
    with pytest.raises(InputError, match="housing office → ztx → zonal tax exchange → housing office"):
        world.merge("housing office", SHORT)
    world.apply()
    assert world.merge("tenant", SHORT).entity == SHORT  # a name in force is known though no fact has it


def test_proposals_are_decided_all_or_none(world: World) -> None:
    first, second = proposal(world), proposal(world, LONG, SHORT + " office")
    with pytest.raises(NotFoundError, match="no decision 99"):
        settle(world, [first], [99])
    assert {row.state for row in world.decisions()} == {"proposed"}
    with pytest.raises(InputError, match="twice"):
        settle(world, [first], [first])
    done = settle(world, [first], [second])
    assert [(row.state, row.decided_by) for row in done] == [("accepted", "tester"), ("rejected", "tester")]
    with pytest.raises(InputError, match="was accepted by tester"):
        settle(world, [first], [])


def test_a_rejected_pair_is_not_proposed_or_merged_again(world: World) -> None:
    number = proposal(world)
    settle(world, [], [number])
    for pair in ((SHORT, LONG), (LONG, SHORT)):
        assert store_proposals(world.ledger, world.row.id, [Proposed(*pair, 1.0, {})]) == 0
        with pytest.raises(InputError, match="was rejected by tester"):
            world.merge(*pair)
    was, now = world.undo(LONG)
    assert was.state == "rejected" and now == "proposed"
    assert world.merge(SHORT, LONG).id == number
    assert world.undo(number)[1] == "proposed" and world.decisions()[0].state == "proposed"


def test_undo_names_what_it_means(world: World) -> None:
    number = proposal(world)
    with pytest.raises(InputError, match="only proposed"):
        world.undo(number)
    with pytest.raises(NotFoundError, match="nothing was decided"):
        world.undo(SHORT)
    settle(world, [], [number, proposal(world, SHORT, "housing office")])
    with pytest.raises(InputError, match="2 decisions are about"):
        world.undo(SHORT)
