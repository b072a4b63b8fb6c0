"""A model writes the expressions; the value of most of them is the reference."""

from datetime import datetime
from typing import Any

import pytest

from clausegraph.query.crag.calculator import ModelCalculator
from clausegraph.query.crag.types import CragQuestion, Reference, ReferenceKind
from clausegraph.query.steps.model import ModelSteps, QuestionLimits, QuestionMeter
from tests.harness.fake_llm import FakeModelServer

pytestmark = pytest.mark.integration
QUESTION = CragQuestion("how much longer is A than B?", datetime.fromisoformat("2031-05-14T10:00:00-07:00"))
FOUND = (
    Reference(ReferenceKind.WEB, "A takes 121 minutes, B 95.", "page"),
    Reference(ReferenceKind.TABLE, "| film | minutes |\n" * 1000, "table"),
    Reference(ReferenceKind.OWN, "from memory", "own"),
)


def written(expression: str, needed: bool = True) -> dict[str, Any]:
    return {"needed": needed, "expression": expression}


def computed(
    fake: FakeModelServer, steps: ModelSteps, *replies: Any, calls: int = 14, question: CragQuestion = QUESTION
) -> tuple[Reference, ...]:
    fake.set(replies="script", script={f"Attempt {at}": reply for at, reply in enumerate(replies, 1)})
    model = steps.question(QuestionMeter(QuestionLimits(calls)))
    return ModelCalculator(model, len(replies)).compute(question, FOUND)


def test_equal_values_count_together_whatever_the_expression(fake: FakeModelServer, steps: ModelSteps) -> None:
    replies = [written("121 - 95"), written("95 - 121"), written("-95 + 121"), written("os.exit()"), "no JSON"]
    (reference,) = computed(fake, steps, *replies)
    assert reference.kind is ReferenceKind.CALCULATOR
    assert (reference.text, reference.score) == ("121 - 95 = 26", 0.4)
    shown = fake.last_requests(1)[0]["messages"][-1]["content"]
    assert "121 minutes" in shown and "from memory" not in shown
    assert shown.count("| film") <= 6000 / len("| film | minutes |")


def test_nothing_is_computed_where_most_say_so_or_nobody_can(fake: FakeModelServer, steps: ModelSteps) -> None:
    assert computed(fake, steps, written("", needed=False), written(""), written("1 + 1")) == ()
    assert computed(fake, steps, written("1 / 0"), written("word")) == ()
    assert computed(fake, steps, written("1 + 1"), written("1 + 1"), calls=1)[0].score == 0.5


@pytest.mark.parametrize(
    ("question", "first", "sampled"),
    [
        ("who directed A?", written("", needed=False), 1),
        ("which film is longer, A or B?", written("121 > 95"), 3),
        ("how many minutes longer is A than B?", written("", needed=False), 3),
    ],
)
def test_a_question_without_a_quantity_is_sampled_once_unless_something_is_computed(
    question: str, first: dict[str, Any], sampled: int, fake: FakeModelServer, steps: ModelSteps
) -> None:
    before = fake.counters()["ok"]
    replies = [first, written("121 > 95"), written("121 > 95")]
    computed(fake, steps, *replies, question=CragQuestion(question, QUESTION.time))
    assert fake.counters()["ok"] - before == sampled
