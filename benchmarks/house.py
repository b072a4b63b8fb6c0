"""``python -m benchmarks.house``: how large the code is, against limits; exit code 1 where one is passed.

Lines as ruff formats them. A room is a folder of the product; its floors are the longest chain of imports in it.
``modules entered`` counts the product's modules of which a function runs: for one question to the sample corpus
without a language model, and for the ingest of one of its pages.
"""

from __future__ import annotations

import ast
import os
import re
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from functools import cache
from inspect import CO_OPTIMIZED
from pathlib import Path
from types import FrameType

from benchmarks.material import REPOSITORY

FOLDERS = ("app", "core", "dags", "eval", "indexes", "ingestion", "query")
LIMITS = {
    "product, lines": 77_150,
    "tests, lines": 44_750,
    "compiled regexes": 342,
    "settings": 59,
    "floors of the deepest room": 6,
    # a slow machine enters some more: progress is told after five seconds
    "modules entered by a question": 79,
    "modules entered by an ingest": 108,
}
_QUESTION = "Could she get the Winter Heating Grant?"
_SCENARIO = "My mother is 84. She is on Basic Support."


def main() -> int:
    """Print each figure beside its limit; returns the exit code."""
    for name in [name for name in os.environ if name.startswith("CLAUSEGRAPH_")]:
        del os.environ[name]
    measured = figures()
    for name, value in measured.items():
        print(f"{name:32} {value:>7,} of {LIMITS[name]:>7,}{'' if value <= LIMITS[name] else '  too many'}")
    return int(any(value > LIMITS[name] for name, value in measured.items()))


def figures() -> dict[str, int]:
    """Each of ``LIMITS`` as it is now."""
    product = [REPOSITORY / "clausegraph.py", *(path for name in FOLDERS for path in python_files(name))]
    texts = [path.read_text(encoding="utf-8") for path in product]
    with tempfile.TemporaryDirectory(prefix="clausegraph-house-") as home:
        ingest, question = entered(Path(home))
    from clausegraph.core.settings import Settings

    return {
        "product, lines": sum(text.count("\n") for text in texts),
        "tests, lines": sum(path.read_text(encoding="utf-8").count("\n") for path in python_files("tests")),
        "compiled regexes": sum(len(re.findall(r"\bre\.compile\(", text)) for text in texts),
        "settings": len(Settings.model_fields),
        "floors of the deepest room": max(floors(room) for room in rooms()),
        "modules entered by a question": question,
        "modules entered by an ingest": ingest,
    }


def python_files(folder: str) -> list[Path]:
    """The Python files under a folder of the repository."""
    return sorted((REPOSITORY / folder).rglob("*.py"))


def rooms() -> list[Path]:
    """The folders right under the top-level ones that hold Python files."""
    tops = [REPOSITORY / name for name in FOLDERS]
    return [folder for top in tops for folder in sorted(top.iterdir()) if any(folder.rglob("*.py"))]


def floors(room: Path) -> int:
    """How many modules the longest chain of imports inside a room has; modules of a circle share a floor."""
    modules = {name_of(path): set(imports(path)) for path in room.rglob("*.py") if path.stat().st_size}

    @cache
    def height(module: str, above: frozenset[str] = frozenset()) -> int:
        below = (modules[module] & set(modules)) - above - {module}
        return 1 + max((height(name, above | {module}) for name in below), default=0)

    return max((height(module) for module in modules), default=0)


def name_of(path: Path) -> str:
    """The dotted name by which a module of the product is imported."""
    parts = path.relative_to(REPOSITORY).with_suffix("").parts
    return ".".join(("clausegraph", *(parts[:-1] if parts[-1] == "__init__" else parts)))


def imports(path: Path) -> Iterator[str]:
    """The modules and names that a module imports, each as a dotted name."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def entered(home: Path) -> tuple[int, int]:
    """How many modules run a function in the ingest of one page, and in one question."""
    import clausegraph
    from clausegraph.app.cli.main import make_app

    def ingest() -> None:
        page = str(REPOSITORY / "examples" / "corpus" / "heating-grant.html")
        make_app()(["--home", str(home), "--quiet", "ingest", page], standalone_mode=False)

    def ask() -> None:
        with clausegraph.open_corpus(home=home) as corpus:
            corpus.ask(_QUESTION, _SCENARIO)

    return modules_of(ingest), modules_of(ask)


def modules_of(act: Callable[[], object]) -> int:
    """How many files of the product have a function that runs while something is done, in any thread."""
    files: set[str] = set()

    def watch(frame: FrameType, event: str, _argument: object) -> None:
        if event == "call" and frame.f_code.co_flags & CO_OPTIMIZED:  # not the body of a module or class
            files.add(frame.f_code.co_filename)

    threading.setprofile(watch)
    sys.setprofile(watch)
    try:
        act()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]
    resolved = {Path(file).resolve() for file in files if file.endswith(".py")}
    return sum(path.is_relative_to(REPOSITORY / name) for path in resolved for name in FOLDERS)


if __name__ == "__main__":
    sys.exit(main())
