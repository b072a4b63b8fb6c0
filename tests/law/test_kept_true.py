"""The law where runs are held, a gate is asked, pages are forgotten and questions are watched, in any order."""

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import invariant, precondition, rule

from clausegraph.app.services.forget import allow, forget
from clausegraph.app.workspace import Workspace
from clausegraph.core.models.embedding import HashingEmbedder
from clausegraph.core.serial import pack
from clausegraph.core.settings import Settings
from clausegraph.indexes.corpora import list_epochs
from clausegraph.indexes.gates import remove_gate, set_gate
from clausegraph.indexes.watches import add_watch, list_watches
from clausegraph.ingestion import quarantine
from clausegraph.ingestion.guards import GateVerdict
from tests.harness.writes import killed_at
from tests.law.test_law import NAMES, WRITES, Law, examples, texts
from tests.law.world import CORPUS, World

WALL = ["Sign in to continue."]


class KeptTrue(Law):
    """Nobody gets what was held or missed; what was forgotten is in no epoch any more."""

    def make_world(self) -> World:
        return World(HashingEmbedder().dimension)  # as the settings make it

    @precondition(lambda self: self.current and len(list(self.world.folder.rglob("*.html"))) == len(NAMES))
    @rule(accepts=st.booleans())
    def held(self, accepts: bool) -> None:
        """All pages become a wall: somebody publishes it all the same, or nothing of it."""
        world, before = self.world, {path: path.read_bytes() for path in self.world.folder.rglob("*.html")}
        lines = world.dump()
        for name in NAMES:
            world.write(name, WALL)
        report = world.ingest()
        assert world.dump() == lines or report.epoch
        if report.held and accepts:
            quarantine.accept(world.tools(), CORPUS, report.run_id, "tester")
        elif report.held:  # else they had little text before
            quarantine.drop(world.ledger, CORPUS, report.run_id)
            for path, data in before.items():
                path.write_bytes(data)
        self._remember()

    @precondition(lambda self: self.was)
    @rule(name=st.sampled_from(NAMES), paragraphs=texts, write=st.sampled_from((None, *WRITES)), accepts=st.booleans())
    def missed_by_the_gate(self, name: str, paragraphs: list[str], write: int | None, accepts: bool) -> None:
        """A publish that the gate stops, killed or not, shows nothing; it is accepted, or the gate is removed."""
        world = self.world
        set_gate(world.ledger, world.row.id, [{"question": "?", "has": ["x"]}], 1.0, "keep", "tester")
        world.gate = lambda _corpus, _epoch: GateVerdict(1, ("x",), 1.0)
        world.write(name, paragraphs)
        lines, newest = world.dump(), world.newest()
        if write is not None:
            with killed_at(write, world.root):
                world.ingest()
        report = world.ingest()
        assert (world.dump(), world.newest()) == (lines, newest)
        if report.held and accepts:
            quarantine.accept(world.tools(), CORPUS, report.run_id, "tester")
        remove_gate(world.ledger, world.row.id)
        world.gate = None
        self._ingest()

    @precondition(lambda self: self.current and len(list(self.world.folder.rglob("*.html"))) > 1)
    @rule(data=st.data())
    def forget(self, data: st.DataObject) -> None:
        world = self.world
        path = data.draw(st.sampled_from(sorted(world.folder.rglob("*.html"))))
        uri = path.relative_to(world.folder).as_posix()
        path.unlink()
        settings = Settings(home=world.root / "home", embedding_model="hashing", extractor="rules", corpus=CORPUS)
        with Workspace(settings) as workspace:
            made = forget(workspace, CORPUS, uri, None, "asked", "tester")
            allow(workspace, CORPUS, made["certificate"]["key"])
        kept = {row.number for row in list_epochs(world.ledger, world.row.id)}
        self.was = {number: lines for number, lines in self.was.items() if number in kept}
        self._remember()
        assert not any(f"pages:{uri}" in line for lines in self.was.values() for line in lines)

    @precondition(lambda self: self.was)
    @rule(question=st.sampled_from(("What is the grant?", "Who can apply?")))
    def watch(self, question: str) -> None:
        add_watch(self.world.ledger, self.world.row, question, "", "tester", self.world.row.published, pack({}))

    @invariant()
    def watches_stay(self) -> None:
        if self.was:
            assert len(list_watches(self.world.ledger, self.world.row.id)) <= 2


@pytest.mark.long
class TestKeptTrueForLong(KeptTrue.TestCase):  # type: ignore[name-defined, misc]
    settings = examples(100, 15)


TestKeptTrue = KeptTrue.TestCase
TestKeptTrue.settings = examples(3, 10)
