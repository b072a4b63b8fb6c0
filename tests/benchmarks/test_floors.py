"""The floors are measured with no model, whatever is set where they are run."""

from __future__ import annotations

import pytest

from benchmarks.floors import unset

pytestmark = pytest.mark.unit


def test_a_model_that_is_set_is_not_asked() -> None:
    assert unset({"PATH": "/bin", "CLAUSEGRAPH_LLM": "openai:gpt", "CLAUSEGRAPH_STEP_READ": "x"}) == {"PATH": "/bin"}
