"""Steps in plain words."""

from typing import Any

import pytest

from clausegraph.app.console.screen import TEMPLATES

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
    told: Any = TEMPLATES.get_template("steps.html").module
    said = told.words(name, detail)
    assert words in said and bool(said) is bool(words)
    told.words(name, {key: [None, {}] for key in detail})  # whatever an engine notes
    assert told.title(name) if name != "agents" else told.title(name) == name


def test_a_note_is_told_in_words() -> None:
    told: Any = TEMPLATES.get_template("steps.html").module
    place = {"page": "a:b.html", "anchor": "p1", "score": 0.5}
    assert told.note([place, {"page": "c", "anchor": "d"}]) == "a:b.html, p1 0.5; c, d"
    assert told.note({"x": True, "y": None, "z": {}, "n": [1, "<b>"]}) == "x: yes, y: none, z: none, n: 1; &lt;b&gt;"
