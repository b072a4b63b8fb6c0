"""What the rules reach on labelled data; floors slightly under what was measured."""

from pathlib import Path

import pytest

from benchmarks.conditions import keyword_anchors, label_scores, marked_anchors, marking
from clausegraph.core.types import Reading
from clausegraph.eval.conditionalqa.dataset import load_questions
from clausegraph.ingestion.extract.rules.extractor import RuleExtractor
from tests.ingestion.rules.conftest import readings


@pytest.mark.integration
@pytest.mark.parametrize(
    ("remainder", "exact", "leaf_f1", "exceptions"),
    [
        pytest.param(1, 0.92, 0.96, 0.93, id="developed on"),
        pytest.param(0, 0.76, 0.86, 0.78, id="held out"),
    ],
)
def test_trees_of_the_labelled_statements(
    sample_readings: dict[str, Reading], remainder: int, exact: float, leaf_f1: float, exceptions: float
) -> None:
    scores = label_scores(sample_readings, remainder)
    assert scores.exact >= exact
    assert scores.leaf_f1 >= leaf_f1
    assert scores.exceptions >= exceptions


@pytest.mark.long
@pytest.mark.integration
def test_condition_elements_of_conditionalqa(conditionalqa: Path) -> None:
    pages = readings(conditionalqa / "documents.json", chunked=True)
    questions = load_questions(conditionalqa / "dev.json")
    rules = marking(pages, questions, {url: marked_anchors(page, RuleExtractor()) for url, page in pages.items()})
    assert rules.elements == 5803
    assert rules.recall >= 0.88
    assert rules.share <= 0.52
    assert marking(pages, questions, {url: keyword_anchors(page) for url, page in pages.items()}).share > 0.5
