"""A cheap answer to a reader's prompt: the list that has most of the scenario, else the element that shares
most words with the question."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

_LINE = re.compile(
    r"^(?:PAGE \d+(?: \([^)]*\))?: (?P<title>.*)|(?P<label>e\d+)(?P<mark>[.\-|]) (?P<text>.*))$", re.MULTILINE
)
_ELEMENT = re.compile(r"^ *(e\d+)[.\-|] (.*)$", re.MULTILINE)
_QUESTION = re.compile(r"^Question: (.*)", re.MULTILINE)
_SCENARIO = re.compile(r"^Scenario: (.*)", re.MULTILINE)
_WORD = re.compile(r"\w{4,}")
_VERBS = frozenset("am is are was were do does did can could will would may might must should have has had".split())  # noqa: SIM905
_LONGEST = 8  # words of an answer
_RUN = 3  # words in a row that an item and the scenario share: it is met
_UNLESS = re.compile(r",? unless ")


@dataclass(slots=True)
class _List:
    """A lead-in with its items, on a page."""

    title: str
    label: str
    text: str
    items: list[tuple[str, str]] = field(default_factory=list)


def cheap_reading(page: str, around: str) -> dict[str, Any]:
    """A reply with one answer, or none where no element shares a word with the question."""
    question = _last(_QUESTION, around)
    words = set(_WORD.findall(question.lower()))
    is_gate = bool(question) and question.lower().split()[0] in _VERBS
    shared = [(len(words & set(_WORD.findall(text.lower()))), label, text) for label, text in _ELEMENT.findall(page)]
    most, label, text = max(shared, key=lambda found: found[0], default=(0, "", ""))
    if is_gate and (told := _by_list(page, words, _last(_SCENARIO, around))):
        return told
    said = "yes" if is_gate else " ".join(text.split()[:_LONGEST])
    whole = text if most and not is_gate and text.endswith(".") else ""
    return _reply(label if most else "", said, [], None, whole)


def _last(pattern: re.Pattern[str], text: str) -> str:
    found: list[str] = pattern.findall(text)
    return found[-1] if found else ""


def _reply(label: str, said: str, conditions: list[dict[str, str]], when: object, sentence: str = "") -> dict[str, Any]:
    return {
        "rules": [label] if label else [],
        "analysis": "This is no language model: words that question, scenario and elements share.",
        "conditions": conditions,
        "kind": "gate" if conditions else "fact",
        "answers": [{"text": said, "element": label, "evidence": [label], "if": when}] if label else [],
        "sentences": [{"text": sentence, "role": "answer", "sources": [label], "sums": []}] if sentence else [],
        "missing": "",
    }


def _by_list(page: str, words: set[str], scenario: str) -> dict[str, Any] | None:
    """Yes or no under the items of a list that has some of the scenario, on a page about the question."""
    about = [
        (len(words & set(_WORD.findall(found.title.lower()))), met, found)
        for found in _lists(page)
        if (met := sum(bool(_run(text, scenario)) for _, text in found.items))
    ]
    shared, _, best = max(about, key=lambda one: one[:2], default=(0, 0, None))
    if best is None or not shared:
        return None
    excludes = re.search(r"\b(cannot|not)\b", best.text) is not None
    conditions: list[dict[str, str]] = []
    parts: list[object] = []
    for label, text in best.items:
        holds, *exceptions = [_condition(conditions, label, part, scenario) for part in _UNLESS.split(text)]
        parts.append({"all": [holds, *({"not": name} for name in exceptions)]} if exceptions else holds)
    when = {"any" if excludes or re.search(r"\b(any|one) of", best.text) else "all": parts}
    return _reply(best.label, "no" if excludes else "yes", conditions, when)


def _lists(page: str) -> list[_List]:
    found: list[_List] = []
    title, last = "", None
    for line in _LINE.finditer(page):
        if line["title"] is not None:
            title, last = line["title"], None
        elif line["mark"] == "-" and last is not None:
            last.items.append((line["label"], line["text"]))
        else:
            last = _List(title, line["label"], line["text"]) if line["text"].endswith(":") else None
            found += [last] if last is not None else []
    return found


def _condition(known: list[dict[str, str]], label: str, text: str, scenario: str) -> str:
    """The name of a new condition: met where the scenario has some words of it in a row, else open."""
    said = _run(text, scenario)
    name = f"c{len(known) + 1}"
    state = "met" if said else "open"
    known.append({"id": name, "element": label, "quote": text, "state": state, "scenario": said, "ask": ""})
    return name


def _run(text: str, scenario: str) -> str:
    """The most words in a row, as the scenario has them, that a text shares with it; empty where there are too few."""
    words, lowered = text.lower().split(), scenario.lower()
    for length in range(len(words), _RUN - 1, -1):
        for start in range(len(words) - length + 1):
            run = " ".join(words[start : start + length])
            at = lowered.find(run)
            if at >= 0 and _WORD.search(run):
                return scenario[at : at + len(run)]
    return ""
