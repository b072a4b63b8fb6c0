"""Invented passages with the triples somebody recorded for them: a chain over three of them, and two that mislead."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

PASSAGES: list[dict[str, Any]] = [
    {
        "title": "Orla Fenwick",
        "text": "Orla Fenwick (born 1961) is a glass painter who trained at Brimholt Works.",
        "triples": [["Orla Fenwick", "trained at", "Brimholt Works"], ["Orla Fenwick", "born in", "1961"]],
    },
    {
        "title": "Brimholt Works",
        "text": "Brimholt Works is a studio by the harbour of Saltrey.",
        "triples": [["Brimholt Works", "is a", "studio"], ["Brimholt Works", "located in", "Saltrey"]],
    },
    {
        "title": "Saltrey",
        "text": "Saltrey is a port. Its lighthouse was lit in 1804.",
        "triples": [["Saltrey", "is a", "port"], ["Saltrey lighthouse", "lit in", "1804"], ["Saltrey", "has"]],
    },
    {
        "title": "Glass painting",
        "text": "Glass painting is the craft of painting on glass. A glass painter may train for years.",
        "triples": [["glass painting", "is", "a craft"]],
    },
    {
        "title": "Saltrey",
        "text": "Saltrey is also a card game for four players.",
        "triples": [["Saltrey", "is", "card game"]],
    },
]
SUPPORT = [[passage["title"], passage["text"]] for passage in PASSAGES]
QUESTIONS: list[dict[str, Any]] = [
    {
        "question": "In which town is the studio where Orla Fenwick trained?",
        "supporting_titles_texts": [
            [PASSAGES[0]["title"], PASSAGES[0]["text"]],
            [PASSAGES[1]["title"], PASSAGES[1]["text"]],
        ],
    },
    {
        "question": "What does a glass painter do?",
        "supporting_titles_texts": [SUPPORT[3]],
    },
]


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, Any], Path]:
    """Write a value as a JSON file of that name."""

    def written(name: str, value: Any) -> Path:
        path = tmp_path / name
        path.write_text(json.dumps(value), encoding="utf-8")
        return path

    return written
