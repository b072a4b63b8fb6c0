"""Reading a web page: elements, their relations, what the page says about itself."""

# ruff: noqa: SIM905 (a list of words reads best as a line of words)
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clausegraph.core.pages.read import read_document
from clausegraph.core.types import Element, Reading
from clausegraph.ingestion.sources import SourceDocument


def read(html: str, wrap: bool = True) -> Reading:
    body = f"<html><body><main><h1>Guide</h1>{html}</main></body></html>" if wrap else html
    return read_document(SourceDocument("page.html", body.encode()))[0]


def plain(reading: Reading) -> list[str]:
    return [element.plain_html for element in reading.elements]


def by_text(reading: Reading, text: str) -> Element:
    (found,) = [element for element in reading.elements if element.text == text]
    return found


def test_a_large_grid_without_header_cells_stays_a_table_where_a_cell_has_paragraphs() -> None:
    rows = "".join(f"<tr><td>Route {n}</td><td>{n * 137}</td><td>19{n + 10}</td></tr>" for n in range(12))
    noted = "<tr><td><p>Route 99</p><p>closed since the flood</p></td><td>8</td><td>1900</td></tr>"
    table = f"<table><tr><td>Highway</td><td>Feet</td><td>Opened</td></tr>{rows}{noted}</table>"
    elements = [element for element in read(f"<p>All highways are listed.</p>{table}").elements if element.tag == "tr"]
    assert len(elements) == 14
    assert elements[3].text == "Route 2 | 274 | 1912"


def test_page_facts() -> None:
    page = (
        '<html><head><title>Fees | Some Office</title><link rel="canonical" href="https://o.example/fees">'
        "</head><body><h2>Fees</h2><p>Last updated: 3 March 2026</p><p>You pay a fee of £20 for a permit.</p></body>"
    )
    reading = read(page, wrap=False)
    assert (reading.title, reading.url, reading.updated) == ("Fees", "https://o.example/fees", "2026-03-03")
    assert read("<p>You pay a fee for it.</p>").title == "Guide"
    meta = '<html><head><meta property="article:modified_time" content="2025-01-31T10:00:00Z"></head><body><p>Text.</p>'
    assert read(meta, wrap=False).updated == "2025-01-31"


def test_anchors_survive_edits_elsewhere() -> None:
    before = read("<p>One.</p><p>Two.</p><ul><li>item</li></ul><h2>Head</h2><ul><li>item</li></ul>")
    after = read("<p>One.</p><p>Two changed.</p><ul><li>item</li></ul><h2>Head</h2><ul><li>item</li></ul>")
    changed = {element.anchor for element in before.elements} ^ {element.anchor for element in after.elements}
    assert changed == {before.elements[2].anchor, after.elements[2].anchor}
    assert [element.anchor.rsplit("-", 1)[1] for element in before.elements if element.text == "item"] == ["0", "1"]


@pytest.mark.parametrize("html", ["<html><body></body></html>", "<script>x</script>", "<p>\u200b</p>", "<!-- x -->"])
def test_page_without_text_is_a_reject(html: str) -> None:
    reading, rejects = read_document(SourceDocument("page.html", html.encode()))
    assert (reading.elements, reading.title) == ((), "page.html")
    assert rejects[0].what == "page.html"


@pytest.mark.parametrize("opening", ["<div>", "<ul><li>x", "<b>x", "<table><tr><td>", "<blockquote>", "<p><a href=x>"])
def test_deep_nesting_is_read_as_far_as_it_goes(opening: str) -> None:
    page = "<h1>Deep</h1><p>This text stands above.</p>" + opening * 100_000
    reading, rejects = read_document(SourceDocument("page.html", page.encode()))
    assert plain(reading)[:2] == ["<h1>Deep</h1>", "<p>This text stands above.</p>"]
    assert all("nested too deep" in reject.reason for reject in rejects)


BROKEN = st.lists(
    st.sampled_from(
        "<p> </p> <ul> </ul> <li> </li> <table> <tr> <td> </td> </tr> </table> <h2> </h2> <b> </b> <a href='#'> "
        "</a> <dl> <dd> <br> <div> </div> <thead> <th> <nav> <main> <!-- --> <button> text more 3&lt;4 &pound; £5. "
        "<td colspan=x>".split()
    ),
    max_size=60,
)


@settings(max_examples=150, deadline=None)
@given(BROKEN)
def test_broken_markup_never_crashes(pieces: list[str]) -> None:
    document = SourceDocument("page.html", " ".join(pieces).encode())
    reading, rejects = read_document(document)
    assert reading.elements or rejects
    anchors = [element.anchor for element in reading.elements]
    assert len(set(anchors)) == len(anchors)
    for element in reading.elements:
        assert element.text and element.text.strip() and element.html
        assert element.tag != "tr" or not element.headers or len(element.headers) == element.text.count(" | ") + 1
        assert {element.lead_in, element.parent} <= {None, *anchors}
    assert read_document(document)[0] == reading
