"""A semi-structured knowledge base as files: ``nodes.jsonl``, ``edges.jsonl``, ``questions.jsonl``.

A node has "id", "text", and may have "name" and "type"; an edge has "from", "relation", "to"; a question has
"question", "answers" (ids of nodes), and may have an "id".
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from clausegraph.core.errors import InputError
from clausegraph.query.crag.kg.graphs import FileEdge, FileGraph, FileNode

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class StarkQuestion:
    """A question and the ids of all nodes that answer it."""

    id: str
    text: str
    answers: frozenset[str]


@dataclass(frozen=True, slots=True)
class StarkBase:
    """The knowledge base, the nodes that may be answers, and what is asked of it."""

    graph: FileGraph
    candidates: tuple[FileNode, ...]
    questions: tuple[StarkQuestion, ...]


def read_base(folder: Path, types: tuple[str, ...] = (), questions: Path | None = None) -> StarkBase:
    """The files of a folder.

    Args:
        types: of nodes that may be answers; none: all.
        questions: a file in place of the folder's.

    Raises:
        InputError: a file cannot be read, a line is not what it should be, an edge or an answer names no node, or an
            answer can be none of the types.
    """
    nodes = _rows(folder / "nodes.jsonl", "node (id, text)", _node)
    graph = FileGraph(nodes, ())
    if len(graph.nodes) < len(nodes):
        raise InputError(f"{folder / 'nodes.jsonl'} has an id twice; ids of nodes must be unique")

    def edge(given: dict[str, Any], number: int) -> FileEdge:
        one = FileEdge(str(given["from"]), str(given["relation"]), str(given["to"]))
        _known(graph, one.source, one.target)
        return one

    def question(given: dict[str, Any], number: int) -> StarkQuestion:
        answers = frozenset(map(str, given["answers"]))
        _known(graph, *answers)
        if not answers:
            raise ValueError("it has no answers")
        if types and (foreign := [key for key in answers if graph.nodes[key].type not in types]):
            raise ValueError(f"answer {foreign[0]!r} is a {graph.nodes[foreign[0]].type!r}, none of {', '.join(types)}")
        return StarkQuestion(str(given.get("id") or number), str(given["question"]), answers)

    edges = _rows(folder / "edges.jsonl", "edge (from, relation, to)", edge)
    asked = _rows(questions or folder / "questions.jsonl", "question (question, answers)", question)
    if len({one.id for one in asked}) < len(asked):
        raise InputError(f"{questions or folder / 'questions.jsonl'} has an id twice; ids of questions must be unique")
    candidates = tuple(node for node in nodes if not types or node.type in types)
    if not candidates:
        known = ", ".join(sorted({node.type for node in nodes}))
        raise InputError(f"{folder} has no node of type {', '.join(types)}; it has {known}")
    return StarkBase(FileGraph(nodes, edges), candidates, tuple(asked))


def _node(given: dict[str, Any], number: int) -> FileNode:
    key, text = str(given["id"]), str(given["text"])
    return FileNode(key, str(given.get("name") or text.partition("\n")[0][:80]), str(given.get("type") or ""), text)


def _known(graph: FileGraph, *keys: str) -> None:
    for key in keys:
        if key not in graph.nodes:
            raise ValueError(f"there is no node {key!r}")


def _rows(path: Path, what: str, made: Callable[[dict[str, Any], int], T]) -> list[T]:
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read: {error}") from error
    found = []
    for number, line in enumerate(lines, 1):
        try:
            found.append(made(json.loads(line), number))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise InputError(f"{path}, line {number} is no {what}: {error}") from error
    return found
