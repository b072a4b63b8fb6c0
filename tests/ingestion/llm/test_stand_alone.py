"""Replies of the condition-aware prompt: roles for pronouns, modality in one place, any line as a condition."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator, ValidationError

from clausegraph.core.extraction import Extraction, ExtractionInput, InputElement
from clausegraph.core.language.normalise import entity_key
from clausegraph.core.types import Leaf, Literal, Mention, Modality, Statement, leaves
from clausegraph.ingestion.extract.llm.conditional import CONDITIONAL_SCHEMA, parse_conditional
from clausegraph.ingestion.extract.llm.numbering import Call, number_call, page_text
from tests.ingestion.llm.calls import TITLE, element, reply
from tests.ingestion.llm.strict import assert_strict

pytestmark = pytest.mark.unit


def heating_call() -> Call:
    """Two sections of one page: the second has the heading of the first above it; 1 to 7, and 8 to 10."""
    top = ("Eligibility",)
    below = (*top, "If you rent")
    return number_call(
        [
            ExtractionInput(
                TITLE,
                top,
                (
                    element("e0", "Eligibility", "h1"),
                    element("e1", "You can get the Heating Grant if you are adopting a child.", headings=top),
                    element("e2", "You should apply within 3 months of the decision.", headings=top),
                    element("e3", "We pay £210 a year. It might take 6 weeks.", headings=top),
                    element("e4", "Use form HG1.", headings=top),
                    element("e5", "Single | £12", "tr", headings=top, headers=("Household", "Each week")),
                    element("e6", "You cannot claim after 31 March 2026.", headings=top),
                ),
            ),
            ExtractionInput(
                TITLE,
                below,
                (
                    element("e0", "If you rent", "h2", headings=top),
                    element("e1", "You can get the grant if:", headings=below),
                    element("e2", "your landlord agrees", "li", "e1", headings=below),
                ),
                above=(element("h0", "Eligibility", "h1"),),
            ),
        ],
    )


CALL = heating_call()


def item(
    subject: str = "adopter", relation: str = "gets", target: str = "Heating Grant", **more: Any
) -> dict[str, Any]:
    """A triple of element 2, as a strict server sends it."""
    plain = {"subject_type": "role", "object_type": "benefit", "elements": [2], "holds": True, "modality": "is"}
    rest = {"if": None, "in_force": None, "doubt": ""}
    return {"subject": subject, "relation": relation, "object": target, **plain, **rest, **more}


def parsed(*items: Any) -> list[Extraction]:
    return [one for one in parse_conditional(reply(*items), CALL, cut_off=False) if one is not None]


def only(*items: Any) -> Statement:
    found = parsed(*items)
    assert not [reject for one in found for reject in one.rejects]
    (statement,) = [statement for one in found for statement in one.statements]
    return statement


def reasons(*items: Any) -> list[str]:
    found = parsed(*items)
    assert not [statement for one in found for statement in one.statements]
    return [reject.reason for one in found for reject in one.rejects]


def test_headings_have_numbers_and_levels_and_are_printed_once() -> None:
    assert page_text(CALL).splitlines() == [
        "1# Eligibility",
        "2. You can get the Heating Grant if you are adopting a child.",
        "3. You should apply within 3 months of the decision.",
        "4. We pay £210 a year. It might take 6 weeks.",
        "5. Use form HG1.",
        "6| Single | £12 (columns: Household | Each week)",
        "7. You cannot claim after 31 March 2026.",
        "8## If you rent",
        "9. You can get the grant if:",
        "10- your landlord agrees",
    ]
    assert CALL.labels[1] == {1: "h0", 8: "e0", 9: "e1", 10: "e2"}


def test_a_call_that_begins_below_a_heading_prints_it_first() -> None:
    assert page_text(number_call(CALL.inputs[1:])).splitlines()[:2] == [
        "1# Eligibility",
        "2## If you rent",
    ]


def test_a_path_that_no_element_gives_is_printed_without_a_number() -> None:
    bare = ExtractionInput(TITLE, ("Rates", "2026"), (InputElement("e0", "p", "It pays £5."),))
    assert page_text(number_call([bare])) == "## Rates > 2026\n1. It pays £5."


def test_a_role_stands_for_you_with_the_pages_word_beside_it() -> None:
    assert only(item(modality="may")).subject == Mention("adopter", "adopter", "role", "you")
    assert only(item("applicant for the Heating Grant")).subject.written == "you"
    assert only(item("applicant")).subject.key == "applicant"
    council = item("heating office", "pays", "£210 a year", subject_type="organisation", object_type="amount")
    assert only(council | {"elements": [4]}).subject.written == "we"


def test_a_person_that_is_named_has_no_other_word() -> None:
    assert only(item("your landlord", "agrees to", "grant", elements=[10])).subject == Mention(
        "landlord", "landlord", "role"
    )


@pytest.mark.parametrize("name", ["whether the landlord agrees", "hourly grant"])
def test_what_only_ends_like_a_possessive_is_left_alone(name: str) -> None:
    assert only(item(target=name)).object == Mention(name, entity_key(name), "benefit")


@pytest.mark.parametrize("name", ["you", "You", "we", "it", "they", "your", "yourself", "us", "this"])
def test_a_pronoun_is_no_name(name: str) -> None:
    assert reasons(item(name))[0].startswith("its subject is a pronoun")
    assert reasons(item(target=name))[0].startswith("its object is a pronoun")


@pytest.mark.parametrize(
    ("name", "stated"),
    [
        ("form HG1", True),
        ("claim for a Heating Grant", True),  # a paraphrase: half of its words are the page's
        ("adoption of a child by adopters", True),
        ("land-lord's Heating-Grant", True),  # with hyphens that the page does not have
        ("decide", True),  # another form of "decision"
        ("uses", True),
        ("agreement", True),
        ("form", True),
        ("decimal", False),  # which begins like "decision", and is not it
        ("Eiffel Tower", False),
        ("secret-grant", False),  # half of one word
        ("Eiffel Tower grant office of Paris", False),
        ("form HG1 of 2019", False),  # a number that the page does not have
    ],
)
def test_names_are_stated_by_most_of_their_words_and_all_their_numbers(name: str, stated: bool) -> None:
    if stated:
        assert only(item(target=name)).object == Mention(name, only(item(target=name)).object.key, "benefit")  # type: ignore[union-attr]
    else:
        assert reasons(item(target=name)) == [f"not stated: object {name!r}"]


@pytest.mark.parametrize(
    ("value", "kind", "stated"),
    [
        ("3 months after the decision", "duration", True),
        ("three months of the decision", "duration", True),
        ("4 months after the decision", "duration", False),
        ("£210 for a whole year", "amount", True),
        ("31 March 2026 or 3 months of the decision, whichever is later", "date", True),
        ("£999", "amount", False),
    ],
)
def test_values_are_whole_and_have_the_sections_numbers(value: str, kind: str, stated: bool) -> None:
    made = item("applicant", "applies within", value, object_type=kind, elements=[3])
    if stated:
        assert only(made).object == Literal(value, kind)
    else:
        assert reasons(made) == [f"not stated: value {value!r}"]


def test_a_cell_is_named_by_its_row_and_column() -> None:
    cell = item(
        "single household", "pays each week", "£12", elements=[6], object_type="amount", subject_type="household"
    )
    assert only(cell).spans[0].anchor == "e5"


@pytest.mark.parametrize(
    ("relation", "modality", "holds", "expected"),
    [
        ("gets", "may", True, ("gets", Modality.MAY, True)),
        ("get", "may", True, ("gets", Modality.MAY, True)),
        ("may get", "is", True, ("gets", Modality.MAY, True)),
        ("must not use", "is", True, ("uses", Modality.CANNOT, False)),
        ("use", "must", False, ("uses", Modality.CANNOT, False)),
        ("get", "cannot", True, ("gets", Modality.CANNOT, False)),
        ("get", "cannot", False, ("gets", Modality.CANNOT, False)),
        ("get", "may", False, ("gets", Modality.CANNOT, False)),
        ("pays", "need not", True, ("pays", Modality.NEED_NOT, False)),
        ("apply for", "should", True, ("applies for", Modality.SHOULD, True)),
        ("apply for", "should", False, ("applies for", Modality.SHOULD, False)),
        ("does not cover", "is", True, ("covers", Modality.IS, False)),
        ("does not cover", "is", False, ("covers", Modality.IS, False)),
        ("is not paid to", "is", True, ("is paid to", Modality.IS, False)),
        ("is paid to", "is", True, ("is paid to", Modality.IS, True)),
        ("might take", "can", True, ("takes", Modality.CAN, True)),
        ("get", "can", False, ("gets", Modality.CAN, False)),  # might not
        ("are paid to", "is", True, ("is paid to", Modality.IS, True)),
        ("usually cover", "is", True, ("usually covers", Modality.IS, True)),
    ],
)
def test_modality_and_denial_stand_beside_the_relation_only(
    relation: str, modality: str, holds: bool, expected: tuple[str, Modality, bool]
) -> None:
    found = only(item(relation=relation, modality=modality, holds=holds))
    assert (found.relation, found.modality, found.polarity) == expected


def test_a_heading_above_is_a_condition_and_so_is_a_whole_line() -> None:
    found = only(item(elements=[9], **{"if": {"all": [8, 10, {"element": 1, "quote": "Eligibility"}]}}))
    assert [(leaf.anchor, leaf.text) for leaf in leaves(found.condition)] == [
        ("e0", "If you rent"),
        ("e2", "your landlord agrees"),
        ("h0", "Eligibility"),
    ]
    assert all(span.anchor == "e1" for span in found.spans)


def test_a_condition_of_another_section_is_not_dropped_in_silence() -> None:
    assert reasons(item(**{"if": 10})) == ["its condition cites an element that its section does not have"]
    assert only(item(elements=[2], **{"if": {"element": 2, "quote": "you are adopting a child"}})).condition == Leaf(
        "e1", 33, 57, "you are adopting a child"
    )


def around_call() -> Call:
    """Heading 1, its sentences 2 and 3; heading 4 and sentence 5, around which the second sentence stands."""
    top, below = ("Redundancies",), ("Redundancies", "Consultation")
    rule = "You must follow these rules if you dismiss 20 employees."
    first = (
        element("e0", "Redundancies", "h1"),
        element("e1", "Tell your staff.", headings=top),
        element("e2", rule, headings=top),
    )
    second = (element("e0", "Consultation", "h2", headings=top), element("e1", "Consult the staff.", headings=below))
    above = (element("h0", "Redundancies", "h1"),)
    set_above = (element("s0", rule, headings=top), element("s1", "Only if you are late.", headings=top))
    inputs = [ExtractionInput(TITLE, top, first), ExtractionInput(TITLE, below, second, above=above, around=set_above)]
    return number_call(inputs)


def test_a_condition_may_stand_around_the_chunk_where_the_call_shows_it() -> None:
    call = around_call()
    assert len(page_text(call).splitlines()) == 5  # nothing is printed twice, nor what no chunk of the call has
    quote = {"element": 3, "quote": "you dismiss 20 employees"}
    for elements in ([5], [3, 5]):  # what only stands around is no span of the chunk
        made = reply(item("employer", "consults", "staff", elements=elements, object_type="role", **{"if": quote}))
        found = parse_conditional(made, call, cut_off=False)
        (below,) = [one for extraction in found[1:] if extraction for one in extraction.statements]
        assert below.condition == Leaf("s0", 31, 55, "you dismiss 20 employees")
        assert [span.anchor for span in below.spans] == ["e1"]
        assert [len(one.statements) for one in found if one] == [len(elements) - 1, 1]


def test_what_two_sections_say_is_stated_in_both() -> None:
    first, second = parsed(item(elements=[2, 9], **{"if": None}))
    assert [one.statements[0].spans[0].anchor for one in (first, second)] == ["e1", "e1"]
    assert not first.rejects and not second.rejects
    first, second = parsed(item(elements=[2, 9], **{"if": 10}))  # whose condition only the second has
    assert not first.statements and len(second.statements) == 1 and not (*first.rejects, *second.rejects)


def test_a_lead_in_or_heading_among_the_citations_is_passed_over() -> None:
    assert [span.anchor for span in only(item(elements=[1, 9])).spans] == ["e1"]
    first, second = parsed(item(elements=[8, 10]))
    assert not first.statements and len(second.statements) == 1 and not second.rejects


def test_dates_in_force() -> None:
    found = only(item(elements=[7], in_force={"from": None, "to": "2026-03-31"}))
    assert (found.effective_from, found.effective_to) == (None, "2026-03-31")


def test_the_schema_is_strict_and_fits() -> None:
    form = Draft202012Validator(CONDITIONAL_SCHEMA)
    tree = {"all": [2, {"element": 2, "quote": "x"}, {"not": {"any": [3, {"element": 3, "quote": "y"}]}}]}
    form.validate({"triples": [item(), item(modality="need not", **{"if": tree}, in_force={"from": None, "to": None})]})
    with pytest.raises(ValidationError):
        form.validate({"triples": [{key: value for key, value in item().items() if key != "if"}]})
    assert_strict(CONDITIONAL_SCHEMA)
    assert json.loads(json.dumps(CONDITIONAL_SCHEMA)) == CONDITIONAL_SCHEMA
