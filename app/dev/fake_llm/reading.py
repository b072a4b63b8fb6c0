"""A cheap answer to a reader's prompt: the element that shares most words with the question, and no conditions."""

from __future__ import annotations

import re
from typing import Any

_ELEMENT = re.compile(r"^ *(e\d+)[.\-|] (.*)$", re.MULTILINE)
_QUESTION = re.compile(r"^Question: (.*)", re.MULTILINE)
_WORD = re.compile(r"\w{4,}")
_VERBS = frozenset("am is are was were do does did can could will would may might must should have has had".split())  # noqa: SIM905
_LONGEST = 8  # words of an answer


def cheap_reading(page: str, around: str) -> dict[str, Any]:
    """A reply with one answer, which the page states, or none where no element shares a word with the question."""
    asked = _QUESTION.findall(around)
    question = asked[-1].lower() if asked else ""
    words = set(_WORD.findall(question))
    shared = [(len(words & set(_WORD.findall(text.lower()))), label, text) for label, text in _ELEMENT.findall(page)]
    most, label, text = max(shared, key=lambda found: found[0], default=(0, "", ""))
    answers: list[dict[str, Any]] = []
    if most:
        is_gate = question.split()[:1] and question.split()[0] in _VERBS
        said = "yes" if is_gate else " ".join(text.split()[:_LONGEST])
        answers = [{"text": said, "element": label, "evidence": [label], "if": None}]
    analysis = "This is no language model: the element that shares most words with the question."
    return {
        "rules": [label] if most else [],
        "analysis": analysis,
        "conditions": [],
        "kind": "fact",
        "answers": answers,
    }
