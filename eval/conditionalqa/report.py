"""The report of a ConditionalQA run, from the files in its folder alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from clausegraph.core.errors import InputError, require_extra
from clausegraph.eval.conditionalqa.dataset import Question, load_questions
from clausegraph.eval.conditionalqa.figures import GROUPS, METRIC_NAMES, METRICS, answer_table, in_group
from clausegraph.eval.conditionalqa.mistakes import MEANINGS, confusion, error_cases
from clausegraph.eval.conditionalqa.records import QUESTION_RECORD, BudgetFigures, QuestionRecord, by_budget
from clausegraph.eval.conditionalqa.run import ANSWERS_FILE, QUESTIONS_FILE, TRIVIAL_FILE, retrieval_file
from clausegraph.eval.files import read_records
from clausegraph.eval.metrics import ConfidenceInterval, mean_interval, paired_difference
from clausegraph.eval.provenance import Provenance
from clausegraph.eval.report import (
    RESAMPLED,
    Case,
    Figure,
    Plot,
    Report,
    Section,
    Table,
    about,
    difference_text,
    differences,
    headline,
    interval_text,
    percent_text,
    plot_bars,
)

_LABELS = {"total": "all", "yesno": "yes/no", "not_answerable": "not answerable"}

Records = Sequence[QuestionRecord]


@dataclass(frozen=True)
class Folder:
    """What an evaluation wrote: answers, those of a trivial reader, and each retriever's evidence."""

    run: Provenance
    questions: dict[str, Question]
    answers: tuple[QuestionRecord, ...]
    trivial: tuple[QuestionRecord, ...]
    retrieval: dict[str, tuple[QuestionRecord, ...]]


def make_report(folder: Path, run: Provenance) -> Report:
    """Read the folder and put the report together."""
    found = _read(folder, run)
    cases = error_cases(found.answers, found.questions, found.retrieval.get(run.system, ()))
    seen = {kind for case in cases for kind in case.kinds}
    late = sorted(seen - set(MEANINGS), key=lambda kind: int(kind.split()[-1].replace(",", "")))
    kinds = [(kind, meaning) for kind, meaning in MEANINGS.items() if kind in seen]
    kinds += [(kind, f"{run.system}: not all gold evidence is in so many tokens") for kind in late]
    sections = [_answers(found), _confusion(found.answers)]
    if found.retrieval:
        sections.append(_retrieval(found))
    sections += [_kinds(cases, kinds, len(found.answers)), *_cost(found.answers), *_failures(found.answers)]
    return Report(
        title="ConditionalQA: answers" + ("" if run.corpus else " of a file of predictions"),
        about=about(run),
        headline=_headline(found),
        sections=tuple(sections),
        cases=cases,
        kinds=tuple(kinds),
        questions=len(found.answers),
    )


def _read(folder: Path, run: Provenance) -> Folder:
    questions = {question.id: question for question in load_questions(folder / QUESTIONS_FILE)}
    files = {ANSWERS_FILE: read_records(folder / ANSWERS_FILE, QUESTION_RECORD)}
    if run.corpus:
        is_engine = not run.retrievers  # one engine, measured alone
        names = [*([] if is_engine else [TRIVIAL_FILE]), *map(retrieval_file, run.retrievers)]
        files |= {name: read_records(folder / name, QUESTION_RECORD) for name in names}
    for name, records in files.items():
        if {record.id for record in records} != questions.keys():
            raise InputError(
                f"{folder / name}: {len(records)} records are not those of the {len(questions)} questions in "
                f"{QUESTIONS_FILE}; run the evaluation again"
            )
    retrieval = {name: files[retrieval_file(name)] for name in run.retrievers if run.corpus}
    return Folder(run, questions, files[ANSWERS_FILE], files.get(TRIVIAL_FILE, ()), retrieval)


def _scores(records: Records, metric: str, group: str = "total") -> dict[str, float]:
    return {record.id: getattr(record.scores, metric) for record in records if in_group(record, group)}


def _headline(found: Folder) -> tuple[Figure, ...]:
    figures = [headline(f"{METRIC_NAMES[metric]}, percent", _scores(found.answers, metric)) for metric in METRICS]
    if found.retrieval:
        for budget, recall in by_budget(found.retrieval[found.run.system]).items():
            figures.append(headline(f"evidence within {budget:,} tokens, percent ({found.run.system})", recall))
    return tuple(figures)


def _answers(found: Folder) -> Section:
    groups = [group for group in GROUPS if _scores(found.answers, "f1", group)]
    systems = {"ClauseGraph": found.answers} | ({"trivial": found.trivial} if found.trivial else {})
    tables = [_scores_table(systems, groups)]
    note = (
        "Percent, by the official scorer's definitions; every question counts, one without a prediction as 0. "
        f"{RESAMPLED} “conditional”: questions where a gold answer has conditions, whatever their kind. "
    )
    if found.trivial:
        tables.append(_against_trivial(found, groups))
        note += "The trivial reader says “yes” to every yes/no question, else the text of the nearest element. "
    if not all(record.has_prediction for record in found.answers):
        tables.append(_official(found.answers))
        note += "The last table leaves out questions without a prediction, as the official scorer does."
    bars, inner = (_bars(systems, groups, metric) for metric in ("f1", "f1_with_conditions"))
    ylabel = "F1, percent (solid: with conditions)"
    png = plot_bars(bars, inner=inner, title="Answers by kind of question", ylabel=ylabel)
    return Section("Answers", note, tuple(tables), (Plot("f1-by-kind", "Bars of F1 by kind of question", png),))


def _scores_table(systems: Mapping[str, Records], groups: Sequence[str]) -> Table:
    rows = [
        (
            _LABELS.get(group, group) + ("" if name == "ClauseGraph" else f", {name} reader"),
            f"{len(_scores(records, 'f1', group))}",
            *(interval_text(mean_interval(_scores(records, metric, group))) for metric in METRICS),
        )
        for name, records in systems.items()
        for group in groups
    ]
    return Table(("group", "questions", *METRIC_NAMES.values()), tuple(rows))


def _bars(
    systems: Mapping[str, Records], groups: Sequence[str], metric: str
) -> dict[str, dict[str, ConfidenceInterval]]:
    return {
        name: {
            f"{_LABELS.get(group, group)}\n(n={len(values)})": mean_interval(values)
            for group in groups
            for values in [_scores(records, metric, group)]
        }
        for name, records in systems.items()
    }


def _official(answers: Records) -> Table:
    rows = [
        (
            _LABELS.get(group, group),
            f"{row['predictions']:.0f}",
            *(percent_text(row[f"official_{metric}"]) for metric in METRICS),
        )
        for group, row in answer_table(answers).items()
        if row["predictions"]
    ]
    return Table(("group", "predictions", *METRIC_NAMES.values()), tuple(rows))


def _against_trivial(found: Folder, groups: Sequence[str]) -> Table:
    metrics = ("f1", "f1_with_conditions")
    rows = []
    for group in groups:
        pairs = [[_scores(answers, metric, group) for answers in (found.trivial, found.answers)] for metric in metrics]
        cells = (difference_text(paired_difference(*pair)) for pair in pairs)
        rows.append((f"{_LABELS.get(group, group)}, ClauseGraph minus trivial", *cells))
    return Table(("paired difference, points", *(METRIC_NAMES[metric] for metric in metrics)), tuple(rows))


def _confusion(answers: Records) -> Section:
    counts = {str(gold): {str(p): n for p, n in row.items()} for gold, row in confusion(answers).items()}
    columns = tuple(next(iter(counts.values())))
    rows = tuple((gold, *(str(row[name]) for name in columns), str(sum(row.values()))) for gold, row in counts.items())
    note = (
        "Questions by the class of their gold answers (rows) and of the predicted ones (columns). “other” is any "
        "phrase; “yes and no”, where it occurs, means that each is given, under conditions of its own."
    )
    return Section("Yes, no, other, not answerable", note, (Table(("gold", *columns, "all"), rows),))


def _complete(figure: BudgetFigures) -> float | None:
    return None if figure.recall is None else float(figure.complete)


def _retrieval(found: Folder) -> Section:
    system = found.run.system
    tables: list[Table] = []
    drawn: dict[str, dict[str, ConfidenceInterval]] = {}
    for what, values in (
        ("recall", {name: by_budget(records) for name, records in found.retrieval.items()}),
        ("all of it", {name: by_budget(records, _complete) for name, records in found.retrieval.items()}),
    ):
        heads = tuple(f"{what} within {budget:,}" for budget in values[system])
        intervals = {name: {b: mean_interval(v) for b, v in at.items()} for name, at in values.items()}
        rows = tuple((name, *map(interval_text, at.values())) for name, at in intervals.items())
        by_name = {name: list(at.values()) for name, at in values.items()}
        tables += [Table(("retriever", *heads), rows), differences(system, by_name, heads)]
        drawn = drawn or {
            name: {f"{budget:,} tokens": one for budget, one in at.items()} for name, at in intervals.items()
        }
    questions = sum(any(row.recall is not None for row in record.retrieval) for record in found.retrieval[system])
    note = (
        "Percent of the gold evidence within so many tokens of retrieved text, and of questions with all of it, over "
        f"the {questions} questions that have evidence. {RESAMPLED}"
    )
    png = plot_bars(drawn, title="Gold evidence within the budget", ylabel="evidence recall, percent")
    plot = Plot("recall-by-budget", "Bars of evidence recall by budget", png)
    return Section("Retrieval", note, tuple(tables), (plot,))


def _kinds(cases: Sequence[Case], kinds: Sequence[tuple[str, str]], questions: int) -> Section:
    counts = {kind: sum(kind in case.kinds for case in cases) for kind, _ in kinds}
    rows = tuple((kind, f"{counts[kind]}", percent_text(counts[kind] / questions), text) for kind, text in kinds)
    note = "Of the questions without full marks (F1 with conditions below 1); a question may have several kinds."
    return Section(
        "Kinds of error", note, (Table(("kind", "questions", "percent of all", "meaning"), rows, words=True),)
    )


def _cost(answers: Records) -> list[Section]:
    """Questions, median, 95th percentile and sum of each quantity that was recorded of a question."""
    require_extra("eval", "making reports")
    import pandas as pd

    names = ("milliseconds", "model_tokens")
    frame = pd.DataFrame({name: [getattr(record, name) for record in answers] for name in names}, dtype=float)
    known = frame.dropna(axis="columns", how="all")
    rows = tuple(
        (
            str(name),
            f"{values.count():,}",
            f"{values.median():,.0f}",
            f"{values.quantile(0.95):,.0f}",
            f"{values.sum():,.0f}",
        )
        for name, values in known.items()
    )
    table = Table(("per question", "questions", "median", "p95", "sum"), rows)
    return [Section("Time and tokens", "Of each question.", (table,))] if rows else []


def _failures(answers: Records) -> list[Section]:
    rows = tuple((record.id, record.error) for record in answers if record.error)
    note = "Questions that ended in an error; they count as 0."
    return [Section(f"Failures ({len(rows)})", note, (Table(("question", "error"), rows, words=True),))] if rows else []
