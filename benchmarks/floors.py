"""``python -m benchmarks.floors [--data DIR]``: the floors of ``eval/floors.toml``; exit code 6 where one is missed.

On ConditionalQA's ``documents.json`` and ``dev.json`` where they are found, else on the sample corpus; no language
model.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from benchmarks.material import REPOSITORY, find_folder

FLOORS = REPOSITORY / "eval" / "floors.toml"


def main() -> int:
    """Measure the default engine and hold it against its floors; returns the command's exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.floors", description="Floors of answers.")
    parser.add_argument("--data", type=Path, help="folder with documents.json and dev.json")
    folder = find_folder(parser.parse_args().data)
    if folder is None:
        table, questions = "sample-loop", REPOSITORY / "examples" / "questions.json"
        documents = REPOSITORY / "examples" / "corpus"
    else:
        table, questions, documents = "conditionalqa-loop", folder / "dev.json", folder / "documents.json"
    print(f"floors [{table}] on {documents}", flush=True)
    with tempfile.TemporaryDirectory(prefix="clausegraph-floors-") as home:
        command = [sys.executable, "-m", "clausegraph", "--home", home, "--quiet", "eval", "conditionalqa"]
        command += ["--questions", str(questions), "--documents", str(documents), "--engine", "loop"]
        command += ["--floors", str(FLOORS), "--floor", table]
        return subprocess.run(command, check=False, env=unset(os.environ)).returncode


def unset(environment: Mapping[str, str]) -> dict[str, str]:
    """An environment without settings: a model that is set elsewhere is not asked here."""
    return {name: value for name, value in environment.items() if not name.upper().startswith("CLAUSEGRAPH_")}


if __name__ == "__main__":
    sys.exit(main())
