"""Passages with their triples as a source: recognised, one page each, stable uris, versions, clear errors."""

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from clausegraph.core.errors import SourceError
from clausegraph.core.pages.read import read_document
from clausegraph.ingestion.sources import CONDITIONALQA, PassagesSource, SourceDocument, open_source
from clausegraph.ingestion.sources.records import ConditionalQASource, slug_of
from tests.query.passages.conftest import PASSAGES

Write = Callable[[str, Any], Path]


def documents(path: Path) -> dict[str, SourceDocument]:
    found = [item for item in open_source(str(path)).documents() if isinstance(item, SourceDocument)]
    assert [item.uri for item in found] == sorted(item.uri for item in found)
    return {item.uri: item for item in found}


def test_a_file_of_passages_is_recognised_and_others_are_not(write: Write) -> None:
    assert isinstance(open_source(str(write("passages.json", PASSAGES))), PassagesSource)
    page = {"title": "T", "url": "https://x.example/t", "contents": ["<p>Some text.</p>"]}
    for value in ([page], [], {"title": "T"}, [1]):
        assert isinstance(open_source(str(write("other.json", value))), ConditionalQASource)


def test_each_passage_is_a_page_of_one_paragraph(write: Write) -> None:
    found = documents(write("passages.json", PASSAGES))
    assert list(found) == ["brimholt-works", "glass-painting", "orla-fenwick", "saltrey", "saltrey~2"]
    assert found["saltrey"].content_type == CONDITIONALQA
    reading, rejects = read_document(found["saltrey"])
    assert (reading.title, reading.url, rejects) == ("Saltrey", None, ())
    assert [element.text for element in reading.elements] == ["Saltrey is a port. Its lighthouse was lit in 1804."]


def test_markup_and_invisible_characters_stay_text(write: Write) -> None:
    passage = {"title": "T &amp; U", "text": "a <b>b</b> &lt; c\ufeff \n d", "triples": []}
    (document,) = documents(write("passages.json", [passage])).values()
    reading, _ = read_document(document)
    assert reading.title == "T &amp; U"
    assert reading.elements[0].text == "a <b>b</b> &lt; c d"


@pytest.mark.parametrize("field", ["text", "triples"])
def test_other_text_or_triples_are_another_version_of_the_same_page(write: Write, field: str) -> None:
    before = documents(write("passages.json", PASSAGES))
    changed = copy.deepcopy(PASSAGES)
    changed[1][field] = "Other text." if field == "text" else [["Brimholt Works", "is", "closed"]]
    after = documents(write("passages.json", changed))
    assert before.keys() == after.keys()
    assert [uri for uri in before if before[uri].raw != after[uri].raw] == ["brimholt-works"]


def test_uris_do_not_depend_on_passages_of_other_titles(write: Write) -> None:
    before = documents(write("passages.json", PASSAGES))
    after = documents(write("passages.json", [*reversed(PASSAGES[:2]), {**PASSAGES[3], "title": "New"}, *PASSAGES[2:]]))
    assert after.keys() == before.keys() | {"new"}
    assert all(after[uri] == before[uri] for uri in before)


def test_equal_passages_are_one_page_with_the_triples_of_both(write: Write) -> None:
    again = {**PASSAGES[0], "triples": [*PASSAGES[0]["triples"], ["Orla Fenwick", "is", "painter"]]}
    found = documents(write("passages.json", [PASSAGES[0], again]))
    assert json.loads(found["orla-fenwick"].raw)["triples"] == again["triples"]


def test_slugs_keep_letters_of_any_script() -> None:
    assert slug_of("  Café – São Paulo (1999)! ") == "café-são-paulo-1999"
    assert slug_of("東京") == "東京"
    assert slug_of("?!") == "passage"
    assert len(slug_of("a" * 500)) == 80


@pytest.mark.parametrize(
    ("record", "problem"),
    [
        ("text", "record 1: expected an object, got str"),
        ({"text": "x", "triples": []}, "record 1: key 'title' is missing"),
        ({"title": "T", "text": 3, "triples": []}, "record 1: key 'text'"),
        ({"title": "T", "text": " ", "triples": []}, "record 1: key 'text'"),
        ({"title": "T", "text": "x"}, r"record 1 \(T\): key 'triples' is missing"),
        ({"title": "T", "text": "x", "triples": {}}, r"record 1 \(T\): key 'triples'"),
    ],
)
def test_a_wrong_shape_names_record_and_key(write: Write, record: Any, problem: str) -> None:
    source = open_source(str(write("passages.json", [PASSAGES[0], record])))
    with pytest.raises(SourceError, match=problem):
        list(source.documents())


def test_what_is_no_list_of_passages_is_refused(tmp_path: Path, write: Write) -> None:
    with pytest.raises(SourceError, match="is not a file"):
        PassagesSource(tmp_path / "nowhere.json")
    with pytest.raises(SourceError, match="expected a list"):
        list(PassagesSource(write("wrong.json", {})).documents())
    broken = tmp_path / "broken.json"
    broken.write_text('[{"title": "T", "text": "x"', encoding="utf-8")
    with pytest.raises(SourceError, match="not valid JSON"):
        PassagesSource(broken).passages()
