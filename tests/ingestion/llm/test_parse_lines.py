"""Plain triplets: every way to write a line, recorded lists, and what the chunk states of them."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clausegraph.core.errors import UnusableReply
from clausegraph.core.extraction import ExtractionInput, InputElement
from clausegraph.core.types import Literal, Mention
from clausegraph.ingestion.extract.llm.lines import RawTriple, parse_triples, statements_of_lines
from tests.ingestion.llm.calls import chunk, element

SOURCE = chunk(
    element("e0", "The council pays the grant. Send form HG1 to the council office in Leeds, West Yorkshire."),
    element("e1", "You get £1,200 a year."),
    element("e2", "Tenants must apply before winter."),
)


def three(text: str, source: str = "") -> list[tuple[str, str, str]]:
    triples, _ = parse_triples(text, source_text=source)
    return [(t.subject, t.relation, t.object) for t in triples]


@pytest.mark.parametrize(
    "line",
    [
        "(a b, pays, c d)",
        "1. (a b, pays, c d)",
        "12) (a b, pays, c d).",
        "- (a b, Pays, c d),",
        '("a b", "pays", "c d")',
        "('a b', 'pays', 'c d')",
        "**(a b, pays, c d)**",
        "`(a b, pays, c d)`",
        "Triplets:\n(a b, pays, c d)\nThese are all, I think.",
        "<think>(x, y, z)</think>(a b, pays, c d)",
        "(a b,\u202e pays, c\x00d)",
    ],
)
def test_ways_to_write_a_triplet(line: str) -> None:
    assert three(line) == [("a b", "pays", "c d")]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("(a, b, c), (d, e, f)", [("a", "b", "c"), ("d", "e", "f")]),
        ("(grant, is, £1,200 a year)", [("grant", "is", "£1,200 a year")]),
        ('("Leeds, Yorkshire", is in, UK)', [("Leeds, Yorkshire", "is in", "UK")]),
        ("(council (Leeds, north), pays, grant)", [("council (Leeds, north)", "pays", "grant")]),
        ("(office, is in, Leeds, Yorkshire)", [("office", "is in", "Leeds, Yorkshire")]),
        ("(child's name, is, it's)", [("child's name", "is", "it's")]),
        ("(a, b, c)\n(d, e", [("a", "b", "c")]),
        ("(a, b, c) (d, e, f", [("a", "b", "c")]),
    ],
)
def test_commas_and_brackets(line: str, found: list[tuple[str, str, str]]) -> None:
    assert three(line) == found


def test_the_source_tells_which_commas_are_part_of_a_name() -> None:
    line = "(Leeds, West Yorkshire, has, council office)"
    assert three(line, "The council office in Leeds, West Yorkshire") == [
        ("Leeds, West Yorkshire", "has", "council office")
    ]
    assert three(line) == [("Leeds", "west yorkshire", "has, council office")]


def test_every_line_not_understood_is_a_reject() -> None:
    triples, rejects = parse_triples("Here you are:\n(a, b, c)\n(d, e)\n(f, , g)\n\n" + "x" * 3000 + "\n(h, i, j")
    assert triples == [RawTriple("a", "b", "c")]
    assert [(r.what[:10], r.reason) for r in rejects] == [
        ("Here you a", "not a triplet"),
        ("(d, e)", "not a triplet of three parts"),
        ("(f, , g)", "its relation is no text, empty or too long"),
        ("x" * 10, "the line is too long"),
        ("(h, i, j", "the reply breaks off in this line"),
    ]


def test_recorded_triples() -> None:
    items: list[Any] = [
        ["a", "b", "c"],
        ["a", "b"],
        ["a", "b", "c", "d"],
        ["a", 1, "c"],
        ["", "b", "c"],
        None,
        "abc",
        ("d", "e", "f"),
    ]
    triples, rejects = parse_triples(items)
    assert triples == [RawTriple("a", "b", "c"), RawTriple("d", "e", "f")] and len(rejects) == 6
    assert parse_triples([]) == ([], [])


@pytest.mark.parametrize("text", ["none", "None.", "No triplets.", "(none)", "no triplets in this text"])
def test_a_reply_may_say_there_is_none(text: str) -> None:
    assert parse_triples(text) == ([], [])


@pytest.mark.parametrize("text", ["", "  \n", "I cannot help with that.", "(a, b)", '{"error": "x"}', "x" * 1_000_000])
def test_nothing_to_read(text: str) -> None:
    with pytest.raises(UnusableReply):
        parse_triples(text)


def test_statements_cite_the_element_and_sentence_that_say_so() -> None:
    triples = [
        RawTriple("council", "pays", "grant"),
        RawTriple("you", "get", "£1,200 a year"),
        RawTriple("tenants", "live in", "Leeds"),
        RawTriple("council", "pays", "grant"),
    ]
    found = statements_of_lines(triples, SOURCE)
    assert [[SOURCE.elements[int(s.anchor[1])].text[s.start : s.end] for s in x.spans] for x in found.statements] == [
        ["The council pays the grant."],
        ["You get £1,200 a year."],
        ["Send form HG1 to the council office in Leeds, West Yorkshire.", "Tenants must apply before winter."],
    ]
    assert found.statements[0].object == Mention("grant", "grant", "benefit")
    assert found.statements[1].object == Literal("£1,200 a year", "amount")


def test_unstated_names_are_rejected() -> None:
    triples = [RawTriple("council", "pays", "Moon"), RawTriple("Mars", "pays", "Moon"), RawTriple("it", "is", "grant")]
    strict = statements_of_lines(triples, SOURCE)
    assert not strict.statements and [r.reason.split(":")[0] for r in strict.rejects] == [
        "not stated",
        "not stated",
        "it names a pronoun",
    ]
    assert len(statements_of_lines(triples, SOURCE, strict=False).statements) == 1
    context = ExtractionInput("t", (), (InputElement("c0", "p", "The council pays the grant."),))
    assert not statements_of_lines([RawTriple("council", "pays", "grant")], context).statements


@given(
    st.one_of(st.text(), st.text(alphabet="()[]{}<>,;|->\"' \t\nab1.:*"), st.lists(st.text(max_size=5)).map(json.dumps))
)
def test_any_text_is_read_or_unusable(text: str) -> None:
    try:
        triples, _ = parse_triples(text, source_text="a b, c")
    except UnusableReply:
        return
    texts = {e.label: e.text for e in SOURCE.elements}
    for s in statements_of_lines(triples, SOURCE, strict=False).statements:
        assert s.spans and all(0 <= n.start < n.end <= len(texts[n.anchor]) for n in s.spans)
