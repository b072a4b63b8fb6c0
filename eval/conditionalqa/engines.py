"""One engine over ConditionalQA questions: a record as soon as each is answered, so that a killed run goes on."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import replace
from pathlib import Path
from typing import Any

from clausegraph.core.errors import ClauseGraphError, InputError, ReplyMissing, SettingsError
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.types import Answer
from clausegraph.eval.conditionalqa.dataset import Question
from clausegraph.eval.conditionalqa.run import predicted, quotes
from clausegraph.eval.json_files import parse_json_line, write_bytes
from clausegraph.eval.records import QUESTION_RECORD, QuestionRecord, RoundEvidence, make_record
from clausegraph.query.engines.bank import Engine
from clausegraph.query.engines.prompt import AnswerForm, FormOf
from clausegraph.query.read.questions import QuestionKind, question_form

Progress = Callable[[str, int, int], None]
RoundsOf = Callable[[Question], tuple[RoundEvidence, ...]]
SHOTS = 4  # as the paper


def ask_all(
    engine: Engine,
    questions: Sequence[Question],
    path: Path | None,
    progress: Progress,
    at_once: int = 1,
    rounds: RoundsOf | None = None,
) -> tuple[QuestionRecord, ...]:
    """The records of all questions, in their order.

    Args:
        path: JSONL file to which each record is appended at once; those that it has are not asked again, unless they
            failed.
        at_once: questions that are open at once; their seconds are then those beside each other.
        rounds: what is known of the rounds of a question that was answered.

    Raises:
        InputError: the file holds records of other questions or of another form.
        SettingsError, ReplyMissing: no question can be asked as things are.
    """
    kept = _kept(path, questions) if path is not None else {}
    if path is not None:
        _rewrite(path, kept.values())
    waiting = [question for question in questions if question.id not in kept]
    for done, record in enumerate(_records(engine, waiting, at_once, rounds or _no_rounds), len(kept) + 1):
        kept[record.id] = record
        if path is not None:
            _append(path, record)
        progress("answer", done, len(questions))
    return tuple(kept[question.id] for question in questions)


def _no_rounds(question: Question) -> tuple[RoundEvidence, ...]:
    return ()


def _records(engine: Engine, questions: Sequence[Question], at_once: int, rounds: RoundsOf) -> Iterator[QuestionRecord]:
    """The records as they come."""

    def ask(question: Question) -> QuestionRecord:
        return replace(asked(engine, question), rounds=rounds(question))

    if at_once == 1:
        yield from map(ask, questions)
        return
    pool = ThreadPoolExecutor(at_once, "clausegraph-questions")
    try:
        for made in as_completed([pool.submit(ask, question) for question in questions]):
            yield made.result()
    finally:
        pool.shutdown(cancel_futures=True)  # of what nobody waits for any more, nothing new is begun


def asked(engine: Engine, question: Question) -> QuestionRecord:
    """Ask one question; a failure is recorded and stays in every denominator."""
    start = time.perf_counter()
    try:
        answer = engine.ask(Inquiry(question.question, question.scenario))
    except (SettingsError, ReplyMissing):
        raise
    except ClauseGraphError as error:
        return make_record(question, None, error=str(error))
    milliseconds = (time.perf_counter() - start) * 1000
    made = make_record(question, predicted(answer), milliseconds=milliseconds, quotes=quotes(answer))
    return replace(made, **usage_of(answer))


def usage_of(answer: Answer) -> dict[str, Any]:
    """What a question used of a model, by the fields of a record, as its trace says.

    A cached reply is priced as a new one: what was asked before must not make an engine cheap.
    """
    for step in reversed(answer.trace):
        detail: dict[str, Any] = step.detail
        if isinstance(detail.get("calls"), int):
            prompt, output = detail["prompt_tokens"], detail["output_tokens"]
            return {
                "calls": detail["calls"],
                "prompt_tokens": prompt,
                "model_tokens": prompt + output,
                "money": detail["money"] + detail["saved"],
            }
    return {"calls": 0, "prompt_tokens": 0, "model_tokens": 0, "money": 0.0}


def drawn(questions: Sequence[Question], count: int | None, seed: int) -> tuple[Question, ...]:
    """So many of the questions, drawn by a seed, in their order; all without a count.

    Raises:
        InputError: there are not so many.
    """
    if count is None:
        return tuple(questions)
    if not 1 <= count <= len(questions):
        raise InputError(f"a sample of {count} cannot be drawn from {len(questions)} questions; draw fewer")
    chosen = {question.id for question in random.Random(seed).sample(list(questions), count)}
    return tuple(question for question in questions if question.id in chosen)


def oracle(questions: Sequence[Question], read: Callable[[str], str] = str) -> FormOf:
    """The form of the gold answer, as the published system is told; not answerable ones by their words.

    Args:
        read: how the engine reads a question's misspelt words: it asks for the form of what it reads.
    """
    told = {(read(q.question), q.scenario): gold_form(q) for q in questions}

    def form(inquiry: Inquiry) -> AnswerForm:
        return told[inquiry.question, inquiry.scenario]

    return form


def gold_form(question: Question) -> AnswerForm:
    """The form of a question's answers."""
    yes_no = question.kind == "yesno"
    if question.kind == "not_answerable":
        yes_no = question_form(question.question).kind is QuestionKind.YES_NO
    if question.conditional:
        return AnswerForm.YES_NO_CONDITIONS if yes_no else AnswerForm.SPAN_CONDITIONS
    return AnswerForm.YES_NO if yes_no else AnswerForm.SPAN


def shots(training: Sequence[Question], asked_too: Sequence[Question], count: int = SHOTS) -> dict[AnswerForm, str]:
    """The first training questions of each form, with their evidence as context.

    Raises:
        InputError: a training question is among those that are asked.
    """
    forbidden = {question.id for question in asked_too} | {(q.question, q.scenario) for q in asked_too}
    made: dict[AnswerForm, list[str]] = {form: [] for form in AnswerForm}
    for question in training:
        if question.id in forbidden or (question.question, question.scenario) in forbidden:
            raise InputError(
                f"question {question.id!r} is asked and given as an example; give other training questions"
            )
        if question.answers and question.evidences and len(made[gold_form(question)]) < count:
            made[gold_form(question)].append(_shot(question))
    return {form: "Examples:\n" + "\n\n".join(blocks) for form, blocks in made.items() if blocks}


def _shot(question: Question) -> str:
    answer = question.answers[0]
    lines = [answer.text, *answer.conditions]
    context = "\n".join(question.evidences)
    return f"{context}\nScenario: {question.scenario}\nQuestion: {question.question}\nAnswer:\n" + "\n".join(lines)


def _kept(path: Path, questions: Sequence[Question]) -> dict[str, QuestionRecord]:
    """What a run that was killed has answered; a line that it did not finish is left out."""
    if not path.is_file():
        return {}
    known = {question.id for question in questions}
    kept: dict[str, QuestionRecord] = {}
    whole, _, _ = path.read_text("utf-8").rpartition("\n")
    for number, line in enumerate(filter(None, whole.split("\n")), 1):
        where = f"{path}, line {number}"
        record = parse_json_line(line, QUESTION_RECORD, where=where, advice="name another folder, or remove the line")
        if record.id not in known:
            raise InputError(f"{where}: question {record.id!r} is none of those asked; name another folder")
        if record.error is None:
            kept[record.id] = record
    return kept


def _rewrite(path: Path, records: Iterable[QuestionRecord]) -> None:
    write_bytes(path, b"".join(QUESTION_RECORD.dump_json(record) + b"\n" for record in records))


def _append(path: Path, record: QuestionRecord) -> None:
    with path.open("ab") as file:
        file.write(QUESTION_RECORD.dump_json(record) + b"\n")


def check_same(path: Path, described: Mapping[str, object], written: Mapping[str, object]) -> None:
    """Refuse to go on with records that another configuration made.

    Args:
        described: what is known of this run until now.

    Raises:
        InputError: with the first difference.
    """
    for name, now in sorted(described.items()):
        before = written.get(name)
        if before != now:
            raise InputError(
                f"{path} holds the records of a run with {name} {before!r}, this one has {now!r}; name another folder"
            )
