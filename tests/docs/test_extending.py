"""Every example of docs/extending.md runs, is short, and prints what it is about."""

import json
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
RUN = """
import contextlib, io, json, os, pathlib, runpy, sys
printed, paths = {}, sys.argv[1:]
for path in map(pathlib.Path, paths):
    os.environ.pop("CLAUSEGRAPH_EMBEDDING_MODEL", None)
    if path.stem not in ("engine", "reader"):  # what the others print depends on no embeddings
        os.environ["CLAUSEGRAPH_EMBEDDING_MODEL"] = "hashing"
    sys.argv = [str(path)]
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as errors:
        with contextlib.suppress(SystemExit):
            runpy.run_path(str(path), run_name="__main__")
    printed[path.stem] = out.getvalue(), errors.getvalue()
print(json.dumps(printed))
"""
UNRUN = {"store"}  # the contract suite runs it: tests/contracts/vectors


def test_the_page_names_every_example() -> None:
    page = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
    named = set(re.findall(r"examples/extending/(\w+)\.py", page))
    assert named == {path.stem for path in EXAMPLES.glob("*.py")} == set(PRINTS) | UNRUN


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """What each example prints, one after the other in one process: what they register there stays there."""
    environment = {**os.environ, "CLAUSEGRAPH_HOME": str(tmp_path_factory.mktemp("home")), "COLUMNS": "120"}
    command = [sys.executable, "-c", RUN, *(str(EXAMPLES / f"{name}.py") for name in PRINTS)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=environment, check=False)
    assert done.returncode == 0 and not done.stderr, done.stderr
    return json.loads(done.stdout)  # type: ignore[no-any-return]


@pytest.mark.parametrize("name", sorted(PRINTS))
def test_example(name: str, printed: dict[str, list[str]]) -> None:
    output, errors = printed[name]
    assert not errors or name == "command", errors
    assert [said for said in PRINTS[name] if said not in output] == []


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.stem)
def test_examples_are_short(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= LONGEST


def test_files_and_lists_that_the_page_names_are_there() -> None:
    page = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
    for path in re.findall(r"`([a-z_]+/[a-z_/]+\.py)`", page):
        assert path == "query/retrieve/x.py" or path.endswith("retrieve/x.py") or (ROOT / path).is_file(), path
    for listed, path in re.findall(r"\| `([A-Z_a-z]+)` in `([a-z_/]+\.py)`", page):
        assert re.search(rf"^(def )?{listed}\b", (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE), listed
