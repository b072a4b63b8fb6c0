"""Many calls at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing

import pytest
from llama_index.core.base.llms.types import ChatMessage

from clausegraph.core.errors import ModelRefused
from clausegraph.core.models.calls import CallLabels
from clausegraph.core.models.guard import ChatRequest, chat_all
from clausegraph.core.models.replies import finish_reason, usage_of
from tests.core.models.stack.conftest import Make
from tests.core.models.stack.doubles import MemoryBudget, Records
from tests.harness.fake_llm import FakeModelServer
from tests.harness.wait import PATIENCE_S

pytestmark = pytest.mark.integration


def request(job: str) -> ChatRequest[str]:
    return ChatRequest(job, (ChatMessage(role="user", content=job),), {}, CallLabels("task", "task.v1", (job,)))


def taking(jobs: Iterator[str]) -> Callable[[], ChatRequest[str] | None]:
    def take() -> ChatRequest[str] | None:
        job = next(jobs, None)
        return None if job is None else request(job)

    return take


def test_outcomes_come_as_they_are_ready(provider: str, make: Make, fake: FakeModelServer, records: Records) -> None:
    fake.set(latency=(0.0, 0.05))
    llm = make(provider, concurrency=4)
    outcomes = list(chat_all(llm, taking(f"job {i}" for i in range(40)), 4))
    assert sorted(o.request.job for o in outcomes) == sorted(f"job {i}" for i in range(40))
    for outcome in outcomes:
        assert outcome.response is not None and outcome.response.message.content == outcome.request.job
        assert finish_reason(outcome.response) == "stop"
        assert usage_of(outcome.response).total
    assert fake.counters()["in_flight_max"] == 4
    assert {record.labels.task for record in records.all} == {"task"}
    assert {record.labels.pages for record in records.all} == {(o.request.job,) for o in outcomes}


def test_a_consumer_may_add_calls(make: Make) -> None:
    todo = [f"job {i}" for i in range(5)]
    done = []
    for outcome in chat_all(make(), lambda: request(todo.pop(0)) if todo else None, 4):
        done.append(outcome.request.job)
        if outcome.request.job.startswith("job"):
            todo.append(f"more of {outcome.request.job}")
    assert len(done) == 10


def test_model_errors_are_outcomes_and_others_are_raised(provider: str, make: Make, fake: FakeModelServer) -> None:
    fake.set(models=("other",))
    (outcome,) = chat_all(make(provider), taking(iter(["a"])), 2)
    assert outcome.response is None and isinstance(outcome.error, ModelRefused)

    fake.set(models=())
    mistake = ChatRequest("a", (ChatMessage(role="user", content="a"),), {"no_such_option": 1}, CallLabels())
    jobs = [mistake]
    with pytest.raises(TypeError, match="no_such_option"):
        list(chat_all(make(provider), lambda: jobs.pop() if jobs else None, 2))


def test_closing_cancels_what_is_in_flight(
    provider: str, make: Make, fake: FakeModelServer, budget: MemoryBudget, records: Records
) -> None:
    fake.set(fault="hang", fault_match="hang")
    llm = make(provider, budget=budget, timeout_s=PATIENCE_S)  # what ran into it would not be "cancelled"
    with closing(chat_all(llm, taking(iter(["quick", *(f"hang {i}" for i in range(30))])), 8)) as outcomes:
        assert next(outcomes).request.job == "quick"
    assert budget.reserved == 0
    assert set(records.outcomes) == {"ok", "cancelled"}


# a shell may start jobs that ignore SIGINT
