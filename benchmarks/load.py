"""``python -m benchmarks.load``: what a question takes when several are asked at once; see README.md.

Questions as people type them, drawn by a seed, to ConditionalQA's pages with MiniLM and without a language model: first
one after the other in this process (the engine's own time), then by ``POST ask`` with so many in flight, to one
``clausegraph serve`` on SQLite and to four on one PostgreSQL. All are warm: every process has answered each question.

Processors that are fewer than the questions in flight are shared, whatever a server does: ``allowed`` is the engine's
processor time at p95 times the questions in flight, over the cores. Processor time of a request counts the servers and
the database.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx
import psutil

from benchmarks.costs import Workbench, postgres
from benchmarks.material import REPOSITORY, find_material, machine, percentile, print_table
from benchmarks.typed import QUESTIONS
from clausegraph.app.services.ask import answer
from clausegraph.app.services.corpora import list_corpora, move
from clausegraph.app.workspace import Workspace
from clausegraph.core.inquiry import Inquiry

IN_FLIGHT, REQUESTS = (1, 2, 8, 14), 56  # of each number in flight
COUNT = 14  # questions that are drawn


def main() -> int:
    """Measure one server on SQLite and several on PostgreSQL, and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.load", description="Questions asked at once.")
    parser.add_argument("--data", type=Path, help="folder with documents.json")
    parser.add_argument("--folder", type=Path, help="keep the home here, and use the one that is there")
    parser.add_argument("--in-flight", type=int, nargs="*", default=IN_FLIGHT)
    parser.add_argument("--requests", type=int, default=REQUESTS, help="of each number in flight")
    parser.add_argument("--processes", type=int, default=4, help="servers on PostgreSQL; 0: SQLite alone")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with ExitStack() as stack:
        made = stack.enter_context(tempfile.TemporaryDirectory(prefix="clausegraph-load-"))
        folder = options.folder or Path(made)
        bench = Workbench(folder / "load", find_material(options.data))
        print(f"pages: {bench.material.origin}; {machine()}", flush=True)
        if not (bench.settings.home / "ledger.db").exists():
            bench.ingest()
        asked = (options.in_flight, options.requests, drawn(options.seed))
        measure("SQLite, one process", bench, 1, *asked)
        if options.processes:
            address = stack.enter_context(postgres(folder / "postgres"))
            shared = Workbench(folder / "shared", bench.material, database=address)
            moved(bench, shared)
            measure(f"PostgreSQL, {options.processes} processes", shared, options.processes, *asked)
    return 0


def drawn(seed: int) -> list[Inquiry]:
    """Questions of the typed list about ConditionalQA's pages."""
    listed = json.loads(QUESTIONS.read_text(encoding="utf-8"))
    about = [one for one in listed if one["corpus"] == "pages59"]
    chosen = random.Random(seed).sample(about, COUNT)
    return [Inquiry(one["question"], one.get("scenario") or "") for one in chosen]


def moved(bench: Workbench, shared: Workbench) -> None:
    """Copy the corpus into the database, unless it is there."""
    with Workspace(shared.settings) as there, Workspace(bench.settings) as here:
        there.make_ledger()
        if not list_corpora(there):
            move(here, "default", shared.settings.database_address)


def measure(
    name: str, bench: Workbench, processes: int, in_flight: Sequence[int], requests: int, questions: Sequence[Inquiry]
) -> None:
    """The table of one database: in process, then through servers with so many in flight."""
    cores = psutil.Process().cpu_affinity() or [0]
    own = alone(bench, questions)
    p50, p95 = (percentile([wall for wall, _ in own], share) for share in (0.5, 0.95))
    work = percentile([processor for _, processor in own], 0.95)
    mean = sum(processor for _, processor in own) / len(own)
    rows: list[tuple[object, ...]] = [
        ("in flight", "p50, ms", "p95, ms", "p95 / own", "allowed, ms", "p95 / allowed", "processor of one, ms", "a s"),
        ("in process", p50, p95, 1.0, work, p95 / work, mean, 1000 / (sum(wall for wall, _ in own) / len(own))),
    ]
    with servers(bench, processes) as clients:
        for client in clients:
            together([client], questions)  # warm
        for count in in_flight:
            sent = [questions[number % len(questions)] for number in range(requests)]
            used, start = processor_seconds(bench), time.perf_counter()
            took = together([clients[number % len(clients)] for number in range(count)], sent)
            seconds, used = time.perf_counter() - start, processor_seconds(bench) - used
            middle, high = (1000 * percentile(took, share) for share in (0.5, 0.95))
            allowed = max(work, work * count / len(cores))
            row = (count, middle, high, high / p95, allowed, high / allowed, 1000 * used / requests, requests / seconds)
            rows.append(row)
    print_table(f"load: {name}; {len(cores)} cores, load {machine()['load']}", rows)
    sys.stdout.flush()


def alone(bench: Workbench, questions: Sequence[Inquiry]) -> list[tuple[float, float]]:
    """Wall and processor milliseconds of each answer in this process, the second time that it is asked."""
    took = []
    with Workspace(bench.settings) as workspace:
        for number, question in enumerate([*questions, *questions]):
            start, used = time.perf_counter(), time.process_time() + database_seconds(bench)
            answer(workspace, "default", question)
            if number >= len(questions):
                ended = time.process_time() + database_seconds(bench)
                took.append((1000 * (time.perf_counter() - start), 1000 * (ended - used)))
    return took


@contextmanager
def servers(bench: Workbench, count: int) -> Iterator[list[httpx.Client]]:
    """So many processes of ``clausegraph serve``, and a client of each."""
    command = [sys.executable, "-m", "clausegraph", "serve", "--port", "0", "--json"]
    with ExitStack() as stack:
        clients = []
        for _ in range(count):
            process = stack.enter_context(
                subprocess.Popen(
                    command, cwd=REPOSITORY, env=os.environ | bench.variables, stdout=subprocess.PIPE, text=True
                )
            )
            stack.callback(process.terminate)
            assert process.stdout is not None
            told = json.loads(process.stdout.readline())
            headers = {"Authorization": f"Bearer {Path(told['token_file']).read_text().strip()}"}
            client = httpx.Client(base_url=told["url"], headers=headers, timeout=300, trust_env=False)
            clients.append(stack.enter_context(client))
        yield clients


def together(clients: Sequence[httpx.Client], sent: Sequence[Inquiry]) -> list[float]:
    """Seconds of each request; each client has one in flight, and takes the next question when it is answered."""
    waiting, took = list(reversed(sent)), []

    def follow(client: httpx.Client) -> None:
        while True:
            try:
                question = waiting.pop()
            except IndexError:
                return
            start = time.perf_counter()
            asked = {"question": question.question, "scenario": question.scenario}
            client.post("/v1/corpora/default/ask", json=asked).raise_for_status()
            took.append(time.perf_counter() - start)

    with ThreadPoolExecutor(len(clients)) as pool:
        for done in [pool.submit(follow, client) for client in clients]:
            done.result()
    return took


def processor_seconds(bench: Workbench) -> float:
    """Of the servers, children of this process, and of the database."""
    mine = [child for child in psutil.Process().children() if "serve" in child.cmdline()]
    return sum(sum(child.cpu_times()[:2]) for child in mine) + database_seconds(bench)


def database_seconds(bench: Workbench) -> float:
    """Of all processes of the PostgreSQL, those that ended too."""
    if not bench.settings.database_address:
        return 0.0
    pid = int((bench.folder.parent / "postgres" / "postmaster.pid").read_text().split()[0])
    server = psutil.Process(pid)
    running = [server, *server.children()]
    return sum(sum(one.cpu_times()[:2]) for one in running) + sum(server.cpu_times()[2:4])


if __name__ == "__main__":
    sys.exit(main())
