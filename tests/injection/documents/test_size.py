"""Pages of a megabyte that repeat, nest and never end: read in seconds and megabytes, not hours and gigabytes.

What is forbidden is quadratic time, which here is hours, and texts stored once per element.
"""

import json
from html import escape
from pathlib import Path

import pytest

from clausegraph.core.extraction import ExtractionInput, InputElement, extraction_input
from clausegraph.core.language.clauses import sentence_spans
from clausegraph.core.pages.chunks import chunk_reading
from clausegraph.core.pages.elements import MAX_NAME
from clausegraph.core.pages.read import CONDITIONALQA, SourceDocument, read_document
from clausegraph.core.serial import pack, reading_to_json
from clausegraph.core.types import Reading
from clausegraph.indexes.derive import derive_rows
from clausegraph.ingestion.extract.rules.extractor import ChunkReader, RuleExtractor
from tests.harness.wait import no_hang
from tests.injection.documents.conftest import Cli, parsed
from tests.injection.documents.test_terminal import obeyed

MB = 1_000_000

# Each took minutes or would have taken hours per megabyte in some step, or is near one that did
REPEATED = {
    "one-word": "x",
    "abbreviations": "U.K. ",
    "statements": "You can get it if you rent. ",
    "conditions": "if you rent and ",
    "brackets": "(",
    "quotes": "“",
    "numbers": "£1,",
    "zalgo": "a\u0301",
    "dashes": "- ",
    "colons": "the: ",
}


def document(body: str, title: str = "Title", heading: str = "Heading") -> SourceDocument:
    """A page."""
    page = f"<html><head><title>{title}</title></head><body><main><h1>{heading}</h1><p>You must pay.</p>{body}</main>"
    return SourceDocument("x.html", page.encode())


def worked(source: SourceDocument) -> Reading:
    """The page through reader, chunker, rules and projection; the test fails when that takes too long."""
    rules = RuleExtractor()
    with no_hang():
        reading = chunk_reading(read_document(source)[0])
        inputs = [extraction_input(reading, chunk)[0] for chunk in reading.chunks]
        derive_rows(reading, {given.key: rules.extract(given) for given in inputs}, "rules")
    return reading


@pytest.mark.parametrize("size", [20_000, pytest.param(60_000, marks=pytest.mark.long)])
@pytest.mark.parametrize("name", REPEATED)
def test_long_paragraph(name: str, size: int) -> None:
    text = REPEATED[name] * (size // len(REPEATED[name]))
    assert any(len(element.text) > size - 100 for element in worked(document(f"<p>a{text}</p>")).elements)


def test_sentence_ends_are_found_in_linear_time() -> None:
    with no_hang():
        assert len(sentence_spans("U.K. " * (MB // 5))) == 1


@pytest.mark.parametrize("size", [MB // 10, pytest.param(MB, marks=pytest.mark.long)])
def test_rules_of_a_megabyte(size: int) -> None:
    element = InputElement("e0", "p", "You can get the Roof Grant if you rent. " * (size // 40))
    with no_hang():
        reader = ChunkReader(ExtractionInput("T", (), (element,)))
        assert not reader.read().rejects and reader.rules()


@pytest.mark.parametrize("piece", ["<a ", "<a href=x>", "<a href=x href=", "<a><b", "</a", "x</a>"])
def test_links_of_a_serialised_page(piece: str) -> None:
    raw = json.dumps({"title": "T", "url": "u", "contents": [f"<p>Pay {piece * (MB // len(piece))}</p>"]}).encode()
    with no_hang():
        read_document(SourceDocument("u", raw, CONDITIONALQA, "T", "u"))


@pytest.mark.parametrize(
    "place", ["h2", "th", *(pytest.param(place, marks=pytest.mark.long) for place in ("title", "h1", "lead-in"))]
)
def test_a_long_name_is_not_stored_once_per_element(place: str) -> None:
    """A name of 1 MB above 1,000 elements would be 1 GB."""
    name, many = "Name" * (MB // 4), range(1000)
    body = {
        "h2": f"<h2>{name}</h2>" + "".join(f"<p>You must pay {n}.</p>" for n in many),
        "th": f"<table><tr><th>{name}</th><th>A</th></tr>" + "".join(f"<tr><td>{n}</td><td>x</td></tr>" for n in many),
        "lead-in": f"<p>{name}:</p><ul>" + "".join(f"<li>you rent {n}</li>" for n in many) + "</ul>",
    }.get(place, "".join(f"<p>You must pay {n}.</p>" for n in many))
    source = document(body, name if place == "title" else "Title", name if place == "h1" else "Heading")
    with no_hang():
        reading = chunk_reading(read_document(source)[0])
        stored = len(json.dumps(reading_to_json(reading)))
        embedded = sum(len(row.text) for row in derive_rows(reading, {}, "rules").vectors)
    assert len(reading.elements) > 1000 and len(reading.title) <= MAX_NAME
    assert stored < 15 * MB and embedded < 15 * MB
    assert pack(reading_to_json(reading))


@pytest.mark.parametrize(
    "body",
    ["<div>" * 200_000, "<ul><li>a" * 300, "<b>" * 100_000 + "x", "<!--" * 200_000, "&" * 100_000, "<p " * 300_000],
    ids=["divs", "lists", "inline", "comments", "ampersands", "tags"],
)
def test_nesting(body: str) -> None:
    worked(document(body))


@pytest.mark.parametrize("size", [MB // 10, pytest.param(MB, marks=pytest.mark.long)])
def test_long_names_on_the_command_line(cli: Cli, tmp_path: Path, size: int) -> None:
    name = escape("Grant" * (size // 5))
    (tmp_path / "pages").mkdir()
    body = f"<p>You can get {name} if you rent.</p><p>You must pay {name}.</p>"
    page = f"<title>{name}</title><main><h1>{name}</h1>{body}"
    (tmp_path / "pages" / "long.html").write_text(page, encoding="utf-8")
    with no_hang():
        parsed(cli("ingest", str(tmp_path / "pages"), "--json"))
        for words in (["show", "long.html"], ["rules", "long.html"], ["search", "-r", "bm25", "Grant"]):
            result = cli(*words)
            assert result.exit_code == 0 and not obeyed(result.stdout)
        assert cli("export", "-o", str(tmp_path / "out.graphml")).exit_code == 0
        assert (tmp_path / "out.graphml").stat().st_size < 60 * MB
