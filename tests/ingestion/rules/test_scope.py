"""What holds for all that stands below: headings that state a case, and sentences that say where a section applies."""

from __future__ import annotations

import pytest

from clausegraph.core.extraction import ExtractionInput, InputElement
from clausegraph.core.types import Statement, leaves
from clausegraph.ingestion.extract.rules.extractor import RuleExtractor
from clausegraph.ingestion.extract.rules.sections import heading_case
from tests.ingestion.rules.trees import written

pytestmark = pytest.mark.unit

TITLE = "Heating Grant"


def heading(text: str, label: str = "h0", above: tuple[str, ...] = (TITLE,), tag: str = "h2") -> InputElement:
    return InputElement(label, tag, text, above)


def below(text: str, *headings: str, label: str = "e0", tag: str = "p") -> InputElement:
    return InputElement(label, tag, text, (TITLE, *headings))


def stated(*elements: InputElement, above: tuple[InputElement, ...] = ()) -> list[Statement]:
    return list(RuleExtractor().extract(ExtractionInput(TITLE, (TITLE,), elements, above=above)).statements)


@pytest.mark.parametrize(
    ("text", "case"),
    [
        ("If you’re in a care home", "you’re in a care home"),
        ("If you live abroad and have no bank account", "all[you live abroad; have no bank account]"),
        ("Unless you are a tenant", "not(you are a tenant)"),
        ("Paying the fee if you’re in Scotland", "you’re in Scotland"),
        ("In Scotland", "In Scotland"),
        ("Outside London", "Outside London"),
        ("Applicants outside the UK", "Applicants outside the UK"),
        ("Children under 5", "Children under 5"),
        ("For less than 12 months", "For less than 12 months"),
        ("You have a septic tank", "You have a septic tank"),
        ("Courses that started before 1 August 2019", "Courses that started before 1 August 2019"),
        ("Eligibility", ""),
        ("How to claim", ""),
        ("You can appeal", ""),
        ("You’ll get a letter", ""),
        ("When you can claim", ""),
        ("In shops", ""),
        ("What if I work?", ""),
        ("Children", ""),
    ],
)
def test_which_headings_state_a_case(text: str, case: str) -> None:
    assert written(heading_case(heading(text))) == case


def test_a_case_holds_for_all_below_it_at_its_own_place() -> None:
    case = heading("If you’re in a care home")
    inner = heading("In Scotland", "h1", (TITLE, case.text), "h3")
    text = below("You can get the grant if you are 70.", case.text, inner.text)
    (found,) = stated(text, above=(case, inner))
    assert [leaf.anchor for leaf in leaves(found.condition)] == ["h0", "h1", "e0"]
    assert written(found.condition) == "all[you’re in a care home; In Scotland; you are 70]"
    assert found.subject.surface == "applicant for Heating Grant"


def test_a_case_ends_with_its_section_and_the_title_sets_none() -> None:
    own = heading("If you live abroad", "e0")
    first = below("You must keep a passport photo.", own.text, label="e1")
    other = below("You must keep a boiler log.", "How to claim", label="e2")
    title = InputElement("h0", "h1", TITLE)
    found = stated(own, first, other, above=(title,))
    assert [(s.relation, written(s.condition)) for s in found if s.relation == "keeps"] == [
        ("keeps", "you live abroad"),
        ("keeps", ""),
    ]


def test_items_and_rows_are_under_it_too() -> None:
    case = heading("If you live abroad")
    item = InputElement("e1", "li", "You must keep a passport photo.", (TITLE, case.text))
    row = InputElement("e2", "tr", "Adult card | £20", (TITLE, case.text), headers=("", "Fee"))
    found = stated(item, row, above=(case,))
    assert [(s.relation, written(s.condition)) for s in found] == [
        ("keeps", "you live abroad"),
        ("has fee", "you live abroad"),
    ]


def test_a_sentence_says_where_its_section_applies() -> None:
    applies = below("This section only applies if you rent your home.", "Rent", label="e0")
    rule = below("You must keep a boiler log.", "Rent", label="e1")
    other = below("You must keep a passport photo.", "Photos", label="e2")
    sent = [s for s in stated(applies, rule, other) if s.relation == "keeps"]
    assert [written(s.condition) for s in sent] == ["you rent your home", ""]
    assert next(leaves(sent[0].condition)).anchor == "e0" != sent[0].spans[0].anchor
