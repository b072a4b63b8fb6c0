"""Statements of table rows: whatever their headers name, a thing, a property or a case."""

from __future__ import annotations

import pytest

from clausegraph.core.extraction import ExtractionInput, InputElement
from clausegraph.core.language.wording import condition_words
from clausegraph.core.types import Literal
from clausegraph.ingestion.extract.rules.extractor import RuleExtractor

TITLE = "Mooring Permit"


def stated(*rows: str, before: str = "", heading: str = "", title: str = TITLE) -> list[tuple[str, str, str, str]]:
    """Subject, relation, object and condition of each statement of a table whose first row has its headers."""
    path = (title, heading) if heading else (title,)
    headers = tuple(rows[0].split(" | "))
    elements = [InputElement("e0", "p", before, path)] if before else []
    elements += [InputElement("e1", "tr", rows[0], path)]
    elements += [InputElement(f"e{i}", "tr", row, path, headers=headers) for i, row in enumerate(rows[1:], start=2)]
    found = RuleExtractor().extract(ExtractionInput(title, path, tuple(elements))).statements
    return [
        (one.subject.surface, one.relation, one.object.value, condition_words(one.condition))
        for one in found
        if isinstance(one.object, Literal)
    ]


def test_where_columns_name_cases_the_heading_says_what_the_sums_are() -> None:
    table = ("Length of boat | Registered before 1 May 2020 | Living in the Isles", "Up to 9 metres | £20 | £30")
    assert stated(*table, heading="Rates for boats") == [
        (f"boats ({TITLE})", "has rate", "£20", "(Length of boat: Up to 9 metres and Registered before 1 May 2020)"),
        (f"boats ({TITLE})", "has rate", "£30", "(Length of boat: Up to 9 metres and Living in the Isles)"),
    ]
    assert stated(*table, heading="Fees and rates") == []  # which of both?
    assert stated(*table, heading="Boats") == []


def test_a_column_may_say_for_how_long_or_what_one_does() -> None:
    table = ("Permit | 6 months | Apply by post | Season", "Berth | £20 | £30 | £90")
    assert [row[2:] for row in stated(*table, heading="What it costs")] == [
        ("£20", "(Permit: Berth and for 6 months)"),
        ("£30", "(Permit: Berth and you apply by post)"),
    ]


def test_two_columns_may_tell_rows_apart() -> None:
    table = ("Kind of boat | Length | Fee", "Sail | 9 metres | £20", "Sail | 12 metres | £30")
    assert stated(*table) == [
        (TITLE, "has fee", "£20", "(Kind of boat: Sail and Length: 9 metres)"),
        (TITLE, "has fee", "£30", "(Kind of boat: Sail and Length: 12 metres)"),
    ]


def test_a_row_that_names_no_thing_is_a_case() -> None:
    assert stated("Boat | Fee", "Sail | £20", "Over 9 metres | £30", "All others | £40") == [
        (f"Sail ({TITLE})", "has fee", "£20", ""),
        (TITLE, "has fee", "£30", "Boat: Over 9 metres"),
    ]  # who the others are, the row does not say


def test_how_often_a_sum_is_due_may_stand_beside_the_table() -> None:
    table = ("Boat | Rate | Application fee", "Sail | £20 | £5")
    lead = "The yearly rate depends on your boat."
    assert [row[1] for row in stated(*table, before=lead)] == ["has yearly rate", "has application fee"]
    (rate, _) = stated(*table, before="Rates are of the qualifying week.")
    assert rate[1] == "has rate"
    assert [row[1] for row in stated("Boat | Rate", "Sail | £20 a week", before=lead)] == ["has rate"]


def test_what_is_done_is_nothing_that_a_value_could_be_of() -> None:
    assert stated("Household | Fee", "2 people | £5", title="Ending a tenancy") == []


def test_a_column_of_text_keeps_no_other_from_being_read() -> None:
    table = ("Band | Who it is for | Usual waiting time", "Band A | People who live on their boat | 1 to 2 years")
    assert stated(*table) == [(f"Band A ({TITLE})", "has usual waiting time", "1 to 2 years", "")]


def test_bare_numbers_are_values_where_the_header_counts() -> None:
    assert stated("Member | Boats at a time | Area", "Student | 15 | 3") == [
        (f"Student ({TITLE})", "has boats at a time", "15", "")
    ]


def test_the_sentence_above_a_table_names_what_it_is_of_and_in_which_case() -> None:
    table = ("Length of service | Full pay", "Under 1 year | 4 weeks")
    assert stated(*table, before="Crew sick pay is:") == [
        (f"crew sick pay ({TITLE})", "has full pay", "4 weeks", "Length of service: Under 1 year")
    ]
    case = "If you have no fixed term, the notice you must give depends on how you pay:"
    assert stated("You pay rent | Notice you must give", "weekly | 4 weeks", before=case) == [
        (TITLE, "has notice", "4 weeks", "(you have no fixed term and You pay rent: weekly)")
    ]


@pytest.mark.parametrize(
    ("before", "since"),
    [
        ("From 6 April 2026 the rates are:", "2026-04-06"),
        ("Permits run for a year. The prices below apply from 1 April 2026.", "2026-04-01"),
        ("Boats were taxed until 2020.", "none"),
    ],
)
def test_a_table_holds_from_when_the_sentence_beside_it_says(before: str, since: str) -> None:
    path = (TITLE,)
    elements = (
        InputElement("e0", "p", before, path),
        InputElement("e1", "tr", "Boat | Fee", path),
        InputElement("e2", "tr", "Sail | £20", path, headers=("Boat", "Fee")),
    )
    found = RuleExtractor().extract(ExtractionInput(TITLE, path, elements)).statements
    assert [one.effective_from for one in found if one.relation == "has fee"] == ([] if since == "none" else [since])


def test_what_is_said_only_of_some_of_the_table_keeps_it_from_being_read() -> None:
    table = ("Boat | Fee", "Sail | £20")
    other = "You cannot leave before then unless your crew agrees. Fees are paid at the quay."
    far = "Charities pay no fee unless they hire out boats. Fees are paid at the quay."
    assert stated(*table, before=other) == []  # it stands directly above
    path = (TITLE,)

    def below_two(first: str) -> int:
        rows = (
            InputElement("e0", "p", first, path),
            InputElement("e1", "p", "Fees are paid at the quay.", path),
            InputElement("e2", "tr", "Boat | Fee", path),
            InputElement("e3", "tr", "Sail | £20", path, headers=("Boat", "Fee")),
        )
        found = RuleExtractor().extract(ExtractionInput(TITLE, path, rows)).statements
        return sum(one.relation == "has fee" for one in found)

    assert below_two(other) == 1
    assert below_two(far) == 0
