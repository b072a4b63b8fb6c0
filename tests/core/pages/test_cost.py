"""What pages cost that repeat one thing: lines of code run, counted, against bytes. Twice the page, twice the work."""

from collections.abc import Callable

import pytest

from clausegraph.core.extraction import MAX_ABOVE, extraction_inputs
from clausegraph.core.pages.chunks import Unit, best_cuts, chunk_reading
from clausegraph.core.pages.elements import MAX_SPANNED
from clausegraph.core.pages.read import SourceDocument, read_document
from clausegraph.core.types import Reading
from tests.harness.work import lines_run

# What is repeated, and what stands before it and after it
FAMILIES: dict[str, Callable[[int], str]] = {
    "loose text inside markup": lambda n: f"{'<span>' * n}{'<p>x</p>y' * n}",
    "tables in a table": lambda n: f"{'<table><tr><td>' * n}{'<table><tr><th>x</table>' * n}",
    "header cells in items": lambda n: f"{'<ul><li>' * n}{'<table><tr><th>x</table>' * n}",
    "items of a deep list": lambda n: f"<p>You can get it if:</p>{'<ul><li>a' * n}{'<li>x' * n}",
    "rows": lambda n: f"<table>{'<tr><th>a<td>b</tr>' * n}</table>",
    "links": lambda n: f"<p>{'<a href=/x>x</a> ' * n}</p>",
    "marks": lambda n: f"<p>{'(' * 30 * n}</p>",
    "breaks": lambda n: f"<p>{'You must pay.<br>' * n}</p>",
    "breaks inside markup": lambda n: f"<p>{'<i>' * n}{'You must pay.<br>' * n}</p>",
    "details in details": lambda n: f"{'<details><summary>Fee</summary>x' * n}",
    "terms": lambda n: f"<dl>{'<dt>Fee<dd>You pay £20.' * n}</dl>",
    "hidden parts": lambda n: "".join(f"<a href=#p{i}>Fee {i}</a><div id=p{i} hidden>You pay.</div>" for i in range(n)),
    "controls around all": lambda n: (
        f"{'<div data-target=#x>' * n}{'<p>You pay.</p>' * n}<div id=x hidden>You pay.</div>"
    ),
    "notes": lambda n: "".join(f"<p id=n{i}>Pay<sup><a href=#n{i + 1}>{i}</a></sup></p>" for i in range(n)),
    "lines that look like headings": lambda n: "<p><b>Fee</b></p><p>You pay.</p>" * n,
    "pictures": lambda n: '<img alt="what the fee is">' * n,
    "cells over rows": lambda n: f"<table>{'<tr><td rowspan=9>a<td>b</tr>' * n}</table>",
    "rows that head others": lambda n: f"<table>{'<tr><th colspan=2>a</tr><tr><td>b<td>c</tr>' * n}</table>",
    "labels of other pages": lambda n: "<p>See also</p><p><a href=/x>Fees</a></p>" * n,
}


def reading_of(body: str) -> Reading:
    page = f"<html><body><main><h1>Grant</h1><p>You must pay.</p>{body}</main></body></html>"
    return read_document(SourceDocument("x.html", page.encode()))[0]


def lines_of(body: str) -> int:
    """Lines run for reading a page and for making its inputs; chunks are cut by another measure, in windows."""
    read: list[Reading] = []
    lines = lines_run(lambda: read.append(reading_of(body)))
    chunked = chunk_reading(read[0])
    return lines + lines_run(lambda: [given.key for given, _ in extraction_inputs(chunked)])


@pytest.mark.parametrize("name", FAMILIES)
def test_work_grows_with_the_page(name: str) -> None:
    """Four times the page takes 16 times the work where it is quadratic."""
    make = FAMILIES[name]
    lines_of(make(5))  # what is done once in a process
    small, large = lines_of(make(25)), lines_of(make(100))
    assert large < 6 * small, f"{small} lines for 25, {large} for 100"


def test_cells_span_no_more_than_a_page_may() -> None:
    """27 KB took half a minute."""
    page = f"<table>{('<tr>' + '<td colspan=50 rowspan=50>x</td>' * 20 + '</tr>') * 45}</table>"
    document = SourceDocument("x.html", f"<html><body><h1>Fees</h1>{page}</body></html>".encode())
    reading, rejects = read_document(document)
    assert sum(element.tag == "tr" for element in reading.elements) == 45
    assert not any(element.headers for element in reading.elements)
    assert [reject.what for reject in rejects] == ["x.html"]
    assert f"the limit is {MAX_SPANNED:,}" in rejects[0].reason


def test_spans_are_those_of_the_standard() -> None:
    head = "<tr><th>Year<th colspan=60>Fee<th>Note</tr>"
    row = "<tr><td rowspan=99999>2026<td colspan=60>£5<td>late</tr><tr><td colspan=60>£6<td>early</tr>"
    rows = [element for element in reading_of(f"<table>{head}{row}</table>").elements if element.tag == "tr"]
    assert [row.headers for row in rows] == [(), ("Year", "Fee", "Note"), ("Year", "Fee", "Note")]


def test_a_tag_has_no_more_attributes_than_any_page_means() -> None:
    """libxml2 compares each attribute with all before it: 760 KB took half a minute."""
    many = " ".join(f"a{number}=1" for number in range(20_000))
    reading = reading_of(f"<p {many}>Pay on <b>time</b>.</p><p title='{'x' * 20_000}'>Pay in full.</p>")
    first, last = reading.elements[-2:]
    assert (first.text, last.text) == ("Pay on time.", "Pay in full.")
    assert first.html.count("=") == 256
    assert len(last.html) > 20_000


def test_what_stands_above_an_item_is_limited() -> None:
    reading = chunk_reading(reading_of("<p>You can get it if:</p>" + "<ul><li>rent a house" * 400))
    contexts = [sum(not e.is_own for e in given.elements) for given, _ in extraction_inputs(reading)]
    assert max(contexts) == MAX_ABOVE


def test_texts_without_word_pieces_share_chunks_of_bounded_length() -> None:
    units = [Unit(index, 0, 1, 0, 0.1) for index in range(2000)]
    cuts = best_cuts(units, [254] * len(units))
    assert [first for first, _ in cuts[1:]] == [last for _, last in cuts[:-1]]
    assert cuts[-1][1] == len(units)
    assert max(last - first for first, last in cuts) <= 512
