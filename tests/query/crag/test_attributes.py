"""Predictors of what a question is like: rules, classifiers, several together."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path

import pytest

from clausegraph.core.errors import InputError, ModelMismatchError
from clausegraph.core.models.embedding import HashingEmbedder
from clausegraph.query.crag.attributes import (
    ATTRIBUTES,
    AttributeLabels,
    AttributeRules,
    AttributeSvm,
    ModelAttributes,
    read_attribute_model,
    read_labels,
    surest,
    train_attribute_model,
)
from clausegraph.query.crag.types import Attributes, CragKind, CragQuestion, Domain, Dynamism
from clausegraph.query.steps.model import ModelSteps, QuestionMeter
from tests.harness.fake_llm import FakeModelServer

pytestmark = pytest.mark.integration
AT = datetime.fromisoformat("2031-05-14T10:00:00-07:00")
LABELLED = Path(__file__).parents[3] / "examples" / "attribute_questions.jsonl"


@pytest.fixture(scope="module")
def labelled() -> list[AttributeLabels]:
    return read_labels(LABELLED)


def asked(text: str) -> CragQuestion:
    return CragQuestion(text, AT)


def test_the_labelled_questions_are_enough_of_each_kind(labelled: list[AttributeLabels]) -> None:
    assert len(labelled) >= 200
    assert len({one.question for one in labelled}) == len(labelled)
    for name, least in (("domain", 40), ("kind", 20), ("dynamism", 5)):
        labels = [one.label(name) for one in labelled]
        assert min(labels.count(label) for label in set(labels)) >= least, name
    assert {one.kind for one in labelled} == set(CragKind)


def test_what_the_rules_say_is_nearly_always_right(labelled: list[AttributeLabels]) -> None:
    at = datetime.fromisoformat("2024-05-01T10:00:00-07:00")
    said = [(one, AttributeRules().predict(CragQuestion(one.question, at))) for one in labelled]
    for name in ATTRIBUTES:
        told = [(one.label(name), getattr(got, name).value) for one, got in said if getattr(got, name) is not None]
        assert len(told) > 60, name
        assert sum(is_ == got for is_, got in told) / len(told) >= 0.92, name


@pytest.mark.parametrize(
    ("question", "domain", "kind", "dynamism"),
    [
        ("what is the ticker of quillfeather trading at right now?", Domain.FINANCE, None, Dynamism.REAL_TIME),
        ("which is longer, the movie salt or the movie slate?", Domain.MOVIE, CragKind.COMPARISON, None),
        ("name all the songs on the album paper moon", Domain.MUSIC, CragKind.SET, None),
        ("how did the utah jazz do last night?", Domain.SPORTS, None, Dynamism.FAST),
        ("who was the mayor in 1950?", None, None, Dynamism.STATIC),
        ("is it so?", None, None, None),
        ("which stock did the singer buy?", None, None, None),  # two domains
    ],
)
def test_rules(question: str, domain: Domain | None, kind: CragKind | None, dynamism: Dynamism | None) -> None:
    found = AttributeRules().predict(asked(question))
    assert (found.domain, found.kind, found.dynamism) == (domain, kind, dynamism)


def test_classifiers_learn_are_kept_and_refuse_other_embeddings(
    labelled: list[AttributeLabels], tmp_path: Path
) -> None:
    pytest.importorskip("sklearn")
    embedder = HashingEmbedder(dimension=384)
    model = train_attribute_model(labelled, embedder)
    assert model.attributes["domain"].accuracy > 0.3  # of five, by embeddings that know no meaning
    file = tmp_path / "model.json"
    file.write_text(model.as_json())
    svm = AttributeSvm(read_attribute_model(file), embedder)
    found = svm.predict(asked(labelled[0].question))
    assert found.domain is labelled[0].domain
    assert all(0 <= share <= 1 for share in found.confidence.values())
    with pytest.raises(ModelMismatchError, match="train it again"):
        AttributeSvm(model, HashingEmbedder(dimension=32))
    with pytest.raises(InputError, match="at least 50"):
        train_attribute_model(labelled[:10], embedder)
    file.write_text("{}")
    with pytest.raises(InputError, match="no attribute model"):
        read_attribute_model(file)
    file.write_text('{"question": "x", "domain": "cooking"}')
    with pytest.raises(InputError, match="line 1"):
        read_labels(file)


def test_several_together_say_who_agrees() -> None:
    def one(domain: Domain | None, confidence: float, by: str) -> Attributes:
        said = {"domain": confidence} if domain else {}
        return Attributes(domain=domain, confidence=said, by=dict.fromkeys(said, by))

    sports, movie = one(Domain.SPORTS, 0.9, "rules"), one(Domain.MOVIE, 0.6, "svm")
    agree = surest([sports, one(Domain.SPORTS, 0.6, "svm")])
    assert (agree.domain, agree.by["domain"], agree.confidence["domain"]) == (Domain.SPORTS, "rules+svm", 0.9)
    differ = surest([sports, movie])
    assert (differ.domain, differ.by["domain"], differ.confidence["domain"]) == (Domain.SPORTS, "rules", 0.9)
    silent = surest([one(None, 0.0, "rules"), movie])
    assert silent.domain is Domain.MOVIE


def test_a_model_is_asked_several_times_and_the_majority_says(
    fake: FakeModelServer, steps: ModelSteps, labelled: list[AttributeLabels]
) -> None:
    reply = {"domain": "movie", "kind": "set", "dynamism": "static"}
    fake.set(
        replies="script",
        script={"Attempt 1": reply, "Attempt 2": reply | {"kind": "simple"}, "Attempt 3": json.dumps({"kind": "set"})},
    )
    meter = QuestionMeter()
    found = ModelAttributes(steps.question(meter), 3, labelled).predict(asked("which films?"))
    assert (found.domain, found.kind, found.dynamism) == (Domain.MOVIE, CragKind.SET, Dynamism.STATIC)
    assert found.confidence == {"domain": 2 / 3, "kind": 2 / 3, "dynamism": 2 / 3}
    assert meter.usage().tasks == {"crag-attributes": 3}
    bodies = fake.last_requests(3)
    assert len({json.dumps(body["messages"]) for body in bodies}) == 3
    assert {body["temperature"] for body in bodies} == {0.7}
