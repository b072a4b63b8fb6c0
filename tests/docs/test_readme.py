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


def test_python_example(tmp_path: Path) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    code = re.search(r"```python\n(.*?)```", readme, re.DOTALL)
    said = re.search(r"<!-- python:begin -->\n```\n(.*?)```\n<!-- python:end -->", readme, re.DOTALL)
    assert code is not None
    assert said is not None
    environment = {**os.environ, "CLAUSEGRAPH_HOME": str(tmp_path)}
    command = [sys.executable, "-c", code.group(1)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == said.group(1)
