"""An installed wheel, used from outside the checkout: everything it needs is inside it."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.integration

ROOT = Path(__file__).parents[2]
ROOMS = ("app", "core", "dags", "eval", "indexes", "ingestion", "prompts", "query")


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel's files and nothing of the checkout; libraries come from this environment."""
    target = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(target), str(wheel)]
    subprocess.run(command, check=True, capture_output=True)
    return target


def run(installed: Path, home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """``clausegraph`` from the installed wheel, started in a folder that is not the checkout."""
    libraries = [path for path in sys.path if path.endswith("site-packages")]
    ours = ["", str(ROOT), str(ROOT / "src")]
    code = (
        f"import sys; sys.path[:] = [p for p in sys.path if 'site-packages' not in p and p not in {ours!r}]; "
        f"sys.path += [{str(installed)!r}, *{libraries!r}]; import clausegraph; "
        f"assert clausegraph.__file__.startswith({str(installed)!r}), clausegraph.__file__; clausegraph.main()"
    )
    environment = {**os.environ, "CLAUSEGRAPH_HOME": str(home), "CLAUSEGRAPH_EMBEDDING_MODEL": "hashing"}
    environment.pop("PYTHONPATH", None)
    command = [sys.executable, "-S", "-c", code, *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=home, env=environment, check=False)


def contents(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_every_room_and_data_file_ships(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    packaged = {"clausegraph/__init__.py", "clausegraph/__main__.py", "clausegraph/py.typed"}
    assert {name.partition("/")[0] for name in names if ".dist-info/" not in name} == {"clausegraph"}
    tracked = subprocess.run(["git", "ls-files", *ROOMS], cwd=ROOT, capture_output=True, text=True, check=True)
    packaged |= {f"clausegraph/{name}" for name in tracked.stdout.split("\n") if name}
    assert {name for name in names if name.startswith("clausegraph/")} == packaged


def test_the_sdist_makes_the_same_wheel(wheel: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(tmp_path), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True)  # the sdist from the tree, the wheel from the sdist
    (again,) = tmp_path.glob("clausegraph-*.whl")
    assert contents(again) == contents(wheel)


@pytest.mark.long  # by the library it is in test_clashing_project.py
def test_ingest_and_ask_from_outside_the_checkout(installed: Path, tmp_path: Path) -> None:
    done = run(installed, tmp_path, "ingest", str(ROOT / "examples" / "corpus"))
    assert done.returncode == 0, done.stderr
    answered = run(installed, tmp_path, "--json", "ask", "Can I get the heating grant?")
    assert answered.returncode == 0, answered.stderr
    assert '"epoch": 1' in answered.stdout or '"epoch":1' in answered.stdout
