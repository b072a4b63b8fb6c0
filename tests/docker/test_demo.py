"""examples/demo-team.sh: what can be told without its servers. The whole of it takes minutes: `make demo-team`."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docker.stack import REPOSITORY

pytestmark = pytest.mark.integration

SCRIPT = REPOSITORY / "examples" / "demo-team.sh"


@pytest.fixture
def bystander() -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    yield process
    process.kill()
    process.wait()


def _stop(folder: Path) -> str:
    words = ["sh", str(SCRIPT), str(Path(sys.executable).parent), str(folder), "stop"]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


def test_it_is_a_shell_script() -> None:
    subprocess.run(["sh", "-n", str(SCRIPT)], check=True)


def test_stop_ends_nothing_but_its_own(tmp_path: Path, bystander: subprocess.Popen[bytes]) -> None:
    """A process id that was ours may be anybody's by now."""
    assert _stop(tmp_path / "new") == ""
    (tmp_path / "fake-llm.pid").write_text(str(bystander.pid), encoding="utf-8")
    assert _stop(tmp_path) == ""
    assert bystander.poll() is None and not (tmp_path / "fake-llm.pid").exists()
