"""What the rules reach on labelled data; floors slightly under what was measured."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.conditions import Marking, keyword_anchors, label_scores, marked_anchors, marking
from clausegraph.core.types import Chunk, Element, Reading, Span
from clausegraph.eval.conditionalqa.dataset import ConditionalAnswer, Question, load_questions
from clausegraph.eval.metrics import element_key
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


@pytest.mark.long
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
    assert len(gold & found) / len(gold) >= 0.80


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
    given = [
        ConditionalAnswer("yes", ("<li>you work</li>", "<p>Hello.</p>")),
        ConditionalAnswer("no", ("<p>Hello.</p>",)),
    ]
    question = Question("1", "u", "", "Can I claim?", False, tuple(given), ())
    found = marking({"u": reading}, [question], {"u": keyword_anchors(reading)})
    assert found == Marking(gold=2, found=1, elements=4, marked=3)
    assert (found.recall, found.share) == (0.5, 0.75)
    assert marking({}, [], {}).recall == 1.0
