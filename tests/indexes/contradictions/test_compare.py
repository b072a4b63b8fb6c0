"""Which rules of two pages contradict each other, and which only look so."""

import json
from pathlib import Path
from typing import Any

import pytest

from clausegraph.core.page_rules import page_rules
from clausegraph.core.pages.chunks import chunk_reading
from clausegraph.core.pages.read import SourceDocument, read_document
from clausegraph.core.types import PageKey, PlacedRule, Reading
from clausegraph.indexes.contradictions import compare
from clausegraph.indexes.contradictions.assertions import Assertion, assertions_of
from clausegraph.indexes.contradictions.compare import Conflict, find_pairs, in_order
from clausegraph.indexes.graph.links import replacements
from clausegraph.ingestion.extract.rules.extractor import read_rules
from tests.harness.tables import rows

Said = tuple[str, str]  # "Last updated: …" or "", and what the page says


def conflicts(
    *said: Said, titles: tuple[str, ...] = ("Garden Grant: leaflet", "Garden Grant: rates")
) -> list[Conflict]:
    """The conflicts between pages about one thing."""
    readings = {}
    for number, (updated, text) in enumerate(said):
        page = PageKey("pages", f"{number}.html")
        body = text if text.startswith("<") else f"<p>{text}</p>"
        dated = f"<p>Last updated: {updated}</p>" if updated else ""
        html = f"<title>{titles[number]}</title><main><h1>{titles[number]}</h1>{dated}{body}</main>"
        readings[page] = _read(page.uri, html)
    rules = [rule for page, reading in readings.items() for rule in _rules(page, reading)]
    return in_order(find_pairs(assertions_of(rules, readings)), replacements(readings))


def _rules(page: PageKey, reading: Reading) -> list[PlacedRule]:
    rules = page_rules(list(read_rules(reading)), reading)
    return [PlacedRule(str(number), page, "", rule, "", ()) for number, rule in enumerate(rules)]


def _read(uri: str, html: str) -> Reading:
    return chunk_reading(read_document(SourceDocument(uri, html.encode(), "text/html"))[0])


@pytest.mark.parametrize(
    ("one", "other", "kind"),
    rows(__file__, "what two pages say, and in what they contradict each other")
)  # fmt: skip
def test_what_contradicts(one: str, other: str, kind: str) -> None:
    assert [found.kind for found in conflicts(("", one), ("", other))] == [kind]


@pytest.mark.parametrize(("one", "other"), rows(__file__, "what two pages say that only looks like a contradiction"))
def test_what_only_looks_so(one: str, other: str) -> None:
    assert conflicts(("", one), ("", other)) == []


def test_two_sentences_of_a_page_contradict_below_one_heading_only() -> None:
    one, other = "<p>You can bring a dog.</p>", "<p>You cannot bring a dog.</p>"
    assert [found.kind for found in conflicts(("", one + other))] == ["polarity"]
    assert conflicts(("", f"<h2>Cars</h2>{one}<h2>Vans</h2>{other}")) == []


def test_pages_about_two_things_are_not_compared() -> None:
    said = ("", "You must reply within 10 days."), ("", "You must reply within 14 days.")
    assert conflicts(*said, titles=("Garden Grant", "Roof Grant")) == []


ROWS = (
    "<table><tr><th>Size</th><th>Fee</th></tr>"
    "<tr><td>Small</td><td>£10</td></tr><tr><td>Large</td><td>{}</td></tr></table>"
)


def test_cells_meet_where_both_headers_do() -> None:
    (found,) = conflicts(("", ROWS.format("£20")), ("", ROWS.format("£30")))
    assert found.kind == "value"
    assert conflicts(("", ROWS.format("£20")), ("", ROWS.format("£20").replace("Large", "Huge"))) == []


def test_a_list_of_values_is_no_contradiction() -> None:
    fees = "<p>The fee is £10.</p><p>The fee is £20.</p><p>The fee is £30.</p>"
    assert conflicts(("", fees), ("", "The fee is £40.")) == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("1 May 2025", "The Garden Grant is £200."), ("1 May 2026", "The Garden Grant is £250 from 6 April 2026.")),
        (("1 May 2026", "The fee costs £20 until 5 April 2026."), ("2 May 2026", "The fee costs £30.")),
        (("", "The fee is £20 from 6 April 2025."), ("", "The fee is £30 from 6 April 2026.")),
        (("1 May 2025", "You can keep hens."), ("2 May 2025", "From 6 April 2026, you cannot keep hens.")),
    ],
)
def test_what_a_later_statement_replaces(one: Said, other: Said) -> None:
    for said in ((one, other), (other, one)):
        (found,) = conflicts(*said)
        assert found.superseded and found.older.page.uri == f"{said.index(one)}.html"


def test_a_page_that_knows_the_date_and_says_otherwise_contradicts() -> None:
    """Written after the new rule began, by a page that is newer than the one that announced it."""
    (found,) = conflicts(("1 May 2026", "The fee is £30 from 6 April 2026."), ("1 June 2026", "The fee is £20."))
    assert not found.superseded and found.newer.page.uri == "1.html"


def test_only_the_next_statement_takes_the_place() -> None:
    titles = ("Garden Grant: a", "Garden Grant: b", "Garden Grant: c")
    said = [("", f"The fee is £{fee} from 6 April {year}.") for fee, year in ((20, 2024), (30, 2025), (40, 2026))]
    found = conflicts(*said, titles=titles)
    assert [(one.newer.page.uri, one.older.page.uri) for one in found] == [("2.html", "1.html"), ("1.html", "0.html")]


def test_what_agrees_is_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Comparisons are counted: a hundred pages say the same, one says otherwise."""
    compared: list[tuple[Assertion, Assertion]] = []
    conflict = compare._conflict

    def counted(one: Assertion, other: Assertion) -> str | None:
        compared.append((one, other))
        return conflict(one, other)

    monkeypatch.setattr(compare, "_conflict", counted)
    said = [("", "The Garden Grant is £200. You can keep hens.")] * 100 + [("", "The Garden Grant is £250.")]
    found = conflicts(*said, titles=("Garden Grant: leaflet",) * len(said))
    assert len(found) == 100 and len(compared) == 1


@pytest.mark.parametrize(
    ("older", "newer", "superseded"),
    [
        ("", 'They replace those of our <a href="0.html">older leaflet</a>.', True),
        ('This page has been replaced by <a href="1.html">the rates</a>.', "", True),
        ("", 'The grant replaces the <a href="0.html">older leaflet</a>.', False),  # a grant is no page
        ("", 'They replace those of our older leaflet. See <a href="0.html">the leaflet</a>.', False),  # which?
    ],
)
def test_a_page_takes_the_place_of_one_that_it_says_it_replaces(older: str, newer: str, superseded: bool) -> None:
    said = ("", f"<p>The Garden Grant is £40. {older}</p>"), ("", f"<p>The Garden Grant is £50. {newer}</p>")
    (found,) = conflicts(*said)
    assert (found.superseded, found.newer.page.uri if superseded else "") == (
        superseded,
        "1.html" if superseded else "",
    )


PAIRS: dict[str, list[dict[str, Any]]] = json.loads(Path(__file__).with_name("pairs.json").read_text(encoding="utf-8"))
LEAST = 151  # of 175: the others name a case that the other page does not, or are in other words throughout


def _found(pair: dict[str, Any]) -> bool:
    said = [("", "".join(text if text[0] == "<" else f"<p>{text}</p>" for text in pair[side]["said"])) for side in "ab"]
    return bool(conflicts(*said, titles=tuple(pair[side]["title"] for side in "ab")))


def test_what_contradicts_is_found_whatever_the_titles() -> None:
    assert sum(map(_found, PAIRS["contradictions"])) >= LEAST


@pytest.mark.parametrize("pair", PAIRS["compatible"], ids=lambda pair: pair["id"])
def test_what_both_hold_is_no_contradiction(pair: dict[str, Any]) -> None:
    assert not _found(pair)
