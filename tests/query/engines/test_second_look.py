"""What a model does not find is looked for once more, and the second reading counts only where it answers more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from clausegraph.core.inquiry import Inquiry
from clausegraph.core.models.embedding import Embedder, HashingEmbedder
from clausegraph.core.types import Alternative, Answer, AnswerStatus, PageKey
from clausegraph.indexes.views import View
from clausegraph.query.engines.bank import EngineOptions, make_engine
from clausegraph.query.engines.loop import better, hits_for_missing
from clausegraph.query.rank.hits import Hit
from clausegraph.query.read.protocol import ReadResult, Rules

pytestmark = pytest.mark.unit

PAGE = PageKey("test", "page")
ANSWERED, REFUSED = AnswerStatus.ANSWERED, AnswerStatus.NOT_ANSWERABLE


def hit(anchor: str, text: str) -> Hit:
    return Hit(PAGE, "element", anchor, (anchor,), text, ("Moorings",), 1.0, {})


DEADLINE = hit("a", "Claims must be sent within 30 days.")
FEE = hit("b", "The fee for a mooring is £40.")


@pytest.mark.parametrize(
    ("missing", "shown", "found"),
    [
        ("what a mooring costs", {"a"}, ["a", "b"]),
        ("what a mooring costs", {"a", "b"}, []),  # seen, and it was no answer
        ("how long to boil an egg", {"a"}, []),
        ("", {"a"}, []),
        ("what a mooring costs", set(), []),  # a reader that sees all hits
    ],
)
def test_hits_for_what_is_missing(missing: str, shown: set[str], found: list[str]) -> None:
    places = frozenset((PAGE, anchor) for anchor in shown)
    read = ReadResult(ANSWERED, (), missing=missing, shown=places)
    hits = hits_for_missing(Inquiry("Until when, and how much?"), read, [DEADLINE], lambda inquiry: [FEE, DEADLINE])
    assert [one.key for one in hits] == found


def test_of_a_refusal_only_what_was_not_shown_is_read() -> None:
    read = ReadResult(REFUSED, (), missing="what a mooring costs", shown=frozenset({(PAGE, "a")}))
    hits = hits_for_missing(Inquiry("How much?"), read, [DEADLINE, FEE], lambda inquiry: [FEE, DEADLINE])
    assert [one.key for one in hits] == ["b"]


@pytest.mark.parametrize(
    ("first", "second", "is_second"),
    [
        (ReadResult(REFUSED, (), missing="x"), ReadResult(ANSWERED, (), missing="y"), True),
        (ReadResult(ANSWERED, (), missing="x"), ReadResult(ANSWERED, ()), True),
        (ReadResult(ANSWERED, (), missing="x"), ReadResult(ANSWERED, (), missing="y"), False),
        (ReadResult(ANSWERED, (), missing="x"), ReadResult(REFUSED, (), missing="x"), False),
    ],
)
def test_the_better_reading(first: ReadResult, second: ReadResult, *, is_second: bool) -> None:
    assert better(first, second) is (second if is_second else first)


@dataclass
class Forgetful:
    """A reader that has seen one element, misses the late request, and answers when it is shown more."""

    embedder: Embedder
    readings: list[Sequence[Hit]]
    name = "forgetful"

    def read(self, inquiry: Inquiry, hits: Sequence[Hit], rules: Rules) -> ReadResult:
        self.readings.append(hits)
        if len(self.readings) > 1:
            return ReadResult(ANSWERED, (Alternative("yes"),))
        shown = frozenset({(hits[0].page, hits[0].key)})
        return ReadResult(REFUSED, (), missing="whether a late request for a review is accepted", shown=shown)


def test_the_loop_reads_twice_and_says_so(sample: View, hashing: HashingEmbedder) -> None:
    reader = Forgetful(hashing, [])
    engine = make_engine(sample, hashing, EngineOptions(reader=reader), engine="loop")
    answer: Answer = engine.ask(Inquiry("Can I still ask for a review?"))
    assert [one.text for one in answer.alternatives] == ["yes"]
    assert len(reader.readings) == 2
    read = next(step for step in answer.trace if step.name == "read")
    assert read.detail["looked again for"] == "whether a late request for a review is accepted"
    assert read.detail["found"] is True
