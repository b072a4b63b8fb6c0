"""Published tables and ablations as rows of trials: each a run of its own, in a folder of its own, that goes on."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clausegraph.app.services.evaluation import DESCRIPTION, EngineTrial
from clausegraph.core.errors import InputError
from clausegraph.eval import conditionalqa
from clausegraph.eval.conditionalqa.records import QUESTION_RECORD
from clausegraph.eval.files import RECORDS_FILE, read_description, read_records

if TYPE_CHECKING:
    from clausegraph.eval.conditionalqa.records import QuestionRecord


RECORDED = "cassette.jsonl"


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row: its name, what is measured, and settings that differ from the user's.

    ``corpus`` is appended to the corpus's name: a row whose triples come from another prompt has a corpus of its own.
    """

    name: str
    trial: EngineTrial
    settings: Mapping[str, object] = field(default_factory=dict)
    corpus: str = ""


@dataclass(frozen=True, slots=True)
class EngineTable:
    """Rows, and what they are after."""

    about: str
    rows: tuple[TableRow, ...]


def _table(about: str, rows: Mapping[str, Any], usual: Mapping[str, Any] = {}, **changes: Any) -> EngineTable:
    """A table of the file; ``usual`` is of every row."""
    made = []
    for name, given in rows.items():
        trial = dict(usual) | given
        steps = tuple(trial.pop("steps", {}).items())
        made.append(TableRow(name, EngineTrial(steps=steps, **trial), **changes))
    return EngineTable(about, tuple(made))


TABLES = {
    name: _table(**given)
    for name, given in tomllib.loads((Path(conditionalqa.__file__).parent / "tables.toml").read_text("utf-8")).items()
}


def chosen_rows(table: str, names: Sequence[str]) -> tuple[TableRow, ...]:
    """The rows of a table, all without names.

    Raises:
        InputError: there is no such table or row.
    """
    if table not in TABLES:
        raise InputError(f"there is no table {table!r}; take one of {', '.join(TABLES)}")
    rows = {row.name: row for row in TABLES[table].rows}
    unknown = next((name for name in names if name not in rows), None)
    if unknown is not None:
        raise InputError(f"table {table!r} has no row {unknown!r}; it has {', '.join(rows)}")
    return tuple(row for name, row in rows.items() if not names or name in names)


def check_rows(rows: Sequence[TableRow], shots_from: Path | None) -> None:
    """Tell what a row lacks before the first is paid for.

    Raises:
        InputError: a row needs examples, and no file is named.
    """
    for row in rows:
        if row.trial.shots and shots_from is None:
            raise InputError(f"row {row.name!r} has {row.trial.shots} examples: name their file with --shots-from")


def measure_rows(
    rows: Sequence[TableRow],
    folder: Path,
    shots_from: Path | None,
    ask: Callable[[TableRow, Path], tuple[QuestionRecord, ...]] | None,
    *,
    record: bool = False,
) -> dict[str, tuple[QuestionRecord, ...]]:
    """The records of each row by name.

    Args:
        folder: each row's run lies in a folder of its name there.
        ask: measures a row in its folder; none means that only rows are shown whose runs are there.
        record: each row's replies go onto a cassette in its folder.

    Raises:
        InputError: nothing is there, runs that are there cannot stand beside each other, or what ``ask`` raises.
    """
    found: dict[str, tuple[QuestionRecord, ...]] = {}
    for row in rows:
        place = folder / row.name
        if ask is not None:
            trial = replace(row.trial, shots_from=shots_from if row.trial.shots else None)
            if record:
                place.mkdir(parents=True, exist_ok=True)
                trial = replace(trial, cassette=place / RECORDED, record=True)
            found[row.name] = ask(replace(row, trial=trial), place)
        elif (place / RECORDS_FILE).is_file():
            found[row.name] = read_records(place / RECORDS_FILE, QUESTION_RECORD)
    if ask is None:
        _check_alike(folder, found)
    if not found:
        raise InputError(f"{folder} has the run of no row; leave out --existing to make them")
    return found


def _check_alike(folder: Path, found: Mapping[str, Sequence[QuestionRecord]]) -> None:
    """Refuse runs of other questions, of another model, or without the end."""
    first: tuple[str, dict[str, Any]] | None = None
    for name, records in found.items():
        told = read_description(folder / name / DESCRIPTION) or {}
        asked = told.get("questions", len(records))
        if len(records) != asked:
            raise InputError(
                f"row {name!r} has {len(records)} of {asked} questions; run it again without --existing, where it goes "
                "on, or choose rows with --row"
            )
        first = first or (name, told)
        for key in ("questions_hash", "seed", "llm"):
            if told.get(key) != first[1].get(key):
                raise InputError(
                    f"row {name!r} was measured with {key} {told.get(key)!r}, row {first[0]!r} with "
                    f"{first[1].get(key)!r}; choose rows with --row"
                )
