"""The report of a run over multi-hop questions, from the files in its folder alone."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import median

from clausegraph.core.errors import InputError
from clausegraph.eval.comparison import mean_interval, paired_difference
from clausegraph.eval.page import Case, Figure, Item, Plot, Report, Section, Side, Table
from clausegraph.eval.plots import plot_bars
from clausegraph.eval.provenance import Provenance
from clausegraph.eval.records import PASSAGE_RECORD, PassageRecord, read_records
from clausegraph.eval.tables import RESAMPLED, about, difference_text, interval_text, percent_text

RECORDS_FILE = "passages.jsonl"
_RECALL, _COMPLETE = "recall", "all found"
_NONE, _SOME, _LACKING, _LOST = "none found", "some missing", "not in the corpus", "lost"


def make_report(folder: Path, run: Provenance) -> Report:
    """Read the folder and put the report together.

    Raises:
        InputError: a file is not there or has another form.
    """
    records = read_records(folder / RECORDS_FILE, PASSAGE_RECORD)
    if not records:
        raise InputError(f"{folder / RECORDS_FILE} has no record; run the evaluation again")
    cases = tuple(_case(record, run) for record in records if record.recall(run.system) < 1)
    seen = {kind for case in cases for kind in case.kinds}
    meanings = {
        _NONE: f"{run.system} found no supporting passage",
        _SOME: f"{run.system} found some of the supporting passages",
        _LACKING: "a supporting passage is not in the corpus, and counts as not found",
        _LOST: f"{run.baseline} found more than {run.system}",
    }
    return Report(
        title="Supporting passages of multi-hop questions",
        about=about(run),
        headline=_headline(records, run),
        sections=(_rankings(records, run),),
        cases=cases,
        kinds=tuple((kind, meaning) for kind, meaning in meanings.items() if kind in seen),
        questions=len(records),
    )


def _values(records: Sequence[PassageRecord], ranking: str) -> dict[str, dict[str, float]]:
    recall = {record.id: record.recall(ranking) for record in records}
    return {_RECALL: recall, _COMPLETE: {name: float(value == 1) for name, value in recall.items()}}


def _headline(records: Sequence[PassageRecord], run: Provenance) -> tuple[Figure, ...]:
    figures = []
    for what, values in _values(records, run.system).items():
        found = mean_interval(values)
        interval = f"{percent_text(found.low)} to {percent_text(found.high)}"
        figures.append(Figure(f"{what}, percent ({run.system})", percent_text(found.mean), interval))
    return tuple(figures)


def _rankings(records: Sequence[PassageRecord], run: Provenance) -> Section:
    values = {name: _values(records, name) for name in run.retrievers}
    intervals = {
        what: {name: mean_interval(values[name][what]) for name in run.retrievers} for what in (_RECALL, _COMPLETE)
    }
    rows = tuple(
        (
            name,
            *(interval_text(found[name]) for found in intervals.values()),
            f"{median(record.milliseconds[name] for record in records):.0f}",
        )
        for name in run.retrievers
    )
    differences = tuple(
        (
            f"{run.system} minus {name}",
            *(difference_text(paired_difference(values[name][w], values[run.system][w])) for w in intervals),
        )
        for name in run.retrievers
        if name != run.system
    )
    at = max(len(titles) for record in records for titles in record.best.values())
    note = (
        f"Percent of the supporting passages among the best {at} pages, and of questions with all of them. {RESAMPLED} "
        "A supporting passage that the corpus lacks counts as not found."
    )
    png = plot_bars(intervals, title=f"Supporting passages among the best {at}", ylabel="percent")
    return Section(
        "Rankings",
        note,
        (
            Table(("ranking", f"recall@{at}", f"all in the top {at}", "median ms"), rows),
            Table(("paired difference, points", f"recall@{at}", f"all in the top {at}"), differences),
        ),
        (Plot("recall-by-ranking", "Bars of recall by ranking", png),),
    )


def _case(record: PassageRecord, run: Provenance) -> Case:
    supporting = []
    for number, (title, missing) in enumerate(zip(record.supporting, record.missing, strict=True)):
        by = [name for name in run.retrievers if record.found[name][number]]
        state = "not in the corpus" if missing else f"found by {', '.join(by)}" if by else "found by none"
        supporting.append(Item(title, ((state, run.system in by),)))
    return Case(
        id=f"question {record.id}",
        question=record.question,
        kinds=_kinds(record, run),
        figures=tuple((f"recall, {name}", f"{100 * record.recall(name):.0f}") for name in run.retrievers),
        sides=(
            Side("Supporting passages", tuple(supporting)),
            Side(f"Best pages of {run.system}", tuple(map(Item, record.best[run.system])), "none"),
        ),
    )


def _kinds(record: PassageRecord, run: Provenance) -> tuple[str, ...]:
    recall = record.recall(run.system)
    kinds = [_SOME if recall else _NONE]
    kinds += [_LACKING] if any(record.missing) else []
    kinds += [_LOST] if record.recall(run.baseline) > recall else []
    return tuple(kinds)
