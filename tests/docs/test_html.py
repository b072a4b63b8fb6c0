"""docs/html.md: every snippet gives the elements that stand below it."""

import re
from pathlib import Path

import pytest

from clausegraph.core.extraction import Reject
from clausegraph.core.pages.read import read_document
from clausegraph.core.types import Element, Reading
from clausegraph.ingestion.sources import SourceDocument

PAGE = Path(__file__).parents[2] / "docs" / "html.md"
SNIPPETS = re.findall(r"^### (.+?)\n\n```html\n(.+?)\n```\n```text\n(.+?)\n```", PAGE.read_text("utf-8"), re.M | re.S)
FACTS = ("title", "url", "language", "published", "updated", "reviewed")


def test_every_construct_has_its_snippet() -> None:
    titles = [title for title, _, _ in SNIPPETS]
    assert len(titles) == len(set(titles)) == PAGE.read_text("utf-8").count("\n### ")
    assert len(titles) >= 60


@pytest.mark.parametrize(("snippet", "expected"), [s[1:] for s in SNIPPETS], ids=[s[0] for s in SNIPPETS])
def test_a_snippet_gives_its_elements(snippet: str, expected: str) -> None:
    is_page = snippet.startswith("<html")
    page = snippet if is_page else f"<html><body><main><h1>Permits</h1>{snippet}</main></body></html>"
    reading, rejects = read_document(SourceDocument("page.html", page.encode()))
    elements = reading.elements if is_page else reading.elements[1:]
    assert [f"{element.tag} {element.text}".rstrip() for element in elements] == [
        line.rstrip() for line in expected.split("\n") if re.match(r"(h[1-3]|p|li|tr) ", line)
    ]
    index = -1
    for line in expected.split("\n"):
        claim = re.match(r"   (\w+): (.*)", line)
        if claim:
            told = {"html": elements[index].html[: len(claim[2])], **said_beside(reading, elements[index])}
            assert told[claim[1]] == claim[2], elements[index]
        elif fact := re.match(r"(\w+): (.*)", line):
            check_page(fact[1], fact[2], reading, rejects)
        else:
            index += 1


def said_beside(reading: Reading, element: Element) -> dict[str, str]:
    after, inside = reading.element(element.lead_in), reading.element(element.parent)
    return {
        "under": " / ".join(element.headings),
        "after": after.text if after else "",
        "in": inside.text if inside else "",
        "headers": " / ".join(element.headers),
    }


def check_page(name: str, value: str, reading: Reading, rejects: tuple[Reject, ...]) -> None:
    if name == "rejected":
        assert (reading.elements, [reject.reason[: len(value)] for reject in rejects]) == ((), [value])
    else:
        assert name in FACTS
        assert getattr(reading, name) == value
