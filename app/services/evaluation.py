"""Benchmarks over a workspace: read the pages, ask, measure; and what a report must say of such a run."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from clausegraph.app.services.ingest import mirror_whole, run_ingest
from clausegraph.app.version import version
from clausegraph.eval.conditionalqa import run as conditionalqa
from clausegraph.eval.conditionalqa.predictions import read_predictions
from clausegraph.eval.conditionalqa.run import EvaluationResult
from clausegraph.eval.passages import evaluate
from clausegraph.eval.provenance import Benchmark, Provenance, corpus_facts, file_facts, program, relevant_settings
from clausegraph.eval.records import make_record
from clausegraph.ingestion.pipeline import Options, Progress, no_progress
from clausegraph.ingestion.sources import PassagesSource

if TYPE_CHECKING:
    from clausegraph.app.workspace import Workspace
    from clausegraph.eval.conditionalqa.dataset import Question
    from clausegraph.eval.passages import PassageQuestion, PassageResult
    from clausegraph.ingestion.report import RunReport


def score_predictions(questions: Sequence[Question], path: Path) -> EvaluationResult:
    """Records of a prediction file: no corpus, no model; errors as ``read_predictions``."""
    found = read_predictions(path, questions)
    return EvaluationResult(tuple(make_record(q, found[q.id].answers if q.id in found else None) for q in questions))


def evaluate_conditionalqa(
    workspace: Workspace,
    documents: Path,
    questions: Sequence[Question],
    *,
    oracle_type: bool = False,
    progress: Progress | None = None,
) -> EvaluationResult:
    """Mirror the documents into the workspace's corpus, answer every question and measure every retriever."""
    progress = progress or no_progress
    mirror_whole(workspace, documents, progress)
    with workspace.view() as view:
        return conditionalqa.evaluate(
            view,
            workspace.embedder,
            questions,
            reranker=workspace.reranker,
            oracle_type=oracle_type,
            progress=progress,
        )


def evaluate_passages(
    workspace: Workspace, passages: Path, questions: Sequence[PassageQuestion], *, progress: Progress | None = None
) -> tuple[RunReport, PassageResult]:
    """Mirror the passages into the workspace's corpus and rank them for every question in every way."""
    progress = progress or no_progress
    report = run_ingest(workspace, workspace.settings.corpus, PassagesSource(passages), Options(), progress)
    with workspace.view() as view:
        return report, evaluate(view, workspace.embedder, questions, progress=progress)


def describe_run(
    benchmark: Benchmark, files: Mapping[str, Path | None], start: float, asked: tuple[Workspace, int | None] | None
) -> Provenance:
    """What a report says of the run that started at ``start`` (of ``time.perf_counter``).

    Args:
        files: role to path, those that were read.
        asked: the workspace and the epoch of its corpus; none where only predictions were scored.

    Raises:
        InputError: a file cannot be read.
    """
    seconds = round(time.perf_counter() - start, 1)
    corpus, settings = None, {}
    if asked is not None:
        workspace, epoch = asked
        settings = relevant_settings(workspace.settings)
        with workspace.view(epoch=epoch) as view:
            corpus = corpus_facts(view)
    return Provenance(
        benchmark=benchmark,
        program=program(version()),
        date=datetime.now(UTC).strftime("%Y-%m-%d %H:%M"),
        seconds=seconds,
        files=tuple(file_facts(role, path) for role, path in files.items() if path is not None),
        corpus=corpus,
        settings=settings,
    )
