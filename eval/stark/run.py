"""Retrieval from a knowledge base with text and relations, as STaRK measures it: files, records and figures.

The files are ``nodes.jsonl``, ``edges.jsonl`` and ``questions.jsonl``. A node has "id", "text", and may have "name" and
"type"; an edge has "from", "relation", "to"; a question has "question", "answers" (ids of nodes), and may have an "id".
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter

from clausegraph.core.errors import ClauseGraphError, InputError
from clausegraph.eval.files import parse_lines, read_text, recorded
from clausegraph.eval.knowledge import FileEdge, FileGraph, FileNode

DEPTH = 20  # ranks that are kept and looked at
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
    """The files of a folder."""
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
    return parse_lines(path, read_text(path, advice="give a folder of a knowledge base").splitlines(), what, made)


# --- records ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Ranking:
    """Ids of nodes, best first; how they were found, in words; what it cost."""

    ids: tuple[str, ...]
    how: tuple[str, ...] = ()
    rounds: int = 1
    calls: int = 0
    prompt_tokens: int = 0


@dataclass(frozen=True, slots=True)
class StarkRecord:
    """One question: the ids ranked, best first, how, and what it cost. The question's text is not in it."""

    id: str
    answers: tuple[str, ...]
    ranked: tuple[str, ...]
    how: tuple[str, ...] = ()
    rounds: int = 1
    calls: int = 0
    prompt_tokens: int = 0
    seconds: float = 0.0
    failed: str = ""


_RECORD = TypeAdapter(StarkRecord)


def rank_all(
    questions: Sequence[StarkQuestion],
    rank: Callable[[str], Ranking],
    *,
    kept: Path | None = None,
    told: Callable[[int], None] = lambda _: None,
) -> list[StarkRecord]:
    """Records in the order of the questions; what is in the file ``kept`` already is not asked again."""
    return recorded(
        questions,
        lambda question: _record(question, rank),
        _RECORD,
        kept,
        failed=lambda record: record.failed,
        told=told,
    )


def _record(question: StarkQuestion, rank: Callable[[str], Ranking]) -> StarkRecord:
    began, answers = time.monotonic(), tuple(sorted(question.answers))
    try:
        ranking = rank(question.text)
    except ClauseGraphError as error:
        took = round(time.monotonic() - began, 3)
        return StarkRecord(question.id, answers, (), seconds=took, failed=str(error)[:300])
    took = round(time.monotonic() - began, 3)
    return StarkRecord(
        question.id, answers, ranking.ids, ranking.how, ranking.rounds, ranking.calls, ranking.prompt_tokens, took
    )


# --- figures ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class StarkFigures:
    """Means over all questions; one that failed counts as nothing found."""

    questions: int
    hit_1: float
    hit_5: float
    recall_20: float
    mrr: float
    failed: int
    calls: float
    prompt_tokens: float
    seconds: float


def hit(ranked: Sequence[str], answers: Collection[str], depth: int) -> float:
    """1 where one of the first is an answer."""
    return float(any(key in answers for key in ranked[:depth]))


def recall(ranked: Sequence[str], answers: Collection[str], depth: int = DEPTH) -> float:
    """Share of the answers among the first."""
    return len(set(ranked[:depth]) & set(answers)) / len(answers)


def reciprocal_rank(ranked: Sequence[str], answers: Collection[str]) -> float:
    """One over the rank of the first answer; 0 where none is ranked."""
    return next((1 / rank for rank, key in enumerate(ranked, 1) if key in answers), 0.0)


def stark_figures(records: Sequence[StarkRecord]) -> StarkFigures:
    """The figures of a method."""
    count = len(records) or 1

    def mean(values: list[float]) -> float:
        return sum(values) / count

    return StarkFigures(
        len(records),
        mean([hit(one.ranked, one.answers, 1) for one in records]),
        mean([hit(one.ranked, one.answers, 5) for one in records]),
        mean([recall(one.ranked, one.answers) for one in records]),
        mean([reciprocal_rank(one.ranked, one.answers) for one in records]),
        sum(bool(one.failed) for one in records),
        mean([one.calls for one in records]),
        mean([one.prompt_tokens for one in records]),
        mean([one.seconds for one in records]),
    )
