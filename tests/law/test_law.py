"""The law: after any sequence of changes, crashes and retries, the published epoch equals a clean build.

Hypothesis drives a folder of pages, decisions about names, and the corpus that follows both; every retained
epoch must stay what it was when it was published.
"""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import clausegraph.ingestion.pipeline as pipeline
from clausegraph.core.errors import InputError, NotFoundError
from clausegraph.indexes.corpora import get_corpus
from clausegraph.indexes.entities.decisions import Proposed, decide, store_proposals
from clausegraph.indexes.epochs import list_epochs
from tests.law.world import CORPUS, Killed, World

pytestmark = pytest.mark.unit

STATEMENTS = (
    "You can get the grant if you are over 65 and live in Lethmoor.",
    "You cannot get the grant unless you pay for heating.",
    "The grant is £200 a year.",
    "You must apply before 31 March 2026, except if you are in hospital.",
    "You must be either a resident or a student.",
    "Contact the office.",
    "The office must reply within 10 working days.",
    "You can get the grant if you are over 65 and live in Lethmoor. " * 30,
)
NAMES = ("a", "b", "c/d")
ENTITIES = ("you", "grant", "office", "page", "resident or student", "within 10 working day", "nowhere")
texts = st.lists(st.sampled_from(STATEMENTS), min_size=1, max_size=5)
KILL_POINTS = ("freeze", "segment", "flip", "after", "extract")


class Law(RuleBasedStateMachine):
    """Rules change the folder or the corpus; the invariant holds whenever the corpus is up to date."""

    def __init__(self) -> None:
        super().__init__()
        self.world = self.make_world()
        self.was: dict[int, list[str]] = {}
        self.mirrored = False  # newest state mirrors the folder, and readers get the newest
        self.decided = True  # newest state is under the decisions that were made

    def make_world(self) -> World:
        return World()

    @property
    def current(self) -> bool:
        return self.mirrored and self.decided

    @initialize(paragraphs=texts)
    def first_page(self, paragraphs: list[str]) -> None:
        (self.world.folder / "c").mkdir()
        self.world.write("a", paragraphs)

    @rule(name=st.sampled_from(NAMES), paragraphs=texts)
    def write(self, name: str, paragraphs: list[str]) -> None:
        """Add, edit, or bring back a page; equal texts on two pages happen often."""
        self.world.write(name, paragraphs)
        self.mirrored = False

    @rule(name=st.sampled_from(NAMES))
    def delete(self, name: str) -> None:
        path = self.world.folder / f"{name}.html"
        if path.exists() and len(list(self.world.folder.rglob("*.html"))) > 1:
            path.unlink()
            self.mirrored = False

    @rule(old=st.sampled_from(NAMES), new=st.sampled_from(NAMES))
    def move(self, old: str, new: str) -> None:
        source, target = (self.world.folder / f"{name}.html" for name in (old, new))
        if source.exists() and source != target:
            source.replace(target)
            self.mirrored = False

    @rule()
    def publish(self) -> None:
        self._ingest()

    @rule(point=st.sampled_from(KILL_POINTS), name=st.sampled_from(NAMES), paragraphs=texts)
    def killed_then_other_content(self, point: str, name: str, paragraphs: list[str]) -> None:
        """Die in the middle of a publish, change the pages, and try again."""
        with contextlib.suppress(Killed), killing(point):
            self.world.ingest()
        self._remember()
        self.world.write(name, paragraphs)
        self._ingest()

    @precondition(lambda self: self.was)
    @rule(pair=st.permutations(ENTITIES).map(lambda names: names[:2]))
    def merge(self, pair: list[str]) -> None:
        """Chains come about; what is refused, a circle or a name that is not there, changes nothing."""
        with contextlib.suppress(InputError, NotFoundError):
            self.world.merge(*pair)
            self.decided = False

    @precondition(lambda self: self.was)
    @rule(pair=st.permutations(ENTITIES).map(lambda names: names[:2]), accepted=st.booleans())
    def decide_on_proposal(self, pair: list[str], accepted: bool) -> None:
        corpus = get_corpus(self.world.ledger, CORPUS)
        store_proposals(self.world.ledger, corpus.id, [Proposed(*pair, 0.9, {"origin": "review"})])
        waiting = [
            row.id for row in self.world.decisions() if row.state == "proposed" and [row.name, row.entity] == pair
        ]
        with contextlib.suppress(InputError):
            decide(self.world.ledger, corpus, waiting if accepted else [], [] if accepted else waiting, "tester")
            self.decided = False

    @precondition(lambda self: self.was and any(row.state != "proposed" for row in self.world.decisions()))
    @rule(data=st.data())
    def undo(self, data: st.DataObject) -> None:
        made = [row.id for row in self.world.decisions() if row.state != "proposed"]
        self.world.undo(data.draw(st.sampled_from(made)))
        self.decided = False

    @precondition(lambda self: self.was)
    @rule(point=st.sampled_from((None, "freeze", "segment", "flip", "after")))
    def apply(self, point: str | None) -> None:
        """Publish the decisions alone; when that is killed, again."""
        if point is not None:
            with contextlib.suppress(Killed), killing(point):
                self.world.apply()
            self._remember()
        self.world.apply()
        self._remember()
        self.decided = True

    @precondition(lambda self: len(self.was) > 1)
    @rule(data=st.data())
    def roll_back(self, data: st.DataObject) -> None:
        corpus = get_corpus(self.world.ledger, CORPUS)
        number = data.draw(st.sampled_from([row.number for row in list_epochs(self.world.ledger, corpus.id)]))
        self.world.roll_back(number)
        assert self.world.dump() == self.was[number]
        self.mirrored = False

    @precondition(lambda self: len(self.was) > 2)
    @rule(keep=st.integers(1, 3))
    def vacuum(self, keep: int) -> None:
        self.world.vacuum(keep, keep_days=0)
        kept = {row.number for row in list_epochs(self.world.ledger, get_corpus(self.world.ledger, CORPUS).id)}
        self.was = {number: lines for number, lines in self.was.items() if number in kept}

    @invariant()
    def retained_epochs_are_what_they_were(self) -> None:
        for number, lines in self.was.items():
            assert self.world.dump(number) == lines

    @invariant()
    def published_equals_clean_build(self) -> None:
        if self.current:
            self.world.assert_lawful()

    def _ingest(self) -> None:
        self.world.ingest()
        self._remember()
        self.mirrored = self.decided = True

    def _remember(self) -> None:
        """Keep what each new epoch was when it appeared."""
        corpus = get_corpus(self.world.ledger, CORPUS)
        for row in list_epochs(self.world.ledger, corpus.id):
            if row.number not in self.was:
                self.was[row.number] = self.world.dump(row.number)

    def teardown(self) -> None:
        self.world.close()


@contextlib.contextmanager
def killing(point: str):
    """Make the next ingest die at a point: before the plan, before or after the segment, or after the flip."""
    patch = pytest.MonkeyPatch()
    finish, freeze = pipeline.finish, pipeline.freeze

    def die(*_: object) -> None:
        raise Killed

    def freeze_then_die(*arguments):
        freeze(*arguments)
        raise Killed

    def finish_then_die(*arguments):
        finish(*arguments)
        raise Killed

    match point:
        case "extract":
            patch.setattr(pipeline, "make_plan", die)
        case "freeze":
            patch.setattr(pipeline, "freeze", die)
        case "segment":
            patch.setattr(pipeline, "freeze", freeze_then_die)
        case "flip":
            patch.setattr("clausegraph.indexes.publish.check_fence", _die_at_second_check())
        case "after":
            patch.setattr(pipeline, "finish", finish_then_die)
    try:
        yield
    finally:
        patch.undo()


def _die_at_second_check():
    """check_fence is called by freeze, then by the flip, after the segment was written."""
    from clausegraph.indexes.ledger.leases import check_fence

    calls = {"count": 0}

    def check(connection: object, lease: object) -> None:
        calls["count"] += 1
        if calls["count"] == 2:
            raise Killed
        check_fence(connection, lease)

    return check


Law.TestCase.settings = settings(
    max_examples=50,
    stateful_step_count=12,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
TestLaw = Law.TestCase
