"""Published tables and ablations as rows of trials: each a run of its own, in a folder of its own, that goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clausegraph.app.services.evaluation import DESCRIPTION, RECORDS, EngineTrial, written_configuration
from clausegraph.core.errors import InputError
from clausegraph.eval.conditionalqa.records import QUESTION_RECORD
from clausegraph.eval.files import read_records

if TYPE_CHECKING:
    from clausegraph.eval.conditionalqa.records import QuestionRecord


SHOTS = 4
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


def _preset(engine: str, shots: int = SHOTS) -> TableRow:
    return TableRow(engine, EngineTrial(engine, shots=shots, oracle_type=True))


def _triplets() -> Iterable[TableRow]:
    """Of HybridContextQA's Table 2 its first prompt of the triples: shots, and the graph alone or with vectors."""
    changes = {"extractor": "llm", "extraction_prompt": "triplets-v1"}
    for shots in (0, SHOTS):
        for engine in ("kg-only", "hybridcontextqa"):
            trial = EngineTrial(engine, shots=shots, oracle_type=True)
            yield TableRow(f"v1-{shots}-shots-{engine}", trial, changes, "-triplets-v1")


def _step(name: str, *steps: tuple[str, str], **changes: Any) -> TableRow:
    return TableRow(name, EngineTrial("hybgrag", steps=steps, **changes))


TABLES = {
    "systems": EngineTable(
        "HybridContextQA's Table 1, and Chain of Condition: systems, told the kind of answer",
        tuple(map(_preset, ("code-prompt", "text-prompt", "chain-of-condition", "think-on-graph", "hybridcontextqa"))),
    ),
    "triplets": EngineTable("HybridContextQA's Table 2: plain triples, shots, graph or hybrid", tuple(_triplets())),
    "critics": EngineTable(
        "HybGRAG's baselines: vectors, graph, critics over the same bank",
        tuple(
            TableRow(engine, EngineTrial(engine))
            for engine in ("vector-only", "kg-only", "vector-reranked", "react", "corrective-rag", "hybgrag")
        ),
    ),
    "ablations": EngineTable(
        "HybGRAG's ablations: rounds, commentor, oracles",
        (
            *(_step(f"rounds-{rounds}", rounds=rounds) for rounds in (1, 2, 3, 4)),
            _step("commentor-off", ("comment", "rules")),
            _step("oracle-critic", ("validate", "oracle"), ("comment", "oracle")),
            _step("oracle-module", ("route", "oracle-module-llm")),
        ),
    ),
    "facts": EngineTable(
        "What the knowledge graph is worth in retrieval",
        (
            TableRow("without-facts", EngineTrial("loop", retriever="hybrid-without-facts")),
            TableRow("in-retrieval", EngineTrial("loop")),
            TableRow("graph-alone", EngineTrial("loop", retriever="facts")),
        ),
    ),
    "steps": EngineTable(
        "The loop's steps, by rules or by a model, with the reader of the settings",
        (
            TableRow("rules", EngineTrial("loop")),
            TableRow("route", EngineTrial("loop", steps=(("route", "llm"),))),
            TableRow("route-validate", EngineTrial("loop", steps=(("route", "llm"), ("validate", "llm")))),
            TableRow("all", EngineTrial("loop", steps=tuple((one, "llm") for one in ("route", "validate", "comment")))),
            TableRow("oracle-critic", EngineTrial("loop", steps=(("validate", "oracle"), ("comment", "oracle")))),
            TableRow("oracle-module", EngineTrial("loop", steps=(("route", "oracle-module"),))),
        ),
    ),
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
        elif (place / RECORDS).is_file():
            found[row.name] = read_records(place / RECORDS, QUESTION_RECORD)
    if ask is None:
        _check_alike(folder, found)
    if not found:
        raise InputError(f"{folder} has the run of no row; leave out --existing to make them")
    return found


def _check_alike(folder: Path, found: Mapping[str, Sequence[QuestionRecord]]) -> None:
    """Refuse runs of other questions, of another model, or without the end."""
    first: tuple[str, dict[str, Any]] | None = None
    for name, records in found.items():
        told = written_configuration(folder / name / DESCRIPTION) or {}
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
