"""JSON out of replies: what stands around it, what breaks off, what is no JSON at all."""

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clausegraph.core.errors import UnusableReply
from clausegraph.core.models import json_text
from clausegraph.core.models.json_text import MAX_STEPS, TOO_LONG, JsonText, Scanned, read_json, scan_value
from tests.harness.wait import no_hang


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1}', {"a": 1}),
        ('Sure [see below]:\n```json\n{"a": [1, 2,],}\n```\nBye.', {"a": [1, 2]}),
        ("<think>{'a': [1, 2, 3, 4, 5, 6]}</think>[1]", [1]),
        ("so [1, 2, 3] it is</think>[1]", [1]),
        ('{"a": ["</think>", [1]]}', {"a": ["</think>", [1]]}),
        ('{"a": 1}\n{"b": 2},{"c": 3}', [{"a": 1}, {"b": 2}, {"c": 3}]),
        ('[1] is what {"a": "long enough"} says', {"a": "long enough"}),
        ('{"a": NaN, "b": -Infinity}', {"a": None, "b": None}),
        ('{"a": True, "b": None,}', {"a": True, "b": None}),
        ('{"a": 1, "a": 2}', {"a": 2}),
        ('{"a": "x\ny\\q"}', {"a": "x\ny\\q"}),
        ('{"a": "\\ud800", "b": "\\ud83d\\ude00"}', {"a": "\ufffd", "b": "\U0001f600"}),
        ('{"a": "\ud800"} ', {"a": "\ufffd"}),
        ('{"a": %s}' % ("9" * 5000), {"a": None}),
        ('{"a": "x" "b": 1}', {"a": "x", "b": 1}),
        ("[]", []),
    ],
)
def test_complete_values(text: str, value: Any) -> None:
    assert read_json(text) == JsonText(value, True)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"triples": [{"a": 1}, {"b": [2, {"c": 3}]}, {"d": "e', {"triples": [{"a": 1}, {"b": [2, {"c": 3}]}]}),
        ('{"triples": [{"a": 1}, {"b": [2, {"c": 3', {"triples": [{"a": 1}]}),
        ('[{"a": 1}, {"b": 2', [{"a": 1}]),
        ('{"a": 1}\n{"b": 2}\n{"c":', [{"a": 1}, {"b": 2}]),
        ("[1, 12", [1]),  # 12 may have been 123
        ('{"triples": [', {"triples": []}),
        ('{"triples": [{"a": "b"}, {"a": "he said "no" to it"}, {"a": "c"}]}', {"triples": [{"a": "b"}]}),
    ],
)
def test_what_is_complete_is_kept(text: str, value: Any) -> None:
    found = read_json(text)
    assert (found.value, found.complete) == (value, False) and found.problem


@pytest.mark.parametrize("text", ["", "no", "[", "{", '{"a', "[[[[", '"a"', "3", "{]", "\x00", "[see] {x}", "{["])
def test_no_json(text: str) -> None:
    with pytest.raises(UnusableReply, match="no JSON"):
        read_json(text)


@pytest.mark.parametrize(
    "piece", ["[", "{", '{"a":', '["', "{}", "[]", "[x", '"', '\\"', "[1 ", "},", '{"a":[', "-", "\ud800[", "</think>"]
)
@pytest.mark.parametrize("size", [100_000, pytest.param(1_000_000, marks=pytest.mark.long)])
def test_a_megabyte_takes_linear_time(piece: str, size: int) -> None:
    text = piece * (size // len(piece))
    with no_hang():
        try:
            read_json(text)
        except UnusableReply as error:
            assert len(str(error)) < 1000


@given(st.text(alphabet=st.one_of(st.sampled_from('{}[]",:\\ue1-.tn '), st.characters())))
def test_any_text(text: str) -> None:
    try:
        found = read_json(text)
    except UnusableReply:
        return
    assert isinstance(found.value, dict | list) and found.complete is (found.problem is None)
    json.dumps(found.value).encode("utf-8")


VALUES = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(-(10**17), 10**17), st.text(st.characters(exclude_categories=["Cs"]))
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=3), inner, max_size=4)),
)


@given(st.lists(VALUES, max_size=5), st.data())
def test_json_is_read_as_json_and_its_beginnings_as_their_items(items: list[Any], data: st.DataObject) -> None:
    text = json.dumps({"triples": items})
    assert read_json(text) == JsonText(json.loads(text), True)
    if "</think>" not in text:  # after prose it ends a thought
        assert read_json("x " + text + " x").value == json.loads(text)
    cut = data.draw(st.integers(len('{"triples": ['), len(text) - 1))
    found = read_json(text[:cut])
    assert not found.complete and found.value["triples"] == json.loads(text)["triples"][: len(found.value["triples"])]


@pytest.mark.parametrize(
    "piece", ["[{", *(pytest.param(piece, marks=pytest.mark.long) for piece in ("[1,", '[{"a":', "x[", "[[],"))]
)
def test_ten_megabytes_are_read_in_a_bounded_number_of_steps(piece: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A processor does some hundred thousand steps in a second, however long the text is."""
    taken: list[int] = []

    def counted(text: str, start: int, most: int) -> Scanned:
        found = scan_value(text, start, most)
        taken.append(found.steps)
        return found

    monkeypatch.setattr(json_text, "scan_value", counted)
    with no_hang(), suppress(UnusableReply):
        assert not read_json(piece * (10_000_000 // len(piece))).complete
    assert sum(taken) <= MAX_STEPS


def test_a_text_of_too_many_parts_is_not_complete() -> None:
    found = read_json('{"a": 1} ' * MAX_STEPS)
    assert (found.complete, found.problem) == (False, TOO_LONG)
    assert len(found.value) == MAX_STEPS // 4
