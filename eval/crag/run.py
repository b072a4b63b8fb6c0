"""Ask the engine all questions and grade what it says: a record as each is done, so that a killed run goes on."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path

from clausegraph.core.errors import ClauseGraphError, InputError
from clausegraph.eval.crag.dataset import CragCase
from clausegraph.eval.crag.judge import CragJudge
from clausegraph.query.crag.types import DONT_KNOW, CragAnswer

LATENCY_S = 30.0  # CRAG's limit for an answer
Ask = Callable[[CragCase], CragAnswer]


@dataclass(frozen=True, slots=True)
class CragRecord:
    """One question: what was said, the verdict, what it cost. The question's text is not in it."""

    id: str
    answer: str
    verdict: str
    by: str
    why: str
    labels: dict[str, str] = field(default_factory=dict)
    predicted: dict[str, str] = field(default_factory=dict)
    rounds: int = 0
    calls: int = 0
    prompt_tokens: int = 0
    output_tokens: int = 0
    by_step: dict[str, int] = field(default_factory=dict)
    references: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0
    failed: str = ""
    failed_sources: list[str] = field(default_factory=list)


def run_cases(
    cases: Sequence[CragCase],
    ask: Ask,
    judge: CragJudge,
    *,
    kept: Path | None = None,
    seconds: float = LATENCY_S,
    at_once: int = 1,
    told: Callable[[int], None] = lambda _: None,
) -> list[CragRecord]:
    """Records in the order of the questions.

    Args:
        kept: file of records, which is gone on with; none keeps nothing.
        at_once: questions that are open together.
        seconds: an answer that took longer counts as none; 0 is no limit (a model that is answered by hand).

    Raises:
        InputError: the file has records of another set of questions.
    """
    done = {record.id: record for record in _read(kept)}
    if strange := set(done) - {case.question.id for case in cases}:
        raise InputError(f"{kept} has records of other questions ({sorted(strange)[0]} …); choose another folder")
    lock, finished = threading.Lock(), [0]

    def one(case: CragCase) -> CragRecord:
        record = done.get(case.question.id)
        fresh = record is None
        record = record or _record(case, ask, judge, seconds)
        with lock:
            if fresh and kept is not None:
                with kept.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(asdict(record), ensure_ascii=False) + "\n")
            finished[0] += 1
            told(finished[0])
        return record

    with ThreadPoolExecutor(max_workers=at_once) as workers:
        return list(workers.map(one, cases))


def _record(case: CragCase, ask: Ask, judge: CragJudge, seconds: float) -> CragRecord:
    began = time.monotonic()
    try:
        answer = ask(case)
    except ClauseGraphError as error:
        took = time.monotonic() - began
        return CragRecord(
            case.question.id,
            DONT_KNOW,
            "missing",
            "failed",
            str(error)[:300],
            case.labels,
            seconds=took,
            failed=str(error),
        )
    took = time.monotonic() - began
    late = bool(seconds) and took > seconds
    graded = judge.grade(case.question.text, case.answers, DONT_KNOW if late else answer.text)
    attributes, usage = answer.attributes, answer.usage
    predicted = {"domain": attributes.domain, "kind": attributes.kind, "dynamism": attributes.dynamism}
    kinds = [one.kind.value for one in answer.references]
    return CragRecord(
        case.question.id,
        answer.text,
        graded.verdict,
        "late" if late else graded.by,
        f"it took {took:.0f} of {seconds:g} seconds" if late else graded.why,
        case.labels,
        {name: value.value for name, value in predicted.items() if value is not None},
        answer.rounds,
        usage.calls,
        usage.prompt_tokens,
        usage.output_tokens,
        dict(usage.tasks),
        {kind: kinds.count(kind) for kind in dict.fromkeys(kinds)},
        round(took, 3),
        failed_sources=list(answer.failed),
    )


def _read(path: Path | None) -> list[CragRecord]:
    if path is None or not path.is_file():
        return []
    try:
        return [CragRecord(**json.loads(line)) for line in path.read_text("utf-8").splitlines()]
    except (ValueError, TypeError, OSError) as error:
        raise InputError(f"records {path} cannot be read ({error}); choose another folder, or remove it") from error
