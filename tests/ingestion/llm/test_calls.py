"""What a call has: chunks in about equal groups, and a numbered page whose parts have letters."""

from dataclasses import replace

from clausegraph.core.extraction import ExtractionInput
from clausegraph.ingestion.extract.llm.numbering import number_call, page_text
from tests.ingestion.llm.calls import PAGE, element
from tests.ingestion.rules.sketch import page


def test_headings_have_numbers_and_levels_and_are_printed_once() -> None:
    top, below = page(PAGE), page("# Who can get it\n## If you rent\nYou can get it if:\n- your landlord agrees")
    heading, *rest = below.elements
    call = number_call([top, replace(below, elements=tuple(rest), above=(replace(heading, label="h0"),))])
    lines = page_text(call).splitlines()
    assert lines[1:3] == [
        "1## Who can get it",
        "2 You can get the Heating Grant |b if you rent your home, |c unless you are in prison.",
    ]
    assert lines[9:] == [
        "9| Household |b Each week",
        "10| Single |b £12",
        "11 If it is urgent, |b call the council.",
        "12### If you rent",
        "13 You can get it if:",
        "14- your landlord agrees",
    ]
    assert call.labels[1] == {1: "h0", 12: "e1", 13: "e2", 14: "e3"}
    alone = page_text(number_call(call.inputs[1:]))  # a call that begins below a heading prints it first
    assert alone.splitlines()[1:3] == ["1## Who can get it", "2### If you rent"]
    bare = ExtractionInput("T", ("Rates", "2026"), (element("e0", "It pays £5."),))  # a path that no element gives
    assert page_text(number_call([bare])) == "## Rates > 2026\n1 It pays £5."


def test_a_row_shows_its_columns_where_no_row_of_the_call_is_its_head() -> None:
    row = element("e0", "Single | £12", "tr", headers=("Household", "Each week"))
    assert page_text(number_call([ExtractionInput("T", (), (row,))])) == (
        "1| Single |b £12 (columns: Household | Each week)"
    )
