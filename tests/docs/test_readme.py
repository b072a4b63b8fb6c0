"""The README's Python example, run as a reader would, prints what the README says it prints."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.integration

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("model", ["hashing", pytest.param(None, marks=pytest.mark.long)])
def test_python_example(tmp_path: Path, model: str | None) -> None:
    """To the letter with the model that it is about; with the one of the tests, which finds other things, in form."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    code = re.search(r"```python\n(.*?)```", readme, re.DOTALL)
    said = re.search(r"<!-- python:begin -->\n```\n(.*?)```\n<!-- python:end -->", readme, re.DOTALL)
    assert code is not None
    assert said is not None
    environment = {**os.environ, "CLAUSEGRAPH_HOME": str(tmp_path)}
    if model:
        environment["CLAUSEGRAPH_EMBEDDING_MODEL"] = model
    command = [sys.executable, "-c", code.group(1)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    found, wanted = done.stdout.splitlines(), said.group(1).splitlines()
    if model is None:
        assert found == wanted
    assert found[0] == wanted[0] and found[-1]  # it may be too unsure to assert anything
