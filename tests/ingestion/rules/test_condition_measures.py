"""What the rules reach on labelled data; floors slightly under what was measured."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchmarks.condition_measures import (
    Marking,
    condition_elements,
    keyword_anchors,
    marked_anchors,
    marking,
    marking_report,
    predicted_trees,
)
from benchmarks.tree_scores import TreeScores, score_trees, summarise_trees
from clausegraph.core.types import Chunk, Element, Reading, Span
from clausegraph.eval.conditionalqa.dataset import Question, load_questions
from clausegraph.eval.elements import element_key
from clausegraph.ingestion.extract.rules.extractor import RuleExtractor
from tests.ingestion.rules.conftest import readings


def _scores(pages: dict[str, Reading], labels: list[dict[str, Any]]) -> TreeScores:
    gold = {label["id"]: label["condition"] for label in labels}
    return summarise_trees(score_trees(predicted_trees(pages, labels, RuleExtractor()), gold))


@pytest.mark.integration
@pytest.mark.parametrize(
    ("odd", "exact", "leaf_f1", "operators", "exceptions"),
    [
        pytest.param(True, 0.95, 0.97, 0.95, 0.95, id="developed on"),
        pytest.param(False, 0.76, 0.86, 0.90, 0.78, id="held out"),
    ],
)
def test_trees_of_the_labelled_statements(
    sample_readings: dict[str, Reading],
    statements: list[dict[str, Any]],
    odd: bool,
    exact: float,
    leaf_f1: float,
    operators: float,
    exceptions: float,
) -> None:
    labels = [label for label in statements if (int(label["id"].removeprefix("st-")) % 2 == 1) is odd]
    scores = _scores(sample_readings, labels)
    assert (scores.exact or 0) >= exact
    assert (scores.leaf_f1 or 0) >= leaf_f1
    assert (scores.operators or 0) >= operators
    assert (scores.exceptions_recall or 0) >= exceptions


@pytest.mark.integration
def test_condition_elements_of_conditionalqa(conditionalqa: Path) -> None:
    pages = readings(conditionalqa / "documents.json", chunked=True)
    rows = marking_report(pages, load_questions(conditionalqa / "dev.json"), RuleExtractor())
    by_name = {row.name: row for row in rows}
    assert by_name["extractor"].elements == 5803
    assert by_name["extractor"].recall >= 0.93
    assert by_name["extractor"].share <= 0.40
    few = by_name["if, unless, must, only"]
    assert few.recall < by_name["extractor"].recall
    assert few.share > by_name["extractor"].share
    assert by_name["keywords"].share > 0.5


@pytest.mark.integration
def test_condition_elements_of_the_training_evidence(conditionalqa: Path) -> None:
    """No share here (only evidence is published), but the elements are fifteen times as many."""
    gold: set[tuple[str, str, str]] = set()
    found: set[tuple[str, str, str]] = set()
    for question in load_questions(conditionalqa / "train.json"):
        reading = _evidence_page(question)
        marked = marked_anchors(reading, RuleExtractor())
        gold |= {(question.url, *element_key(html)) for answer in question.answers for html in answer.conditions}
        found |= {(question.url, *element_key(e.plain_html)) for e in reading.elements if e.anchor in marked}
    assert len(gold) == 1244
    assert len(gold & found) / len(gold) >= 0.82


def _evidence_page(question: Question) -> Reading:
    """The evidence of a question as a page, what follows a heading below it; a colon leads into the items after it."""
    elements: list[Element] = []
    lead: str | None = None
    above: tuple[str, ...] = ()
    for position, html in enumerate(dict.fromkeys(question.evidences)):
        tag, text = element_key(html)
        anchor = f"{tag}-{position}"
        if tag != "li":
            lead = anchor if tag == "p" and text.endswith(":") else None
        above = () if tag in ("h1", "h2", "h3") else above
        elements.append(Element(anchor, tag, html, text, above, lead_in=lead if tag == "li" else None))
        above = (text,) if elements[-1].is_heading else above
    parts = tuple(Span(element.anchor, 0, len(element.text)) for element in elements)
    return Reading("page", None, tuple(elements), (Chunk("page", (), parts, "", ""),) if parts else ())


@pytest.mark.unit
def test_marking_counts_each_gold_element_once() -> None:
    lead = Element("p-1", "p", "<p>You can claim if:</p>", "You can claim if:")
    items = tuple(
        Element(f"li-{i}", "li", f"<li>{text}</li>", text, lead_in="p-1") for i, text in enumerate(["you work", "more"])
    )
    reading = Reading("Claim", None, (lead, *items, Element("p-2", "p", "<p>Hello.</p>", "Hello.")))
    gold = {"u": {("li", "you work"), ("p", "Hello.")}}
    found = marking("keywords", {"u": reading}, gold, {"u": keyword_anchors(reading)})
    assert found == Marking("keywords", gold=2, found=1, elements=4, marked=3)
    assert (found.recall, found.share) == (0.5, 0.75)
    assert condition_elements([]) == {}
