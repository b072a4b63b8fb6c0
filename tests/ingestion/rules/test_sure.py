"""Which clauses make a statement and which a passage: nothing is claimed that needs its page to be understood."""

from __future__ import annotations

import pytest

from clausegraph.core.extraction import ExtractionInput, InputElement
from clausegraph.core.language.wording import relation_words
from clausegraph.core.types import Literal, Mention, PassageKind
from clausegraph.ingestion.extract.rules.extractor import RuleExtractor
from tests.ingestion.rules.trees import item, written

pytestmark = pytest.mark.unit

TITLE = "Heating Grant"


def said(*elements: InputElement) -> list[str]:
    """The statements in words, each with its condition."""
    found = RuleExtractor().extract(ExtractionInput(TITLE, (TITLE,), elements)).statements
    lines = []
    for one in found:
        target = one.object.value if isinstance(one.object, Literal) else one.object.surface
        line = f"{one.subject.surface} {relation_words(one)} {target}"
        lines.append(f"{line} if {written(one.condition)}" if one.condition else line)
    return lines


def below(text: str, *headings: str, label: str = "e0") -> InputElement:
    return InputElement(label, "p", text, (TITLE, *headings))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("You can get the grant if you are 70.", "applicant for Heating Grant may get Heating Grant if you are 70"),
        ("The Winter Card costs £20 a year.", "Winter Card costs £20 a year"),
        ("The yearly fee is £20.", "yearly fee (Heating Grant) is £20"),  # of what, the page says
        ("Employers must reply within 28 days of the hearing.", "employers must reply within 28 days of the hearing"),
        ("You can keep hens.", "applicant for Heating Grant may keep hens"),
    ],
)  # fmt: skip
def test_what_is_understood_whole_is_stated(text: str, line: str) -> None:
    assert said(below(text)) == [line]


@pytest.mark.parametrize(
    "text",
    [
        "You must send it to the Heating Unit.",  # what?
        "The decision must be fair.",  # which?
        "You can bring written evidence to the hearing.",
        "You should only use the Heating Unit for advice.",  # "only" has no place in a statement
        "You can claim after you have moved house.",
        "You must be habitually resident in the UK.",  # "habitually" would be lost
        "You can sometimes get VAT refunds on cars.",
        "You can get help from the Heating Unit to fill in form HW1.",  # for what would be lost
        "You can renounce British national (overseas) status.",  # cut name
        "Support could include general information about benefits.",
        "We will pay your extra costs.",  # who is "we"?
        "For example, you can claim £20 for each child.",
        "You can claim a winter payment. You must also be a pensioner.",  # the next sentence says more of when
        "You can claim a fuel refund if it is certain that you moved.",
        "If you were never married or named on the form, you can claim a fuel refund.",  # never both
        "You must send the original form or a certified copy if the original is lost.",
        "The court may take account of your other income.",
        "You should get a reply letter.",
        "Download the claim form.",  # a step, not a duty
    ],
)
def test_what_is_not_surely_understood_claims_nothing(text: str) -> None:
    assert said(below(text)) == []


def test_a_condition_may_hold_for_the_sentences_after_it() -> None:
    assert said(below("If you rent, you can claim £20. You can claim a fuel refund.")) == [
        "applicant for Heating Grant may claim £20 if you rent"
    ]


def test_a_list_is_a_condition_where_the_page_says_how_it_joins() -> None:
    items = (item("you rent", "e1", "e0"), item("you own a home", "e2", "e0"))
    assert said(below("You can get the grant if you:"), *items) == []
    both = "applicant for Heating Grant may get Heating Grant if all[you rent; you own a home]"
    assert said(below("You can get the grant if both of these apply:"), *items) == [both]
    cut = "You can get the grant if you are ill because of any of the following diseases:"
    assert said(below(cut), item("measles", "e1", "e0"), item("mumps", "e2", "e0")) == []


def test_an_item_has_the_condition_of_its_lead_in() -> None:
    lead = below("If your landlord is a company, you must:")
    (line,) = said(lead, item("send form HW1 to the Heating Unit", "e1", "e0"))
    assert line.endswith("must send form HW1 to the Heating Unit if your landlord is a company")


def test_a_statement_says_what_the_headings_above_it_say() -> None:
    text = "You can claim £20 for each child."
    assert said(below(text, "Claims for a child"))
    assert said(below(text, "What you can get"))
    assert not said(below(text, "Lay-offs"))
    assert not said(below(text, "Child Fuel Fund"))  # another fund than that of the page
    assert not said(below(text, "Example"))


def test_what_falls_is_a_passage_with_its_condition() -> None:
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
        ("You can get the grant if:", ("you are over 70", "you live in Lethmoor"),
         "all[you are over 70; you live in Lethmoor]"),  # nobody offers an age in place of a home
        ("You cannot get the grant if:", ("you live in a hostel", "you own a boat"),
         "any[you live in a hostel; you own a boat]"),
        ("You must return the Winter Card within 7 days if:", ("you move house", "you sell your boiler"),
         "any[you move house; you sell your boiler]"),
        ("You must pay the yearly fee, unless:", ("you have a Winter Card", "you are over 90"),
         "not(any[you have a Winter Card; you are over 90])"),
    ],
)  # fmt: skip
def test_a_list_is_claimed_where_it_is_sure_how_it_joins(lead: str, items: tuple[str, ...], condition: str) -> None:
    (line,) = said(below(lead), *(item(text, f"e{i}", "e0") for i, text in enumerate(items, 1)))
    assert line.endswith(f" if {condition}")


@pytest.mark.parametrize(
    ("lead", "items"),
    [
        ("You can get the grant if:", ("you live in a hostel", "you live in a refuge")),
        ("You can get the grant if:", ("you have a boiler", "the Heating Unit knows of your boiler")),
        ("You cannot get the grant, unless:", ("you have a boiler", "you have a stove")),
    ],
)
def test_a_list_that_does_not_say_how_it_joins_makes_no_claim(lead: str, items: tuple[str, ...]) -> None:
    assert said(below(lead), *(item(text, f"e{i}", "e0") for i, text in enumerate(items, 1))) == []


def test_an_exception_set_off_by_a_comma_is_from_all_that_stands_before_it() -> None:
    text = "You can get the grant if you are over 60 or you rent a flat{} unless you are in prison."
    (line,) = said(below(text.format(",")))
    assert line.endswith(" if all[any[you are over 60; you rent a flat]; not(you are in prison)]")
    assert said(below(text.format(""))) == []


@pytest.mark.parametrize(
    ("heading", "line"),
    [
        ("Ending a placement", "person ending a placement (Heating Grant) must pay the boiler fee"),
        ("How to change your supplier", "person changing their supplier (Heating Grant) must pay the boiler fee"),
        ("Part 2", "applicant for Heating Grant must pay the boiler fee"),  # a number says nothing of its own
        ("What to pay to your supplier", "applicant for Heating Grant must pay the boiler fee"),
    ],
)  # fmt: skip
def test_what_a_heading_says_that_its_reader_does_is_said_of_the_reader(heading: str, line: str) -> None:
    found = said(below("You must pay the boiler fee of £20.", heading))
    assert found == [line.replace("the boiler fee", "boiler fee of £20")]


def test_what_the_section_says_is_not_said_twice() -> None:
    heading = InputElement("e0", "h2", "If you stop using a boiler", (TITLE,))
    text = below("You must tell the council if you stop using a boiler for 6 months.", heading.text, label="e1")
    assert said(heading, text) == [
        "applicant for Heating Grant must tell council if you stop using a boiler for 6 months"
    ]


@pytest.mark.parametrize(
    "text",
    [
        "You must tell the council when you will be back.",  # asks when, and is no condition
        "You do not pay VAT on oil. You do pay it on coal.",
        "You now have your heating certificate.",
    ],
)
def test_what_is_asked_or_taken_back_is_not_claimed(text: str) -> None:
    assert not [line for line in said(below(text)) if "oil" in line or "tell" in line or "certificate" in line]


@pytest.mark.parametrize(
    ("title", "role"),
    [
        ("Master's Loan", "applicant for Master's Loan"),
        ("Claim asylum in the UK", "person claiming asylum in the UK"),
        ("Challenge your solicitor's bill", "person challenging their solicitor's bill"),
        ("Corporation Tax when you sell business assets", "person who sells business assets"),
    ],
)  # fmt: skip
def test_the_reader_of_a_page_is_named_by_its_title(title: str, role: str) -> None:
    element = InputElement("e0", "p", "You must pay Income Tax.", (title,))
    (one,) = RuleExtractor().extract(ExtractionInput(title, (title,), (element,))).statements
    assert one.subject.surface == role


def test_a_permit_is_any_and_the_permit_one_told_before() -> None:
    assert said(below("You must have a permit if you burn coal."))
    assert not said(below("You must have the permit if you burn coal."))


def test_what_a_reader_must_do_does_not_say_whom_a_table_is_for() -> None:
    row = InputElement("e1", "tr", "Oil | £20", (TITLE,), headers=("Fuel", "Weekly rate"))
    assert len(said(below("You must tell the council unless you are ill."), row)) == 2
    assert said(below("These are the rates unless you are ill."), row) == []


def test_a_grant_that_asks_for_more_below_its_list_is_not_claimed() -> None:
    lead = below("You can get the grant if both of these apply:")
    items = (item("you rent", "e1", "e0"), item("you own a boiler", "e2", "e0"))
    assert len(said(lead, *items)) == 1
    assert said(lead, *items, below("You must also:", label="e3")) == []


@pytest.mark.parametrize(
    ("text", "headings"),
    [
        ("You must have £900 in savings.", ("Youth exchange permit",)),  # not every permit of the page
        ("You must ask for a review.", ("Keeping your place",)),  # nobody is known by that
        ("Partners cannot get the Winter Card.", ()),  # of whom?
        ("You must put a salmon back.", ()),  # half a verb
        ("The right to buy does not apply to sheltered homes or to boats.", ()),  # two things
        ("You can cancel paid services. You must give 10 days' notice.", ()),  # what more must hold
        ("When you move out your permit ends. You can claim back £4 a month.", ()),  # in the same case
        ("You can ask for form HW1 or call the Heating Unit.", ()),
        ("You must register for VAT - though HMRC may let you off if you ask.", ()),
    ],
)
def test_what_is_not_said_of_everybody_makes_no_statement(text: str, headings: tuple[str, ...]) -> None:
    assert said(below(text, *headings)) == []


def test_who_has_something_is_no_applicant() -> None:
    assert said(below("You must return the Heating Grant.")) == ["holder of Heating Grant must return Heating Grant"]


def test_being_paid_is_allowed_and_no_mere_possibility() -> None:
    assert said(below("You can be paid £20 a week.")) == ["applicant for Heating Grant may be paid £20 a week"]


def test_a_title_of_two_parts_is_nobody_s_role() -> None:
    paragraph = InputElement("e0", "p", "You must have a permit.")
    title = "Septic tanks and treatment works: permits and rules"
    assert RuleExtractor().extract(ExtractionInput(title, (), (paragraph,))).statements == ()


@pytest.mark.parametrize(("heading", "rows"), [("Step 2: pay the fee", 0), ("Step 2: appeal to the Panel", 2)])
def test_a_table_is_of_what_its_heading_names_and_no_step(heading: str, rows: int) -> None:
    headers = ("Kind of case", "Fee")
    table = [
        InputElement(f"e{place}", "tr", text, ("Appeals", heading), headers=headers)
        for place, text in enumerate(["Tax | £120", "Licences | £85"])
    ]
    found = RuleExtractor().extract(ExtractionInput("Appeals", (), tuple(table))).statements
    assert [one.subject.surface for one in found] == ["appeal to the Panel (Appeals)"] * rows


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("You must renew the Winter Card every year.", "applicant for Heating Grant must renew every year Winter Card"),
        ("The Winter Card is paid into bank accounts each month.", "Winter Card is paid each month into bank accounts"),
    ],
)
def test_how_often_is_said_beside_the_object(text: str, line: str) -> None:
    assert said(below(text)) == [line]


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
    "text",
    [
        "Contact the Heating Unit.",  # about what?
        "Contact the Heating Unit if you live in Wales.",
        "You can take your case to an employment tribunal.",  # after what?
        "You will be charged interest daily.",
        "You must pay a fee.",  # for what?
        "You may have to pay tax on the rental income.",  # from which property?
        "You can claim a fuel refund for mail order goods, such as coal, delivered abroad.",  # what comes last is lost
        "Employers must keep the payroll, for example by post if they close.",  # a case of the example alone
        "Landlords must keep gas records (e.g. if they let a flat).",
        "The court will keep a copy of your appeal form.",  # whose?
        "Landlords must give a fuel statement if you have a lease.",
    ],
)
def test_what_its_page_alone_completes_claims_nothing(text: str) -> None:
    assert said(below(text)) == []


def test_a_kind_that_only_the_heading_tells_is_no_object_without_it() -> None:
    assert said(below("Landlords must follow safety regulations.", "Fire safety")) == []
    assert said(below("Landlords must follow fire safety regulations.", "Fire safety")) != []


def test_those_of_whom_a_page_speaks_are_those_of_its_title() -> None:
    assert said(below("Workers must get basic safety training.")) == [
        "workers (Heating Grant) must get basic safety training"
    ]


@pytest.mark.parametrize(
    ("text", "objects"),
    [
        ("You must keep a passport photo and a birth certificate.", ["passport photo", "birth certificate"]),
        ("You must keep a passport photo or a birth certificate.", []),  # neither is a duty
        ("You can keep a passport photo or a birth certificate.", ["passport photo", "birth certificate"]),
        ("You cannot keep a passport photo and a birth certificate.", []),  # not both, or neither?
        ("You must keep spare parts and accessories.", []),  # are these spare, too?
        ("You can ask for a male or female interviewer.", ["male or female interviewer"]),  # one thing
        ("You can get Parental Leave and Pay.", ["Parental Leave and Pay"]),  # a name
        ("You must get health and safety training.", ["health and safety training"]),
        ("You must keep records of income and savings.", ["records of income and savings"]),
    ],
)
def test_two_things_in_one_object_are_two_statements_or_none(text: str, objects: list[str]) -> None:
    found = RuleExtractor().extract(ExtractionInput(TITLE, (TITLE,), (below(text),))).statements
    assert [one.object.surface for one in found if isinstance(one.object, Mention)] == objects


def test_a_condition_has_its_reason() -> None:
    reason = "you cannot work because of illness or a death in the family"
    assert said(below(f"You can claim a fuel refund if {reason}.")) == [
        f"applicant for Heating Grant may claim fuel refund if {reason}"
    ]


def test_a_value_has_no_other_behind_it_and_its_subject_no_condition_to_be_itself() -> None:
    notice = "You must give your tenant 8 weeks’ written notice."
    assert said(below(notice, "If you are the landlord")) == ["landlord must give tenant 8 weeks' written notice"]
    assert said(below(f"{notice} You may give 2 weeks’ notice if you are ill.", "If you are the landlord")) == []


def test_two_deadlines_of_a_sentence_have_a_condition_each() -> None:
    text = "Apply by 31 May if you get the grant, and by 30 June if you are a new pensioner."
    found = RuleExtractor().extract(ExtractionInput(TITLE, (TITLE,), (below(text),)))
    assert [written(one.condition) for one in found.passages if one.condition] == [
        "you get the grant",
        "you are a new pensioner",
    ]


def test_a_bare_noun_is_what_the_title_calls_so_before_it_says_for_what() -> None:
    title = "Study Grant for nurses and teachers"
    element = InputElement("e0", "p", "You cannot get the grant if you are an apprentice.", (title,))
    found = RuleExtractor().extract(ExtractionInput(title, (title,), (element,))).statements
    assert [one.object.surface for one in found if isinstance(one.object, Mention)] == ["Study Grant"]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (
            "2.1 Visitors to the works must wear a hard hat if work is under way.",
            "Visitors to the works must wear hard hat if work is under way",
        ),
        ("(a) Visitors to the works shall pay a deposit of £20.", "Visitors to the works must pay deposit of £20"),
    ],
)
def test_the_number_of_a_clause_is_no_part_of_what_it_says(text: str, line: str) -> None:
    assert said(below(text)) == [line]


def test_a_state_is_told_where_it_is_told_in_which_case() -> None:
    assert said(below("The Winter Card will be suspended if you move abroad.")) == [
        "Winter Card is suspended if you move abroad"
    ]
    assert said(below("The Winter Card will be suspended.")) == []
    assert said(below("The Winter Card is used if you move abroad.")) == []


@pytest.mark.parametrize(
    ("heading", "stands"),
    [("4. Meals", True), ("Claiming expenses", True), ("Tenants", False), ("Having children", False)],
)
def test_a_heading_that_names_no_case_need_not_be_said(heading: str, stands: bool) -> None:
    text = "A guest who travels for more than 5 hours may claim up to £10 for lunch."
    assert bool(said(below(text, heading))) is stands
