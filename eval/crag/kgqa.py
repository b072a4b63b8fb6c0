"""Questions over a knowledge graph alone, in PathQuestion's form (Zhou, Huang and Zhu 2018).

A line has question, answer and path, with tabs between them: ``who is the child of x?``, ``y(y/z)``,
``x#child#y#<end>#y``. In brackets are all answers; hops are the relations of the path, whose end may be left out.
Triples are lines of head, relation and tail. Names are written with underscores.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from clausegraph.core.errors import InputError
from clausegraph.eval.crag.dataset import CragCase
from clausegraph.query.crag.kg.graphs import FileEdge, FileGraph, FileNode
from clausegraph.query.crag.types import CragQuestion

_END = "<end>"


def read_paths(path: Path, at: datetime) -> list[CragCase]:
    """The questions of a file, labelled with their hops.

    Raises:
        InputError: it cannot be read, or a line is no question.
    """
    found = []
    for number, columns in _lines(path, 3):
        question, answer, steps = columns
        parts = steps.split("#")
        parts = parts[: parts.index(_END)] if _END in parts else parts
        if len(parts) < 3 or not len(parts) % 2:
            raise InputError(f"{path}, line {number}: path {steps!r} is no chain of name#relation#name")
        labels = {"hops": str(len(parts) // 2)}
        found.append(CragCase(CragQuestion(_spaced(question), at, str(number)), _answers(answer), labels))
    return found


def read_triples(path: Path) -> FileGraph:
    """The graph of a file of triples.

    Raises:
        InputError: it cannot be read, or a line is no triple.
    """
    edges = [FileEdge(head, relation, tail) for _, (head, relation, tail) in _lines(path, 3)]
    keys = dict.fromkeys(key for edge in edges for key in (edge.source, edge.target))
    return FileGraph([FileNode(key, _spaced(key)) for key in keys], edges)


def _answers(column: str) -> tuple[str, ...]:
    """The answer, then the others of its brackets: ``y(y/z)``; brackets that do not hold it belong to its name."""
    first, _, rest = column.partition("(")
    listed = rest.removesuffix(")").split("/") if rest.endswith(")") else []
    known = listed if first in listed else column.split("/")
    return tuple(dict.fromkeys(map(_spaced, known)))


def _spaced(name: str) -> str:
    return " ".join(name.replace("_", " ").split())


def _lines(path: Path, columns: int) -> Iterator[tuple[int, list[str]]]:
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read: {error}") from error
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        found = [one.strip() for one in line.split("\t") if one.strip()]  # its triples have two tabs behind the head
        if len(found) < columns:
            raise InputError(f"{path}, line {number} has not {columns} columns with tabs between them")
        yield number, found[:columns]
