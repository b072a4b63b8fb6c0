"""Files of evaluations: JSON read into frozen dataclasses, and records of questions that a killed run goes on with.

A figure is computed from records, one per question, so that it can be traced to the questions behind it and a new one
needs no new run. A question that failed has a record too and stays in every denominator.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any, Protocol, TypeVar

from pydantic import TypeAdapter, ValidationError

from clausegraph.core.errors import InputError
from clausegraph.core.output_files import replacing

RECORDS_FILE = "answers.jsonl"
T = TypeVar("T")


class Identified(Protocol):
    """What every question and record has."""

    @property
    def id(self) -> str: ...


Q = TypeVar("Q", bound=Identified)
R = TypeVar("R", bound=Identified)


def read_text(path: Path, *, advice: str) -> str:
    """Read a UTF-8 file; ``advice`` ends the message."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read ({error}); {advice}") from error


def write_text(path: Path, text: str) -> None:
    """Write a UTF-8 file whole, making its folder; errors as :func:`write_bytes`."""
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file whole, making its folder."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error}); choose another place") from error
    with replacing(path) as file:
        file.write(data)


def read_json_list(path: Path, adapter: TypeAdapter[tuple[T, ...]], *, advice: str) -> tuple[T, ...]:
    """Read a UTF-8 JSON file that holds one list of records; unknown keys are ignored.

    Types are checked strictly (``"true"`` is no bool). ``advice`` ends every message.
    """
    return parse_json(read_text(path, advice=advice), adapter, where=str(path), advice=advice)


def parse_json(text: str, adapter: TypeAdapter[T], *, where: str, advice: str) -> T:
    """Read one JSON document; ``where`` (file and line) starts the message."""
    try:
        return adapter.validate_json(text, strict=True)
    except ValidationError as error:
        raise InputError(f"{where}: {_first_problem(error, text)}; {advice}") from error


def parse_lines(path: Path, lines: Iterable[str], what: str, parse: Callable[[Any, int], T]) -> list[T]:
    """Each line of a file in a form of others, as ``parse(JSON value, number of the line)`` has it."""
    found = []
    for number, line in enumerate(lines, 1):
        try:
            found.append(parse(json.loads(line), number))
        except (ValueError, KeyError, TypeError, AttributeError, InputError) as error:
            raise InputError(f"{path}, line {number} is no {what}: {error}") from error
    return found


def _first_problem(error: ValidationError, content: str) -> str:
    """Say which record and field the first problem is in, what is there, and what it should be."""
    first, *others = error.errors(include_url=False)
    place = first["loc"]
    record = ""
    if place and isinstance(place[0], int):
        value = json.loads(content)[place[0]]
        name = f", id {value['id']!r}" if isinstance(value, dict) and "id" in value else ""
        record = f"record {place[0]} (from 0{name}), "
        place = place[1:]
    field = "field " + ".".join(str(step) for step in place) if place else "the record"
    found = "" if first["type"] in ("missing", "json_invalid") else f" {str(first['input'])[:80]!r}"
    more = f" (and {len(others)} more problems)" if others else ""
    return f"{record}{field}{found}: {first['msg']}{more}"


def read_description(path: Path) -> dict[str, Any] | None:
    """What shaped the records beside a file, by name; none where it is not there."""
    if not path.is_file():
        return None
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be read ({error}); name another folder") from error
    return found if isinstance(found, dict) else {}


def check_same(path: Path, described: Mapping[str, Any]) -> None:
    """Refuse to go on with records that another configuration made."""
    if (written := read_description(path)) is None:
        return
    for name, now in sorted(described.items()):
        if written.get(name) != now:
            raise InputError(
                f"{path.parent} holds the records of a run with {name} {written.get(name)!r}, this one has {now!r}; "
                "name another folder"
            )


def begin_run(path: Path, described: Mapping[str, Any]) -> Path:
    """The file of records beside a description, which is written; one of another configuration is refused."""
    check_same(path, described)
    write_text(path, json.dumps(described, indent=1) + "\n")
    return path.with_name(RECORDS_FILE)


def write_records(path: Path, records: Iterable[R], form: TypeAdapter[R]) -> None:
    """Write a JSONL file anew, one record a line."""
    write_bytes(path, b"".join(form.dump_json(record) + b"\n" for record in records))


def read_records(path: Path, form: TypeAdapter[R]) -> tuple[R, ...]:
    """Read the records of a finished run, in the order they were written."""
    records: dict[str, R] = {}
    text = read_text(path, advice="give the folder of a finished evaluation")
    for where, record in _parsed(path, text, form, "delete the line and run that question again"):
        if record.id in records:
            raise InputError(f"{where}: id {record.id!r} was recorded before; keep one line of the two")
        records[record.id] = record
    return tuple(records.values())


def _parsed(path: Path, text: str, form: TypeAdapter[R], advice: str) -> Iterator[tuple[str, R]]:
    """Place and record of each line that is not empty."""
    # Not splitlines(): it also cuts at characters such as U+2028, which JSON leaves as they are.
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            where = f"{path}, line {number}"
            yield where, parse_json(line, form, where=where, advice=advice)


def recorded(
    questions: Sequence[Q],
    ask: Callable[[Q], R],
    form: TypeAdapter[R],
    path: Path | None,
    *,
    failed: Callable[[R], object],
    at_once: int = 1,
    told: Callable[[int], None] = lambda _: None,
) -> list[R]:
    """The records of all questions, in their order.

    Args:
        path: JSONL file to which each record is appended at once; questions that it has a record of are not asked
            again, unless they failed. None keeps nothing.
        at_once: questions that are open together; their seconds are then those beside each other.
        told: called with the number of questions that are done.
    """
    kept: dict[str, R] = {}
    if path is not None:
        kept = _kept(path, form, {question.id for question in questions}, failed) if path.is_file() else {}
        write_records(path, kept.values(), form)  # without what failed, and what a killed run did not finish
    waiting = [question for question in questions if question.id not in kept]
    for done, record in enumerate(_asked(waiting, ask, at_once), len(kept) + 1):
        kept[record.id] = record
        if path is not None:
            with path.open("ab") as file:
                file.write(form.dump_json(record) + b"\n")
        told(done)
    return [kept[question.id] for question in questions]


def _asked(questions: Sequence[Q], ask: Callable[[Q], R], at_once: int) -> Iterator[R]:
    """The records as they come."""
    if at_once == 1:
        yield from map(ask, questions)
        return
    pool = ThreadPoolExecutor(at_once, "clausegraph-questions")
    try:
        for made in as_completed([pool.submit(ask, question) for question in questions]):
            yield made.result()
    finally:
        pool.shutdown(cancel_futures=True)  # of what nobody waits for any more, nothing new is begun


def _kept(path: Path, form: TypeAdapter[R], known: set[str], failed: Callable[[R], object]) -> dict[str, R]:
    """What a run that was killed has answered; a line that it did not finish is left out."""
    kept: dict[str, R] = {}
    whole, _, _ = read_text(path, advice="name another folder").rpartition("\n")
    for where, record in _parsed(path, whole, form, "name another folder, or remove the line"):
        if record.id not in known:
            raise InputError(f"{where}: question {record.id!r} is none of those asked; name another folder")
        if not failed(record):
            kept[record.id] = record
    return kept
