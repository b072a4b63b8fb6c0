"""Fingerprints of model extractors: one text each way. Stored extractions are found by it, so it never changes."""

from __future__ import annotations

import pytest

from clausegraph.core.hashing import LLMFingerprint, ModelFingerprint

pytestmark = pytest.mark.unit

MODEL = ModelFingerprint("mistral:small|odd", 0.1, 8192, "schema")
STORED = "llm:triplets.v1@f3f6ab1d8214|mistral:small|odd|t=0.1|max=8192|json=schema|conditional:1|0f0f0f0f0f0f"


@pytest.mark.parametrize(("end", "scoped"), [("|page", True), ("", False)])
def test_the_stored_text_and_the_value_are_the_same(end: str, scoped: bool) -> None:
    made = LLMFingerprint("triplets.v1", "f3f6ab1d8214", MODEL, "conditional:1", "0f" * 6, scoped)
    assert str(made) == STORED + end
    assert LLMFingerprint.parse(STORED + end) == made


@pytest.mark.parametrize("other", ["rules:876faf78889c", "given:1+00ff", "scripted:1", "llm:", ""])
def test_other_extractors_have_none(other: str) -> None:
    assert LLMFingerprint.parse(other) is None
