"""Ask a method all questions: a record as each is done, so that a killed run goes on."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from clausegraph.core.errors import ClauseGraphError, InputError
from clausegraph.eval.stark.dataset import StarkQuestion
from clausegraph.eval.stark.methods import Ranking


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


def rank_all(
    questions: Sequence[StarkQuestion],
    rank: Callable[[str], Ranking],
    *,
    kept: Path | None = None,
    told: Callable[[int], None] = lambda _: None,
) -> list[StarkRecord]:
    """Records in the order of the questions; what is in the file ``kept`` already is not asked again.

    Raises:
        InputError: the file cannot be read, or has records of other questions.
    """
    done = {record.id: record for record in _read(kept)}
    if strange := set(done) - {one.id for one in questions}:
        raise InputError(f"{kept} has records of other questions ({sorted(strange)[0]} …); choose another folder")
    found = []
    for number, question in enumerate(questions, 1):
        record = done.get(question.id)
        if record is None:
            record = _record(question, rank)
            if kept is not None:
                with kept.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(asdict(record), ensure_ascii=False) + "\n")
        found.append(record)
        told(number)
    return found


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


def _read(path: Path | None) -> list[StarkRecord]:
    if path is None or not path.is_file():
        return []
    try:
        return [_as_record(json.loads(line)) for line in path.read_text("utf-8").splitlines()]
    except (ValueError, TypeError, KeyError, OSError) as error:
        raise InputError(f"records {path} cannot be read ({error}); choose another folder, or remove it") from error


def _as_record(given: dict[str, Any]) -> StarkRecord:
    """JSON has lists where a record has tuples."""
    return StarkRecord(**(given | {name: tuple(given[name]) for name in ("answers", "ranked", "how")}))
