"""What a question is like, by a model's samples."""

import json
from datetime import datetime

import pytest

from clausegraph.query.crag.attributes import ModelAttributes
from clausegraph.query.crag.types import CragKind, CragQuestion, Domain, Dynamism
from clausegraph.query.steps.model import ModelSteps, QuestionMeter
from tests.harness.fake_llm import FakeModelServer

pytestmark = pytest.mark.integration
AT = datetime.fromisoformat("2031-05-14T10:00:00-07:00")


def test_a_model_is_asked_several_times_and_the_majority_says(fake: FakeModelServer, steps: ModelSteps) -> None:
    reply = {"domain": "movie", "kind": "set", "dynamism": "static"}
    fake.set(
        replies="script",
        script={"Attempt 1": reply, "Attempt 2": reply | {"kind": "simple"}, "Attempt 3": json.dumps({"kind": "set"})},
    )
    meter = QuestionMeter()
    found = ModelAttributes(steps.question(meter), 3).predict(CragQuestion("which films?", AT))
    assert (found.domain, found.kind, found.dynamism) == (Domain.MOVIE, CragKind.SET, Dynamism.STATIC)
    assert meter.usage().tasks == {"crag-attributes": 3}
    bodies = fake.last_requests(3)
    assert len({json.dumps(body["messages"]) for body in bodies}) == 3
    assert {body["temperature"] for body in bodies} == {0.7}
