"""What other chunks set for a chunk: shown to extractors of whole pages only, and part of their keys."""

import pytest

from clausegraph.core.extraction import ExtractionInput, extraction_inputs, scope_of
from clausegraph.core.hashing import canonical_json
from clausegraph.core.pages.chunks import chunk_reading
from clausegraph.core.pages.read import read_document
from clausegraph.core.types import Reading
from clausegraph.ingestion.sources import CONDITIONALQA, SourceDocument

PAGE = "page 1"
CONTENTS = [
    "<h1>Redundancies</h1>",
    "<p>Employers can make staff redundant.</p>",
    "<p>These rules apply if:</p>",
    "<li>you dismiss 20 or more employees</li>",
    "<h2>Consultation</h2>",
    "<p>Consult the staff.</p>",
    "<h3>Notice</h3>",
    "<p>Tell the office.</p>",
    "<h1>Appeals</h1>",
    "<p>Appeal within 30 days.</p>",
]


def reading_of(contents: list[str]) -> Reading:
    raw = canonical_json({"title": "Work", "url": "u", "contents": contents}).encode()
    return chunk_reading(read_document(SourceDocument("u", raw, CONDITIONALQA, "Work", "u"))[0])


def inputs_of(contents: list[str], scope: str = PAGE) -> list[ExtractionInput]:
    return [source for source, _ in extraction_inputs(reading_of(contents), scope)]


def around(source: ExtractionInput) -> list[tuple[str, str]]:
    return [(element.label, element.text) for element in source.around]


def test_conditions_above_a_heading_of_the_path_stand_around_what_is_below_it() -> None:
    top, below, other = inputs_of(CONTENTS)
    assert around(below) == [("s0", "These rules apply if:"), ("s1", "you dismiss 20 or more employees")]
    assert below.around[1].lead_in == "s0"
    assert not (top.around or other.around)


def test_the_head_of_a_table_stands_around_rows_of_another_chunk() -> None:
    rows = [f"<tr>{number} staff {'word ' * 60}| {number} days</tr>" for number in range(12)]
    first, *later = inputs_of(["<h1>Notice</h1>", "<tr>If you dismiss | Notice, if it is urgent</tr>", *rows])
    assert later and not first.around
    assert [around(source) for source in later] == [[("s0", first.elements[1].text)]] * len(later)


def test_extractors_of_single_chunks_see_none_and_keep_their_keys() -> None:
    assert all(not source.around for source in inputs_of(CONTENTS, ""))
    stored = "llm:t.v1@f3f6|mistral:small|t=0|max=1|json=schema|conditional:1|0f"
    assert [scope_of(stored + end, 7) for end in ("", "|page")] == ["", "page 7"]
    assert scope_of("rules:876faf", 7) == ""


@pytest.mark.parametrize("place", [i for i, markup in enumerate(CONTENTS) if not markup.startswith("<h")])
def test_an_edit_changes_the_keys_of_the_chunks_that_may_cite_it_and_no_other(place: int) -> None:
    reading = reading_of(CONTENTS)
    edited = [*CONTENTS[:place], CONTENTS[place].replace("</", " now</"), *CONTENTS[place + 1 :]]
    anchor = reading.elements[place].anchor
    before = list(extraction_inputs(reading, PAGE))
    changed = [old.key != new.key for (old, _), new in zip(before, inputs_of(edited), strict=True)]
    assert changed == [anchor in anchors.values() for _, anchors in before]


def test_a_page_of_conditions_stays_linear() -> None:
    many = [f"<p>It holds if {number}.</p>" for number in range(100)]
    (last,) = [source for source in inputs_of(["<h1>A</h1>", *many, "<h2>B</h2>", "<p>Yes.</p>"]) if source.around]
    assert [text for _, text in around(last)] == [f"It holds if {number}." for number in range(80, 100)]
