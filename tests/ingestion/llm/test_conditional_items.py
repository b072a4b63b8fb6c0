"""Replies of the condition-aware prompt: what becomes of each triple, and to which chunk it goes."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator, ValidationError

from clausegraph.core.errors import UnusableReply
from clausegraph.core.extraction import Extraction
from clausegraph.core.language.normalise import entity_key
from clausegraph.core.types import Literal, Mention, Modality, Span, Statement, leaves
from clausegraph.ingestion.extract.llm.conditional import CONDITIONAL_SCHEMA, parse_conditional
from clausegraph.ingestion.extract.llm.numbering import Call
from tests.ingestion.llm.calls import (
    LEAD,
    assert_strict,
    grant_call,
    heating_call,
    only,
    parsed,
    reasons,
    reply,
    triple,
)

pytestmark = pytest.mark.unit

CALL = grant_call()
HEATING = heating_call()


def item(subject: str = "adopter", *rest: str, **more: Any) -> dict[str, Any]:
    """A triple of element 2 of ``HEATING``."""
    return triple(subject, *rest, **{"subject_type": "role", "elements": [2], **more})


def test_a_plain_triple() -> None:
    assert only(CALL, triple(modality="may")) == Statement(
        Mention("applicant", "applicant", "person", "you"),
        "gets",
        Mention("Heating Grant", "heating grant", "benefit"),
        (Span("e0", 0, len(LEAD)),),
        modality=Modality.MAY,
    )


def test_optional_keys_have_defaults_and_values_are_literals() -> None:
    found = only(
        CALL,
        {"subject": "the grant", "relation": "pays", "object": "£210 a year", "object_type": "Amount", "elements": [4]},
    )
    assert found.subject == Mention("the grant", "grant", "thing") and found.object == Literal("£210 a year", "amount")
    assert found.polarity and found.condition is None
    assert [CALL.inputs[0].elements[3].text[s.start : s.end] for s in found.spans] == [
        "The grant pays £210 a year, unless you live in a care home."
    ]


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"subject": "Eiffel Tower"}, "not stated: subject 'Eiffel Tower'"),
        ({"object": "Eiffel Tower"}, "not stated: object"),
        ({"object": "£999", "object_type": "amount", "elements": [4]}, "not stated: value"),
        ({"subject": ""}, "its subject is missing"),
        ({"subject": "grant " * 50}, "its subject is missing, empty or too long"),
        ({"subject": "\u202e\x00"}, "its subject is missing"),
        ({"subject": "it"}, "its subject is a pronoun"),
        ({"object": ["Heating Grant"]}, "its object is missing"),
        ({"relation": ""}, "its relation is missing"),
        ({"relation": "pays " * 30}, "its relation is missing, empty or too long"),
        ({"holds": "perhaps"}, 'its "holds"'),
        ({"modality": "would"}, "its modality"),
        ({"elements": []}, "it cites no element"),
        ({"elements": ["e0", "c0", -1, 0, 10**30, True, 1.5, None, "９", [1]]}, "it cites no element"),
    ],
)
def test_rejected_with_a_reason(changed: dict[str, Any], reason: str) -> None:
    assert reasons(CALL, triple(**{"target": changed.pop("object")} if "object" in changed else {}, **changed))[
        0
    ].startswith(reason)


@pytest.mark.parametrize(
    "changed",
    [
        {"elements": ["1"]},
        {"elements": 1},
        {"elements": [1.0]},
        {"modality": "MAY", "holds": "true"},
        {"relation": "isEntitledTo"},
        {"relation": "Is_entitled_to"},
    ],
)
def test_small_deviations(changed: dict[str, Any]) -> None:
    assert only(CALL, triple(**changed)).relation == ("is entitled to" if "relation" in changed else "gets")


def test_dates_are_calendar_dates_of_a_year_the_section_names() -> None:
    first, *_ = parsed(
        CALL,
        triple(in_force={"from": None, "to": "2026-03-31"}, elements=[5]),
        triple("applicant", "claims", "grant", in_force={"from": "2019-01-01", "to": "31 March"}, elements=[4]),
    )
    assert [s.effective_to for s in first.statements] == ["2026-03-31", None]
    assert [r.reason for r in first.rejects] == [
        'left out "from": the section does not name the year 2019',
        'left out "to": not a date',
    ]


def test_each_chunk_gets_its_own_in_any_order() -> None:
    triples = [
        triple(),
        triple(elements=[6, 1]),
        triple(elements=[1, 6]),  # the lead-in and an item of chunk 1: only chunk 1 has both
        triple("council", "pays", elements=[7]),
        triple("applicant", "sends", "form HG1", elements=[8]),
    ]
    expected = None
    for order in itertools.permutations(triples):
        found = [frozenset(e.statements) for e in parsed(CALL, *order)]
        assert expected in (None, found)
        expected = found
    assert expected is not None and [len(statements) for statements in expected] == [1, 2, 1]


def test_a_foreign_citation_is_left_out() -> None:
    first = parsed(CALL, triple(elements=[1, 2, 8, 77, "x"]))[0]
    assert [span.anchor for span in first.statements[0].spans] == ["e0", "e1"]
    assert [r.reason for r in first.rejects] == [
        "left out citation 'x': not an element number",
        "left out citation 77: not of this section",
    ]


def test_a_cut_off_reply_covers_the_chunks_before_its_last() -> None:
    pair = reply(triple(), triple("council", "pays", elements=[7]))
    found = parse_conditional(pair, CALL, cut_off=True)
    assert [e is None for e in found] == [False, True, True]
    assert only(CALL, triple(), triple())  # one of equal ones
    assert [e is None for e in parse_conditional(reply(triple()), CALL, cut_off=True)] == [True, True, True]
    sent = triple("applicant", "sends", "form HG1", elements=[8])
    whole = reply(triple(), triple("council", "pays", elements=[7]), sent)
    for end in range(len(whole)):
        try:
            found = parse_conditional(whole[:end], CALL, cut_off=False)
        except UnusableReply:
            continue
        covered = [e for e in found if e is not None]
        assert found[len(covered) :] == (None,) * (3 - len(covered)) and len(covered) < 3
        assert all(len(e.statements) == 1 for e in covered)


def test_a_role_stands_for_you_with_the_pages_word_beside_it() -> None:
    assert only(HEATING, item(modality="may")).subject == Mention("adopter", "adopter", "role", "you")
    assert only(HEATING, item("applicant for the Heating Grant")).subject.written == "you"
    assert only(HEATING, item("applicant")).subject.key == "applicant"
    council = item("heating office", "pays", "£210 a year", subject_type="organisation", object_type="amount")
    assert only(HEATING, council | {"elements": [4]}).subject.written == "we"
    named = item("your landlord", "agrees to", "grant", elements=[10])
    assert only(HEATING, named).subject == Mention("landlord", "landlord", "role")


@pytest.mark.parametrize("name", ["you", "You", "we", "it", "they", "your", "yourself", "us", "this"])
def test_a_pronoun_is_no_name(name: str) -> None:
    assert reasons(HEATING, item(name))[0].startswith("its subject is a pronoun")
    assert reasons(HEATING, item(target=name))[0].startswith("its object is a pronoun")


@pytest.mark.parametrize(
    ("name", "stated"),
    [
        ("form HG1", True),
        ("adoption of a child by adopters", True),
        ("land-lord's Heating-Grant", True),  # with hyphens that the page does not have
        ("decide", True),  # another form of "decision"
        ("whether the landlord agrees", True),  # which only ends like a possessive
        ("other party to the grant", True),
        ("decimal", False),  # which begins like "decision", and is not it
        ("Eiffel Tower", False),
        ("Eiffel Tower grant office of Paris", False),
        ("form HG1 of 2019", False),  # a number that the page does not have
    ],
)
def test_names_are_stated_by_most_of_their_words_and_all_their_numbers(name: str, stated: bool) -> None:
    if stated:
        assert only(HEATING, item(target=name)).object == Mention(name, entity_key(name), "benefit")
    else:
        assert reasons(HEATING, item(target=name)) == [f"not stated: object {name!r}"]


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
        assert only(HEATING, made).object == Literal(value, kind)
    else:
        assert reasons(HEATING, made) == [f"not stated: value {value!r}"]


def test_a_date_in_figures_is_the_date_that_the_page_writes() -> None:
    days = [item(target=f"2026-03-{day}", object_type="date", elements=[7]) for day in (31, 30)]
    assert only(HEATING, days[0]).object == Literal("31 March 2026", "date")
    assert reasons(HEATING, days[1]) == ["not stated: value '2026-03-30'"]


@pytest.mark.parametrize(
    ("relation", "modality", "holds", "expected"),
    [
        ("gets", "may", True, ("gets", Modality.MAY, True)),
        ("get", "may", True, ("gets", Modality.MAY, True)),
        ("may get", "is", True, ("gets", Modality.MAY, True)),
        ("must not use", "is", True, ("uses", Modality.CANNOT, False)),
        ("use", "must", False, ("uses", Modality.CANNOT, False)),
        ("get", "cannot", True, ("gets", Modality.CANNOT, False)),
        ("get", "may", False, ("gets", Modality.CANNOT, False)),
        ("pays", "need not", True, ("pays", Modality.NEED_NOT, False)),
        ("apply for", "should", True, ("applies for", Modality.SHOULD, True)),
        ("does not cover", "is", True, ("covers", Modality.IS, False)),
        ("is not paid to", "is", True, ("is paid to", Modality.IS, False)),
        ("might take", "can", True, ("takes", Modality.CAN, True)),
        ("get", "can", False, ("gets", Modality.CAN, False)),  # might not
        ("are paid to", "is", True, ("is paid to", Modality.IS, True)),
        ("usually cover", "is", True, ("usually covers", Modality.IS, True)),
    ],
)
def test_modality_and_denial_stand_beside_the_relation_only(
    relation: str, modality: str, holds: bool, expected: tuple[str, Modality, bool]
) -> None:
    found = only(HEATING, item(relation=relation, modality=modality, holds=holds))
    assert (found.relation, found.modality, found.polarity) == expected


def test_what_two_sections_say_is_stated_in_both() -> None:
    first, second = parsed(HEATING, item(elements=[2, 9], **{"if": None}))
    assert [one.statements[0].spans[0].anchor for one in (first, second)] == ["e1", "e1"]
    assert not first.rejects and not second.rejects
    first, second = parsed(HEATING, item(elements=[2, 9], **{"if": 10}))  # whose condition only the second has
    assert not first.statements and len(second.statements) == 1 and not (*first.rejects, *second.rejects)


def test_the_schema_is_strict_and_fits() -> None:
    form = Draft202012Validator(CONDITIONAL_SCHEMA)
    tree = {"all": [2, {"element": 2, "quote": "x"}, {"not": {"any": [3, {"element": 3, "quote": "y"}]}}]}
    form.validate({"triples": [item(), item(modality="need not", **{"if": tree}, in_force={"from": None, "to": None})]})
    with pytest.raises(ValidationError):
        form.validate({"triples": [{key: value for key, value in item().items() if key != "if"}]})
    assert_strict(CONDITIONAL_SCHEMA)
    assert json.loads(json.dumps(CONDITIONAL_SCHEMA)) == CONDITIONAL_SCHEMA


def test_a_broken_reply_for_one_chunk_keeps_what_is_complete() -> None:
    call = Call(CALL.inputs[:1], CALL.printed[:5], CALL.labels[:1])
    (found,) = parse_conditional(reply(triple())[:-2], call, cut_off=False)
    assert found is not None and len(found.statements) == 1 and "cannot be read to its end" in found.rejects[0].reason


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I cannot help with that.",
        "{}",
        '{"error": "overloaded"}',
        '{"triples": [{"subject": "you"',
        '{"triples": "none"}',
        '{"subject": "you", "elements": [1], "relation": "get", "object": "grant", "if',
    ],
)
def test_nothing_to_read(text: str) -> None:
    with pytest.raises(UnusableReply):
        parse_conditional(text, CALL, cut_off=False)
    assert parse_conditional(reply(), CALL, cut_off=False) == (Extraction(()),) * 3  # no triple is an empty extraction


@pytest.mark.parametrize(
    "wrap",
    [
        lambda t: f"Here it is:\n```json\n{t}\n```\nAnything else?",
        lambda t: f"<think>[1, {{}}] maybe</think>{t}",
        lambda t: json.dumps(json.loads(t)["triples"]),
        lambda t: json.dumps(json.loads(t)["triples"][0]),
        lambda t: "\n".join(json.dumps(one) for one in json.loads(t)["triples"]),
        lambda t: t.replace("}]", "},]"),
        lambda t: t.replace('"triples"', '"triplets"'),
    ],
)
def test_wrappings(wrap: Any) -> None:
    found = parse_conditional(wrap(reply(triple())), CALL, cut_off=False)
    assert found[0] is not None and len(found[0].statements) == 1


NUMBERS = st.one_of(st.integers(-2, 12), st.floats(), st.booleans(), st.none(), st.text(max_size=3), st.just(10**400))
WORDS = st.one_of(st.sampled_from(["you", "Heating Grant", "council", "£210", "18", LEAD]), st.text(max_size=12))
QUOTED = st.fixed_dictionaries({"element": NUMBERS}, optional={"quote": WORDS, "text": WORDS})
TREES = st.recursive(
    st.one_of(QUOTED, NUMBERS),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(["all", "any", "not"]), inner, max_size=2)
    ),
    max_leaves=8,
)
ITEMS = st.fixed_dictionaries(
    {
        "subject": WORDS,
        "relation": WORDS,
        "object": WORDS,
        "elements": st.one_of(st.lists(NUMBERS, max_size=4), NUMBERS),
    },
    optional={
        "if": TREES,
        "holds": NUMBERS,
        "modality": WORDS,
        "in_force": st.one_of(NUMBERS, st.dictionaries(st.sampled_from(["from", "to"]), WORDS)),
        "object_type": WORDS,
        "doubt": WORDS,
    },
)


def check_within(call: Call, text: str, *, cut_off: bool) -> None:
    """Whatever the reply, spans and leaves lie in the chunk's own input."""
    try:
        found = parse_conditional(text, call, cut_off=cut_off)
    except UnusableReply:
        return
    assert len(found) == len(call.inputs)
    for source, extraction in zip(call.inputs, found, strict=True):
        texts = {e.label: e.text for e in source.elements}
        for s in extraction.statements if extraction else ():
            assert s.spans and all(
                n.anchor.startswith("e") and 0 <= n.start < n.end <= len(texts[n.anchor]) for n in s.spans
            )
            for leaf in leaves(s.condition):
                assert leaf.text and leaf.text == texts[leaf.anchor][leaf.start : leaf.end]


@given(st.lists(st.one_of(ITEMS, NUMBERS), max_size=4), st.booleans(), st.integers(0, 40))
def test_any_items_stay_within_the_call(items: list[Any], cut_off: bool, cut: int) -> None:
    text = json.dumps({"triples": items})
    check_within(CALL, text[: len(text) - cut], cut_off=cut_off)
