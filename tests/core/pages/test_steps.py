"""Which step of which procedure an element or a sentence is."""

from dataclasses import replace

import pytest

from clausegraph.core.pages.read import SourceDocument, read_document
from clausegraph.core.pages.steps import PageSteps
from clausegraph.core.serial import statement_from_json, statement_to_json
from clausegraph.core.types import Literal, Mention, Reading, Span, Statement, StepOrder


def _read(body: str) -> Reading:
    page = f"<html><head><title>Permits</title></head><body><main><h1>Permits</h1>{body}</main></body></html>"
    return read_document(SourceDocument("p", page.encode()))[0]


def _steps(body: str) -> dict[str, str]:
    """By the first words of each sentence that is in a step: "number of procedure"."""
    reading = _read(body)
    steps = PageSteps.of(reading)
    found = {}
    for element in reading.elements:
        begin = 0
        for sentence in element.text.split(". "):
            step = steps.at([Span(element.anchor, begin, begin + 1)])
            if step is not None:
                found[" ".join(sentence.split()[:2])] = f"{step.text} of {step.procedure}"
            begin += len(sentence) + 2
    return found


CASES = {
    "numbered list, a number given, a list without numbers in it": (
        '<p>To apply:</p><ol start="2"><li>Fill in form A.<ul><li>Sign it.</li></ul></li>'
        '<li value="5">Pay £20.</li></ol>'
        "<ul><li>Bring a pen.</li></ul>",
        {"Fill in": "2 of To apply:", "Sign it.": "2 of To apply:", "Pay £20.": "5 of To apply:"},
    ),
    "steps in steps; the heading where nothing introduces the list": (
        "<h2>How to apply</h2><ol><li>Fill in form A:<ol><li>Sign it.</li><li>Date it.</li></ol></li>"
        "<li>Pay £20.</li></ol>",
        {
            "Fill in": "1 of How to apply", "Sign it.": "1.1 of How to apply", "Date it.": "1.2 of How to apply",
            "Pay £20.": "2 of How to apply",
        },
    ),
    "headings that are steps, with a numbered list below one": (
        "<h2>Step 1: ask us</h2><p>Write to us.</p><ol><li>Print it.</li></ol><h2>Step 2 Appeal</h2><p>Pay £20.</p>"
        "<h2>Afterwards</h2><p>Keep it.</p>",
        {
            "Step 1:": "1 of Permits", "Write to": "1 of Permits", "Print it.": "1.1 of Permits",
            "Step 2": "2 of Permits", "Pay £20.": "2 of Permits",
        },
    ),
    "paragraphs that are steps": (
        "<h2>How</h2><p>Step 1: Fill in form A.</p><p>Step 2. Pay £20.</p><p>Step 3 of this is hard to do.</p>",
        {"Step 1:": "1 of How", "Step 2": "2 of How", "Pay £20.": "2 of How"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("body, steps", CASES.values(), ids=CASES)
def test_steps_have_their_number_and_procedure(body: str, steps: dict[str, str]) -> None:
    assert _steps(body) == steps


def test_statements_keep_their_step_and_older_ones_have_none() -> None:
    step = StepOrder("To apply:", (2, 1))
    said = Statement(Mention("fee", "fee"), "is", Literal("£20", "amount"), (Span("p-1", 0, 3),), step=step)
    stored = statement_to_json(said)
    assert stored.pop("step") == ["To apply:", [2, 1]] and statement_from_json(stored) == replace(said, step=None)
    assert statement_from_json(statement_to_json(said)) == said


def test_what_stands_in_two_steps_is_in_none() -> None:
    reading = _read("<p>To apply:</p><ol><li>Fill in form A.</li><li>Pay £20.</li></ol>")
    both = [Span(element.anchor, 0, 1) for element in reading.elements if element.tag == "li"]
    assert PageSteps.of(reading).at(both) is None
