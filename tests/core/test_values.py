"""Values of the core: fingerprints, inquiries, answers as JSON, expressions, types of entities."""

import json
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest

from clausegraph.core.errors import QuestionError, SettingsError
from clausegraph.core.expression import ExpressionRefused, evaluate, in_words
from clausegraph.core.hashing import LLMFingerprint, ModelFingerprint
from clausegraph.core.inquiry import MAX_CHARACTERS, Inquiry
from clausegraph.core.ontology import UNTYPED, policy_ontology, read_ontology
from clausegraph.core.serial import answer_from_json, answer_to_json
from clausegraph.core.types import (
    All,
    Alternative,
    Answer,
    AnswerStatus,
    AnyOf,
    ConditionState,
    Evidence,
    JudgedLeaf,
    Leaf,
    Not,
    PageKey,
    Span,
    TraceStep,
)
from tests.harness.tables import rows

MODEL = ModelFingerprint("mistral:small|odd", 0.1, 8192, "schema")
STORED = "llm:triplets.v1@f3f6ab1d8214|mistral:small|odd|t=0.1|max=8192|json=schema|conditional:1|0f0f0f0f0f0f"


@pytest.mark.parametrize(("end", "scoped"), [("|page", True), ("", False)])
def test_the_stored_text_and_the_value_are_the_same(end: str, scoped: bool) -> None:
    made = LLMFingerprint("triplets.v1", "f3f6ab1d8214", MODEL, "conditional:1", "0f" * 6, scoped)
    assert str(made) == STORED + end
    assert LLMFingerprint.parse(STORED + end) == made
    assert not made.states_rules and replace(made, parser="rules:1").states_rules


@pytest.mark.parametrize("other", ["rules:876faf78889c", "given:1+00ff", "scripted:1", "llm:", ""])
def test_other_extractors_have_none(other: str) -> None:
    assert LLMFingerprint.parse(other) is None


TOO_LONG = "y" * MAX_CHARACTERS


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        ({"question": "  \n\t"}, "empty"),
        ({"scenario": TOO_LONG}, "10,000"),
        ({"assumptions": (TOO_LONG,)}, "10,000"),
        ({"as_of": "2026-01-01"}, "no date"),
        ({"as_of": datetime(2026, 1, 1, 12)}, "no date"),
        ({"assumptions": "I rent."}, "no tuple"),
        ({"assumptions": ("I rent.", " ")}, "no tuple"),
    ],
)
def test_a_malformed_inquiry_is_refused(wrong: dict[str, Any], problem: str) -> None:
    assert Inquiry("x", TOO_LONG[1:]).text
    with pytest.raises(QuestionError, match=problem):
        Inquiry(**{"question": "Can I?"} | wrong)


def test_what_an_engine_cannot_use_is_refused_by_name() -> None:
    Inquiry("Can I?", "I rent.").require_plain("plain")
    with pytest.raises(QuestionError, match=r"'plain' cannot use as_of and assumptions"):
        Inquiry("Can I?", as_of=date(2026, 1, 1), assumptions=("I rent.",)).require_plain("plain")


def _leaf(words: str, state: ConditionState) -> JudgedLeaf:
    span = Span("p-1", 3, 9)
    source = Evidence(PageKey("s", "a\u2028.html"), "T", ("T", "H"), span, words, "<p>é</p>", items=("1", "2"))
    return JudgedLeaf(Leaf("p-1", 3, 9, words, "meant"), state, source, decisive=False)


def test_an_answer_is_read_as_it_was_written() -> None:
    met, unmet = _leaf("you rent", ConditionState.MET), _leaf("you own", ConditionState.UNMET)
    tree = All((AnyOf((met, unmet)), Not(_leaf("map", ConditionState.UNKNOWN))))
    steps = (TraceStep("model", 1.5, {"map": {"day": None}, "All": {"x": True}, "scores": (0.5, 2), "none": {}}),)
    answer = Answer(
        Inquiry("Q?", "S", date(2026, 1, 31), ("I rent.",)), AnswerStatus.ANSWERED,
        (Alternative("yes", tree, (met.source,), 0.25, "not excluded"),), "ä ö", 3, steps, ("rules",), (met.source,),
        (("grnat", "grant"),),
    )  # fmt: skip
    assert answer_from_json(json.loads(json.dumps(answer_to_json(answer)))) == answer


@pytest.mark.parametrize(
    "value", [None, [], {}, {"Answer": {}}, {"Answer": {"inquiry": 1, "colour": 2}}, {"exec": {"x": 1}}, {"day": "x"}]
)
def test_what_is_no_answer_of_this_version_is_refused(value: object) -> None:
    with pytest.raises(ValueError):
        answer_from_json(value)


@pytest.mark.parametrize(("expression", "value"), rows(__file__, "an expression, and its value in words"))
def test_computes(expression: str, value: str) -> None:
    assert in_words(evaluate(expression)) == value


@pytest.mark.parametrize(
    "expression",
    [
        "__import__('os').system('true')",
        "().__class__.__bases__",
        "date.fromisoformat('2024-01-01')",
        "[x for x in (1, 2)]",
        "(lambda: 1)()",
        "'a' * 1000000000",
        "'a' + 'b'",
        "9 ** 9 ** 9 ** 9",
        "10 ** 99 * 10 ** 99",
        "1 / 0",
        "date('2024-02-30')",
        "date('9999-12-31') + 1",
        "convert(1, 'mile', 'kg')",
        "convert(1, '2 ** 99999999', 'm')",
        "convert(1, 'm*9**9**9', 'km')",
        "convert(1, 'm^9^9^9', 'km')",
        "convert(1, 'm**99999999', 'km')",
        "convert(10 ** 30, 'km', 'nm')",
        "year(2024)",
        "open('x')",
        "f'{1}'",
        "a = 1",
        "(1, 2)[0]",
        "sqrt(-1)",
        "mean()",
        "max()",
        "1 +",
        "'text'",
        "1" + "+1" * 240,
        "(" * 300 + "1" + ")" * 300,
        "1" * 600,
        "",
    ],
)
def test_refuses_what_is_no_computation(expression: str) -> None:
    with pytest.raises(ExpressionRefused):  # what is not refused at once is computed for hours
        evaluate(expression)


OWN = """
[vessel]
about = "a ship or boat"
words = ["ship", "ferry"]

[port]
words = ["Harbour"]
"""


@pytest.mark.parametrize(("name", "kind"), rows(__file__, "a name, and its type"))
def test_the_word_that_stands_last_decides(name: str, kind: str) -> None:
    assert policy_ontology().type_of(name) == kind


def test_a_file_takes_the_place_of_the_shipped(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(OWN, encoding="utf-8")
    own = read_ontology(path)
    assert [own.type_of(name) for name in ("old ferries", "harbours", "employee")] == ["vessel", "port", UNTYPED]
    assert own.digest != policy_ontology().digest and read_ontology(path) == own


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has no type"),
        ("vessel = 1", "type 'vessel': expected a table"),
        ("[vessel]\nname = 'x'", "expected a table with about and words"),
        ("[vessel]\nwords = [1]", "words a list of texts"),
        ("[amount]\nwords = []", "none of amount"),
        ("[Ship]\nwords = []", "lower-case letters"),
        ("[vessel", "cannot be read"),
    ],
)
def test_a_file_that_is_none_is_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "own.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SettingsError, match=message):
        read_ontology(path)
