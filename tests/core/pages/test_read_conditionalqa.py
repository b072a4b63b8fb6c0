"""Reading ConditionalQA pages."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from clausegraph.core.hashing import canonical_json
from clausegraph.core.pages.read import read_document
from clausegraph.core.types import Reading
from clausegraph.ingestion.sources import CONDITIONALQA, SourceDocument, open_source

pytestmark = pytest.mark.unit

CONTENTS = [
    "<h1>Overview</h1>",
    "<p>You can claim if:</p>",
    "<li>you’re 16 &amp; over</li>",
    "<li>you live here</li>",
    "<h2>Rates</h2>",
    "<p>There are two rates.</p>",
    "<tr> | First payment | Monthly</tr>",
    "<tr>Higher rate | £3,500 | £350</tr>",
    "<p></p>",
    "no element",
]


def shared_documents() -> Path:
    root = os.environ.get("CLAUSEGRAPH_SHARED_DATA", str(Path(__file__).parents[4] / "shared" / "data"))
    return Path(root) / "conditionalqa" / "documents.json"


@pytest.fixture
def page() -> tuple[Reading, tuple[str, ...]]:
    raw = canonical_json({"title": "Help", "url": "https://x.example/", "contents": CONTENTS}).encode()
    reading, rejects = read_document(
        SourceDocument("https://x.example/", raw, CONDITIONALQA, "Help", "https://x.example/")
    )
    return reading, tuple(reject.what for reject in rejects)


def test_contents_are_kept_to_the_letter(page: tuple[Reading, tuple[str, ...]]) -> None:
    reading, rejects = page
    assert [element.html for element in reading.elements] == CONTENTS[:8]
    assert reading.elements[2].text == "you’re 16 & over"
    assert rejects == ("https://x.example/#8", "https://x.example/#9")


def test_relations_are_derived(page: tuple[Reading, tuple[str, ...]]) -> None:
    elements = page[0].elements
    assert [element.lead_in for element in elements[2:4]] == [elements[1].anchor] * 2
    assert elements[5].headings == ("Overview", "Rates")
    assert elements[6].headers == ()
    assert elements[7].headers == ("", "First payment", "Monthly")
    assert elements[7].lead_in == elements[5].anchor


@pytest.mark.skipif(not shared_documents().is_file(), reason="shared ConditionalQA data is not at hand")
def test_every_element_of_the_development_set_is_read() -> None:
    elements = rejects = 0
    for document in open_source(str(shared_documents())).documents():
        assert isinstance(document, SourceDocument)
        reading, refused = read_document(document)
        elements, rejects = elements + len(reading.elements), rejects + len(refused)
        assert [element.html for element in reading.elements] == json.loads(document.raw)["contents"]
        assert all("".join(e.html.split()) == "".join(e.plain_html.split()) for e in reading.elements)
    assert (elements, rejects) == (5803, 0)
