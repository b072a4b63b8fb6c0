"""Replies of the condition-aware prompt: the condition of a triple, what its leaves mean, and doubts."""

from __future__ import annotations

from typing import Any

import pytest
from jsonschema import Draft202012Validator

from clausegraph.core.extraction import Extraction, ExtractionInput
from clausegraph.core.language.wording import condition_words
from clausegraph.core.serial import condition_from_json, condition_to_json
from clausegraph.core.types import All, AnyOf, Condition, Leaf, Not, PassageKind, leaves
from clausegraph.ingestion.extract.llm.condition_reader import without_repeated
from clausegraph.ingestion.extract.llm.conditional import CONDITIONAL_SCHEMA, parse_conditional
from clausegraph.ingestion.extract.llm.numbering import Call, number_call, page_text
from tests.ingestion.llm.calls import TITLE, element, grant_call, heating_call, only, parsed, reasons, reply, triple
from tests.ingestion.rules.sketch import written

pytestmark = pytest.mark.unit

CALL = grant_call()
HEATING = heating_call()


@pytest.mark.parametrize(
    ("tree", "expected"),
    [
        (None, ""),
        ([], ""),
        ({"all": []}, ""),
        (2, "you are 18 or over"),
        ("2", "you are 18 or over"),
        ([2, 3], "all[you are 18 or over; you live in Lethmoor]"),
        ([[2], [2]], "you are 18 or over"),
        ({"element": "2", "text": "18 or over"}, "18 or over"),
        (
            {"any": [2, 3], "not": {"element": 4, "quote": "care home"}},
            "all[any[you are 18 or over; you live in Lethmoor]; not(care home)]",
        ),
        (
            {"all": [2, {"any": [3]}, {"not": {"not": {"not": 4}}}]},
            "all[you are 18 or over; you live in Lethmoor; not(",
        ),
        ({"element": 3, "quote": "“YOU  live\tin lethmoor”."}, "you live in Lethmoor"),
        ({"element": 4, "quote": "unless you lived in a care home"}, "unless you live in a care home"),
        ({"element": 2, "quote": "you are 18 or over", "all": None}, "you are 18 or over"),
    ],
)
def test_forms_of_conditions(tree: Any, expected: str) -> None:
    found = written(only(CALL, triple(**{"if": tree})).condition)
    assert found.startswith(expected) and (found == expected or expected.endswith("("))
    assert written(only(CALL, triple(conditions=tree)).condition) == found


@pytest.mark.parametrize(
    "tree",
    [
        {"element": 2, "quote": "you are 16 or over"},  # another number
        {"element": 2, "quote": "you are not 18 or over"},  # turned around
        {"element": 4, "quote": "if you live in a care home without heating"},
        {"element": 2, "quote": "ver"},  # inside a word
        {"element": 2, "quote": ""},
        {"element": 2, "quote": "x" * 100_000},
        {"element": 6, "quote": "you rent your home"},  # another chunk's
        {"element": 99, "quote": "you are 18 or over"},
        {"element": "e1", "quote": "you are 18 or over"},
        {"element": True},
        {"element": 2.5},
        {"element": 2, "quote": "18 or over", "negated": True},
        {"unless": 2},
        {"all": [2], "element": 3},
        {"any": []},
        {"all": [[], 2]},
        0,
        False,
        "when it rains",
        [2] * 51,
        [[[[[[[[[2]]]]]]]]],
    ],
)
def test_a_triple_without_its_condition_would_be_false(tree: Any) -> None:
    assert "condition" in reasons(CALL, triple(**{"if": tree}))[0]
    assert reasons(CALL, triple(unless=2)) == ["its condition cannot be read"]


def test_a_heading_above_is_a_condition_and_so_is_a_whole_line() -> None:
    found = only(HEATING, triple(elements=[9], **{"if": {"all": [8, 10, {"element": 1, "quote": "Eligibility"}]}}))
    assert [(leaf.anchor, leaf.text) for leaf in leaves(found.condition)] == [
        ("e0", "If you rent"),
        ("e2", "your landlord agrees"),
        ("h0", "Eligibility"),
    ]
    foreign = reasons(HEATING, triple("adopter", subject_type="role", elements=[2], **{"if": 10}))
    assert foreign == ["its condition cites an element that its section does not have"]


def test_a_condition_may_stand_around_the_chunk_where_the_call_shows_it() -> None:
    top, below = ("Redundancies",), ("Redundancies", "Consultation")
    rule = "You must follow these rules if you dismiss 20 employees."
    first = (
        element("e0", "Redundancies", "h1"),
        element("e1", "Tell your staff.", headings=top),
        element("e2", rule, headings=top),
    )
    second = (element("e0", "Consultation", "h2", headings=top), element("e1", "Consult the staff.", headings=below))
    around = (element("s0", rule, headings=top), element("s1", "Only if you are late.", headings=top))
    above = (element("h0", "Redundancies", "h1"),)
    inputs = [ExtractionInput(TITLE, top, first), ExtractionInput(TITLE, below, second, above=above, around=around)]
    call = number_call(inputs)
    assert len(page_text(call).splitlines()) == 5  # nothing is printed twice, nor what no chunk of the call has
    quote = {"element": 3, "quote": "you dismiss 20 employees"}
    for elements in ([5], [3, 5]):  # what only stands around is no span of the chunk
        found = parsed(call, triple("employer", "consults", "staff", elements=elements, **{"if": quote}))
        (statement,) = [one for extraction in found[1:] for one in extraction.statements]
        assert statement.condition == Leaf("s0", 31, 55, "you dismiss 20 employees")
        assert [span.anchor for span in statement.spans] == ["e1"]
        assert [len(one.statements) for one in found] == [len(elements) - 1, 1]


# Meanings: what a condition's words leave open is said in full.


def permit_call() -> Call:
    """Numbers 1-4 are of one chunk, 2 and 3 items of 1."""
    elements = (
        element("e0", "You must apply for a new permit if any of these things change:"),
        element("e1", "name", "li", "e0"),
        element("e2", "nationality", "li", "e0"),
        element(
            "e3", "If you think the job is suitable but they do not take it within 4 weeks, they might lose their pay."
        ),
    )
    return number_call([ExtractionInput(TITLE, ("Permits of an employee",), elements)])


def read(condition: Any, number: int = 4, call: Call | None = None, **more: Any) -> Extraction:
    """The extraction of the one chunk of a call from one triple that fits the schema."""
    one = triple("employee", "loses", "pay", elements=[number], **{"if": condition, "modality": "can", **more})
    Draft202012Validator(CONDITIONAL_SCHEMA).validate({"triples": [one]})
    (found,) = parse_conditional(reply(one), call or permit_call(), cut_off=False)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("condition", "number", "words"),
    [
        (
            {
                "element": 4,
                "quote": "you think the job is suitable",
                "means": "the employer thinks the job is suitable",
            },
            4,
            "the employer thinks the job is suitable",
        ),
        ({"element": 4, "quote": "the job is suitable", "means": "The job is suitable"}, 4, "the job is suitable"),
        ({"any": [{"element": 2, "means": "the name changes"}, 3]}, 1, "(the name changes or nationality)"),
        ({"element": 2, "means": "the name does not change"}, 1, "the name does not change"),  # a lead-in may deny it
        ({"all": [{"element": 1, "quote": "any of these things change"}, {"any": [2, 3]}]}, 1, "(name or nationality)"),
    ],
)
def test_a_leaf_keeps_the_words_of_the_page_and_says_what_they_mean(condition: Any, number: int, words: str) -> None:
    (made,) = read(condition, number).statements
    assert condition_words(made.condition) == words
    assert condition_from_json(condition_to_json(made.condition)) == made.condition
    texts = {one.label: one.text for one in permit_call().inputs[0].elements}
    assert all(texts[leaf.anchor][leaf.start : leaf.end] == leaf.text for leaf in leaves(made.condition))


@pytest.mark.parametrize(
    ("quote", "means", "reason"),
    [
        ("they do not take it within 4 weeks", "the employee takes the job within 4 weeks", "turns"),
        ("the job is suitable", "the job is not suitable", "turns"),
        ("they do not take it within 4 weeks", "the employee does not take the job within weeks", "lacks a number"),
        ("the job is suitable", "the court confirms an appointment of a guardian", "not stated"),
        ("you think the job is suitable", "the employee loses pay", "is not what"),
        ("the job is suitable", " ", "no text, empty or too long"),
        ("the job is suitable", "the job is suitable " * 40, "no text, empty or too long"),
    ],
)
def test_a_meaning_that_says_something_else_is_rejected(quote: str, means: str, reason: str) -> None:
    found = read({"element": 4, "quote": quote, "means": means})
    assert not found.statements and reason in found.rejects[0].reason


def test_a_condition_that_only_points_to_others_is_rejected() -> None:
    found = read({"element": 1, "quote": "any of these things change"}, 1)
    assert not found.statements
    assert found.rejects[0].reason == "its condition only points to other lines: 'any of these things change'"


# What subject or object say is no condition.


def leaf(text: str) -> Leaf:
    return Leaf("e0", 0, len(text), text)


ALONE = leaf("you live alone")


@pytest.mark.parametrize(
    ("text", "name", "repeated"),
    [
        ("limited company", "limited company", True),
        ("if you’re a limited company", "limited company", True),
        ("You are a Limited Company", "limited company", True),
        ("outside the UK to Great Britain", "all goods sent from outside the UK to Great Britain", True),
        ("who are foster parents", "foster parents", True),
        ("you have a passport", "passport", False),  # says more than the name
        ("passport", "passport holder", False),  # one word of several
        ("a work visa", "passport or a work visa", False),  # which of the two
        ("you are not a limited company", "limited company", False),
        ("under 16", "child of 16 or under", False),
    ],
)
def test_what_a_name_says_is_no_condition(text: str, name: str, repeated: bool) -> None:
    one = leaf(text)
    assert without_repeated(one, ("applicant", name)) == (None if repeated else one)
    assert without_repeated(All((one, ALONE)), (name, "grant")) == (ALONE if repeated else All((one, ALONE)))
    wholes: list[Condition] = [Not(one), AnyOf((one, ALONE))]
    assert all(without_repeated(whole, (name,)) == whole for whole in wholes)  # an exception or a choice stays whole


# A triple that its own writer doubts is none, and the report says why.


def doubted(**more: Any) -> Extraction:
    paid = triple("Heating Grant", "is paid by", "council", subject_type="benefit", elements=[4], **more)
    return parsed(CALL, {key: value for key, value in paid.items() if value != "no key"})[0]


def test_a_doubted_triple_is_a_passage_and_the_doubt_is_told() -> None:
    """Its place is found still, and has its condition; the graph claims nothing."""
    found = doubted(doubt="only in winter", **{"if": {"not": {"element": 4, "quote": "you live in a care home"}}})
    assert not found.statements and [reject.reason for reject in found.rejects] == [
        "the model doubts it: only in winter"
    ]
    (left,) = found.passages
    assert (left.kind, condition_words(left.condition)) == (PassageKind.RULE, "not you live in a care home")
    assert [name.surface for name in left.names] == ["Heating Grant", "council"]
    assert {span.anchor for span in left.spans} == {"e3"}
    unread = parsed(CALL, triple(target="the moon", doubt="which?"))[0]
    assert not unread.statements and not unread.passages and "not stated" in unread.rejects[0].reason


@pytest.mark.parametrize(
    ("doubt", "states"),
    [
        *(("", 1), (" ", 1), ("None", 1), ("no", 1), (None, 1), (False, 1), ("no key", 1)),
        *((True, 0), (7, 0), (["which year"], 0), ({"what": "year"}, 0)),
    ],
)
def test_what_is_a_doubt(doubt: Any, states: int) -> None:
    found = doubted(doubt=doubt)
    assert len(found.statements) == states
    assert states or "doubts" in found.rejects[0].reason
