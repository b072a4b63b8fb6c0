"""A fake model server, and the steps that ask it."""

from collections.abc import Iterator

import pytest

from clausegraph.core.models.calls import ModelOptions
from clausegraph.core.models.guard import make_llm
from clausegraph.core.prompts import shipped_prompts
from clausegraph.query.steps.model import ModelSteps
from tests.harness.fake_llm import FakeModelServer
from tests.harness.fake_model import fake_with


@pytest.fixture
def fake() -> FakeModelServer:
    return fake_with(replies="echo")


@pytest.fixture
def steps(fake: FakeModelServer) -> Iterator[ModelSteps]:
    with make_llm(ModelOptions("openai", "fake-small", fake.url, "none", max_output=500, attempts=2)) as llm:
        yield ModelSteps(llm, shipped_prompts())
