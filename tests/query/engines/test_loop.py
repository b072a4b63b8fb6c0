"""The loop on rules: its rounds, its trace, and what later rounds change."""

import json
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from pathlib import Path

import pytest

from clausegraph.core.errors import QuestionError
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.models.embedding import HashingEmbedder
from clausegraph.core.types import Answer, AnswerStatus, TraceStep
from clausegraph.indexes.views import View
from clausegraph.query.engines.bank import make_engine
from clausegraph.query.read.protocol import ReadResult, Rules
from clausegraph.query.retrieve.bank import Hit
from clausegraph.query.retrieve.graph import Offer
from clausegraph.query.steps.protocol import AskedKind, Feedback, FeedbackKind, Module, Route, Tried
from clausegraph.query.steps.rules import RuleRouter
from tests.harness.wait import PATIENCE_S

# Each question names what it is about; the person's story is about something else, as people's stories are
STORIES = json.loads((Path(__file__).parent / "stories.json").read_text(encoding="utf-8"))
ROUND = ["route", "retrieve", "validate"]


def steps(answer: Answer, name: str) -> list[TraceStep]:
    return [step for step in answer.trace if step.name == name]


def pages(answer: Answer) -> set[str]:
    stated = [evidence for option in answer.alternatives[:1] for evidence in option.evidence]
    return {evidence.page.uri for evidence in stated or answer.quotes[:1]}


def test_what_is_accepted_is_read_as_in_a_single_pass(sample: View, hashing: HashingEmbedder) -> None:
    inquiry = Inquiry("Do I need a street trading licence?", "I sell food at the market.")
    once, looped = (make_engine(sample, hashing, engine=name).ask(inquiry) for name in ("single-pass", "loop"))
    assert [step.name for step in looped.trace] == [*ROUND, "read"]
    assert looped.alternatives == once.alternatives
    assert (looped.status, looped.epoch, looped.extractors) == (once.status, once.epoch, once.extractors)


def test_what_is_rejected_is_looked_up_again_and_told_while_it_happens(sample: View, hashing: HashingEmbedder) -> None:
    seen: list[TraceStep] = []
    inquiry = Inquiry("How much is the Winter Heating Grant?", STORIES["stories"]["fishing"])
    answer = make_engine(sample, hashing, engine="loop").ask(inquiry, seen.append)
    assert [step.name for step in answer.trace] == [*ROUND, "comment", *ROUND, "read"]
    assert seen == list(answer.trace)
    first, second = steps(answer, "route")
    assert (first.detail["module"], second.detail["module"]) == ("text", "hybrid")
    assert steps(answer, "comment")[0].detail["feedback"] == "module wrong: text"
    assert pages(answer) == {"heating-grant.html"}


@pytest.mark.parametrize(("questions", "least"), [(6, 3), pytest.param(None, 20, marks=pytest.mark.long)])
def test_later_rounds_change_the_outcome_of_most_questions(
    sample: View, hashing: HashingEmbedder, questions: int | None, least: int
) -> None:
    """With the page that the question names; a single pass answers from that of the story."""
    single, loop = (make_engine(sample, hashing, engine=name) for name in ("single-pass", "loop"))
    changed, before_right, right = 0, 0, 0
    for question, story, page in STORIES["questions"][:questions]:
        inquiry = Inquiry(question, STORIES["stories"][story])
        before, after = single.ask(inquiry), loop.ask(inquiry)
        changed += (before.alternatives, before.quotes) != (after.alternatives, after.quotes) and len(
            steps(after, "route")
        ) > 1
        before_right += page in pages(before)
        right += page in pages(after)
    assert changed >= least
    assert right >= 2 * before_right


def test_what_it_cannot_use_is_refused(sample: View, hashing: HashingEmbedder) -> None:
    with pytest.raises(QuestionError, match="as_of"):
        make_engine(sample, hashing, engine="loop").ask(Inquiry("Why?", as_of=date(2026, 1, 1)))


@pytest.mark.parametrize("kind", FeedbackKind)
@pytest.mark.parametrize("module", Module)
def test_a_route_is_never_tried_twice(
    sample: View, hashing: HashingEmbedder, kind: FeedbackKind, module: Module
) -> None:
    inquiry = Inquiry("Is the Winter Heating Grant more than Rent Supplement?")
    offer = Offer(sample, hashing, inquiry)
    topics = offer.named
    assert {topic.key for topic in topics} == {"winter heating grant", "rent supplement"}
    tried = [Tried(Route(AskedKind.FACT, module, topics, ("gets",)))]
    while len(tried) < 40:
        tried[-1] = Tried(tried[-1].route, Feedback(kind, topics[0].key))
        route = RuleRouter().route(inquiry, offer, tried)
        if route is None:
            break
        tried.append(Tried(route))
    routes = [one.route for one in tried]
    assert len(set(routes)) == len(routes) > 1


class Waiting:
    """A reader that goes on when so many questions are being read."""

    def __init__(self, together: int) -> None:
        self.barrier = threading.Barrier(together)

    def read(self, inquiry: Inquiry, hits: Sequence[Hit], rules: Rules) -> ReadResult:
        self.barrier.wait(PATIENCE_S)
        return ReadResult(AnswerStatus.NOT_ANSWERABLE, (), {})


def test_questions_do_not_wait_for_each_others_threads(sample: View, hashing: HashingEmbedder) -> None:
    """As many as there are, whatever the pool of the model loop has room for: it needs that for its own work."""
    many = 40
    engine = make_engine(sample, hashing, engine="loop", reader=Waiting(many), rounds=1)
    with ThreadPoolExecutor(many) as pool:
        answers = list(pool.map(engine.ask, [Inquiry("Do I need a street trading licence?")] * many))
    assert len(answers) == many
