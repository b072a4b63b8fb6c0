"""A project with an ``app``, a ``core``, an ``eval`` … of its own uses ClauseGraph, from a wheel and editable."""

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

pytestmark = pytest.mark.integration

ROOT = Path(__file__).parents[2]
ROOMS = ("app", "core", "dags", "eval", "indexes", "ingestion", "prompts", "query")
USE = """
import app, core, dags, eval, indexes, ingestion, prompts, query
from clausegraph import ViewRetriever, open_corpus


def pages_and_hits(folder: str, question: str) -> tuple[int, int]:
    with open_corpus("ours") as corpus:
        report = corpus.ingest(folder)
        retriever: ViewRetriever = corpus.retriever(budget=200)
        corpus.ask(question)
        return len(report.pages_added), len(retriever.retrieve(question))


if __name__ == "__main__":
    import sys

    print(app.OWN, core.OWN, dags.OWN, eval.OWN, indexes.OWN, ingestion.OWN, prompts.OWN, query.OWN)
    print(*pages_and_hits(sys.argv[1], "How long do I have to appeal to the Panel?"))
"""
# What the libraries themselves say of their types is not the question here, and takes mypy minutes to read.
WHOLE = """
[mypy]
strict = true
[mypy-llama_index.*,mistralai.*,openai.*,neo4j.*,huggingface_hub.*,transformers.*,torch.*,sqlalchemy.*,scipy.*,pandas.*]
follow_imports = skip
ignore_missing_imports = true
"""
FRONT = """
[mypy]
strict = true
follow_imports = skip
ignore_missing_imports = true
[mypy-clausegraph,clausegraph.app,clausegraph.app.library,clausegraph.core,clausegraph.core.types]
follow_imports = silent
"""
MISUSE = """
from clausegraph import open_corpus

with open_corpus("ours") as corpus:
    wrong: int = corpus.ask("Who can get it?")
"""


@pytest.fixture(scope="module", params=["wheel", pytest.param("editable", marks=pytest.mark.long)])
def python(request: pytest.FixtureRequest, wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of an environment with ClauseGraph in it; the libraries are those of this one."""
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    site = next(folder.glob("lib/python*/site-packages"))
    (site / "libraries.pth").write_text(sysconfig.get_paths()["purelib"])
    what = [str(wheel)] if request.param == "wheel" else ["--no-build-isolation", "--editable", str(ROOT)]
    pip = [sys.executable, "-m", "pip", "--python", str(folder / "bin" / "python"), "install", "--quiet"]
    subprocess.run([*pip, "--no-deps", "--ignore-installed", *what], check=True, env=outside())
    return folder / "bin" / "python"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project")
    for room in ROOMS:
        (folder / room).mkdir()
        (folder / room / "__init__.py").write_text(f'OWN = "{room}"\n')
    (folder / "use.py").write_text(USE)
    (folder / "misuse.py").write_text(MISUSE)
    return folder


def outside(**variables: str) -> dict[str, str]:
    """This environment without the paths to the checkout."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | variables


def test_both_are_importable_and_it_works(python: Path, project: Path, tmp_path: Path) -> None:
    environment = outside(CLAUSEGRAPH_HOME=str(tmp_path), CLAUSEGRAPH_EMBEDDING_MODEL="hashing")
    command = [str(python), "use.py", str(ROOT / "examples" / "corpus" / "guides")]
    done = subprocess.run(command, capture_output=True, text=True, cwd=project, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    own, counted = done.stdout.splitlines()
    pages, hits = map(int, counted.split())
    assert own == " ".join(ROOMS)
    assert pages == 3 and hits > 0


@pytest.mark.long  # `make check` reads the same types from the checkout
@pytest.mark.parametrize("settings", [FRONT, WHOLE], ids=["front", "whole"])
def test_mypy_strict_follows_its_types(python: Path, project: Path, tmp_path: Path, settings: str) -> None:
    """From the front door to the types it returns; and through all modules, which takes ten times as long."""
    (tmp_path / "mypy.ini").write_text(settings)
    command = [sys.executable, "-m", "mypy", "--no-error-summary", "--config-file", str(tmp_path / "mypy.ini")]
    command += ["--cache-dir", str(tmp_path / "cache"), "--python-executable", str(python), "."]
    done = subprocess.run(command, capture_output=True, text=True, cwd=project, env=outside(), check=False)
    (found,) = done.stdout.splitlines()
    assert found.startswith("misuse.py:5: error: Incompatible types in assignment") and '"Answer"' in found


def test_only_the_package_is_importable(python: Path, tmp_path: Path) -> None:
    code = f"import sys, importlib.util as u; print([n for n in {ROOMS!r} if u.find_spec(n)])"
    command = [str(python), "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=outside(), check=False)
    assert done.stdout.strip() == "[]", done.stderr
