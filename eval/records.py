"""One record per question, written first; every figure is computed from the records afterwards.

A figure can then be traced to the questions behind it, and a new one needs no new run. A question
that failed has a record too, with ``error``, and stays in every denominator.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol, TypeVar

from pydantic import TypeAdapter

from clausegraph.core.errors import InputError
from clausegraph.eval.conditionalqa.dataset import ConditionalAnswer, Kind, Question
from clausegraph.eval.conditionalqa.scorer import ZERO, Scores, score_answers
from clausegraph.eval.json_files import parse_json_line, read_text, write_text
from clausegraph.eval.retrieval import BudgetFigures


class Quote(NamedTuple):
    """Words of a page that an answer rests on, and the page's title."""

    page: str
    text: str


class RoundEvidence(NamedTuple):
    """Of a round of the loop: its module, and the shares of the gold evidence that stood first in what was found, and
    that states facts of the subgraph around its entities (0 without an entity)."""

    module: str
    found: float
    subgraph: float


@dataclass(frozen=True)
class QuestionRecord:
    """What happened to one question.

    ``predicted`` is ``None`` without a prediction (a failure, with ``error``, or a run that only
    retrieves); an empty tuple is the answer "not answerable". ``retrieval`` has one entry per budget.
    ``milliseconds`` is wall time, ``model_tokens`` the prompt and output tokens of all calls, of which there were
    ``calls`` and which cost ``money``, replies from a cache as if they were new. ``quotes`` has
    an entry for each predicted answer, or none at all where nobody quoted. ``rounds`` are those of a loop, for
    questions with gold evidence.
    """

    id: str
    kind: Kind
    conditional: bool
    gold: tuple[ConditionalAnswer, ...]
    predicted: tuple[ConditionalAnswer, ...] | None
    scores: Scores
    retrieval: tuple[BudgetFigures, ...] = ()
    milliseconds: float | None = None
    model_tokens: int | None = None
    error: str | None = None
    quotes: tuple[tuple[Quote, ...], ...] = ()
    calls: int | None = None
    prompt_tokens: int | None = None
    money: float | None = None
    rounds: tuple[RoundEvidence, ...] = ()

    @property
    def has_prediction(self) -> bool:
        """Whether there is an answer to score, "not answerable" included."""
        return self.predicted is not None


@dataclass(frozen=True)
class PassageRecord:
    """How each ranking did on one multi-hop question, over its best pages.

    ``supporting`` are the titles of the supporting passages; ``missing`` says of each whether the corpus lacks it;
    ``found`` by ranking whether it is among the best pages, whose titles are ``best``, in order.
    """

    id: str
    question: str
    supporting: tuple[str, ...]
    missing: tuple[bool, ...]
    found: dict[str, tuple[bool, ...]]
    best: dict[str, tuple[str, ...]]
    milliseconds: dict[str, float]

    def recall(self, ranking: str) -> float:
        """Share of the supporting passages that were found; those the corpus lacks count as not found."""
        return sum(self.found[ranking]) / len(self.supporting)


class Record(Protocol):
    """What every record has."""

    @property
    def id(self) -> str: ...


R = TypeVar("R", bound=Record)
QUESTION_RECORD = TypeAdapter(QuestionRecord)
PASSAGE_RECORD = TypeAdapter(PassageRecord)
_ADVICE = "delete the line and run that question again"


def make_record(
    question: Question,
    predicted: Sequence[ConditionalAnswer] | None,
    *,
    retrieval: Sequence[BudgetFigures] = (),
    milliseconds: float | None = None,
    model_tokens: int | None = None,
    error: str | None = None,
    quotes: Sequence[Sequence[Quote]] = (),
) -> QuestionRecord:
    """Score one question and put all that is known of it into a record.

    Raises:
        InputError: both a prediction and an error: a failure is never an answer.
    """
    if predicted is not None and error is not None:
        raise InputError(
            f"question {question.id!r} has {len(predicted)} answers and the error {error!r}; "
            "give predicted=None for a question that failed"
        )
    return QuestionRecord(
        id=question.id,
        kind=question.kind,
        conditional=question.conditional,
        gold=question.answers,
        predicted=None if predicted is None else tuple(predicted),
        scores=ZERO if predicted is None else score_answers(predicted, question.answers),
        retrieval=tuple(retrieval),
        milliseconds=milliseconds,
        model_tokens=model_tokens,
        error=error,
        quotes=tuple(tuple(of_answer) for of_answer in quotes),
    )


def write_records(path: Path, records: Iterable[R], form: TypeAdapter[R]) -> None:
    """Write a JSONL file anew, one record a line.

    Raises:
        InputError: it cannot be written.
    """
    write_text(path, "".join(form.dump_json(record).decode() + "\n" for record in records))


def read_records(path: Path, form: TypeAdapter[R]) -> tuple[R, ...]:
    """Read the records of a run, in the order they were written.

    Raises:
        InputError: unreadable file, a line of another form (the last one may have been cut off when
            the run was killed), or a repeated id.
    """
    records: dict[str, R] = {}
    # Not splitlines(): it also cuts at characters such as U+2028, which JSON leaves as they are.
    lines = read_text(path, advice="give the folder of a finished evaluation").split("\n")
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        where = f"{path}, line {number}"
        record = parse_json_line(line, form, where=where, advice=_ADVICE)
        if record.id in records:
            raise InputError(f"{where}: id {record.id!r} was recorded before; keep one line of the two")
        records[record.id] = record
    return tuple(records.values())
