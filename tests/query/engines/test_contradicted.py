"""What another page contradicts is shown from both sides, not asserted; what is replaced is read again without it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from clausegraph.core.inquiry import Inquiry
from clausegraph.core.serial import answer_from_json, answer_to_json
from clausegraph.core.types import Alternative, Answer, AnswerStatus, PageKey
from clausegraph.indexes.views import View
from clausegraph.query.engines.bank import make_engine
from clausegraph.query.read.evidence import evidence_of
from clausegraph.query.read.protocol import ReadResult, Rules
from clausegraph.query.retrieve.bank import Hit
from tests.law.world import World

HENS, BEES = "You can keep hens on your plot.", "You can keep bees on your plot."
NO_HENS = "You cannot keep hens on your plot."
OLD, NEW = "The plot rent is £48 a year.", "The plot rent is £56 a year from 1 April 2026."
TO_COME = "The plot deposit is £30 from 1 April 2999."
YOUNG, ELDER = "You can rent a plot if you are over 17.", "You can rent a plot if you are over 21."


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    made = World(dimension=64)
    made.write("plot", ["Last updated: 3 March 2025", HENS, BEES, OLD, "The plot deposit is £20.", YOUNG])
    made.write("plot: leaflet", ["Last updated: 4 May 2026", NO_HENS, NEW, TO_COME, ELDER])
    made.write("sheds", ["You must ask before you build a shed."])
    made.ingest()
    yield made
    made.close()


@dataclass(frozen=True)
class FirstWith:
    """Asserts the first element with one of some words; quotes the first of all where none has them."""

    words: tuple[str, ...]

    def read(self, inquiry: Inquiry, hits: Sequence[Hit], rules: Rules) -> ReadResult:
        for hit in sorted(hits, key=lambda hit: str(hit.page)):
            if hit.text.startswith(self.words):
                reading = rules.reading(hit.page)
                element = reading.element(hit.key)
                assert element is not None
                said = Alternative(hit.text, evidence=(evidence_of(hit.page, reading, element),))
                return ReadResult(AnswerStatus.ANSWERED, (said,))
        return ReadResult(AnswerStatus.UNKNOWN, ())


def ask(world: World, view: View, *words: str, story: str = "", question: str = "", **changes: Any) -> Answer:
    asked = Inquiry(question or "What are the rules of a plot?", story)
    read = {"reader": FirstWith(words)} | changes
    return make_engine(view, world.embedder, engine="single-pass", **read).ask(asked)


def test_both_sides_are_shown_newest_first_and_neither_is_asserted(world: World, view: View) -> None:
    for side in (HENS, NO_HENS):
        answer = ask(world, view, side)
        assert (answer.status, answer.alternatives) == (AnswerStatus.UNKNOWN, ())
        (found,) = answer.contradictions
        assert (found.kind, found.superseded, found.since) == ("polarity", False, None)
        assert [(one.quote, one.updated) for one in (found.newer, found.older)] == [
            (NO_HENS, "2026-05-04"),
            (HENS, "2025-03-03"),
        ]
        assert [quote.quote for quote in answer.quotes] == [side]
        assert answer_from_json(answer_to_json(answer)).contradictions == answer.contradictions


def test_what_nothing_contradicts_is_as_it_was(world: World, view: View) -> None:
    answer = ask(world, view, BEES)
    assert (answer.status, answer.contradictions) == (AnswerStatus.ANSWERED, ())


def test_what_is_replaced_is_read_again_without_it(world: World, view: View) -> None:
    answer = ask(world, view, "The plot rent")
    assert [one.text for one in answer.alternatives] == [NEW]
    (found,) = answer.contradictions
    assert (found.superseded, found.since, found.older.quote) == (True, "2026-04-01", OLD)
    assert len(answer.trace[-1].detail["read_again_without"]) == 1  # type: ignore[arg-type]


def test_a_page_that_another_one_replaces_is_not_asserted_from(sample: View) -> None:
    from clausegraph.query.engines.contradicted import Settling

    guide, grant = (PageKey("corpus", uri) for uri in ("guides/heating-help.html", "heating-grant.html"))
    reading = sample.reading(guide)
    element = next(element for element in reading.elements if "£" in element.text)
    said = Alternative("£200", evidence=(evidence_of(guide, reading, element),))
    hit = Hit.of_element(grant, sample.reading(grant).elements[0], 1.0, {})
    settled = Settling(sample, Inquiry("How much is it?")).settled(ReadResult(AnswerStatus.ANSWERED, (said,)), [hit])
    (found,) = settled.contradictions
    assert settled.status is AnswerStatus.UNKNOWN and settled.quotes == said.evidence
    assert (found.kind, found.superseded, found.since, found.older) == ("page", True, "2026-03-03", said.evidence[0])
    assert found.newer.quote == "They replace the ones in our older Heating Help guide."


def test_what_holds_until_a_day_to_come_or_held_when_it_was_asked_for_is_asserted(world: World, view: View) -> None:
    deposit = ask(world, view, "The plot deposit is £20")
    assert deposit.status is AnswerStatus.ANSWERED and deposit.contradictions[0].since == "2999-04-01"
    for question in ("What was the rent of a plot?", "What is the rent of a plot in 2025?"):
        past = ask(world, view, OLD, question=question)
        assert [one.text for one in past.alternatives] == [OLD] and past.contradictions
    assert not ask(world, view, OLD, question="What is the rent of a plot in 2026?").alternatives


def test_a_threshold_that_comes_to_the_same_denies_nothing(world: World, view: View) -> None:
    assert ask(world, view, YOUNG, story="I am 40.").status is AnswerStatus.ANSWERED
    for story in ("", "I am 19."):
        answer = ask(world, view, YOUNG, story=story)
        assert (answer.status, answer.contradictions[0].kind) == (AnswerStatus.UNKNOWN, "threshold")
