"""Every example of docs/extending.md runs, is short, and prints what it is about."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.integration

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples" / "extending"
LONGEST = 40  # lines
PRINTS = {
    "command": ["oldest", "List the pages that were not updated for longest."],
    "engine": ["42 days ['retrieve', 'read']"],
    "page_format": ["h2 ('Rent help',) Who can get it", "p ('Rent help', 'Who can get it') You must rent"],
    "prompt": ["triplets-amounts.v1 from yours read by lines", "<p>A permit costs £40.</p>"],
    "reader": ["The Panel can go ahead without you, provided that"],
    "retriever": ["newest ['Winter Heating Grant', 'Heating Help: a guide for older residents']"],
    "source": ["['rent.html'] £50 a week"],
}
ANY_MODEL = {"retriever", "source"}  # what these print depends on no embeddings
UNRUN = {"store"}  # the contract suite runs it: tests/contracts/vectors


def test_the_page_names_every_example() -> None:
    page = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
    named = set(re.findall(r"examples/extending/(\w+)\.py", page))
    assert named == {path.stem for path in EXAMPLES.glob("*.py")} == set(PRINTS) | UNRUN


@pytest.mark.parametrize("name", sorted(PRINTS))
def test_example(name: str, tmp_path: Path) -> None:
    environment = {**os.environ, "CLAUSEGRAPH_HOME": str(tmp_path), "PYTHONIOENCODING": "utf-8", "COLUMNS": "120"}
    if name in ANY_MODEL:
        environment["CLAUSEGRAPH_EMBEDDING_MODEL"] = "hashing"
    command = [sys.executable, str(EXAMPLES / f"{name}.py")]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=environment, check=False)
    assert not done.stderr or name == "command", done.stderr
    assert [said for said in PRINTS[name] if said not in done.stdout] == []


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.stem)
def test_examples_are_short(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= LONGEST


def test_files_and_lists_that_the_page_names_are_there() -> None:
    page = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
    for path in re.findall(r"`([a-z_]+/[a-z_/]+\.py)`", page):
        assert path == "query/retrieve/x.py" or path.endswith("retrieve/x.py") or (ROOT / path).is_file(), path
    for listed, path in re.findall(r"\| `([A-Z_a-z]+)` in `([a-z_/]+\.py)`", page):
        assert re.search(rf"^(def )?{listed}\b", (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE), listed
