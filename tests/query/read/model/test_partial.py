"""Sentences of a reply that is still being written."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clausegraph.core.types import TraceStep
from clausegraph.query.read.model.partial import finished_sentences, sentence_watch

REPLY: dict[str, Any] = {
    "rules": ["e3"],
    "analysis": 'The "lead-in" {e3} governs; see [e4].',
    "conditions": [{"id": "c1", "element": "e4", "quote": "born", "state": "open"}],
    "kind": "yes_no",
    "answers": [{"text": "yes", "if": {"all": ["c1"]}, "sentences": [{"text": "Not this one.", "role": "answer"}]}],
    "sentences": [
        {"text": "You get £210 a year, {if} you say \"yes\"\n] or 'no'.", "role": "answer", "sources": ["e9"]},
        {"text": "Were you born before 1961?", "role": "next", "sources": []},
        {"text": "First item.", "role": "item", "sources": [{"label": "e3"}]},
        {"text": "It is paid in January.", "role": "more", "sources": ["e9"]},
        {"text": "Second item.", "role": " Item "},
    ],
    "missing": [],
    "nearby": [],
}
TOLD = ("You get £210 a year, {if} you say \"yes\" ] or 'no'.", "First item.", "Second item.")
TEXT = json.dumps(REPLY, ensure_ascii=False)


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        json.dumps(REPLY, indent=2),
        json.dumps([REPLY]),
        f"```json\n{TEXT}\n```",
        f"Here it is {{see [e3]}}:\n{TEXT}\nThat is all.",
        f'<think>Perhaps {{"sentences": [{{"text": "No.", "role": "answer"}}]}}?</think>\n{TEXT}',
        TEXT[: TEXT.index("missing")],
        TEXT.replace('"missing": []', '"sentences": [], "missing": oops'),
        f"{{}} {TEXT}",
    ],
)
def test_answers_and_items_are_found_in_order(text: str) -> None:
    assert finished_sentences(text) == TOLD


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no JSON",
        "{",
        '{"sentences": "none"}',
        '{"sentences": {"text": "A.", "role": "answer"}}',
        '{"sentences": ["A.", 1, null, {"text": 2, "role": "answer"}, {"text": " ", "role": "item"}, {"text": "B."}]}',
        '{"more": {"sentences": [{"text": "A.", "role": "answer"}]}}',
        '{"sentences": [{"text": "A.", "role": "answer"',
        '<think>{"sentences": [{"text": "A.", "role": "answer"}]}',
        "[" * 1000,
    ],
)
def test_what_is_no_finished_sentence_is_not_shown(text: str) -> None:
    assert finished_sentences(text) == ()


def test_every_beginning_of_a_reply_has_the_first_of_its_sentences() -> None:
    counts = []
    for end in range(len(TEXT) + 1):
        found = finished_sentences(TEXT[:end])
        assert found == TOLD[: len(found)]
        counts.append(len(found))
    assert counts == sorted(counts) and set(counts) == {0, 1, 2, 3}


_SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8)
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["text", "role", "sentences", "x"]), inner, max_size=3)
    ),
    max_leaves=8,
)
_ITEMS = st.fixed_dictionaries(
    {"text": st.text(max_size=12), "role": st.sampled_from(["answer", "item", "next", "more"])},
    optional={"sources": _VALUES},
)
_REPLIES = st.dictionaries(st.sampled_from(["rules", "kind", "x"]), _VALUES, max_size=2).flatmap(
    lambda around: st.lists(_ITEMS | _VALUES, max_size=4).map(lambda items: around | {"sentences": items, "end": 1})
)
_AROUND = st.text(alphabet='{}[]",:\\ sentcrolaw1-.e\n<>/hik', max_size=40) | st.sampled_from(
    ["", "```json\n", "<think>{}</think>"]
)


_TEXTS = given(_AROUND, _REPLIES, _AROUND, st.booleans())


@settings(max_examples=40, deadline=None)
@_TEXTS
def test_a_longer_text_never_takes_a_sentence_back(
    before: str, reply: dict[str, Any], after: str, ascii_only: bool
) -> None:
    check_prefixes(before, reply, after, ascii_only)


def check_prefixes(before: str, reply: dict[str, Any], after: str, ascii_only: bool) -> None:
    """Each prefix of the text has the sentences of the shorter ones, in the same order."""
    text = before + json.dumps(reply, ensure_ascii=ascii_only) + after
    last: tuple[str, ...] = ()
    for end in range(len(text) + 1):
        found = finished_sentences(text[:end])
        assert found[: len(last)] == last
        last = found


def heard(*texts: str) -> list[dict[str, object]]:
    steps: list[TraceStep] = []
    watch = sentence_watch(steps.append)
    assert watch is not None
    for text in texts:
        watch(text)
    assert {step.name for step in steps} <= {"writing"}
    return [step.detail for step in steps]


def told(*sentences: str) -> list[dict[str, object]]:
    return [{"sentence": one, "number": number, "checked": False} for number, one in enumerate(sentences, 1)]


def test_each_sentence_is_told_once_in_order() -> None:
    assert heard(*(TEXT[:end] for end in range(len(TEXT) + 1)), TEXT) == told(*TOLD)
    assert heard(TEXT) == told(*TOLD)


def test_a_reply_that_begins_anew_is_told_so_first() -> None:
    assert heard(TEXT, TEXT[:5], TEXT) == [*told(*TOLD), {"restarted": True}, *told(*TOLD)]
    other = TEXT.replace("First", "Another")
    assert heard(TEXT, other) == [*told(*TOLD), {"restarted": True}, *told(TOLD[0], "Another item.", TOLD[2])]
    assert heard(TEXT[:9], "{", TEXT) == told(*TOLD)  # nothing was told that could be void
