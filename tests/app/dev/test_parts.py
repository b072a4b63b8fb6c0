"""The pure parts of the fake: pages, triples, schema instances, tokens, faults, counters, options."""

from __future__ import annotations

import json
import math
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from clausegraph.app.dev.fake_llm.options import FAULTS, FakeOptions, FaultPlan, fault_list
from clausegraph.app.dev.fake_llm.pages import (
    PromptElement,
    as_lines,
    cheap_reading,
    page_in,
    rule_triples,
    sections_of,
    short_triples,
)
from clausegraph.app.dev.fake_llm.replies import Replier, minimal_instance, wanted
from clausegraph.app.dev.fake_llm.wire import Counters, count_tokens, cut_to_tokens
from clausegraph.core.errors import InputError
from clausegraph.core.extraction import ExtractionInput, InputElement
from clausegraph.ingestion.extract.llm.conditional import CONDITIONAL_SCHEMA
from clausegraph.ingestion.extract.llm.numbering import number_call, page_text
from tests.app.dev.conftest import PAGE

pytestmark = pytest.mark.unit

TREE: dict[str, Any] = {
    "$defs": {
        "node": {
            "type": "object",
            "properties": {
                "name": {"$ref": "#/$defs/name"},
                "next": {"anyOf": [{"$ref": "#/$defs/node"}, {"type": "null"}]},
            },
            "required": ["name", "next"],
            "additionalProperties": False,
        },
        "name": {"type": "string", "minLength": 7, "maxLength": 9},
    },
    "$ref": "#/$defs/node",
}
SCHEMAS: list[dict[str, Any]] = [
    {"type": "object"},
    {"type": ["null", "integer"], "minimum": 3},
    {"type": "integer", "exclusiveMinimum": 4, "multipleOf": 3},
    {"type": "integer", "minimum": 0, "exclusiveMinimum": 0},
    {"type": "integer", "exclusiveMaximum": 0},
    {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
    {"type": "number", "minimum": 0.5, "maximum": 0.75},
    {"type": "number", "maximum": -2.5},
    {"type": "array", "minItems": 3, "items": {"enum": ["x", "y"]}},
    {"type": "array", "prefixItems": [{"const": 1}], "minItems": 2, "items": {"type": "boolean"}},
    {"allOf": [{"properties": {"a": {"const": 1}}, "required": ["a"]}, {"required": ["b"]}], "type": "object"},
    {"oneOf": [{"type": "string", "format": "date"}, {"type": "integer"}]},
    {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": False},
]


def test_a_page_is_read_back() -> None:
    assert page_in("<<<PAGE aa>>>\n1. One\n<<<END bb>>>\n") is None  # another name at its end
    found = page_in("before\n" + PAGE + "after")
    assert found is not None
    page, around = found
    assert around == "before\n\nafter"
    first, second = sections_of(page)
    assert first.path == ("Tax credit", "Claim")
    assert first.elements[-1] == PromptElement(5, "tr", "Single | £1,200", ("Status", "Amount"))
    barred = PromptElement(7, "p", "You cannot claim if you are in prison.")
    assert second.elements == (PromptElement(6, "h2", "Stop"), barred)


def test_what_numbering_prints_is_read_back() -> None:
    elements = (
        InputElement("e0", "h2", "Rates"),
        InputElement("e1", "p", "3. not a number of ours"),
        InputElement("e2", "li", "## no heading"),
        InputElement("e3", "tr", "a | b", headers=("x", "y")),
    )
    sections = sections_of(page_text(number_call([ExtractionInput("T", ("T", "Rates"), elements)])))
    (section,) = sections
    assert section.path == ("T", "Rates")
    assert [(e.number, e.tag, e.text, e.headers) for e in section.elements] == [
        (i + 1, e.tag, e.text, e.headers) for i, e in enumerate(elements)
    ]


def test_a_page_with_numbered_headings_is_read_back() -> None:
    page = "# Tax credit\n1# Claim\n2. You can claim if:\n3## If you rent\n4- you are 16\n5# Stop\n"
    claim, rent, stop = sections_of(page)
    assert [(one.path, one.title) for one in (claim, rent, stop)] == [
        (("Claim",), "Tax credit"),
        (("Claim", "If you rent"), "Tax credit"),
        (("Stop",), "Tax credit"),
    ]
    assert [heading.number for heading in rent.above] == [1] and not stop.above
    assert [element.number for element in rent.elements] == [3, 4]


def test_lines_without_numbers_are_paragraphs_or_what_their_tag_says() -> None:
    (section,) = sections_of("You can claim if:\n\n<li>you are <16></li>\n<b>no</b>\n")
    assert [(e.number, e.tag, e.text) for e in section.elements] == [
        (1, "p", "You can claim if:"),
        (2, "li", "you are <16>"),
        (3, "p", "<b>no</b>"),
    ]


def test_triples_have_the_form_that_the_prompt_asks_for() -> None:
    form = Draft202012Validator(CONDITIONAL_SCHEMA)
    form.validate({"triples": list(rule_triples(PAGE))})
    form.validate({"triples": short_triples(PAGE)})
    form.validate(minimal_instance(CONDITIONAL_SCHEMA))


def test_what_follows_an_item_with_a_colon_is_a_list_of_its_own() -> None:
    """It was read as more items of the outer list, so that nothing was claimed of the demo's grant."""
    page = """\
# Heating Grant
1# Heating Grant
2## Who can get it
3. You can get the grant if all of the following apply:
4- you live in Lethmoor
5- you or your partner get one of these benefits:
6- Basic Support
7- Rent Supplement"""
    (triple,) = rule_triples(page)
    (_, nested) = triple["if"]["all"]
    assert [leaf["element"] for leaf in nested["any"]] == [6, 7]


def test_rules_read_conditions_across_elements() -> None:
    page = page_in(PAGE)
    assert page is not None
    triples = rule_triples(page[0])
    claim = triples[0]
    assert claim["elements"] == [1, 2, 3]
    assert claim["if"] == {
        "all": [{"element": 2, "quote": "you are over 16"}, {"element": 3, "quote": "you live in the UK"}]
    }
    tell = next(t for t in triples if t["modality"] == "must" and t["elements"] == [4])
    assert tell["if"] == {"not": {"element": 4, "quote": "you are ill"}}
    row = next(t for t in triples if t["elements"] == [5])
    assert (row["object"], row["object_type"]) == ("£1,200", "amount")
    assert [t["elements"][0] for t in triples] == sorted(t["elements"][0] for t in triples)
    assert any(t["elements"] == [7] and t["modality"] == "cannot" for t in triples)


def test_short_triples_and_lines_are_made_of_the_elements_words() -> None:
    triples = short_triples(PAGE)
    assert [t["elements"] for t in triples] == [[n] for n in range(1, 8)]
    assert (triples[3]["subject"], triples[3]["object"]) == ("You must", "unless you are ill.")
    lines = as_lines(short_triples("1| A, b | £1,200\n2. One")).splitlines()
    assert lines == ["(A b, states, £1200)", "(One, states, One)"]
    assert as_lines([]) == "none"  # what the prompts ask for
    asked = {"messages": [{"role": "user", "content": "triplets as (subject, predicate, object):\n" + PAGE}]}
    as_json = {"messages": [{"role": "system", "content": "Reply with JSON"}, *asked["messages"]]}
    replier = Replier(FakeOptions(replies="short"))
    assert replier.reply(wanted(asked)).text.startswith("(You can, states, all of these apply:)")
    assert len(json.loads(replier.reply(wanted(as_json)).text)["triples"]) == 7


@pytest.mark.parametrize("schema", [*SCHEMAS, TREE], ids=json.dumps)
def test_an_instance_is_valid(schema: dict[str, Any]) -> None:
    Draft202012Validator(schema).validate(minimal_instance(schema))


def test_a_schema_without_finite_value_is_an_error() -> None:
    endless = {"type": "object", "properties": {"me": {"$ref": "#"}}, "required": ["me"]}
    with pytest.raises(InputError, match="finite"):
        minimal_instance(endless)
    with pytest.raises(InputError, match="nowhere"):
        minimal_instance({"$ref": "#/nowhere"})


@given(st.text(), st.integers(0, 40), st.sampled_from(["approximate", "bytes"]))
def test_a_cut_text_is_a_beginning_within_the_limit(text: str, limit: int, how: str) -> None:
    cut = cut_to_tokens(text, limit, how)
    assert text.startswith(cut)
    assert count_tokens(cut, how) <= limit
    assert count_tokens(text, "bytes") == len(text.encode())
    assert count_tokens(text, "approximate") == math.ceil(len(text.encode()) / 4)


def test_faults_are_the_same_each_time_and_differ_by_attempt() -> None:
    options = FakeOptions(fault="429,500", fault_share=0.4, seed=7)
    requests = [bytes([n]) for n in range(200)] * 2
    runs = [[plan.fault_of(digest, "") for digest in requests] for plan in (FaultPlan(options), FaultPlan(options))]
    assert runs[0] == runs[1]
    seen = Counter(runs[0])
    assert set(seen) == {"none", "429", "500"}
    assert 100 < seen["429"] + seen["500"] < 220
    assert runs[0][:200] != runs[0][200:]


def test_faults_have_a_scope() -> None:
    first = FaultPlan(FakeOptions(fault="503", fault_first=2))
    assert [first.fault_of(b"a", "x") for _ in range(3)] == ["503", "503", "none"]
    matching = FaultPlan(FakeOptions(fault="503", fault_match="one"))
    assert [matching.fault_of(b"a", text) for text in ("page one", "page two")] == ["503", "none"]


def test_the_mean_in_flight_is_weighted_by_time_and_leaves_idle_time_out() -> None:
    now = 0.0
    counters = Counters(lambda: now)
    counters.arrived("chat", b"a")
    now = 1.0
    counters.arrived("chat", b"b")
    now = 2.0
    counters.answered(b"a")
    counters.answered(b"b")
    now = 50.0
    found = counters.snapshot()
    assert (found["mean_in_flight"], found["in_flight_max"], found["in_flight"]) == (1.5, 2, 0)


@pytest.mark.parametrize(
    "wrong",
    [
        {"replies": "clever"},
        {"fault": "429,nonsense"},
        {"latency": (2, 1)},
        {"latency": (1,)},
        {"fault_share": 2},
        {"usage": "maybe"},
        {"tokens": "words"},
        {"concurrency": 0},
        {"replies": "script"},
    ],
    ids=str,
)
def test_a_wrong_option_is_an_input_error(wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="fake model server"):
        FakeOptions(**wrong)


def test_options_change_but_for_the_port() -> None:
    options = FakeOptions(fault="429")
    assert options.changed(models=("x",)) == FakeOptions(fault="429", models=("x",))
    with pytest.raises(InputError, match="no option speed"):
        options.changed(speed=1)
    with pytest.raises(InputError, match="port"):
        options.changed(port=1)
    assert set(fault_list()) == set(FAULTS) - {"none"} and all(fault_list().values())


def test_a_list_of_conditions_is_read_for_a_question_of_yes_or_no() -> None:
    page = "\n".join([
        "PAGE 1: Winter Grant", "e1# Winter Grant", "e2. You can get it if you apply.", "e3. You cannot get it if:",
        "e4- you live in a care home, unless you pay all of the fees", "e5- you were in prison",
        "e6. The winter grant is £210.",
    ])  # fmt: skip
    told = "Scenario: My mother is in a care home.\nQuestion: "
    made = cheap_reading(page, told + "Could she get the winter grant?")
    (only,) = made["answers"]
    assert (only["text"], only["element"]) == ("no", "e3")
    assert only["if"] == {"any": [{"all": ["c1", {"not": "c2"}]}, "c3"]}
    assert [(c["element"], c["state"], c["scenario"]) for c in made["conditions"]] == [
        ("e4", "met", "in a care home"), ("e4", "open", ""), ("e5", "open", ""),
    ]  # fmt: skip
    assert cheap_reading(page, told + "How much is it?")["conditions"] == []
    assert cheap_reading(page, "Question: Could she get the winter grant?")["answers"][0]["text"] == "yes"
    assert cheap_reading("", "Question: ?")["answers"] == []
