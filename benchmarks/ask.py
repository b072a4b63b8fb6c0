"""``ask``: warm questions in one process, and cold commands as processes of their own."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from benchmarks.show import Check, median, percentile, print_checks, print_table
from benchmarks.workbench import Workbench
from clausegraph.app.wiring import make_engine
from clausegraph.app.workspace import Workspace
from clausegraph.core.inquiry import Inquiry
from clausegraph.query.engines.bank import Engine

WARM_GOAL_MS = 150.0
COLD_GOAL_S = {"ask": 5.0, "--help": 0.5, "status": 3.0}
REPEATS = 5
_WARM_UP = 5  # questions that load the model, the segments and the keyword index


def run(bench: Workbench) -> dict[str, Any]:
    """Measure and print."""
    assert bench.ingested
    with Workspace(bench.settings) as workspace, workspace.view() as view:
        warm = warm_times(make_engine(view, workspace.embedder, bench.settings), bench.material.questions)
    rows = [(name, figures["p50"], figures["p95"], figures["most"]) for name, figures in warm.items()]
    title = f"ask: {len(bench.material.questions)} questions, warm, milliseconds"
    print_table(title, [("step", "p50", "p95", "most"), *rows])
    cold = cold_times(bench)
    rows = [(name, min(times), median(times), max(times)) for name, times in cold.items()]
    print_table(
        f"ask: whole processes, {REPEATS} each, seconds", [("clausegraph ...", "least", "median", "most"), *rows]
    )
    checks = [Check("warm p50", warm["ask"]["p50"], WARM_GOAL_MS, "ms", decides=False)]
    checks += [
        Check(f"clausegraph {name}", median(times), COLD_GOAL_S[name], "s", decides=False)
        for name, times in cold.items()
    ]
    print_checks(checks)
    return {"warm": warm, "cold": cold, "checks": [check.as_dict() for check in checks]}


def warm_times(engine: Engine, questions: Sequence[tuple[str, str]]) -> dict[str, dict[str, float]]:
    """Milliseconds of whole answers and of each step of their traces: p50, p95, most."""
    for question, scenario in questions[:_WARM_UP]:
        engine.ask(Inquiry(question, scenario))
    times: dict[str, list[float]] = {"ask": []}
    for question, scenario in questions:
        start = time.perf_counter()
        answer = engine.ask(Inquiry(question, scenario))
        times["ask"].append((time.perf_counter() - start) * 1000)
        for step in answer.trace:
            times.setdefault(step.name, []).append(step.milliseconds)
    return {
        name: {"p50": percentile(values, 0.5), "p95": percentile(values, 0.95), "most": max(values)}
        for name, values in times.items()
    }


def cold_times(bench: Workbench) -> dict[str, list[float]]:
    """Seconds of whole processes. The first of all has read the files once: what repeats is a warm disk cache."""
    question, scenario = bench.material.questions[0]
    commands = {"ask": ("ask", question, "--scenario", scenario), "status": ("status",), "--help": ("--help",)}
    return {
        name: [bench.clausegraph(*arguments).seconds for _ in range(REPEATS)] for name, arguments in commands.items()
    }
