"""docs/glossary.md against the code: its words are there, all of core.types are in it, no class name stands twice."""

import ast
import re
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROOMS = ("app", "core", "dags", "eval", "indexes", "ingestion", "query")
ROWS = re.findall(
    r"^\| (\w+) \| `([\w.]+)` \|", (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8"), re.MULTILINE
)


def names_of(path: Path, kinds: tuple[type[ast.stmt], ...] = (ast.ClassDef, ast.FunctionDef, ast.Assign)) -> set[str]:
    """The public classes, functions and values that a module defines itself."""
    found: set[str] = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, kinds):
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


def test_no_two_modules_have_a_class_of_the_same_name() -> None:
    places: defaultdict[str, list[str]] = defaultdict(list)
    for path in sorted(path for room in ROOMS for path in (ROOT / room).rglob("*.py")):
        for name in names_of(path, (ast.ClassDef,)):
            places[name].append(str(path.relative_to(ROOT)))
    assert {name: paths for name, paths in places.items() if len(paths) > 1} == {}
