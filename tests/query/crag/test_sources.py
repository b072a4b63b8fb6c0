"""A source that fails ends itself alone; what is computed comes after the check; other ways to gather references."""

from __future__ import annotations

import json
from typing import Any

import pytest

from clausegraph.app.dev.fake_llm import FakeModelServer
from clausegraph.core.errors import StoreUnavailable
from clausegraph.core.models.embedding import HashingEmbedder
from clausegraph.query.crag.engine import CragEngine
from clausegraph.query.crag.kg.plan import kg_reference
from clausegraph.query.crag.text import CragPage, PagesText
from clausegraph.query.crag.times import parse_time
from clausegraph.query.crag.types import (
    Attributes,
    CragAnswer,
    CragFeedback,
    CragOptions,
    CragParts,
    CragQuestion,
    CragSwitches,
    KgFound,
    Reference,
    ReferenceKind,
)
from clausegraph.query.steps.model import ModelSteps

pytestmark = pytest.mark.integration
OPENED = CragQuestion("When did the Alder bridge open?", parse_time("03/05/2024, 23:18:31 PT"))
CHECK, ANSWER, VALIDATE = "Do these references", "Answer the question from", "Is the answer below right"
LACKING = {"missing": "the year", "enough": False}


def reply(answer: str) -> dict[str, Any]:
    return {"sub_problems": [], "used": ["r1"], "false_premise": False, "answer": answer, "answerable": True}


class Broken:
    """A graph that does not answer."""

    def lookup(
        self, question: CragQuestion, attributes: Attributes, feedback: tuple[CragFeedback, ...] = ()
    ) -> KgFound:
        raise StoreUnavailable("http://127.0.0.1:9 does not answer")


class Known:
    """A graph with one fact; keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def lookup(
        self, question: CragQuestion, attributes: Attributes, feedback: tuple[CragFeedback, ...] = ()
    ) -> KgFound:
        self.asked.append(question.text)
        return KgFound((kg_reference("Alder opened in 1932.", "bridges", "bridge('Alder')"),), ("bridge('Alder')",))


class Counted:
    """A calculator that counts how often it is asked."""

    def __init__(self) -> None:
        self.asked = 0

    def compute(self, question: CragQuestion, references: tuple[Reference, ...]) -> tuple[Reference, ...]:
        self.asked += 1
        return (Reference(ReferenceKind.CALCULATOR, "1 + 1 = 2", "1 + 1"),)


def ask(pages: list[CragPage] | None, steps: ModelSteps | None, parts: CragParts, **switches: Any) -> CragAnswer:
    chosen = CragSwitches(**{"seconds": 0, **switches})
    text = PagesText(pages, HashingEmbedder(), grouped=chosen.grouped) if pages is not None else None
    return CragEngine(CragOptions(chosen, parts), steps).answer(OPENED, text)


def test_a_graph_that_fails_ends_itself_alone(bridges: list[CragPage]) -> None:
    found = ask(bridges, None, CragParts(graph=lambda _: Broken()))
    assert found.text == "1931"  # the pages say it
    assert found.failed == ("graph: http://127.0.0.1:9 does not answer",)
    step = next(one for one in found.trace if one.name == "graph")
    assert step.detail["outcome"] == "failed source"
    with pytest.raises(StoreUnavailable):  # there is nothing else: that is a failure, and not "not found"
        ask(None, None, CragParts(graph=lambda _: Broken()))


def test_a_graph_that_failed_is_not_offered_to_the_critic(
    bridges: list[CragPage], steps: ModelSteps, fake: FakeModelServer
) -> None:
    fake.set(replies="script", script={CHECK: LACKING})
    found = ask(bridges, steps, CragParts(graph=lambda _: Broken()))
    assert (found.text, found.usage.tasks) == ("i don't know", {"crag-check": 1})
    assert [one.name for one in found.trace].count("graph") == 1


def test_nothing_is_computed_where_the_references_do_not_say(
    bridges: list[CragPage], steps: ModelSteps, fake: FakeModelServer
) -> None:
    counted = Counted()
    fake.set(replies="script", script={CHECK: LACKING})
    assert ask(bridges, steps, CragParts(calculator=lambda _: counted)).text == "i don't know"
    assert counted.asked == 0
    script = {CHECK: {"missing": "", "enough": True}, ANSWER: reply("2"), VALIDATE: {"problem": "", "right": True}}
    fake.set(replies="script", script=script)
    found = ask(bridges, steps, CragParts(calculator=lambda _: counted), references=4)
    assert (counted.asked, found.references[0].kind) == (1, ReferenceKind.CALCULATOR)


def test_react_looks_where_its_turns_say(bridges: list[CragPage], steps: ModelSteps, fake: FakeModelServer) -> None:
    graph = Known()
    turns = [("extract", "Alder"), ("graph", "opening of Alder"), ("text", "Cedar at night"), ("answer", "")]
    entities = {"entities": [{"name": "Alder", "type": ""}], "first_day": "", "last_day": ""}
    said = [{"thought": "…", "action": action, "query": query} for action, query in turns]
    script = [json.dumps(one) for one in (said[0], entities, *said[1:], reply("1932"))]
    fake.set(replies="script", script=script)
    found = ask(bridges, steps, CragParts(graph=lambda _: graph), gather="react", self_check=False, rounds=1)
    assert graph.asked == ["opening of Alder"]
    assert (found.text, found.usage.calls) == ("1932", 6)
    assert found.references[0].kind is ReferenceKind.KG
    assert any("Ships pass below" in one.text for one in found.references)
    done = next(one.detail["done"] for one in found.trace if one.name == "react")
    assert done == ["extract: Alder", "graph: opening of Alder", "text: Cedar at night", "answer"]
    observed = [message["content"] for message in fake.last_requests(2)[0]["messages"] if message["role"] == "user"]
    assert "entities: Alder" in observed[1]
    assert "Alder opened in 1932." in observed[2]


@pytest.mark.parametrize(
    ("verdict", "kinds"), [("correct", {"web"}), ("incorrect", {"kg"}), ("ambiguous", {"web", "kg"})]
)
def test_corrective_rag_takes_the_graph_where_pages_are_wrong(
    bridges: list[CragPage], steps: ModelSteps, fake: FakeModelServer, verdict: str, kinds: set[str]
) -> None:
    fake.set(replies="script", script={"Do the pieces below": {"verdict": verdict}, ANSWER: reply("1932")})
    graph = CragParts(graph=lambda _: Known())
    found = ask(bridges, steps, graph, gather="corrective", self_check=False, rounds=1, references=8 + len(verdict))
    assert {one.kind.value for one in found.references} == kinds
    assert found.usage.tasks == {"corrective": 1, "crag-answer": 1}


def test_a_plain_prompt_has_no_form(bridges: list[CragPage], steps: ModelSteps, fake: FakeModelServer) -> None:
    fake.set(replies="script", script={"Current time": "1931\n"})
    found = ask(bridges, steps, CragParts(), structured=False, grouped=False, self_check=False, rounds=1)
    assert (found.text, found.usage.tasks) == ("1931", {"crag-plain": 1})
    assert "The Alder bridge opened in 1931." in [one.text for one in found.references]  # each sentence alone
