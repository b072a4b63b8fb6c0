"""The report of a ConditionalQA run, from the files in its folder alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from clausegraph.core.errors import InputError
from clausegraph.eval.conditionalqa.dataset import ConditionalAnswer, Question, load_questions
from clausegraph.eval.conditionalqa.figures import GROUPS, METRIC_NAMES, METRICS, answer_table, in_group, values_of
from clausegraph.eval.conditionalqa.records import QUESTION_RECORD, QuestionRecord, by_budget
from clausegraph.eval.conditionalqa.run import ANSWERS_FILE, QUESTIONS_FILE, TRIVIAL_FILE, retrieval_file
from clausegraph.eval.files import read_records
from clausegraph.eval.metrics import element_text
from clausegraph.eval.provenance import Provenance
from clausegraph.eval.report import (
    RESAMPLED,
    Case,
    Figure,
    Report,
    Section,
    Table,
    about,
    differences,
    headline,
    interval_table,
    percent_text,
)

_OURS, _TRIVIAL = "ClauseGraph", "trivial reader"
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
    wrong = [one for one in found.answers if not one.has_prediction or one.scores.f1_with_conditions < 1]
    return Report(
        title="ConditionalQA: answers" + ("" if run.corpus else " of a file of predictions"),
        about=about(run),
        headline=_headline(found),
        sections=(_answers(found), *([_retrieval(found)] if found.retrieval else [])),
        cases=tuple(_case(one, found.questions[one.id]) for one in wrong),
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


def _headline(found: Folder) -> tuple[Figure, ...]:
    figures = [headline(f"{METRIC_NAMES[metric]}, percent", values_of(found.answers, metric)) for metric in METRICS]
    if found.retrieval:
        for budget, recall in by_budget(found.retrieval[found.run.system]).items():
            figures.append(headline(f"evidence within {budget:,} tokens, percent ({found.run.system})", recall))
    return tuple(figures)


def _answers(found: Folder) -> Section:
    """Scores by kind of question, with those that the official scorer would tell, and against the trivial reader."""
    groups: dict[str, Records] = {
        group: [record for record in found.answers if in_group(record, group)]
        for group in GROUPS
        if any(in_group(record, group) for record in found.answers)
    }
    by_group = {METRIC_NAMES[one]: {name: values_of(of, one) for name, of in groups.items()} for one in METRICS}
    official = tuple(
        (group, f"{row['predictions']:.0f}", *(percent_text(row[f"official_{metric}"]) for metric in METRICS))
        for group, row in answer_table(found.answers).items()
        if row["predictions"]
    )
    tables = [
        interval_table("group", by_group),
        Table(("group, official scorer", "predictions", *METRIC_NAMES.values()), official),
    ]
    if found.trivial:
        both = {_TRIVIAL: found.trivial, _OURS: found.answers}
        columns = {METRIC_NAMES[one]: {name: values_of(of, one) for name, of in both.items()} for one in METRICS}
        tables += [interval_table("reader", columns), differences(columns, _OURS)]
    note = (
        "Percent, by the official scorer's definitions; every question counts, one without a prediction as 0 (the "
        f"official scorer leaves it out). {RESAMPLED} “conditional”: questions where a gold answer has conditions, "
        "whatever their kind. The trivial reader says “yes” to every yes/no question, else the text of the nearest "
        "element."
    )
    return Section("Answers", note, tuple(tables))


def _retrieval(found: Folder) -> Section:
    by_name = {name: by_budget(records) for name, records in found.retrieval.items()}
    columns = {
        f"recall within {budget:,}": {name: values[budget] for name, values in by_name.items()}
        for budget in by_name[found.run.system]
    }
    note = f"Percent of the gold evidence within so many tokens of retrieved text. {RESAMPLED}"
    return Section("Retrieval", note, (interval_table("retriever", columns), differences(columns, found.run.system)))


def _case(record: QuestionRecord, question: Question) -> Case:
    nothing = f"failed: {record.error}" if record.error else "not answerable" if record.has_prediction else "none"
    return Case(
        id=record.id,
        question=question.question,
        gold=_texts(record.gold) or ("not answerable",),
        predicted=_texts(record.predicted or ()) or (nothing,),
        figures=tuple((METRIC_NAMES[one], f"{100 * getattr(record.scores, one):.0f}") for one in METRICS),
    )


def _texts(answers: Sequence[ConditionalAnswer]) -> tuple[str, ...]:
    """Each answer with its conditions."""
    return tuple(", if ".join((one.text, *map(element_text, one.conditions))) for one in answers)
