"""The report of a ConditionalQA run, from the files in its folder alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from clausegraph.core.errors import InputError, require_extra
from clausegraph.eval.conditionalqa.dataset import Question, load_questions
from clausegraph.eval.conditionalqa.figures import GROUPS, METRIC_NAMES, METRICS, SCORES, answer_table, in_group
from clausegraph.eval.conditionalqa.mistakes import MEANINGS, error_cases
from clausegraph.eval.conditionalqa.records import QUESTION_RECORD, BudgetFigures, QuestionRecord, by_budget
from clausegraph.eval.conditionalqa.run import ANSWERS_FILE, QUESTIONS_FILE, TRIVIAL_FILE, retrieval_file
from clausegraph.eval.files import read_records
from clausegraph.eval.metrics import ConfidenceInterval, mean_interval
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
    against_all,
    differences,
    headline,
    interval_table,
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
    sections = [_answers(found)]
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
    systems = {"": found.answers} | ({", trivial reader": found.trivial} if found.trivial else {})
    rows = {f"{_label(group)}{name}": (records, group) for name, records in systems.items() for group in groups}
    columns = {
        METRIC_NAMES[metric]: {row: _scores(records, metric, group) for row, (records, group) in rows.items()}
        for metric in METRICS
    }
    counted = {row: f"{len(values)}" for row, values in columns[METRIC_NAMES["f1"]].items()}
    tables = [interval_table("group", columns, questions=counted)]
    note = (
        "Percent, by the official scorer's definitions; every question counts, one without a prediction as 0. "
        f"{RESAMPLED} “conditional”: questions where a gold answer has conditions, whatever their kind. "
    )
    if found.trivial:
        pairs = {
            f"{_label(one)}, ClauseGraph minus trivial": (f"{_label(one)}, trivial reader", _label(one))
            for one in groups
        }
        tables.append(differences({METRIC_NAMES[metric]: columns[METRIC_NAMES[metric]] for metric in SCORES}, pairs))
        note += "The trivial reader says “yes” to every yes/no question, else the text of the nearest element. "
    if not all(record.has_prediction for record in found.answers):
        tables.append(_official(found.answers))
        note += "The last table leaves out questions without a prediction, as the official scorer does."
    bars, inner = (
        {
            name.removeprefix(", ").removesuffix(" reader") or "ClauseGraph": {
                f"{_label(group)}\n(n={len(values)})": mean_interval(values)
                for group in groups
                for values in [_scores(records, metric, group)]
            }
            for name, records in systems.items()
        }
        for metric in SCORES
    )
    ylabel = "F1, percent (solid: with conditions)"
    png = plot_bars(bars, inner=inner, title="Answers by kind of question", ylabel=ylabel)
    return Section("Answers", note, tuple(tables), (Plot("f1-by-kind", "Bars of F1 by kind of question", png),))


def _label(group: str) -> str:
    return _LABELS.get(group, group)


def _official(answers: Records) -> Table:
    rows = [
        (
            _label(group),
            f"{row['predictions']:.0f}",
            *(percent_text(row[f"official_{metric}"]) for metric in METRICS),
        )
        for group, row in answer_table(answers).items()
        if row["predictions"]
    ]
    return Table(("group", "predictions", *METRIC_NAMES.values()), tuple(rows))


def _complete(figure: BudgetFigures) -> float | None:
    return None if figure.recall is None else float(figure.complete)


def _retrieval(found: Folder) -> Section:
    tables: list[Table] = []
    bars: list[dict[str, dict[str, ConfidenceInterval]]] = []
    for what, value in (("recall", lambda one: one.recall), ("all of it", _complete)):
        by_name = {name: by_budget(records, value) for name, records in found.retrieval.items()}
        columns = {
            f"{what} within {budget:,}": {name: values[budget] for name, values in by_name.items()}
            for budget in by_name[found.run.system]
        }
        tables += [
            interval_table("retriever", columns),
            differences(columns, against_all(found.run.system, found.retrieval)),
        ]
        bars.append({name: {f"{b:,} tokens": mean_interval(v) for b, v in at.items()} for name, at in by_name.items()})
    asked = found.retrieval[found.run.system]
    questions = sum(any(row.recall is not None for row in record.retrieval) for record in asked)
    note = (
        "Percent of the gold evidence within so many tokens of retrieved text, and of questions with all of it, over "
        f"the {questions} questions that have evidence. {RESAMPLED}"
    )
    png = plot_bars(bars[0], title="Gold evidence within the budget", ylabel="evidence recall, percent")
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
    import numpy as np

    rows = []
    for name in ("milliseconds", "model_tokens"):
        known = [value for record in answers if (value := getattr(record, name)) is not None]
        if known:
            median, p95 = np.quantile(known, [0.5, 0.95])
            rows.append((name, *(f"{value:,.0f}" for value in (len(known), median, p95, sum(known)))))
    table = Table(("per question", "questions", "median", "p95", "sum"), tuple(rows))
    return [Section("Time and tokens", "Of each question.", (table,))] if rows else []


def _failures(answers: Records) -> list[Section]:
    rows = tuple((record.id, record.error) for record in answers if record.error)
    note = "Questions that ended in an error; they count as 0."
    return [Section(f"Failures ({len(rows)})", note, (Table(("question", "error"), rows, words=True),))] if rows else []
