"""A page of rules, a fake model server, and a reader before it."""

from collections.abc import Callable, Iterator

import pytest

from clausegraph.core.models.calls import ModelOptions
from clausegraph.core.models.guard import GuardedLLM, make_llm
from clausegraph.core.prompts import library
from clausegraph.query.steps.model import ModelSteps, QuestionLimits, QuestionMeter, StepModel
from tests.harness.fake_llm import FakeModelServer
from tests.harness.fake_model import fake_with
from tests.query.read.conftest import Pages, reading

GRANT = (
    "<h1>Heating Grant</h1>",
    "<h2>Who can get it</h2>",
    "<p>You can get the grant if all of the following apply:</p>",
    "<li>you were born on or before 30 September 1961</li>",
    "<li>you get Rent Supplement</li>",
    "<p>You cannot get the grant if:</p>",
    "<li>you live in a care home, unless you pay all of your own fees</li>",
    "<h2>How much</h2>",
    "<p>You get £210 a year. It is paid into your account by 31 January.</p>",
)


@pytest.fixture
def grant() -> Pages:
    """Labels: e1 title, e2 heading, e3 lead-in, e4 born, e5 supplement, e6 lead-in, e7 care home, e8 heading, e9."""
    return Pages(dict([reading("grant", GRANT, "2026-03-03")]))


@pytest.fixture
def running() -> FakeModelServer:
    return fake_with(replies="script", script=["{}"])


@pytest.fixture
def llm(running: FakeModelServer) -> Iterator[GuardedLLM]:
    with make_llm(ModelOptions("openai", "fake-small", running.url, "none", max_output=500, attempts=1)) as made:
        yield made


@pytest.fixture
def scripted(running: FakeModelServer, llm: GuardedLLM) -> Callable[..., StepModel]:
    """A model that gives these replies in turn, for one question of so many calls."""

    def made(*replies: object, calls: int = 14) -> StepModel:
        running.set(script=list(replies))
        return ModelSteps(llm, library()).question(QuestionMeter(QuestionLimits(calls=calls)))

    return made
