"""A team's corner for the tests: a folder of pages, settings in a TOML file, steps in processes of their own."""

import json
import os
import sqlite3
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from clausegraph.app.services import scheduling as steps
from clausegraph.app.services.ingest import run_ingest
from clausegraph.app.workspace import Workspace
from clausegraph.core.settings import Settings
from clausegraph.indexes.dump import dump_lines
from clausegraph.indexes.ledger.store import open_ledger
from clausegraph.indexes.views import open_view
from clausegraph.ingestion.pipeline import Options
from clausegraph.ingestion.sources import open_source
from tests.harness.ending import at_session_end
from tests.harness.fake_llm import FakeModelServer
from tests.harness.postgres import run_sql
from tests.harness.wait import PATIENCE_S

REPOSITORY = Path(__file__).resolve().parents[2]
CORPUS = "policies"


class Team:
    """Pages, settings and a ledger below one folder, or in the database of an ``address``, with a home a machine."""

    def __init__(self, root: Path, fake: FakeModelServer | None = None, address: str = "", **scheduled: Any) -> None:
        self.address = address
        self.root, self.pages, self.home = root, root / "pages", root / "home"
        self.pages.mkdir(parents=True)
        self.config = root / "clausegraph.toml"
        settings: dict[str, Any] = {"home": str(self.home), "embedding_model": "hashing", "extractor": "rules"}
        if fake is not None:
            settings |= {
                "extractor": "llm", "llm": "openai:fake-small", "llm_url": fake.url, "llm_key": "any", "call_tokens": 0,
                "llm_concurrency": 2, "llm_cache_mb": 0,
            }  # fmt: skip
        if address:
            del settings["home"]
            settings |= {"database": address, "llm_cache_mb": 10}
        table = {"source": str(self.pages), "schedule": "@once", "retry_delay": 1, "batch_chunks": 4} | scheduled
        lines = [f"{name} = {json.dumps(value)}" for name, value in settings.items()]
        lines += [f"[corpora.{CORPUS}]", *(f"{name} = {json.dumps(value)}" for name, value in table.items())]
        self.config.write_text("\n".join(lines) + "\n", encoding="utf-8")

    def write(self, count: int, sections: int = 2) -> None:
        """So many pages of so many sections, each with a condition; a section is a chunk."""
        for number in range(count):
            body = "".join(
                f"<h2>Part {part}</h2><p>You can get grant {number}{part} if you are over {60 + number}.</p>"
                f"<p>Office {number}{part} pays the grant every month.</p>"
                for part in "abcdefghij"[:sections]
            )
            head = f"<html><head><title>Grant {number}</title></head>"
            html = f"{head}<body><main><h1>Grant {number}</h1>{body}</main></body></html>"
            (self.pages / f"p{number:02}.html").write_text(html, encoding="utf-8")

    def environment(self, **more: str) -> dict[str, str]:
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("CLAUSEGRAPH_", "AIRFLOW"))}
        return clean | {"CLAUSEGRAPH_CONFIG": str(self.config)} | more

    def run(self, run_id: str, **more: Any) -> dict[str, Any]:
        """The run as a task gets it."""
        values = {"id": run_id, "corpus": CORPUS, "source": str(self.pages), "batch_chunks": 4}
        return values | more

    def start(
        self, step: str, run: Mapping[str, Any], *values: Any, dies_at: int | None = None, machine: str = "home"
    ) -> subprocess.Popen[str]:
        """A step in a process of its own, which is killed at its n-th write if that is asked for; each ``machine`` has
        a home folder."""
        code = (
            "import json, pathlib, sys; from clausegraph.app.services import scheduling as steps; "
            "from tests.harness.writes import kill_this_process_at; "
            "step, values, dies_at, root = json.loads(sys.argv[1]); "
            "dies_at and kill_this_process_at(dies_at, pathlib.Path(root)); "
            "print(json.dumps(steps.step(step, *values)))"
        )
        words = [sys.executable, "-c", code, json.dumps([step, [dict(run), *values], dies_at, str(self.root)])]
        piped: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        environment = self.environment(CLAUSEGRAPH_HOME=str(self.root / machine))
        started = subprocess.Popen(words, cwd=REPOSITORY, env=environment, **piped)
        at_session_end.callback(started.kill)  # a test that fails waits for none
        return started

    def step(self, step: str, run: Mapping[str, Any], *values: Any) -> Any:
        """The result of a step, as JSON brings it to the next task."""
        with pytest.MonkeyPatch.context() as patch:
            for name in os.environ.keys() - self.environment().keys():
                patch.delenv(name)
            patch.setenv("CLAUSEGRAPH_CONFIG", str(self.config))
            patch.setenv("CLAUSEGRAPH_HOME", str(self.home))
            return json.loads(json.dumps(steps.step(step, dict(run), *values)))

    def settings(self) -> Settings:
        return Settings(**tomllib.loads(self.config.read_text(encoding="utf-8")), corpus=CORPUS)

    def plain_dump(self, folder: Path) -> list[str]:
        """What `clausegraph ingest` makes of the same pages in a new ledger."""
        settings = self.settings().model_copy(update={"home": folder, "database": None})
        with Workspace(settings) as workspace:
            run_ingest(workspace, settings.corpus, open_source(str(self.pages)), Options())
        with open_ledger(folder) as ledger, open_view(ledger, CORPUS) as view:
            return dump_lines(view)

    def stored(self) -> set[str]:
        """Input keys of the stored extractions."""
        if self.address:
            return {str(row[0]) for row in run_sql(self.address, "SELECT input_key FROM extractions")}
        path = self.home / "ledger.db"
        if not path.exists():
            return set()
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:  # asked for again and again
            if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'extractions'").fetchone():
                return set()
            return {row[0] for row in connection.execute("SELECT input_key FROM extractions")}

    def dump(self) -> list[str]:
        with open_ledger(self.home, self.address) as ledger, open_view(ledger, CORPUS) as view:
            return dump_lines(view)


def result(process: subprocess.Popen[str]) -> Any:
    """What a step returned; its stderr when it failed."""
    out, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, err
    return json.loads(out.strip().splitlines()[-1])


def comparable(report: Mapping[str, Any]) -> dict[str, Any]:
    """A report without what differs between two runs that do the same."""
    plain: dict[str, Any] = json.loads(json.dumps(dict(report)))
    usage = {task: {k: v for k, v in used.items() if k != "seconds"} for task, used in plain["usage"].items()}
    for name in ("rejects", "failures"):
        plain[name] = sorted(plain[name], key=json.dumps)
    plain["forecast"] = plain["forecast"] and plain["forecast"] | {"minutes": None}
    return {k: v for k, v in plain.items() if k not in ("run_id", "seconds")} | {"usage": usage}
