"""The real ConditionalQA files: they load, and published predictions get the official figures."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from clausegraph.eval.conditionalqa.dataset import load_questions
from clausegraph.eval.conditionalqa.predictions import read_predictions
from clausegraph.eval.conditionalqa.scorer import aggregate
from clausegraph.eval.records import make_record

pytestmark = pytest.mark.integration


def test_the_official_files_load(conditionalqa: Path) -> None:
    questions = load_questions(conditionalqa / "dev.json")
    documents = {page["url"]: page for page in json.loads((conditionalqa / "documents.json").read_bytes())}
    assert (len(questions), len(documents)) == (143, 59)
    assert len(load_questions(conditionalqa / "train.json")) == 2338
    kinds = [question.kind for question in questions]
    counts = [kinds.count(kind) for kind in ("yesno", "extractive", "not_answerable")]
    assert counts == [73, 66, 4]
    assert sum(question.conditional for question in questions) == 31
    assert all(set(q.evidences) <= set(documents[q.url]["contents"]) for q in questions)


def test_published_predictions_get_the_official_figures(conditionalqa: Path) -> None:
    questions = load_questions(conditionalqa / "dev.json")
    baseline = conditionalqa / "baselines" / "gpt-4o_text-prompt_4-shot.json"
    found = read_predictions(baseline, questions)
    groups = aggregate(make_record(q, found[q.id].answers if q.id in found else None) for q in questions)

    expected = {
        "total": (58.53, 42.04),
        "yesno": (78.77, 56.28),
        "extractive": (39.70, 28.84),
        "conditional": (41.50, 10.71),
    }
    for group in ("total", "yesno", "extractive", "conditional"):
        for scores in (groups[group].official, groups[group].ours):
            assert scores is not None
            figures = (round(100 * scores.f1, 2), round(100 * scores.f1_with_conditions, 2))
            assert figures == expected[group], group
