"""Reading ConditionalQA pages."""

import pytest

from clausegraph.core.hashing import canonical_json
from clausegraph.core.pages.read import read_document
from clausegraph.core.types import Reading
from clausegraph.ingestion.sources import CONDITIONALQA, SourceDocument

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
