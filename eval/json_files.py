"""Reading JSON files into frozen dataclasses, with errors that name file, record and fix."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError

from clausegraph.core.errors import InputError
from clausegraph.core.output_files import replacing

T = TypeVar("T")


def read_json_list(path: Path, adapter: TypeAdapter[tuple[T, ...]], *, advice: str) -> tuple[T, ...]:
    """Read a UTF-8 JSON file that holds one list of records; unknown keys are ignored.

    Types are checked strictly (``"true"`` is no bool). ``advice`` ends every message.

    Raises:
        InputError: the file cannot be read, is not JSON, or a record has another form.
    """
    content = read_text(path, advice=advice)
    try:
        return adapter.validate_json(content, strict=True)
    except ValidationError as error:
        raise InputError(f"{path}: {_first_problem(error, content)}; {advice}") from error


def parse_json_line(line: str, adapter: TypeAdapter[T], *, where: str, advice: str) -> T:
    """Read one JSON object; ``where`` (file and line) starts the message.

    Raises:
        InputError: the line is not JSON or has another form.
    """
    try:
        return adapter.validate_json(line, strict=True)
    except ValidationError as error:
        raise InputError(f"{where}: {_first_problem(error, line)}; {advice}") from error


def read_text(path: Path, *, advice: str) -> str:
    """Read a UTF-8 file.

    Raises:
        InputError: it is missing, unreadable or not UTF-8.
    """
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read ({error}); {advice}") from error


def write_text(path: Path, text: str) -> None:
    """Write a UTF-8 file whole, making its folder; errors as :func:`write_bytes`."""
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file whole, making its folder.

    Raises:
        InputError: it cannot be written there, or something is there that is no file.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error}); choose another place") from error
    with replacing(path) as file:
        file.write(data)


def _first_problem(error: ValidationError, content: str) -> str:
    """Say which record and field the first problem is in, what is there, and what it should be."""
    first, *others = error.errors(include_url=False)
    place = first["loc"]
    record = ""
    if place and isinstance(place[0], int):
        record = f"record {place[0]} (from 0{_record_id(content, place[0])}), "
        place = place[1:]
    field = "field " + ".".join(str(step) for step in place) if place else "the record"
    found = "" if first["type"] in ("missing", "json_invalid") else f" {str(first['input'])[:80]!r}"
    more = f" (and {len(others)} more problems)" if others else ""
    return f"{record}{field}{found}: {first['msg']}{more}"


def _record_id(content: str, number: int) -> str:
    record = json.loads(content)[number]
    return f", id {record['id']!r}" if isinstance(record, dict) and "id" in record else ""
