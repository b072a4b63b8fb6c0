"""``python -m benchmarks.soak``: a year of nights in an hour: a folder that changes, runs that are killed, readers.

Each night some pages are edited, come, go or cannot be read, and a run follows in a process of its own; one in three is
killed (kill -9) at a moment drawn by the seed and runs again, every tenth night there is a vacuum, which may be killed
as well. Meanwhile two readers ask one ``clausegraph serve`` that lives from the first night to the last. Pages are
small and embedded by hashing; ``--postgres`` keeps the corpus in PostgreSQL, ``--neo4j`` its graph in Neo4j too.

Fails (exit code 1) unless at the end the corpus equals a clean build of the pages, the audit finds nothing, each
retained epoch is what it was when it appeared, and each quote of each answer stands on its page at the answer's epoch.
"""

from __future__ import annotations

import argparse
import hashlib
import multiprocessing
import random
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import psutil

from benchmarks.costs import Workbench, postgres
from benchmarks.load import servers
from benchmarks.material import Material, machine, percentile, print_table
from clausegraph.app.services.audit import audit
from clausegraph.app.services.history import vacuum_corpus
from clausegraph.app.services.ingest import run_ingest
from clausegraph.app.workspace import Workspace
from clausegraph.core.errors import NotFoundError, SchemaError
from clausegraph.core.settings import Settings
from clausegraph.indexes.corpora import get_corpus
from clausegraph.indexes.corpora import list_epochs as epochs_of
from clausegraph.indexes.dump import dump_lines
from clausegraph.indexes.views import open_view
from clausegraph.ingestion.pipeline import Options
from clausegraph.ingestion.sources import open_source
from tests.law.world import page_html, vector_values

PUBLISHES, PAGES, KEEP = 168, 20, 5
_TEN = 10  # nights at the beginning and at the end that are compared
_NAMES = ("Harbour", "Winter", "Garden", "School", "Carer", "Fuel", "Market", "Bridge")
_SENTENCES = (
    "You can get the {name} Grant if you are over {n} and live in Lethmoor.",
    "You cannot get the {name} Grant unless you pay for heating of {n} rooms.",
    "The {name} Card costs £{n} a year.",
    "You must apply for the {name} Grant within {n} weeks, except if you are in hospital.",
    "Landlords must keep the {name} record for {n} years.",
    "Contact the {name} office in room {n}.",
)
_UNREADABLE = "<html><body></body></html>"
_ASKED = ("Can I get the {name} Grant?", "How much is the {name} Card?", "How long must landlords keep the record?")


class Nights:
    """The pages, the corpus that follows them, and what every epoch was when it appeared."""

    def __init__(self, settings: Settings, folder: Path, seed: int) -> None:
        self.settings, self.folder, self.draw = settings, folder, random.Random(seed)
        self.happened: Counter[str] = Counter()
        self.was: dict[int, tuple[str, dict[str, str]]] = {}  # of each epoch: its dump's hash, the text of each page
        self.took: list[tuple[float, float]] = []  # seconds of a run that published, and MB of the database then
        self._numbers = count(1)
        folder.mkdir()
        for _ in range(PAGES):
            self._write(f"page-{next(self._numbers)}")

    def _write(self, name: str) -> None:
        lines = [self._sentence() for _ in range(self.draw.randint(3, 8))]
        (self.folder / f"{name}.html").write_text(page_html(name, lines), encoding="utf-8")

    def _sentence(self) -> str:
        sentence, name = self.draw.choice(_SENTENCES), self.draw.choice(_NAMES)
        return sentence.format(name=name, n=self.draw.randint(2, 10_000))

    def change(self) -> None:
        """A night's edits."""
        names = sorted(path.stem for path in self.folder.iterdir())
        for name in self.draw.sample(names, self.draw.randint(1, 3)):
            kind = self.draw.choices(("edited", "unreadable", "new", "gone"), (6, 1, 2, 1))[0]
            self.happened[f"pages {kind}"] += 1
            if kind == "new":
                self._write(f"page-{next(self._numbers)}")
            elif kind == "edited" or (kind == "gone" and len(names) <= PAGES // 2):
                self._write(name)
            elif kind == "gone":
                (self.folder / f"{name}.html").unlink(missing_ok=True)
            else:
                (self.folder / f"{name}.html").write_text(_UNREADABLE, encoding="utf-8")

    def mend(self) -> None:
        """Let every page be readable."""
        for path in self.folder.iterdir():
            if path.read_text(encoding="utf-8") == _UNREADABLE:
                self._write(path.stem)

    def pass_by(self, number: int) -> None:
        """One night: changes, a run, perhaps one that is killed before it, perhaps a vacuum."""
        self.change()
        if self.draw.random() < 1 / 3:
            self._killed(ingest, "runs killed")
            self.change()
        start = time.perf_counter()
        before = max(self.was, default=0)
        self._whole(ingest)
        if max(self.was) > before:
            self.took.append((time.perf_counter() - start, stored_mb(self.settings)))
        if number % 10 == 0:
            print(f"  night {number}: {len(self.took)} publishes", flush=True)
            if self.draw.random() < 0.5:
                self._killed(vacuum, "vacuums killed")
            self.happened["vacuums"] += 1
            self._whole(vacuum)

    def _whole(self, work: Callable[..., None]) -> None:
        process = _processes.Process(target=work, args=(self.settings, self.folder))
        process.start()
        process.join()
        if process.exitcode:
            raise RuntimeError(f"{work.__name__} ended with {process.exitcode}")
        self._remember()

    def _killed(self, work: Callable[..., None], name: str) -> None:
        """Kill it at some moment of its life; it may have ended before."""
        process = _processes.Process(target=work, args=(self.settings, self.folder))
        process.start()
        usual = percentile([seconds for seconds, _ in self.took[-_TEN:]] or [1.0], 0.5)
        process.join(self.draw.uniform(0, 1.1 * usual))
        self.happened[name] += process.is_alive()
        process.kill()
        process.join()
        with suppress(NotFoundError, SchemaError):  # killed before there was one
            self._remember()

    def _remember(self) -> None:
        """Look at each epoch that is new."""
        with Workspace(self.settings) as workspace:
            found = {row.number for row in epochs_of(workspace.ledger, get_corpus(workspace.ledger, "default").id)}
            for number in sorted(found - set(self.was)):
                with open_view(workspace.ledger, "default", number) as view:
                    texts = {
                        page.uri: " ".join(e.text for e in view.reading(page).elements) for page in view.page_keys()
                    }
                    self.was[number] = digest(dump_lines(view)), texts

    def differences(self, asked: list[tuple[int, str, str]]) -> list[str]:
        """What is not as it must be, in words."""
        wrong = [
            f"epoch {number} has no {text!r} on {page}"
            for number, page, text in dict.fromkeys(asked)
            if text not in self.was[number][1].get(page, "")
        ]
        with Workspace(self.settings) as workspace:
            found = audit(workspace, ["default"], lambda *_: None)
            wrong += [f"audit: {one.text}" for corpus in found for one in corpus.found]
            corpus = get_corpus(workspace.ledger, "default")
            for row in epochs_of(workspace.ledger, corpus.id):
                with open_view(workspace.ledger, "default", row.number) as view:
                    if digest(dump_lines(view)) != self.was[row.number][0]:
                        wrong.append(f"epoch {row.number} is not what it was")
            with workspace.view() as view:
                mine, values = dump_lines(view), vector_values(view)
        with tempfile.TemporaryDirectory() as home:
            clean = Settings(home=Path(home) / "clean", embedding_model="hashing", extractor="rules")
            ingest(clean, self.folder)
            with Workspace(clean) as workspace, workspace.view() as view:
                theirs, built = dump_lines(view), vector_values(view)
        if mine != theirs or values.keys() != built.keys():
            wrong.append(f"the corpus is not a clean build: {sorted(set(mine) ^ set(theirs))[:3]}")
        elif not all(np.allclose(values[key], built[key], atol=1e-5) for key in built):
            wrong.append("vectors are not those of a clean build")
        return wrong


def ingest(settings: Settings, folder: Path) -> None:
    """A run of the folder."""
    with Workspace(settings) as workspace:
        report = run_ingest(workspace, "default", open_source(str(folder)), Options())
        if report.error:
            raise RuntimeError(report.error)


def vacuum(settings: Settings, _folder: Path) -> None:
    """Keep the last epochs."""
    with Workspace(settings) as workspace:
        vacuum_corpus(workspace, "default", keep_epochs=KEEP, keep_days=0)


def digest(lines: list[str]) -> str:
    """The hash of a dump."""
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def stored_mb(settings: Settings) -> float:
    """Of the database and the segments."""
    with Workspace(settings) as workspace:
        segments = sum(path.stat().st_size for path in (settings.home / "segments").rglob("*") if path.is_file())
        return (workspace.ledger.database.size() + segments) / 1e6


_processes = multiprocessing.get_context("forkserver")


class Readers:
    """Threads that ask a server until the end; of each answer its epoch and quotes."""

    def __init__(self, client: httpx.Client, server: psutil.Process) -> None:
        self._client, self._server = client, server
        self.quotes: list[tuple[int, str, str]] = []  # epoch, page, words of an element
        self.took: list[float] = []
        self.resident: list[float] = []  # MB of the server, after each answer
        self.failed: Counter[str] = Counter()
        self._ended = threading.Event()

    @contextmanager
    def asking(self) -> Iterator[None]:
        """While the block runs."""
        threads = [threading.Thread(target=self._ask, args=(random.Random(number),)) for number in range(2)]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            self._ended.set()
            for thread in threads:
                thread.join()

    def _ask(self, draw: random.Random) -> None:
        while not self._ended.wait(1.0):
            question, start = draw.choice(_ASKED).format(name=draw.choice(_NAMES)), time.perf_counter()
            found = self._client.post("/v1/corpora/default/ask", json={"question": question})
            if found.status_code != 200:
                self.failed[f"{found.status_code} {found.text[:200]}"] += 1
                continue
            self.took.append(time.perf_counter() - start)
            self.resident.append(self._server.memory_info().rss / 1e6)
            value: dict[str, Any] = found.json()
            said = [quote for one in value["alternatives"] for quote in one["evidence"]] + value.get("quotes", [])
            self.quotes += [(value["epoch"], one["uri"], one["quote"]) for one in said]


def run(folder: Path, publishes: int, seed: int, stored: dict[str, Any]) -> list[str]:
    """All nights; prints the table and returns what is wrong."""
    settings = Settings(home=folder / "home", embedding_model="hashing", extractor="rules", **stored)
    bench = Workbench(folder, Material("made", [], []), "hashing", settings.database_address)
    nights = Nights(settings, folder / "pages", seed)
    nights._whole(ingest)
    with servers(bench, 1) as (client,):
        server = next(one for one in psutil.Process().children() if "serve" in one.cmdline())
        readers = Readers(client, server)
        ends = [0]  # answers by the end of each night
        with readers.asking():
            for number in count(1):
                nights.pass_by(number)
                ends.append(len(readers.took))
                if len(nights.took) >= publishes:
                    break
            nights.mend()
            nights._whole(ingest)
    wrong = nights.differences(readers.quotes) + [f"{n} times {said}" for said, n in readers.failed.items()]
    parts = {
        "first ten": (slice(None, _TEN), slice(0, ends[_TEN])),
        "last ten": (slice(-_TEN, None), slice(ends[-_TEN], None)),
    }
    rows: list[tuple[object, ...]] = [
        ("", "publish p50, s", "p95, s", "stored, MB", "answer p50, ms", "p95, ms", "server, MB")
    ]
    for name, (nightly, asked) in parts.items():
        seconds, megabytes = zip(*nights.took[nightly], strict=True)
        answers = [1000 * one for one in readers.took[asked]]
        spans = [percentile(values, share) for values in (seconds, answers) for share in (0.5, 0.95)]
        rows.append((name, *spans[:2], max(megabytes), *spans[2:], max(readers.resident[asked])))
    print_table(f"soak: {len(nights.took)} publishes of {len(ends) - 1} nights; {machine()}", rows)
    epochs = len({epoch for epoch, _, _ in readers.quotes})
    done = {"epochs": len(nights.was), **nights.happened, "answers": len(readers.took), "quotes": len(readers.quotes)}
    print(f"  {', '.join(f'{value:,} {name}' for name, value in done.items())} of {epochs} epochs", flush=True)
    return wrong


def main() -> int:
    """Run the nights; 1 where something is wrong at the end."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.soak", description="A year of nights.")
    parser.add_argument("--publishes", type=int, default=PUBLISHES)
    parser.add_argument("--postgres", action="store_true", help="in a PostgreSQL of its own")
    parser.add_argument("--neo4j", action="store_true", help="with a Neo4j of its own, which needs Java 17")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    _processes.set_forkserver_preload(["benchmarks.load", "clausegraph.app.services.audit", "tests.law.world"])
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="clausegraph-soak-")))
        stored: dict[str, Any] = {}
        if options.postgres:
            stored["database"] = stack.enter_context(postgres(folder / "postgres"))
        if options.neo4j:
            from clausegraph.app.servers.neo4j import start_neo4j, stop_neo4j

            stack.callback(stop_neo4j, folder / "neo4j")
            server = start_neo4j(folder / "neo4j", memory="600m")
            stored |= {"neo4j_mode": "required", "neo4j_uri": server.uri, "neo4j_password": server.password}
        wrong = run(folder, options.publishes, options.seed, stored)
    print("".join(f"\nFAIL: {one}" for one in wrong[:20]) or "\nthe law holds", flush=True)
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
