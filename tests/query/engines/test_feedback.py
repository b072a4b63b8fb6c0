"""A model that misroutes: each kind of feedback is provoked, handed to the model, and mended within the rounds."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import pytest

from clausegraph.core.errors import ModelUnavailable, SettingsError
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.models.embedding import HashingEmbedder
from clausegraph.core.types import Answer
from clausegraph.indexes.views import View
from clausegraph.query.engines.bank import make_engine
from clausegraph.query.retrieve.graph import Offer, ego_of
from clausegraph.query.steps.protocol import (
    FeedbackKind,
)
from tests.query.engines.conftest import Asking

pytestmark = pytest.mark.integration

GRANT = "winter heating grant"
STORY = "I have a season rod fishing licence for trout and salmon, and fish with my grandson on the river."
HOW_MUCH = Inquiry("How much is the Winter Heating Grant?", STORY)


def choice(*entities: str, relations: tuple[str, ...] = (), kind: str = "fact") -> dict[str, Any]:
    return {"entities": list(entities), "relations": list(relations), "kind": kind}


def module(name: str) -> dict[str, str]:
    return {"module": name}


@dataclass(frozen=True)
class Misrouted:
    """What a model says round by round, and what the commentor has to say of the first."""

    script: list[Any]
    about: str
    inquiry: Inquiry = HOW_MUCH


GOOD = [choice(GRANT), module("hybrid")]


def no_entity(view: View, offer: Offer) -> Misrouted:
    return Misrouted([choice(), *GOOD], offer.entities[0].key)


def entity_wrong(view: View, offer: Offer) -> Misrouted:
    said = set(HOW_MUCH.text.lower().split())
    wrong = next(topic.key for topic in offer.entities if not said & set(topic.key.split()))
    return Misrouted([choice(wrong), module("graph"), *GOOD], wrong)


def relation_wrong(view: View, offer: Offer) -> Misrouted:
    useless = next(one for one in offer.relations if not ego_of(view, [GRANT], [one], radius=1).facts)
    return Misrouted([choice(GRANT, relations=(useless,)), module("graph"), *GOOD], useless)


def empty(view: View, offer: Offer) -> Misrouted:
    far = next(t.key for t in offer.entities if t.key != GRANT and not ego_of(view, [GRANT, t.key]).shared)
    return Misrouted([choice(GRANT, far), module("hybrid"), *GOOD], far)


def lacking(view: View, offer: Offer) -> Misrouted:
    """Two entities that meet, where what they share has no sum: another one of the corpus has one."""
    inquiry = Inquiry("How much does a partner get of the New Parent Allowance?", STORY)
    other = [choice("new parent pay"), module("hybrid")]
    return Misrouted(
        [choice("partner", "new parent allowance"), module("graph"), *other], "new parent allowance", inquiry
    )


def missing(view: View, offer: Offer) -> Misrouted:
    inquiry = Inquiry("Is the New Parent Allowance for a partner?", STORY)
    both = [choice("partner", "new parent allowance", kind="gate"), module("hybrid")]
    return Misrouted([choice("partner", kind="gate"), module("text"), *both], "new parent allowance", inquiry)


def module_wrong(view: View, offer: Offer) -> Misrouted:
    return Misrouted([choice(GRANT), module("text"), *GOOD], "text")


def kind_wrong(view: View, offer: Offer) -> Misrouted:
    return Misrouted([choice(GRANT, kind="gate"), module("text"), *GOOD], "fact")


CASES: dict[FeedbackKind, Callable[[View, Offer], Misrouted]] = {
    FeedbackKind.NO_ENTITY: no_entity,
    FeedbackKind.ENTITY_WRONG: entity_wrong,
    FeedbackKind.RELATION_WRONG: relation_wrong,
    FeedbackKind.EMPTY: empty,
    FeedbackKind.LACKING: lacking,
    FeedbackKind.MISSING: missing,
    FeedbackKind.MODULE_WRONG: module_wrong,
    FeedbackKind.KIND_WRONG: kind_wrong,
}


def told(answer: Answer, name: str) -> list[dict[str, object]]:
    return [step.detail for step in answer.trace if step.name == name]


@pytest.mark.parametrize("kind", CASES)
def test_feedback_is_provoked_and_mended(kind: FeedbackKind, asking: Asking) -> None:
    case = CASES[kind](asking.view, Offer(asking.view, asking.embedder, HOW_MUCH))
    asking.script(case.script)
    engine = asking.engine("loop", steps={"route": "llm"})
    answer = engine.ask(case.inquiry)
    comments, routes, judged = (told(answer, name) for name in ("comment", "route", "validate"))
    assert comments[0]["feedback"] == f"{kind.value}: {case.about}"
    assert [step["accepted"] for step in judged] == [False, True]
    assert len(routes) == 2
    assert all("by rules" not in route for route in routes)
    asked = asking.fake.last_requests(10)
    again = next(body["messages"][-1]["content"] for body in asked if "Choose again" in body["messages"][-1]["content"])
    assert f"Feedback: {kind.value} ({case.about})." in again
    assert told(answer, "model")[0]["calls"] == len(case.script) == asking.fake.counters()["ok"]


EVERYTHING = {"route": "llm", "validate": "llm", "comment": "llm"}
NO = {"missing": "the amount", "enough": False}


def test_whatever_a_model_says_a_question_has_at_most_fourteen_calls(asking: Asking) -> None:
    """Nothing is ever enough, each route is new, and the reader may still ask."""
    offer = Offer(asking.view, asking.embedder, HOW_MUCH)
    routes = {f"({topic.key})": "" for topic in offer.entities}
    assert len(routes) > 4
    asking.fake.set(
        replies="script",
        script={
            "Which entities": choice(offer.entities[0].key),
            "Where should": module("hybrid"),
            "enough to answer": NO,
            "explains the rejection": {"error": "entity wrong", "about": offer.entities[0].key},
            "Choose again": choice(offer.entities[1].key),
        },
    )
    engine = asking.engine("loop", steps=EVERYTHING, rounds=50)
    answer = engine.ask(HOW_MUCH)
    used = told(answer, "model")[0]
    assert used["calls"] == asking.fake.counters()["ok"] <= 14
    assert len(told(answer, "route")) >= 3
    assert told(answer, "read")[0]["round"] == len(told(answer, "route"))  # the last, as the paper has it


@pytest.mark.parametrize(
    "reply",
    [
        "I cannot help with that.",
        "[1, 2, 3]",
        '{"entities": 7, "enough": "maybe", "error": null, "module": []}',
        {"entities": ["x" * 5000] * 3000, "relations": [None, {}, 4], "kind": "Gedicht"},
        {"entities": ["e999", "e-1", "DROP TABLE"], "relations": ["r0"], "kind": "gate"},
        '{"entities": ["e1"',
        "",
    ],
)
def test_replies_that_cannot_be_used_are_noted_and_done_without(reply: Any, asking: Asking) -> None:
    asking.script([reply])
    answer = asking.engine("loop", steps=EVERYTHING).ask(HOW_MUCH)
    routes = told(answer, "route")
    assert all("by rules" in route or "ignored" in route or not route.get("topics") for route in routes[:1])
    assert all("by rules" in step for step in [*told(answer, "validate"), *told(answer, "comment")])
    corpus_names = {topic.key for topic in Offer(asking.view, asking.embedder, HOW_MUCH).entities}
    for route in routes:
        for named in route.get("topics", []):  # type: ignore[attr-defined]
            assert named.rpartition(" (")[0] in corpus_names
    assert answer.alternatives or answer.quotes


def test_two_questions_at_once_do_not_mix(asking: Asking) -> None:
    asking.fake.set(
        replies="script",
        latency=[0.0, 0.02],
        script={"Which entities": choice(GRANT), "Where should": module("text"), "Choose again": choice(GRANT)},
    )
    engine = asking.engine("loop", steps={"route": "llm"})
    plain = Inquiry("Do I need a street trading licence?", "I sell food at the market.")
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(engine.ask, [HOW_MUCH, plain] * 4))
    calls = [told(answer, "model")[0]["calls"] for answer in answers]
    assert calls == [4, 2] * 4
    assert sum(map(int, calls)) == asking.fake.counters()["ok"]  # type: ignore[call-overload]
    assert [answer.inquiry for answer in answers] == [HOW_MUCH, plain] * 4
    assert len({str([step.detail for step in answer.trace if step.name == "route"]) for answer in answers[::2]}) == 1


NOT_THERE = {"error": "module wrong", "about": ""}


def test_what_code_sees_is_not_asked(asking: Asking) -> None:
    """Entities that have nothing in common."""
    case = empty(asking.view, Offer(asking.view, asking.embedder, HOW_MUCH))
    asking.script(case.script)
    chosen = {"route": "llm", "comment": "llm"}
    answer = asking.engine("loop", steps=chosen).ask(HOW_MUCH)
    assert told(answer, "comment")[0]["feedback"] == f"intersection empty: {case.about}"
    assert told(answer, "model")[0]["calls"] == len(case.script)


def test_a_model_that_is_away_is_told(asking: Asking) -> None:
    asking.fake.set(fault="500")
    engine = asking.engine("loop", steps=EVERYTHING)
    with pytest.raises(ModelUnavailable):
        engine.ask(HOW_MUCH)


def test_steps_that_ask_need_a_model(sample: View, hashing: HashingEmbedder) -> None:
    with pytest.raises(SettingsError, match="step 'llm' asks a language model"):
        make_engine(sample, hashing, engine="loop", steps=EVERYTHING)
