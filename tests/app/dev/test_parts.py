"""The pure parts of the fake: pages, rules, schema instances, tokens, faults, options."""

from __future__ import annotations

import json
import math
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import BaseModel

from clausegraph.app.dev.fake_llm.options import FakeOptions, FaultPlan
from clausegraph.app.dev.fake_llm.pages import (
    cheap_reading,
    page_in,
    rule_lines,
    sections_of,
    triple_lines,
)
from clausegraph.app.dev.fake_llm.replies import Replier, minimal_instance, wanted
from clausegraph.app.dev.fake_llm.wire import count_tokens, cut_to_tokens
from clausegraph.core.errors import InputError
from clausegraph.core.extraction import ExtractionInput, InputElement
from clausegraph.ingestion.extract.llm.numbering import number_call, page_text
from clausegraph.ingestion.extract.llm.rules_reply import parse_rules
from tests.app.dev.conftest import PAGE
from tests.ingestion.llm.calls import PAGE_CALL

pytestmark = pytest.mark.unit


class Node(BaseModel):
    """A model that names itself."""

    name: str
    next: Node | None
    numbers: list[int]


SCHEMAS: list[dict[str, Any]] = [
    Node.model_json_schema(),
    {"type": "object"},
    {"type": "integer", "minimum": 3},
    {"type": "integer", "exclusiveMinimum": 0},
    {"type": "array", "minItems": 3, "items": {"enum": ["x", "y"]}},
    {"type": "string", "minLength": 7, "maxLength": 9},
    {"oneOf": [{"type": "boolean"}, {"type": "integer"}]},
    {"type": "object", "properties": {"a": {"const": 1}}, "required": ["a"], "additionalProperties": False},
]


def shown(section: ExtractionInput) -> list[tuple[str, str, str, tuple[str, ...]]]:
    return [(one.label, one.tag, one.text, one.headers) for one in section.elements]


def test_a_page_is_read_back() -> None:
    assert page_in("<<<PAGE aa>>>\n1. One\n<<<END bb>>>\n") is None  # another name at its end
    page, around = page_in("before\n" + PAGE + "after") or ("", "")
    assert around == "before\n\nafter"
    first, second = sections_of(page)
    assert first.headings == ("Tax credit", "Claim")
    assert shown(first)[-1] == ("e5", "tr", "Single | £1,200", ("Status", "Amount"))
    barred = ("e7", "p", "You cannot claim if you are in prison.", ())
    assert shown(second) == [("e6", "h1", "Stop", ()), barred]


def test_what_numbering_prints_is_read_back() -> None:
    elements = (
        InputElement("e0", "h2", "Rates"),
        InputElement("e1", "p", "3. not a number of ours. You get it if you rent."),
        InputElement("e2", "li", "## no heading"),
        InputElement("e3", "tr", "a | b", headers=("x", "y")),
    )
    (section,) = sections_of(page_text(number_call([ExtractionInput("T", ("T", "Rates"), elements)])))
    assert section.headings == ("T", "Rates")
    assert [row[2:] for row in shown(section)] == [(one.text, one.headers) for one in elements]


def test_pages_with_numbered_headings_and_without_numbers_are_read_back() -> None:
    page = "# Tax credit\n1# Claim\n2 You can claim if:\n3## If you rent\n4- you are 16\n5# Stop\n"
    claim, rent, stop = sections_of(page)
    assert [one.title for one in (claim, rent, stop)] == ["Tax credit"] * 3
    assert [one.headings for one in (claim, rent, stop)] == [("Claim",), ("Claim", "If you rent"), ("Stop",)]
    assert [heading.label for heading in rent.above] == ["e1"] and not stop.above
    (section,) = sections_of("You can claim if:\n\n<li>you are <16></li>\n<b>no</b>\n")
    assert [row[1:3] for row in shown(section)] == [
        ("p", "You can claim if:"),
        ("li", "you are <16>"),
        ("p", "<b>no</b>"),
    ]


def test_rules_are_those_of_the_rule_extractor_with_a_statement_of_their_line() -> None:
    lines = rule_lines((page_in(PAGE) or ("",))[0]).splitlines()
    assert lines[1:4] == [
        "@2 Tax credit applicant (person)",
        "@3 UK (place)",
        "@4 tax credit (benefit)",
    ]
    claim, tell, row, barred = lines[6:]
    assert claim.startswith("1,2,3 eligibility") and claim.endswith("| may | @5 may claim @4")
    assert '| if (2"you are over 16" and 3"you live in the UK") |' in claim
    assert tell.endswith('| if not 4"you are ill" | must | @5 must tell within "30 days"')
    assert row == '5 amount | about @1 | if 5"Single" | is'
    assert barred == '7 exclusion | about @1, actor @2 | if 7"you are in prison" | cannot | @5 cannot claim @4'
    page = """\
# Heating Grant
1# Who can get it
2 You can get the grant if all of the following apply:
3- you live in Lethmoor
4- you or your partner get one of these benefits:
5- Basic Support
6- Rent Supplement"""
    (rule,) = rule_lines(page).splitlines()[7:]  # what follows an item with a colon is a list of its own
    assert '(5"Basic Support" or 6"Rent Supplement")' in rule


def test_the_parser_takes_every_line_of_the_fakes() -> None:
    page = "\n".join(["# Heating Grant", *page_text(PAGE_CALL).splitlines()[1:]])
    (found,) = parse_rules(rule_lines(page), PAGE_CALL, cut_off=False)
    assert found is not None and len(found.rules) >= 6 and not found.rejects


def test_triples_are_those_of_the_rule_extractor() -> None:
    assert triple_lines("1 The Bus Grant is £1,200 a year.") == "(Bus Grant, is, £1200 a year)"
    assert [made("") for made in (rule_lines, triple_lines)] == ["none"] * 2  # what the prompts ask for
    asked = {"messages": [{"role": "user", "content": "triplets as (subject, predicate, object):\n" + PAGE}]}
    assert Replier(FakeOptions()).reply(wanted(asked)).text.startswith("(")


@pytest.mark.parametrize("schema", SCHEMAS, ids=lambda schema: json.dumps(schema)[:40])
def test_an_instance_is_valid(schema: dict[str, Any]) -> None:
    Draft202012Validator(schema).validate(minimal_instance(schema))


def test_a_schema_without_finite_value_is_an_error() -> None:
    with pytest.raises(InputError, match="finite"):
        minimal_instance({"type": "object", "properties": {"me": {"$ref": "#"}}, "required": ["me"]})
    with pytest.raises(InputError, match="nowhere"):
        minimal_instance({"$ref": "#/nowhere"})


@given(st.text(), st.integers(0, 40), st.sampled_from(["approximate", "bytes"]))
def test_a_cut_text_is_a_beginning_within_the_limit(text: str, limit: int, how: str) -> None:
    cut = cut_to_tokens(text, limit, how)
    assert text.startswith(cut) and count_tokens(cut, how) <= limit
    assert count_tokens(text, "bytes") == len(text.encode())
    assert count_tokens(text, "approximate") == math.ceil(len(text.encode()) / 4)


def test_faults_are_the_same_each_time_differ_by_attempt_and_have_a_scope() -> None:
    options = FakeOptions(fault="429,500", fault_share=0.4, seed=7)
    requests = [bytes([n]) for n in range(200)] * 2
    runs = [[plan.fault_of(digest, "") for digest in requests] for plan in (FaultPlan(options), FaultPlan(options))]
    seen = Counter(runs[0])
    assert runs[0] == runs[1] and runs[0][:200] != runs[0][200:]
    assert set(seen) == {"none", "429", "500"} and 100 < seen["429"] + seen["500"] < 220
    first = FaultPlan(FakeOptions(fault="503", fault_first=2))
    assert [first.fault_of(b"a", "x") for _ in range(3)] == ["503", "503", "none"]
    matching = FaultPlan(FakeOptions(fault="503", fault_match="one"))
    assert [matching.fault_of(b"a", text) for text in ("page one", "page two")] == ["503", "none"]


WRONG: list[dict[str, Any]] = [
    {"replies": "clever"},
    {"fault": "429,nonsense"},
    {"latency": (2, 1)},
    {"latency": (1,)},
    {"fault_share": 2},
    {"usage": "maybe"},
    {"tokens": "words"},
    {"concurrency": 0},
    {"replies": "script"},
]


def test_wrong_options_are_input_errors() -> None:
    for wrong in WRONG:
        with pytest.raises(InputError, match="fake model server"):
            FakeOptions(**wrong)
    options = FakeOptions(fault="429")
    assert options.changed(models=("x",)) == FakeOptions(fault="429", models=("x",))
    for change, said in (({"speed": 1}, "no option speed"), ({"port": 1}, "port")):
        with pytest.raises(InputError, match=said):
            options.changed(**change)


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
