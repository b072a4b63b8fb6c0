"""Tests of a folder run in one process, so that what they share is made once."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.integration, pytest.mark.long]

HERE = Path(__file__).parent
NO_PLUGINS = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # three processes would load what they do not use
TEST = """
import os
from pathlib import Path
def test_where(): Path(__file__).with_suffix(".ran").write_text(os.environ["PYTEST_XDIST_WORKER"])
def test_again(): test_where()
"""


def test_folders_are_not_torn_apart(tmp_path: Path) -> None:
    """With this folder's own conftest: pytest 9.2 ignores the groups of xdist's loadgroup."""
    shutil.copy(HERE / "conftest.py", tmp_path)
    folders = [tmp_path / name for name in ("indexes/neo4j", "app/cypher", "law", "core")]
    for folder in folders:
        folder.mkdir(parents=True)
        for number in range(3):
            (folder / f"test_{folder.name}_{number}.py").write_text(TEST, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-n", "2", "-q", "-p", "xdist.plugin", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*command, "--rootdir", str(tmp_path), "-c", os.devnull, "--import-mode=importlib", str(tmp_path)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join((str(HERE.parent), str(HERE.parent / "src")))} | NO_PLUGINS,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    ran = [{path.read_text(encoding="utf-8") for path in folder.glob("*.ran")} for folder in folders]
    assert [len(workers) for workers in ran] == [1, 1, 1, 1]
    assert ran[0] == ran[1]  # they share a server
