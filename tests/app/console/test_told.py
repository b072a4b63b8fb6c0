"""Steps in plain words."""

from typing import Any

import pytest

from clausegraph.app.console.answer import step_title, step_words

STEPS: list[tuple[str, dict[str, Any], str]] = [
    ("route", {"module": "text", "topics": ["a (b)"], "relations": []}, "In the text of the pages, for a (b)."),
    ("route", {"round": 2, "nothing left to try": True}, "There was no other place to look in."),
    ("retrieve", {"elements": 0}, "Nothing."),
    ("retrieve", {"elements": 6, "entities shared": 2}, "What was asked for meets in 2 entities."),
    ("validate", {"accepted": False, "because": "no date"}, "It is not enough: no date."),
    ("comment", {"feedback": "wrong: x"}, "what was found is wrong: x"),
    ("read", {"probability": 0.5, "asserted_from": 0.9}, "nothing is asserted, and the pages are quoted"),
    ("read", {"probability": 0.96, "asserted_from": 0.9, "kind": "yes_no"}, "96% sure, and 90% are needed: so it is"),
    ("read", {"read_again_without": ["a#p"]}, "read again without what another page has replaced."),
    ("read", {"contradicted": 1}, "What another page contradicts is not asserted."),
    ("agents", {"anything": 1}, ""),
]


@pytest.mark.parametrize(("name", "detail", "words"), STEPS)
def test_a_step_is_told_in_words(name: str, detail: dict[str, Any], words: str) -> None:
    said = step_words(name, detail)
    assert words in said and bool(said) is bool(words)
    assert step_words(name, {key: [None, {}] for key in detail}) is not None  # whatever an engine notes
    assert step_title(name) if name != "agents" else step_title(name) == name
