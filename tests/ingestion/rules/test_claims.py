"""Which clauses make a statement, in words, and which only a passage: as tables of (text, expected)."""

from __future__ import annotations

import pytest

from clausegraph.core.extraction import ExtractionInput, InputElement
from clausegraph.core.language.wording import relation_words
from clausegraph.core.types import Literal, PassageKind
from clausegraph.ingestion.extract.rules.extractor import RuleExtractor
from tests.ingestion.rules.trees import item, written

pytestmark = pytest.mark.unit

TITLE = "Heating Grant"
READER = "applicant for Heating Grant"  # "*" in the tables


def said(*elements: InputElement, title: str = TITLE) -> list[str]:
    """The statements in words, each with its condition."""
    lines = []
    for one in RuleExtractor().extract(ExtractionInput(title, (title,), elements)).statements:
        target = one.object.value if isinstance(one.object, Literal) else one.object.surface
        line = f"{one.subject.surface} {relation_words(one)} {target}"
        lines.append((f"{line} if {written(one.condition)}" if one.condition else line).replace(READER, "*"))
    return lines


def below(text: str, *headings: str, label: str = "e0") -> InputElement:
    return InputElement(label, "p", text, (TITLE, *headings))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        # a value
        ("The Winter Card costs £20 a year.", "Winter Card costs £20 a year"),
        ("The yearly fee is £20.", "yearly fee (Heating Grant) is £20"),  # of what, the page says
        ("The Winter Card will cost £20.", "Winter Card costs £20"),
        ("You can be paid £20 a week.", "* may be paid £20 a week"),
        # what something is by or within a value
        ("Employers must reply within 28 days of the hearing.", "employers must reply within 28 days of the hearing"),
        ("If you move, you must send form HW1 within 5 weeks.", "* must send form HW1 within 5 weeks if you move"),
        ("Tell us within 10 days if you move.", "* must tell within 10 days if you move"),
        ("Traders must not stay in one bay for over 2 hours.", "traders cannot stay in one bay for over 2 hours"),
        ("You must have house insurance for at least £2.", "* must have house insurance for at least £2"),
        # a state
        ("The grant is not taxed.", "Heating Grant is not taxed"),
        ("The Winter Card will be suspended if you move abroad.", "Winter Card is suspended if you move abroad"),
        # one thing that may, must or cannot be
        ("You can get the grant if you are 70.", "* may get Heating Grant if you are 70"),
        ("You can apply if you are 70.", "* may apply for Heating Grant if you are 70"),
        ("You are entitled to a Winter Card.", "* may get Winter Card"),
        ("You can keep hens on your plot.", "* may keep hens on their plot"),
        ("You can keep hens.", "* may keep hens"),  # any
        ("You must not keep hens on your plot.", "* cannot keep hens on their plot"),
        ("You don’t need a permit on Sundays.", "* need not have permit on Sundays"),
        ("You must keep a passport photo or a birth certificate.", "* must keep passport photo or a birth certificate"),
        ("2.1 Visitors must wear a hard hat if work is under way.", "visitors must wear hard hat if work is under way"),
        ("You can get form HW1 if you left because of illness.", "* may get form HW1 if you left because of illness"),
        ("If you rent, you can claim £20. You can claim a fuel refund.", "* may claim £20 if you rent"),
        ("From 1 April 2026, you cannot sell vegetables at the gate.", "* cannot sell vegetables at the gate"),
    ],
)  # fmt: skip
def test_a_plain_clause_is_a_statement(text: str, line: str) -> None:
    assert said(below(text)) == [line]


@pytest.mark.parametrize(
    "text",
    [
        "You must send it to the Heating Unit.",  # what?
        "The decision must be fair.",  # which?
        "You can bring written evidence to the hearing.",
        "You should only use the Heating Unit for advice.",  # "only" has no place in a statement
        "You can claim after you have moved house.",
        "You must be habitually resident in the UK.",
        "You can sometimes get VAT refunds on cars.",
        "You can get help from the Heating Unit to fill in form HW1.",  # for what would be lost
        "You can renounce British national (overseas) status.",  # cut name
        "Support could include general information about benefits.",
        "We will pay your extra costs.",  # who is "we"?
        "For example, you can claim £20 for each child.",
        "You can claim a winter payment. You must also be a pensioner.",  # the next sentence says more of when
        "You can claim a fuel refund if it is certain that you moved.",
        "The court may take account of your other income.",
        "You should get a reply letter.",
        "Download the claim form.",  # a step, not a duty
        "You must tell the council when you will be back.",  # asks when, and is no condition
        "Contact the Heating Unit if you live in Wales.",  # about what?
        "You must put a salmon back.",
        "You can claim a fuel refund for mail order goods, such as coal, delivered abroad.",  # what comes last is lost
        "Landlords must give a fuel statement if you have a lease.",  # who has?
        "You can apply to the Heating Unit if you do not.",  # do what?
        "This means it.",
        "They may do so.",
        "Your grant is not reduced because you work.",  # it is the reason that is denied
        "You have 28 days to tell the council.",
        "You can ask for form HW1 or call the Heating Unit.",
    ],
)
def test_any_other_clause_is_none(text: str) -> None:
    assert said(below(text)) == []


@pytest.mark.parametrize(
    ("heading", "stands"),
    [
        ("Claims for a child", True),
        ("What you can get", True),
        ("Part 2: claiming", True),
        ("Lay-offs", False),
        ("Youth exchange permit", False),  # not of everybody on the page
        ("Example", False),
    ],
)
def test_a_statement_says_what_the_headings_above_it_say(heading: str, stands: bool) -> None:
    assert bool(said(below("A claim for a child is £20.", heading))) is stands


def test_a_clause_that_makes_no_statement_is_a_passage_with_its_condition() -> None:
    text = below("You must send it to the Heating Unit if you move.")
    found = RuleExtractor().extract(ExtractionInput(TITLE, (TITLE,), (text,)))
    (passage,) = found.passages
    assert (passage.kind, written(passage.condition)) == (PassageKind.RULE, "you move")
    assert [name.surface for name in passage.names] == ["Heating Unit"] and found.statements == ()


@pytest.mark.parametrize(
    ("lead", "items", "condition"),
    [
        ("You can get the grant if any of the following conditions apply:", ("you rent", "you own a home"),
         "any[you rent; you own a home]"),
        ("You can get the grant if you rent and the following apply:", ("you are 70", "you have a boiler"),
         "all[you rent; you are 70; you have a boiler]"),
        ("You can get the grant if:", ("you rent and", "you have a boiler"), "all[you rent; you have a boiler]"),
        ("You can get the grant if:", ("you rent", "you own a boat"), ""),  # both, or one?
        ("You can get the grant if you are ill because of any of the following diseases:", ("measles", "mumps"), ""),
    ],
)  # fmt: skip
def test_a_list_is_stated_where_the_page_says_how_it_joins(lead: str, items: tuple[str, ...], condition: str) -> None:
    found = said(below(lead), *(item(text, f"e{i}", "e0") for i, text in enumerate(items, 1)))
    assert found == ([f"* may get Heating Grant if {condition}"] if condition else [])


def test_what_the_section_says_is_not_said_twice() -> None:
    heading = InputElement("e0", "h2", "If you stop using a boiler", (TITLE,))
    text = below("You must keep a boiler log if you stop using a boiler for 6 months.", heading.text, label="e1")
    assert said(heading, text) == ["* must keep boiler log if you stop using a boiler for 6 months"]


def test_a_sentence_above_a_table_may_say_whom_it_is_for() -> None:
    row = InputElement("e1", "tr", "Oil | £20", (TITLE,), headers=("Fuel", "Weekly rate"))
    assert said(below("You must tell the council unless you are ill."), row) == [
        "Oil (Heating Grant) has weekly rate £20"
    ]
    assert said(below("These are the rates unless you are ill."), row) == []


@pytest.mark.parametrize(("heading", "rows"), [("Step 2: pay the fee", 0), ("Step 2: appeal to the Panel", 2)])
def test_a_table_is_of_what_its_heading_names_and_no_step(heading: str, rows: int) -> None:
    headers = ("Kind of case", "Fee")
    table = [
        InputElement(f"e{place}", "tr", text, ("Appeals", heading), headers=headers)
        for place, text in enumerate(["Tax | £120", "Licences | £85"])
    ]
    found = RuleExtractor().extract(ExtractionInput("Appeals", (), tuple(table))).statements
    assert [one.subject.surface for one in found] == ["appeal to the Panel (Appeals)"] * rows


def test_rows_of_a_period_hold_from_and_until_its_dates() -> None:
    rows = ["6 April 2025 to 5 April 2026 | £79", "From 6 April 2026 | £82"]
    table = [
        InputElement(f"e{place}", "tr", row, (TITLE,), headers=("Period", "Weekly rate"))
        for place, row in enumerate(rows)
    ]
    found = RuleExtractor().extract(ExtractionInput(TITLE, (TITLE,), tuple(table))).statements
    assert [(one.effective_from, one.effective_to) for one in found] == [
        ("2025-04-06", "2026-04-05"),
        ("2026-04-06", None),
    ]


@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        ("From 1 April 2026 a visitor permit costs £15.", "2026-04-01", None),
        ("Until 31 March 2026, a visitor permit costs £12.", None, "2026-03-31"),
        ("The visitor permit is £56 a year from 1 April 2026.", "2026-04-01", None),
        ("A visitor permit costs £15 if it was bought before 1 May 2026.", None, None),
    ],
)
def test_dates_of_effect_stand_beside_what_holds(text: str, since: str | None, until: str | None) -> None:
    (found,) = RuleExtractor().extract(ExtractionInput(TITLE, (TITLE,), (below(text),))).statements
    assert (found.effective_from, found.effective_to) == (since, until)


def test_two_deadlines_of_a_sentence_have_a_condition_each() -> None:
    text = "Apply by 31 May if you get the grant, and by 30 June if you are a new pensioner."
    found = RuleExtractor().extract(ExtractionInput(TITLE, (TITLE,), (below(text),)))
    every = (*found.statements, *found.passages)
    assert [written(one.condition) for one in every if one.condition] == [
        "you get the grant",
        "you are a new pensioner",
    ]


def test_a_bare_noun_is_what_the_title_calls_so_before_it_says_for_what() -> None:
    title = "Study Grant for nurses and teachers"
    element = InputElement("e0", "p", "You cannot get the grant if you are an apprentice.", (title,))
    assert said(element, title=title) == [
        "applicant for Study Grant for nurses and teachers cannot get Study Grant if you are an apprentice"
    ]
