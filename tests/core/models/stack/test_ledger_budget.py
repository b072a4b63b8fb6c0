"""The budget row and the usage records of a run in the ledger."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from llama_index.core.base.llms.types import ChatMessage
from sqlalchemy import select

from clausegraph.core.errors import BudgetExceeded
from clausegraph.core.models.calls import CallLabels, CallRecord, ModelOptions, Usage
from clausegraph.core.models.guard import ChatRequest, chat_all, make_llm
from clausegraph.indexes.corpora import ensure_corpus
from clausegraph.indexes.ledger.metering import LedgerBudget, LedgerUsage, run_usage
from clausegraph.indexes.ledger.schema import budgets, model_calls
from clausegraph.indexes.ledger.store import Ledger, open_ledger
from tests.harness.fake_llm import FakeModelServer
from tests.harness.wait import PATIENCE_S

ROOT = Path(__file__).resolve().parents[4]

HAMMER = """
import sys
from pathlib import Path
from llama_index.core.base.llms.types import ChatMessage
from clausegraph.core.errors import BudgetExceeded
from clausegraph.core.models.calls import ModelOptions
from clausegraph.core.models.guard import make_llm
from clausegraph.core.models.calls import CallLabels
from clausegraph.core.models.guard import ChatRequest, chat_all
from clausegraph.indexes.ledger.metering import LedgerBudget, LedgerUsage
from clausegraph.indexes.ledger.store import open_ledger

home, url, corpus, limit, name = sys.argv[1:]
with open_ledger(Path(home)) as ledger:
    usage = LedgerUsage(ledger, int(corpus), "run")
    budget = LedgerBudget(ledger, int(corpus), "run", int(limit), None)
    options = ModelOptions("mistral", "fake-small", url, "none", max_output=200, concurrency=8)
    llm = make_llm(options, budget=budget, usage=usage)
    jobs = iter(range(60))
    def take():
        job = next(jobs, None)
        text = ChatMessage(role="user", content=f"{name} {job} " + "word " * 40)
        return None if job is None else ChatRequest(job, (text,), {}, CallLabels("task", "task.v1", ("page",)))
    outcomes = list(chat_all(llm, take, 8))
    assert all(o.error is None or isinstance(o.error, BudgetExceeded) for o in outcomes), outcomes
    llm.close()
    usage.close()
print(sum(o.error is None for o in outcomes), len(outcomes))
"""


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with open_ledger(tmp_path / "home") as opened:
        yield opened


@pytest.fixture
def corpus(ledger: Ledger) -> int:
    return ensure_corpus(ledger, "corpus", {}).id


def _row(ledger: Ledger) -> tuple[int, int]:
    with ledger.read() as connection:
        row = connection.execute(select(budgets.c.used_tokens, budgets.c.reserved_tokens)).one()
    return row.used_tokens, row.reserved_tokens


@pytest.mark.long  # the threads of one process are below
@pytest.mark.integration
@pytest.mark.parametrize("usage", ["reported", "none"])
def test_processes_stay_within_one_budget(usage: str, fake: FakeModelServer, ledger: Ledger, corpus: int) -> None:
    limit = 9_000
    fake.set(usage=usage, tokens="bytes", latency=(0.0, 0.02))
    arguments = [str(ledger.home), fake.url, str(corpus), str(limit)]
    command = [sys.executable, "-W", "error", "-c", HAMMER, *arguments]
    processes = [
        subprocess.Popen([*command, name], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for name in ("first", "second", "third")
    ]
    answered = 0
    for process in processes:
        out, error = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 0, error
        assert error == ""
        answered += int(out.split()[0])
    counted = fake.counters()
    spent = counted["prompt_tokens"] + counted["output_tokens"]
    used, reserved = _row(ledger)
    assert reserved == 0
    assert spent <= used <= limit
    assert counted["requests"] == answered == run_usage(ledger, "run")["task"]["calls"]
    if usage == "reported":
        assert spent == used > limit * 0.8  # and the budget was really used: others in flight are waited for
    else:
        assert answered == limit // (used // answered)


@pytest.mark.unit
def test_limits_hold_to_the_token_and_the_cent(ledger: Ledger, corpus: int) -> None:
    budget = LedgerBudget(ledger, corpus, "run", 100, 1.0)
    first = budget.reserve(60, 0.5)
    with pytest.raises(BudgetExceeded, match="CLAUSEGRAPH_LLM_BUDGET_TOKENS"):
        budget.reserve(41, 0.1)
    with pytest.raises(BudgetExceeded, match="CLAUSEGRAPH_LLM_BUDGET_MONEY"):
        budget.reserve(1, 0.6)
    second = budget.reserve(40, 0.5)
    budget.settle(first, 10, 0.1)
    budget.settle(second, 0, 0.0)
    assert _row(ledger) == (10, 0)
    again = LedgerBudget(ledger, corpus, "run", 5, None)  # the limits are those of the first to open it
    again.reserve(90, 0.0)


@pytest.mark.unit
def test_records_are_buffered_and_none_is_lost(ledger: Ledger, corpus: int) -> None:
    usage = LedgerUsage(ledger, corpus, "run")

    def record(outcome: str, task: str = "triplets") -> CallRecord:
        counts = Usage(10, 5) if outcome != "ModelUnavailable" else Usage()
        return CallRecord(CallLabels(task, f"{task}.v1", ("a", "é")), "openai:x", outcome, counts, 0.25, 2.0, 1e9)

    threads = [
        threading.Thread(target=lambda: [usage.record(record("ok")) for _ in range(70)]) for _ in range(4)
    ]  # fmt: skip
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    usage.record(record("cached"))
    usage.record(record("ModelUnavailable"))
    usage.record(record("ok", "other"))
    usage.close()
    usage.record(record("ok", "late"))
    found = run_usage(ledger, "run")
    assert found["triplets"] == {
        "calls": 281, "cached": 1, "failed": 1, "prompt_tokens": 2800, "output_tokens": 1400,
        "money": 281 * 0.25, "seconds": 562.0,
    }  # fmt: skip
    assert found["other"]["calls"] == found["late"]["calls"] == 1
    assert run_usage(ledger, "another") == {}
    with ledger.read() as connection:
        assert connection.execute(select(model_calls.c.pages).limit(1)).scalar_one() == '["a", "é"]'


@pytest.mark.integration
def test_prices_and_labels_reach_the_ledger(fake: FakeModelServer, ledger: Ledger, corpus: int) -> None:
    usage = LedgerUsage(ledger, corpus, "run")
    budget = LedgerBudget(ledger, corpus, "run", None, 1.0)
    options = ModelOptions("openai", "fake-small", fake.url, price=(2.0, 6.0), max_output=100)
    message = ChatMessage(role="user", content="word " * 100)
    requests = iter([ChatRequest(1, (message,), {}, CallLabels("ask", "ask.v2", ("p",)))])
    with make_llm(options, budget=budget, usage=usage) as llm:
        assert [outcome.error for outcome in chat_all(llm, lambda: next(requests, None), 1)] == [None]
    usage.close()
    counted = fake.counters()
    money = (counted["prompt_tokens"] * 2 + counted["output_tokens"] * 6) / 1e6
    assert run_usage(ledger, "run")["ask"]["money"] == pytest.approx(money)
    with ledger.read() as connection:
        assert connection.execute(select(budgets.c.used_money)).scalar_one() == pytest.approx(money)
        row = connection.execute(select(model_calls)).one()
    assert (row.prompt, row.pages, row.model, row.outcome) == ("ask.v2", '["p"]', "openai:fake-small", "ok")


@pytest.mark.integration
def test_a_call_waits_for_those_in_flight(fake: FakeModelServer, ledger: Ledger, corpus: int) -> None:
    """Reservations are far above use: one after the other fits, all at once do not."""
    fake.set(latency=(0.05, 0.05))
    budget = LedgerBudget(ledger, corpus, "run", 1_500, None)
    llm = make_llm(ModelOptions("mistral", "fake-small", fake.url, "none", max_output=400), budget=budget)
    jobs = iter(range(12))

    def take() -> ChatRequest[int] | None:
        job = next(jobs, None)
        message = ChatMessage(role="user", content=f"job {job}")
        return None if job is None else ChatRequest(job, (message,), {}, CallLabels())

    with llm:
        outcomes = list(chat_all(llm, take, 16))
    assert [outcome.error for outcome in outcomes] == [None] * 12
    assert fake.counters()["in_flight_max"] <= 3
