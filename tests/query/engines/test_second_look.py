"""What a model does not find is looked for once more, and the second reading counts only where it answers more."""

from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from clausegraph.core.inquiry import Inquiry
from clausegraph.core.models.embedding import Embedder, HashingEmbedder
from clausegraph.core.types import Alternative, Answer, AnswerStatus, Evidence, PageKey, Sentence, Span
from clausegraph.indexes.views import View
from clausegraph.query.engines.bank import EngineOptions, make_engine
from clausegraph.query.engines.loop import hits_for_missing
from clausegraph.query.read.protocol import ReadResult, Rules
from clausegraph.query.retrieve.bank import Hit

PAGE = PageKey("test", "page")
ANSWERED, REFUSED = AnswerStatus.ANSWERED, AnswerStatus.NOT_ANSWERABLE


def hit(anchor: str, text: str) -> Hit:
    return Hit(PAGE, "element", anchor, (anchor,), text, ("Moorings",), 1.0, {})


DEADLINE = hit("a", "Claims must be sent within 30 days.")
FEE = hit("b", "The fee for a mooring is £40.")


OTHER = Hit(PageKey("test", "other"), "element", "c", ("c",), "Visitors use the north quay.", (), 3.0, {})


def cites(anchor: str) -> Sentence:
    span = Span(anchor, 0, 5)
    return Sentence("Within 30 days.", (Evidence(PAGE, "Moorings", (), span, "Claims must be sent.", "<p>…</p>"),))


@pytest.mark.parametrize(
    ("status", "missing", "shown", "read_again"),
    [
        (ANSWERED, "what a mooring costs", {"a"}, ["b", "a", "c"]),  # what is cited stays
        (ANSWERED, "what a mooring costs", {"a", "b"}, []),  # what speaks of it was seen, and was no answer
        (ANSWERED, "how long to boil an egg", {"a"}, []),
        (ANSWERED, "", {"a"}, []),
        (ANSWERED, "what a mooring costs", set(), []),  # a reader that sees all hits
        (REFUSED, "whether it is dear to keep a boat", {"a"}, ["b", "c"]),  # in whatever words the pages say it
        (REFUSED, "whether it is dear to keep a boat", {"a", "b", "c"}, []),
        (REFUSED, "", {"a"}, ["b", "c"]),  # a model need not say what it misses
    ],
)
def test_hits_for_what_is_missing(status: AnswerStatus, missing: str, shown: set[str], read_again: list[str]) -> None:
    places = frozenset((hit.page, hit.key) for hit in (DEADLINE, FEE, OTHER) if hit.key in shown)
    sentences = (cites("a"),) if status is ANSWERED else ()
    read = ReadResult(status, (), missing=missing, shown=places, sentences=sentences)
    hits = hits_for_missing(Inquiry("Until when?"), read, [DEADLINE], lambda inquiry: [FEE, OTHER, DEADLINE])
    assert [one.key for one in hits] == read_again
    assert len({one.score for one in hits}) <= 1


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
