"""The law: after any sequence of changes, crashes and retries, the published epoch equals a clean build.

Hypothesis drives a folder of pages, decisions about names and statements, and the corpus that follows both; every
retained epoch must stay what it was when it was published.
"""

import contextlib

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from clausegraph.core.errors import InputError, NotFoundError
from clausegraph.indexes.corpora import list_epochs
from clausegraph.indexes.entities.decisions import Proposed, decide, store_proposals
from clausegraph.indexes.views import open_view
from tests.harness.writes import killed_at
from tests.law.world import CORPUS, World

STATEMENTS = (  # most state facts, some on several pages and under conditions; others are passages
    "You can get the Garden Grant if you are over 65 and live in Lethmoor.",
    "You cannot get the Garden Grant unless you pay for heating.",
    "The Winter Card costs £35 a year.",
    "The Winter Card costs £40 a year.",
    "You must apply before 31 March 2026, except if you are in hospital.",
    "You must be either a resident or a student.",
    "Contact the office.",
    "Employers must reply within 10 working days of the hearing.",
    "Landlords must:</p><ol><li>keep a gas record for 2 years</li><li>give tenants a fuel statement</li></ol><p>Done.",
    "You can get the Garden Grant if you are over 65 and live in Lethmoor. " * 30,
)
NAMES = ("a", "b", "c/d")
ENTITIES = ("you", "garden grant", "winter card", "page", "employer", "within 10 working day", "nowhere")
texts = st.lists(st.sampled_from(STATEMENTS), min_size=1, max_size=5)
WRITES = range(1, 25)  # a run that changes something makes some 15 to 20 writes


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

    @rule(write=st.sampled_from(WRITES), name=st.sampled_from(NAMES), paragraphs=texts)
    def killed_then_other_content(self, write: int, name: str, paragraphs: list[str]) -> None:
        """Die in the middle of a run, change the pages, and try again."""
        with killed_at(write, self.world.root):
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
        corpus = self.world.row
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

    @precondition(lambda self: self.was and self.world.shown())
    @rule(data=st.data())
    def hide(self, data: st.DataObject) -> None:
        """Of what readers get; after a rollback the newest epoch may not have it."""
        with contextlib.suppress(NotFoundError):
            self.world.hide(data.draw(st.sampled_from(self.world.shown())))
            self.decided = False

    @precondition(lambda self: self.was and self.world.hidden())
    @rule(data=st.data())
    def unhide(self, data: st.DataObject) -> None:
        self.world.unhide(data.draw(st.sampled_from(self.world.hidden())).id)
        self.decided = False

    @precondition(lambda self: self.was)
    @rule(write=st.sampled_from((None, *WRITES)))
    def apply(self, write: int | None) -> None:
        """Publish the decisions alone; when that is killed, again."""
        if write is not None:
            with killed_at(write, self.world.root):
                self.world.apply()
            self._remember()
        self.world.apply()
        self._remember()
        self.decided = True

    @precondition(lambda self: len(self.was) > 1)
    @rule(data=st.data())
    def roll_back(self, data: st.DataObject) -> None:
        corpus = self.world.row
        number = data.draw(st.sampled_from([row.number for row in list_epochs(self.world.ledger, corpus.id)]))
        self.world.roll_back(number)
        assert self.world.dump() == self.was[number]
        self.mirrored = False

    @precondition(lambda self: len(self.was) > 2)
    @rule(keep=st.integers(1, 3))
    def vacuum(self, keep: int) -> None:
        self.world.vacuum(keep, keep_days=0)
        kept = {row.number for row in list_epochs(self.world.ledger, self.world.row.id)}
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
        try:
            corpus = self.world.row
        except NotFoundError:
            return  # killed before there was one
        for row in list_epochs(self.world.ledger, corpus.id):
            if row.number not in self.was:
                self.was[row.number] = self.world.dump(row.number)

    def teardown(self) -> None:
        self.world.close()


def examples(count: int, steps: int) -> settings:
    return settings(
        max_examples=count, stateful_step_count=steps, deadline=None, suppress_health_check=list(HealthCheck)
    )


TestLaw = Law.TestCase
TestLaw.settings = examples(8, 12)


@pytest.mark.long
class TestLawForLong(TestLaw):
    settings = examples(200, 15)


def test_steps_are_numbered_anew_when_one_is_put_before_them() -> None:
    world = World()
    kept = "Landlords must keep a gas record.", "Landlords must keep a fuel statement."

    def steps(*items: str) -> list[str]:
        listed = "".join(f"<li>{item}</li>" for item in items)
        world.write("a", [f"Do this in turn.</p><ol>{listed}</ol><p>Done."])
        world.ingest()
        with open_view(world.ledger, CORPUS) as view:
            return sorted(one.rule.step.text for one in view.graph.all_rules() if one.rule.step)

    assert (steps(*kept), steps("Landlords must have a licence.", *kept)) == (["1", "2"], ["1", "2", "3"])
    world.assert_lawful()
    world.close()
