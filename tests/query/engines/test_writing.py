"""Sentences reach the watch while a model still writes, in order with the other steps, and are in no trace."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from clausegraph.core.inquiry import Inquiry
from clausegraph.core.models.calls import ModelOptions
from clausegraph.core.models.embedding import Embedder, HashingEmbedder
from clausegraph.core.models.guard import make_llm
from clausegraph.core.prompts import PromptLibrary
from clausegraph.core.types import AnswerStatus, TraceStep
from clausegraph.indexes.views import View
from clausegraph.query.engines.bank import Engine, EngineOptions, make_engine
from clausegraph.query.read.model.partial import sentence_watch
from clausegraph.query.read.protocol import ReadResult, Rules
from clausegraph.query.retrieve.bank import Hit
from clausegraph.query.steps.model import ModelSteps, StepModel
from tests.harness.fake_llm import FakeModelServer, FakeOptions
from tests.harness.wait import until

# Long: in a process that has run thousands of tests before, a held reply was seen to be waited for without end.
pytestmark = [pytest.mark.integration, pytest.mark.long]

PROMPT = (
    '{#\npurpose = "a test"\ninputs = ["question"]\noutput = "JSON"\nsince = "0.3.0"\n#}\n=== user ===\n{{ question }}'
)
REPLY = json.dumps({
    "sentences": [{"text": f"Sentence {number} of the answer.", "role": "answer"} for number in range(1, 5)]
})  # fmt: skip
ASKED = Inquiry("How much is the Winter Heating Grant?", "I am 84.")


@dataclass
class Writer:
    """A reader whose model writes sentences that somebody may look at."""

    embedder: Embedder
    model: StepModel
    name = "writer"

    def read(self, inquiry: Inquiry, hits: Sequence[Hit], rules: Rules) -> ReadResult:
        inputs = {"question": inquiry.question}
        self.model.ask("say", inputs, str, listen=sentence_watch(self.model.watch))
        return ReadResult(AnswerStatus.NOT_ANSWERABLE, (), {})


@pytest.fixture
def fake() -> Iterator[FakeModelServer]:
    with FakeModelServer(FakeOptions(replies="script", script=[REPLY], chunks=60)) as server:
        yield server


@pytest.fixture(params=["single-pass", "loop"])
def engine(
    request: pytest.FixtureRequest, fake: FakeModelServer, sample: View, hashing: HashingEmbedder, tmp_path: Path
) -> Iterator[Engine]:
    (tmp_path / "say.v1.jinja").write_text(PROMPT, encoding="utf-8")
    with make_llm(ModelOptions("openai", "fake-small", fake.url, "none", max_output=500, attempts=1)) as llm:
        model = ModelSteps(llm, PromptLibrary((tmp_path, "yours")))
        yield make_engine(sample, hashing, EngineOptions(reader=Writer, model=model), engine=request.param)


def test_sentences_are_told_between_the_steps_and_are_in_no_trace(fake: FakeModelServer, engine: Engine) -> None:
    seen: list[TraceStep] = []
    answer = engine.ask(ASKED, seen.append)
    names = [step.name for step in seen]
    assert names.count("writing") == 4
    first = names.index("writing")
    assert "retrieve" in names[:first] and names[first : first + 5] == [*["writing"] * 4, "read"]
    assert [step.detail["number"] for step in seen if step.name == "writing"] == [1, 2, 3, 4]
    assert "writing" not in [step.name for step in answer.trace]
    assert fake.last_requests(1)[0]["stream"] is True


def test_a_sentence_is_told_before_the_reply_is_whole(fake: FakeModelServer, engine: Engine) -> None:
    fake.set(hold_after="Sentence 2")
    seen: list[TraceStep] = []

    def watch(step: TraceStep) -> None:
        seen.append(step)
        if step.detail.get("number") == 1:  # the server waits behind it until it was told
            assert fake.counters()["in_flight"] == 1
            fake.set(hold_after="")

    engine.ask(ASKED, watch)
    assert [step.detail["sentence"] for step in seen if step.name == "writing"][3] == "Sentence 4 of the answer."


def test_a_watch_that_gives_up_ends_the_call(fake: FakeModelServer, engine: Engine) -> None:
    fake.set(hold_after="Sentence 2")

    def watch(step: TraceStep) -> None:
        if step.name == "writing":
            raise InterruptedError

    with pytest.raises(InterruptedError):
        engine.ask(ASKED, watch)
    until(lambda: fake.counters()["in_flight"] == 0)
    assert fake.counters()["failed"] == {"disconnect": 1}


def test_nothing_is_streamed_where_nobody_looks_on(fake: FakeModelServer, engine: Engine) -> None:
    engine.ask(ASKED)
    assert fake.last_requests(1)[0]["stream"] is False
