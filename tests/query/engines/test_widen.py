"""The retriever ``wide`` with a model: it keeps relations hop by hop on the schema, three calls at most."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from clausegraph.app.dev.fake_llm import FakeModelServer
from clausegraph.core.errors import InputError, SettingsError, UnusableReply
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.models.embedding import HashingEmbedder
from clausegraph.core.types import Answer
from clausegraph.indexes.views import View
from clausegraph.query.engines.bank import make_engine
from clausegraph.query.retrieve.bank import make_retriever
from clausegraph.query.retrieve.wide import Kept, Reached
from clausegraph.query.steps.choice import StepChoice
from clausegraph.query.steps.llm.widen import parse_kept
from clausegraph.query.steps.model import ModelSteps

pytestmark = pytest.mark.integration

HOW_MUCH = Inquiry("How much is the Winter Heating Grant?")


def ask(sample: View, hashing: HashingEmbedder, **changes: Any) -> tuple[Answer, dict[str, object]]:
    options = {"engine": "loop", "retriever": "wide", "rounds": 1, "steps": StepChoice(widen="llm")} | changes
    answer = make_engine(sample, hashing, **options).ask(HOW_MUCH)
    (retrieved,) = [step.detail for step in answer.trace if step.name == "retrieve"]
    return answer, retrieved


def test_a_model_is_shown_the_relations_of_a_hop_and_chooses_by_label(
    fake: FakeModelServer, steps: ModelSteps, sample: View, hashing: HashingEmbedder
) -> None:
    fake.set(replies="script", script=[{"keep": ["r1", "r2", "DROP TABLE"], "enough": False}, {"keep": ["r1"]}])
    _, found = ask(sample, hashing, model=steps)
    assert 1 <= fake.counters()["ok"] == sum(name.startswith("relations of hop") for name in found) <= 3
    assert str(found["relations of hop 1"]).endswith("kept, 1 names that were not shown")
    shown = fake.last_requests(10)[0]["messages"][-1]["content"]
    assert "Keep every relation" in shown and "winter heating grant" in shown.lower()


@dataclass
class Keeping:
    """Keeps so many relations of each hop, and notes what it is shown."""

    most: int
    shown: list[Reached] = field(default_factory=list)

    def kept(self, inquiry: Inquiry, reached: Reached) -> Kept:
        self.shown.append(reached)
        return Kept(tuple(relation for relation, _ in reached.relations[: self.most]))


def test_what_is_dropped_is_not_followed(sample: View, hashing: HashingEmbedder) -> None:
    every, one, none = Keeping(60), Keeping(1), Keeping(0)
    plain = make_retriever("wide", sample, hashing).retrieve(HOW_MUCH, limit=1000)
    hits = {
        keeping.most: make_retriever("wide", sample, hashing, relations=keeping).retrieve(HOW_MUCH, limit=1000)
        for keeping in (every, one, none)
    }
    assert hits[60] == plain and not hits[0]
    assert {hit.key for hit in hits[1]} < {hit.key for hit in plain}
    assert [reached.hop for reached in every.shown] == [1, 2] and [reached.hop for reached in none.shown] == [1]


def test_enough_ends_the_walk(fake: FakeModelServer, steps: ModelSteps, sample: View, hashing: HashingEmbedder) -> None:
    fake.set(replies="script", script=[{"keep": ["r1"], "enough": True}])
    _, found = ask(sample, hashing, model=steps)
    assert fake.counters()["ok"] == 1 and str(found["relations of hop 1"]).endswith("kept, enough")
    assert "relations of hop 2" not in found


def test_what_cannot_be_used_is_left_to_similarity(
    fake: FakeModelServer, steps: ModelSteps, sample: View, hashing: HashingEmbedder
) -> None:
    fake.set(replies="script", script=["I cannot help with that."])
    answer, found = ask(sample, hashing, model=steps)
    assert str(found["relations of hop 1"]).startswith("by similarity")
    plain, _ = ask(sample, hashing, steps=StepChoice())
    assert [hit["anchor"] for hit in found["best"]] and answer.quotes == plain.quotes  # type: ignore[attr-defined]


def test_it_needs_a_model_and_a_name_that_there_is(sample: View, hashing: HashingEmbedder) -> None:
    with pytest.raises(SettingsError, match="asks a language model"):
        ask(sample, hashing)
    with pytest.raises(InputError, match="no widener 'oracle'; take one of rules, llm"):
        ask(sample, hashing, steps=StepChoice(widen="oracle"))
    for reply in ('{"keep": []}', '{"keep": ["r9"], "enough": true}', "[1]"):
        with pytest.raises(UnusableReply):
            parse_kept(reply, ("costs",))
    assert parse_kept('{"keep": [], "enough": true}', ("costs",))[0].enough
