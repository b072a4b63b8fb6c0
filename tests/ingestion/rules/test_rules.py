"""The rule extractor on small inputs: statements, lists, tables, links; its contract on any input."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clausegraph.core.extraction import ExtractionInput, Extractor, InputElement
from clausegraph.core.language.lexicon import word_set
from clausegraph.core.types import All, Link, Literal, Mention, PassageKind, Span, Statement, leaves
from clausegraph.ingestion.extract.rules.extractor import RuleExtractor
from clausegraph.ingestion.extract.rules.outline import Outline
from tests.ingestion.rules.trees import item, prose, source, written

pytestmark = pytest.mark.unit

EXTRACTOR: Extractor = RuleExtractor()


def extracted(*elements: InputElement) -> list[tuple[str, str, str, str]]:
    """Subject, relation, object and condition of each statement."""
    return [
        (s.subject.surface, s.relation, _name(s), written(s.condition))
        for s in EXTRACTOR.extract(source(*elements)).statements
    ]


def left(*elements: InputElement) -> list[tuple[str, list[str], str]]:
    """Kind, names and condition of each passage."""
    found = EXTRACTOR.extract(source(*elements)).passages
    return [(one.kind.value, [name.surface for name in one.names], written(one.condition)) for one in found]


def _name(statement: Statement) -> str:
    return statement.object.value if isinstance(statement.object, Literal) else statement.object.surface


APPLICANT = "applicant for Heating Grant"


def test_a_sentence_with_a_condition() -> None:
    assert extracted(prose("If you move, you must keep a log.")) == [
        (APPLICANT, "keeps", "log (Heating Grant)", "you move")
    ]
    assert extracted(prose("If you move, you must send form HW1 within 5 weeks.")) == [
        (APPLICANT, "sends form HW1 within", "5 weeks", "you move"),  # neither is true without the other
    ]


def test_a_clause_that_is_not_understood_keeps_its_condition() -> None:
    text = prose("You cannot fish if the flag is red, but you can swim.")
    assert extracted(text) == []
    assert left(text) == [("rule", [], "the flag is red")]
    instruction = prose("Contact them if you are late.")
    assert (extracted(instruction), left(instruction)) == ([], [("instruction", [], "you are late")])


def test_an_element_of_which_nothing_is_understood_keeps_what_it_names() -> None:
    text = "It is for the Custom Quay and the Heating Help Unit."
    assert extracted(prose(text)) == []
    assert left(prose(text)) == [("names", ["Custom Quay", "Heating Help Unit"], "")]
    assert left(prose("It depends on how you pay.")) == []
    told = prose("You can usually keep hens.")  # read, and no claim: it is to be found
    assert (extracted(told), left(told)) == ([], [("names", [], "")])


def test_otherwise_negates_the_condition_before_it() -> None:
    found = extracted(prose("If you send a return, use form HW1. Otherwise use form HW2, unless you are late."))
    assert found == [(APPLICANT, "uses", "form HW2", "all[not(you send a return); not(you are late)]")]


def test_a_second_value_repeats_the_clause() -> None:
    found = extracted(prose("A Resident Card costs £70, or £35 if you pay within 14 days."))
    assert found[0] == ("Resident Card", "costs", "£70", "not(you pay within 14 days)")
    assert found[1] == ("Resident Card", "costs", "£35", "you pay within 14 days")


def test_a_condition_list_is_the_lead_ins_tree() -> None:
    found = EXTRACTOR.extract(
        source(
            prose("You can get the grant if all of these apply:"),
            item("you are 18 or over", "e1", "e0"),
            item("you have lived in Lethmoor for a year, unless you are a refugee", "e2", "e0"),
            item("you get one of these benefits:", "e3", "e0"),
            item("Basic Support", "e4", "e3"),
            item("Pension Top-up", "e5", "e3"),
        )
    ).statements
    assert (found[0].relation, written(found[0].condition)) == (
        "gets",
        "all[you are 18 or over; any[you have lived in Lethmoor for a year; you are a refugee];"
        " any[Basic Support; Pension Top-up]]",
    )
    assert {span.anchor for span in found[0].spans} >= {"e0", "e1", "e2"}
    assert [_name(s) for s in found] == ["Heating Grant"]  # items are conditions only


def test_a_list_in_a_later_chunk_cites_its_own_items() -> None:
    found = EXTRACTOR.extract(
        source(
            prose("You cannot claim if you are 70 and either:", "c0"),
            item("you work", "e0", "c0"),
            item("you own a home", "e1", "c0"),
        )
    ).statements
    assert written(found[0].condition) == "all[you are 70; any[you work; you own a home]]"
    assert [span.anchor for span in found[0].spans] == ["e0", "e1"]
    assert [leaf.anchor for leaf in leaves(found[0].condition)] == ["c0", "e0", "e1"]


def test_items_that_go_on_from_a_verb_keep_their_own_conditions() -> None:
    listed = (
        prose("You cannot sell:"),
        item("farm animals", "e1", "e0"),
        item("Custom Quay cards, except at an event", "e2", "e0"),
    )
    assert extracted(*listed) == []
    assert [one for one in left(*listed) if one[2]] == [
        ("rule", ["Custom Quay"], "not(at an event)"),
        ("requirements", [], "not(farm animals)"),
        ("list", [], "any[farm animals; all[Custom Quay cards; not(at an event)]]"),
    ]


def test_duties_in_a_list_are_conditions() -> None:
    listed = (prose("You must:"), item("be 18 or over", "e1", "e0"), item("send form HW1", "e2", "e0"))
    assert extracted(*listed) == []
    assert ("list", [], "all[be 18 or over; send form HW1]") in left(*listed)


def rules(*elements: InputElement) -> list[str]:
    """The requirements that are gathered from lists and sentences without "if"."""
    return [
        written(condition)
        for one in EXTRACTOR.extract(source(*elements)).passages
        if one.kind is PassageKind.REQUIREMENTS
        for condition in (one.condition.children if isinstance(one.condition, All) else (one.condition,))
    ]


@pytest.mark.parametrize(
    ("lead_in", "items", "conditions"),
    [
        ("You must tell everyone affected before you apply:", ["your tenants"], []),  # what to say
        ("You must try to reach:", ["your tenants"], ["your tenants"]),
        ("The form must include:", ["your name"], []),
        ("To qualify for it tenants must:", ["live here"], []),  # the lead-in's own statement has them
        ("You cannot use:", ["a slip lane"], ["not(a slip lane)"]),
        ("Your landlord must not:", ["enter"], []),
        ("You can get it if you need help with things like:", ["washing"], ["washing"]),
        ("You do not have to pay if:", ["you are 70"], []),
        ("The council may pay:", ["each owner"], []),
        ("You may claim for:", ["each owner"], ["each owner"]),
    ],
)
def test_which_lists_state_what_must_hold(lead_in: str, items: list[str], conditions: list[str]) -> None:
    listed = [item(text, f"e{position}", "e0") for position, text in enumerate(items, start=1)]
    assert rules(prose(lead_in), *listed) == conditions


@pytest.mark.parametrize(
    ("text", "is_condition"),
    [
        ("The dog must wear a tag.", True),
        ("Children cannot vote.", True),
        ("The council might ask for proof.", False),
        ("You may need to ask for proof.", True),
        ("The bid is more than £500.", True),
        ("The bid is £500.", False),
        ("Keep the form for 6 years.", False),
        ("You need to keep it for 6 years.", True),
        ("Elections are in May.", False),
    ],
)
def test_which_sentences_restrict(text: str, is_condition: bool) -> None:
    assert rules(prose(text)) == ([text.strip(".")] if is_condition else [])


def test_rows_that_say_where_to_turn_are_no_cases() -> None:
    headers = ("Area", "Email address")
    rows = [InputElement(f"e{i}", "tr", f"{i} | a{i}@ors.example", headers=headers) for i in (1, 2)]
    assert extracted(*rows) == [
        ("Area 1 (Heating Grant)", "has email address", "a1@ors.example", ""),
        ("Area 2 (Heating Grant)", "has email address", "a2@ors.example", ""),
    ]
    assert left(*rows) == []


def test_an_unmarked_list_joins_by_what_the_lead_in_does() -> None:
    def joined(lead_in: str, *items: InputElement) -> str:
        found = EXTRACTOR.extract(source(prose(lead_in), *items))
        return next(written(one.condition) for one in (*found.statements, *found.passages))

    items = (item("you are 18", "e1", "e0"), item("you live here", "e2", "e0"))
    assert joined("You can claim it if:", *items) == "all[you are 18; you live here]"
    assert joined("You cannot claim it if:", *items) == "any[you are 18; you live here]"
    ended = (item("you are 18 or", "e1", "e0"), item("you live here", "e2", "e0"))
    assert joined("You can claim it if:", *ended) == "any[you are 18; you live here]"


def test_table_rows() -> None:
    row = InputElement("e1", "tr", "Lower rate | £2,500 | 6 weeks", headers=("Rate", "First payment", "Length"))
    header = InputElement("e0", "tr", "Rate | First payment | Length")
    found = EXTRACTOR.extract(source(header, row)).statements
    assert [(s.subject.surface, s.relation, s.object) for s in found] == [
        ("Lower rate (Heating Grant)", "has first payment", Literal("£2,500", "amount")),
        ("Lower rate (Heating Grant)", "has length", Literal("6 weeks", "duration")),
    ]
    assert left(header, row) == [("rule", [], "Lower rate")]  # what it is sorted by may decide an answer, too


def test_a_row_that_counts_says_what_of_and_a_case_beside_a_property_says_nothing() -> None:
    headers = ("Household income", "Weekly rate", "Living at home")
    rows = (
        InputElement("e0", "tr", " | ".join(headers)),
        InputElement("e1", "tr", "Up to £24,000 | £28 | £30", headers=headers),
        InputElement("e2", "tr", "£24,001 or more | £14 | –", headers=headers),
    )
    assert extracted(*rows) == [
        ("Heating Grant", "has weekly rate", "£28", "Up to £24,000"),
        ("Heating Grant", "has weekly rate", "£14", "£24,001 or more"),
    ]
    found = EXTRACTOR.extract(source(*rows)).statements
    assert [leaf.words for one in found for leaf in leaves(one.condition)] == [
        "Household income: Up to £24,000",
        "Household income: £24,001 or more",
    ]


@pytest.mark.parametrize(
    ("headers", "rows", "before"),
    [
        (("Wine", "Tax", "Rate"), ("Still | 4 | 91p", "Still | 4 | 126p"), ""),  # two rows of the same keys
        (("Permit", "Fee"), ("Skilled | £5. Ask us first.",), ""),  # sentences
        (("Permit", "Fee"), ("Skilled | £5",), "These fees are for the year to 5 April 2022."),
        (("Permit", "Fee"), ("Skilled | £5",), "Charities do not pay these fees unless they sell food."),
        (("", ""), ("Skilled | £5",), ""),
    ],
)
def test_a_table_that_needs_more_than_its_headers_states_nothing(
    headers: tuple[str, ...], rows: tuple[str, ...], before: str
) -> None:
    cells = [InputElement(f"e{i}", "tr", row, headers=headers) for i, row in enumerate(rows, start=1)]
    assert extracted(prose(before or "Fees follow.", "e0"), *cells) == []


def test_the_texts_of_links_are_among_what_an_element_names() -> None:
    element = InputElement(
        "e0", "p", "How that is done is told under Rent Supplement.", links=(Link("/r", "Rent Supplement"),)
    )
    (found,) = EXTRACTOR.extract(source(element)).passages
    assert (found.kind, found.condition, found.spans) == (PassageKind.NAMES, None, (Span("e0", 0, len(element.text)),))
    assert found.names[-1] == Mention("Rent Supplement", "rent supplement", "page")


def test_headings_state_nothing() -> None:
    assert extracted(InputElement("e0", "h2", "If you are under 18")) == []


def test_examples_are_no_requirements() -> None:
    items = (item("harnesses for anyone on deck", "e1", "e0"), item("non-slip surfaces", "e2", "e0"))
    found = left(prose("Vessels must have safety measures, such as:"), *items)
    assert "list" not in {kind for kind, _, _ in found}


_WORDS = word_set(
    "if unless you must can the grant : . , either all of these and or £20 | under 18 apply we do not to - ( )"
)
_PHRASES = st.lists(
    st.sampled_from(sorted(_WORDS)),
    max_size=18,
).map(" ".join)
_TEXTS = st.one_of(_PHRASES, st.text(max_size=40))


@st.composite
def _inputs(draw: st.DrawFn) -> ExtractionInput:
    """Any few elements, with lead-ins that may point anywhere, themselves included."""
    labels = draw(st.permutations(["c0", "e0", "e1", "e2", "e3"]))
    above = st.one_of(st.none(), st.sampled_from(labels))
    return ExtractionInput(
        draw(st.text(max_size=10)),
        (),
        tuple(
            InputElement(
                label, draw(st.sampled_from(["p", "li", "tr", "h2"])), draw(_TEXTS), (), draw(above), draw(above)
            )
            for label in labels
        ),
    )


@given(_inputs())
def test_any_input_gives_exact_spans_of_own_elements(given_input: ExtractionInput) -> None:
    found = EXTRACTOR.extract(given_input)
    texts = {element.label: element.text for element in given_input.elements}
    for stated in (*found.statements, *found.passages):
        assert stated.spans
        assert all(
            span.anchor.startswith("e") and 0 <= span.start <= span.end <= len(texts[span.anchor])
            for span in stated.spans
        )
        for leaf in leaves(stated.condition):
            assert leaf.text == texts[leaf.anchor][leaf.start : leaf.end] != ""
    assert EXTRACTOR.extract(given_input) == found


def test_a_lead_in_is_read_once_however_many_items_ask() -> None:
    lead = InputElement("e0", "p", "You can get it if:")
    outline = Outline(ExtractionInput("Help", (), (lead, InputElement("e1", "li", "you rent", lead_in="e0"))))
    assert outline.lead(lead) is not None
    assert outline.lead(lead) is outline.lead(lead)
