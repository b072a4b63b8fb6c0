"""An installed wheel, used from outside the checkout: everything it needs is inside it."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.integration

ROOT = Path(__file__).parents[2]
ROOMS = ("app", "core", "dags", "eval", "examples/corpus", "indexes", "ingestion", "prompts", "query")


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


@pytest.mark.long
def test_the_sdist_makes_the_same_wheel(wheel: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(tmp_path), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True)  # the sdist from the tree, the wheel from the sdist
    (again,) = tmp_path.glob("clausegraph-*.whl")
    assert contents(again) == contents(wheel)
