"""docs/glossary.md against the code: every word is there, every word of core.types is in it."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.unit

ROOT = Path(__file__).parents[2]
ROWS = re.findall(
    r"^\| (\w+) \| `([\w.]+)` \|", (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8"), re.MULTILINE
)


def names_of(path: Path) -> set[str]:
    """The public classes, functions and values that a module defines itself."""
    found: set[str] = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.Assign):
            targets = node.targets if isinstance(node, ast.Assign) else [node]
            found |= {getattr(target, "name", None) or getattr(target, "id", "_") for target in targets}
    return {name for name in found if not name.startswith("_")}


@pytest.mark.parametrize(("word", "where"), ROWS)
def test_a_word_is_the_name_of_what_it_says(word: str, where: str) -> None:
    module, _, name = where.rpartition(".")
    assert word == name
    assert name in names_of(ROOT / (module.replace(".", "/") + ".py"))


def test_each_word_has_one_row() -> None:
    words = [word for word, _ in ROWS]
    assert words and len(words) == len(set(words))


def test_every_public_name_of_core_types_is_in_it() -> None:
    assert names_of(ROOT / "core" / "types.py") <= {word for word, _ in ROWS}
