"""Replies of the condition-aware prompt: a triple that its own writer doubts is none, and the report says why."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from clausegraph.core.extraction import Extraction
from clausegraph.core.language.wording import condition_words
from clausegraph.core.types import PassageKind
from clausegraph.ingestion.extract.llm.conditional import CONDITIONAL_SCHEMA, parse_conditional
from tests.ingestion.llm.calls import grant_call, reply

pytestmark = pytest.mark.unit
ONE = {
    "subject": "Heating Grant", "subject_type": "benefit", "relation": "is paid by", "object": "council",
    "object_type": "organisation", "elements": [4], "holds": True, "modality": "is", "if": None, "in_force": None,
}  # fmt: skip


def read(*items: dict[str, Any]) -> Extraction:
    found = parse_conditional(reply(*items), grant_call(), cut_off=False)
    assert found[0] is not None
    return found[0]


def test_a_doubted_triple_is_a_passage_and_the_doubt_is_told() -> None:
    """Its place is found still, and has its condition; the graph claims nothing."""
    care = {"not": {"element": 4, "quote": "you live in a care home"}}
    item = ONE | {"if": care, "doubt": "only in winter"}
    Draft202012Validator(CONDITIONAL_SCHEMA).validate(json.loads(reply(item)))
    found = read(item, ONE | {"relation": "is given by", "doubt": ""})
    assert [reject.reason for reject in found.rejects if "doubts" in reject.reason] == [
        "the model doubts it: only in winter"
    ]
    assert len(found.statements) == 1
    (left,) = found.passages
    assert (left.kind, condition_words(left.condition)) == (PassageKind.RULE, "not you live in a care home")
    assert [name.surface for name in left.names] == ["Heating Grant", "council"]
    assert {span.anchor for span in left.spans} == {"e3"}


def test_a_doubted_triple_that_cannot_be_read_is_no_passage() -> None:
    found = read(ONE | {"object": "the moon", "doubt": "which?"})
    assert not found.statements and not found.passages and "not stated" in found.rejects[0].reason


@pytest.mark.parametrize("doubt", ["", " ", "None", "no", None, False])
def test_no_doubt_is_said_in_several_ways(doubt: Any) -> None:
    assert len(read(ONE | {"doubt": doubt}).statements) == 1


def test_a_reply_without_the_key_is_read() -> None:
    assert len(read(ONE).statements) == 1


@pytest.mark.parametrize("doubt", [True, 7, ["which year"], {"what": "year"}])
def test_a_doubt_of_another_type_is_a_doubt(doubt: Any) -> None:
    found = read(ONE | {"doubt": doubt})
    assert not found.statements and "doubts" in found.rejects[0].reason
