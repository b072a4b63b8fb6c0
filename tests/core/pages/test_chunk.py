"""Chunks: the limit, the cuts, the keys."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clausegraph.core.extraction import extraction_input
from clausegraph.core.hashing import canonical_json
from clausegraph.core.pages.chunks import MAX_TOKENS, SPECIAL_TOKENS, chunk_reading
from clausegraph.core.pages.read import read_document
from clausegraph.core.tokens import count_many
from clausegraph.core.types import Reading
from clausegraph.ingestion.sources import CONDITIONALQA, SourceDocument


def page(contents: list[str], title: str = "Title") -> Reading:
    raw = canonical_json({"title": title, "url": "u", "contents": contents}).encode()
    return read_document(SourceDocument("u", raw, CONDITIONALQA, title, "u"))[0]


def chunked(contents: list[str], title: str = "Title") -> Reading:
    return chunk_reading(page(contents, title))


def words(count: int) -> str:
    return " ".join(["fee"] * count)


def check(reading: Reading) -> None:
    """What holds for every chunking: the limit, whole coverage in order, unique keys."""
    counts = count_many([chunk.text for chunk in reading.chunks])
    assert max(counts, default=0) + SPECIAL_TOKENS <= MAX_TOKENS
    keys = [chunk.key for chunk in reading.chunks]
    assert len(set(keys)) == len(keys)
    covered: dict[str, list[tuple[int, int]]] = {}
    for chunk in reading.chunks:
        for part in chunk.parts:
            covered.setdefault(part.anchor, []).append((part.start, part.end))
    assert list(covered) == [element.anchor for element in reading.elements]
    for element in reading.elements:
        spans = covered[element.anchor]
        pieces = "".join(element.text[start:end] for start, end in spans)
        assert "".join(pieces.split()) == "".join(element.text.split())
        assert spans[0][0] == 0 and spans[-1][1] == len(element.text)
        assert all(before[1] <= after[0] for before, after in pairwise(spans))


def test_sections_start_at_h1_and_h2_only() -> None:
    reading = chunked(["<h1>A</h1>", "<p>One.</p>", "<h2>B</h2>", "<p>Two.</p>", "<h3>C</h3>", "<p>Three.</p>"])
    assert [chunk.headings for chunk in reading.chunks] == [("A",), ("A", "B")]
    assert reading.chunks[1].text == "Title\nA\nB\nTwo.\nC\nThree."
    assert reading.chunks[1].key == reading.elements[2].anchor
    assert len(reading.chunks[1].parts) == 4
    check(reading)


def test_bare_heading_joins_the_section_below() -> None:
    reading = chunked(["<h1>Title</h1>", "<h2>B</h2>", "<p>Two.</p>", "<h2>Empty</h2>", "<h2>C</h2>", "<p>Three.</p>"])
    assert [chunk.text for chunk in reading.chunks] == ["Title\nB\nTwo.", "Title\nEmpty", "Title\nC\nThree."]
    check(reading)


def test_lead_in_stays_with_its_items_and_sizes_are_even() -> None:
    items = [f"<li>{words(20)} {n}</li>" for n in range(3)]
    reading = chunked(["<h1>A</h1>", f"<p>{words(220)}</p>", "<p>You can claim if:</p>", *items])
    assert [len(chunk.parts) for chunk in reading.chunks] == [2, 4]
    even = chunked(["<h1>A</h1>", *[f"<p>{words(60)} {n}</p>" for n in range(6)]])
    assert [len(chunk.parts) for chunk in even.chunks] == [4, 3]


def test_long_element_is_split_by_sentences() -> None:
    sentence = f"The {words(70)} is due."
    reading = chunked(["<h1>A</h1>", f"<p>{' '.join([sentence] * 8)}</p>"])
    anchor = reading.elements[1].anchor
    assert [chunk.key.startswith(f"{anchor}@") for chunk in reading.chunks[1:]] == [True] * (len(reading.chunks) - 1)
    for chunk in reading.chunks:
        part = chunk.parts[-1]
        assert reading.elements[1].text[part.start : part.end].endswith("due.")
    check(reading)


def test_split_element_is_extracted_once() -> None:
    reading = chunked(["<h1>A</h1>", f"<p>{words(700)}</p>"])
    own = [[e.text for e in extraction_input(reading, chunk)[0].elements if e.is_own] for chunk in reading.chunks]
    assert [len(elements) for elements in own] == [2] + [0] * (len(own) - 1)


@pytest.mark.parametrize("monster", [words(2000), "a." * 3000, "x" * 5000, "費" * 3000, "?!" * 900 + " word"])
def test_monsters_fit(monster: str) -> None:
    check(chunked([f"<h1>{monster}</h1>", f"<h2>{monster}</h2>", f"<h3>{monster}</h3>", f"<p>{monster}</p>"], monster))


TEXTS = st.one_of(
    st.integers(1, 400).map(words),
    st.text(st.characters(codec="utf-8", exclude_categories=["C"]), min_size=1, max_size=80),
    st.integers(1, 30).map(lambda n: "You must pay the fee, unless you are 66. " * n),
)
ELEMENTS = st.tuples(st.sampled_from(["h1", "h2", "h3", "p", "li", "tr"]), TEXTS)


@settings(max_examples=80, deadline=None)
@given(st.lists(ELEMENTS, max_size=25), TEXTS)
def test_every_element_is_in_the_chunks_once(parts: list[tuple[str, str]], title: str) -> None:
    contents = [f"<{tag}>{text.replace('&', '&amp;').replace('<', '&lt;')}</{tag}>" for tag, text in parts]
    check(chunked(contents, title))


def test_edit_moves_no_cut_outside_its_section() -> None:
    sections = [[f"<h2>S{n}</h2>", *[f"<p>{words(50)} {n} {i}</p>" for i in range(8)]] for n in range(3)]
    before = chunked([item for section in sections for item in section])
    sections[1][3] = f"<p>{words(150)}</p>"
    after = chunked([item for section in sections for item in section])
    same = {chunk for chunk in before.chunks if chunk.headings != ("S1",)}
    assert same <= set(after.chunks)
