"""Invented passages with the triples somebody recorded for them: a chain over three of them, and two that mislead."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parent
PASSAGES: list[dict[str, Any]] = json.loads((FOLDER / "passages.json").read_text("utf-8"))
SUPPORT = [[passage["title"], passage["text"]] for passage in PASSAGES]
QUESTIONS: list[dict[str, Any]] = json.loads((FOLDER / "questions.json").read_text("utf-8"))


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, Any], Path]:
    """Write a value as a JSON file of that name."""

    def written(name: str, value: Any) -> Path:
        path = tmp_path / name
        path.write_text(json.dumps(value), encoding="utf-8")
        return path

    return written
