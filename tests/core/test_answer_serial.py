"""An answer is the same after it was written and read."""

from __future__ import annotations

import json
from datetime import date

import pytest

from clausegraph.core.inquiry import Inquiry
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

pytestmark = pytest.mark.unit


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
