"""JSON out of a model's reply: tolerant of what stands around it, and of a reply that breaks off.

The scanner never recurses, reads each character once, and keeps what it has when it must stop.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from clausegraph.core.errors import UnusableReply
from clausegraph.core.text import is_text

MAX_DEPTH = 64
MAX_STEPS = 400_000  # brackets, keys and values that are read of one text, so that its time has a bound
TOO_LONG = f"it has more than {MAX_STEPS:,} parts"
_LONGEST_INTEGER = 18  # digits; a longer one is no number that anybody meant
_SPACE = re.compile(r"[ \t\r\n\ufeff\u00a0]*")
_STRING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_WORD = re.compile(r"-?[A-Za-z_]+")
_WORDS = {"true": True, "false": False, "null": None, "True": True, "False": False, "None": None}
_WORDS |= {"NaN": None, "Infinity": None, "-Infinity": None}
_BAD_ESCAPE = re.compile(r'\\(?:(["\\/bfnrt]|u[0-9a-fA-F]{4})|(.))', re.DOTALL)
_SURROGATE = re.compile("[\ud800-\udfff]")
_UNSET: Any = object()


@dataclass(frozen=True, slots=True)
class Scanned:
    """What was read up to ``end``: ``complete``, or kept from a value that broke there because of ``problem``."""

    value: Any
    end: int
    complete: bool
    steps: int  # what it took, of ``MAX_STEPS``
    problem: str | None = None


class _Stop(Exception):
    def __init__(self, place: int, problem: str) -> None:
        super().__init__(problem)
        self.place, self.problem = place, problem


@dataclass(slots=True)
class _Open:
    """A container that has begun: its values so far, and the key that waits for one."""

    container: Any
    key: Any = _UNSET


def without_surrogates(text: str) -> str:
    """The text with each unpaired surrogate, which no encoding has, as U+FFFD."""
    return _SURROGATE.sub("\ufffd", text)


def scan_value(text: str, start: int, most: int = MAX_STEPS) -> Scanned:
    """Read the object or array that begins at ``start``, in at most so many steps. Trailing and missing commas, control
    characters in strings and Python's words are accepted."""
    return scan_list(text, start, None, most)[1]


def scan_list(text: str, start: int, key: str | None, most: int = MAX_STEPS) -> tuple[list[Any], Scanned]:
    """Read as :func:`scan_value`, and give beside it the complete items of the first list under ``key``.

    The object that has the key begins at ``start``, or is an item of the array that begins there. Of a text that is
    still being written the items are the first of those that it has in the end.
    """
    stack: list[_Open] = []
    place, steps = start, 0
    items: list[Any] | None = None
    problem = TOO_LONG
    try:
        for steps in range(1, most + 1):
            value, place = _scan_next(text, place, stack)
            if not stack:
                return items or [], Scanned(value, place, True, steps)
            if key is not None and items is None and _is_list_under(stack, key):
                items = stack[-1].container
    except _Stop as stop:
        place, problem = stop.place, stop.problem
    return items or [], Scanned(_kept(stack), max(place, start + 1), False, steps, problem)


def _is_list_under(stack: list[_Open], key: str) -> bool:
    """Whether the innermost container is a list that stands under ``key`` of an outermost object."""
    depth = 2 if isinstance(stack[0].container, dict) else 3
    return len(stack) == depth and isinstance(stack[-1].container, list) and stack[-2].key == key


def _scan_next(text: str, start: int, stack: list[_Open]) -> tuple[Any, int]:
    """Read one bracket, comma, key or value; the container that it closes, if it does, and the place after it."""
    place = _skip(text, start)
    mark = text[place : place + 1]
    if not mark:
        raise _Stop(place, "it breaks off")
    if mark in "{[":
        if len(stack) == MAX_DEPTH:
            raise _Stop(place, f"it is nested more than {MAX_DEPTH} deep")
        if stack and isinstance(stack[-1].container, dict) and stack[-1].key is _UNSET:
            raise _Stop(place, "it has a value without a key")
        stack.append(_Open({} if mark == "{" else []))
        return None, place + 1
    if mark in "}]":
        done = _close(stack, mark, place)
        if stack:
            _put(stack[-1], done, place + 1)
        return done, place + 1
    if mark == "," and stack[-1].key is _UNSET:
        return None, place + 1
    return None, _scan_scalar(text, place, stack[-1])


def _skip(text: str, place: int) -> int:
    found = _SPACE.match(text, place)
    return found.end() if found else place


def _close(stack: list[_Open], mark: str, place: int) -> Any:
    """The container that ends here."""
    top = stack[-1]
    if isinstance(top.container, dict) is not (mark == "}") or top.key is not _UNSET:
        raise _Stop(place, f"it has a stray {mark!r}")
    return stack.pop().container


def _put(top: _Open, value: Any, place: int) -> None:
    if isinstance(top.container, list):
        top.container.append(value)
    elif top.key is _UNSET:
        raise _Stop(place, "it has a value without a key")
    else:
        top.container[top.key] = value
        top.key = _UNSET


def _scan_scalar(text: str, place: int, top: _Open) -> int:
    """Read a key with its colon, or a string, number or word, into the open container."""
    if text[place] == '"':
        found = _STRING.match(text, place)
        if found is None:
            raise _Stop(len(text), "it breaks off in a text")
        value: Any = _decoded(found[0])
        end = found.end()
        if isinstance(top.container, dict) and top.key is _UNSET:
            end = _skip(text, end)
            if text[end : end + 1] != ":":
                raise _Stop(end, "it breaks off" if end >= len(text) else "a key has no value")
            top.key = value
            return end + 1
        _put(top, value, end)
        return end
    value, end = _number_or_word(text, place)
    if end >= len(text):  # cut off: 1 may have been 12
        raise _Stop(end, "it breaks off")
    _put(top, value, end)
    return end


def _number_or_word(text: str, place: int) -> tuple[Any, int]:
    number = _NUMBER.match(text, place)
    if number:
        if number[1] or number[2]:
            return float(number[0]), number.end()
        return (int(number[0]) if len(number[0].lstrip("-")) <= _LONGEST_INTEGER else None), number.end()
    word = _WORD.match(text, place)
    if word is None or word[0] not in _WORDS:
        raise _Stop(word.end() if word else place, f"it has {text[place : place + 12]!a} where a value belongs")
    return _WORDS[word[0]], word.end()


def _decoded(token: str) -> str:
    """A string token's text; escapes that JSON does not have stand for themselves."""
    try:
        value = str(json.loads(token, strict=False))
    except ValueError:
        value = str(json.loads(_BAD_ESCAPE.sub(lambda m: m[0] if m[1] else "\\\\" + m[2], token), strict=False))
    return without_surrogates(value)


def _kept(stack: list[_Open]) -> Any:
    """What is complete in a broken value: of its outermost open array the items so far, else its complete pairs."""
    if not stack:
        return None
    first_list = next((i for i, one in enumerate(stack) if isinstance(one.container, list)), None)
    last = 0 if first_list is None else first_list
    for above, below in zip(reversed(stack[:last]), reversed(stack[1 : last + 1]), strict=True):
        above.container[above.key] = below.container
    return stack[0].container


_OPENING = re.compile(r"[{\[]")
_THOUGHT = "</think>"
_EXCERPT = 120


@dataclass(frozen=True, slots=True)
class JsonText:
    """A value read from a reply; when not ``complete``, what could be kept of it, and the problem."""

    value: Any
    complete: bool
    problem: str | None = None


def read_json(text: str) -> JsonText:
    """The JSON value of a reply.

    Prose, code fences and thoughts around it are skipped; of several values the longest is taken, but objects
    that follow each other directly are a list. Of a value that breaks off, the complete items of its outermost
    array are kept. Time is linear in the text, whatever it is; NaN and infinity read as null, of a key that
    occurs twice the last counts, unpaired surrogates become U+FFFD. What is not JSON from end to end is read in at
    most ``MAX_STEPS`` steps.
    """
    thought, _, after = text.rpartition(_THOUGHT)
    body = text if thought.lstrip()[:1] in ("{", "[") else after  # in JSON from its start the mark is data
    plain = _plain(body)
    if plain is not None:
        return plain
    found = _longest(without_surrogates(body))
    if found is None:
        shown = " ".join(text[: 4 * _EXCERPT].split())[:_EXCERPT]
        raise UnusableReply(f"the model's reply has no JSON in it: {shown!a}")
    return found


def _plain(text: str) -> JsonText | None:
    """The value of a text that is JSON and nothing else; none for any other."""
    stripped = text.strip()
    if stripped[:1] not in ("{", "["):
        return None
    try:
        value = json.loads(stripped, parse_constant=lambda _: None)
    except (ValueError, RecursionError):  # not JSON, or an integer or a nesting that Python refuses
        return None
    escaped = "\\ud" in stripped or "\\uD" in stripped or not is_text(stripped)
    return None if escaped else JsonText(value, True)  # unpaired surrogates, perhaps: the scanner replaces them


def _longest(text: str) -> JsonText | None:
    """The longest value among prose, where objects in direct succession count as one list."""
    best: list[Scanned] = []
    longest = 0
    run: list[Scanned] = []
    began = end = 0
    left = MAX_STEPS
    opening = _OPENING.search(text)
    while opening and left > 0:
        start = opening.start()
        found = scan_value(text, start, left)
        left -= found.steps
        follows = _are_objects(run, found) and not text[end:start].strip(" \t\r\n,;")
        if found.value or found.complete or follows:
            if not follows:
                run, began = [], start
            run.append(found)
            end = found.end
            if end - began > longest:
                best, longest = run, end - began
            if not found.complete and _has_objects(found.value):
                break  # what follows are pieces of it, not further values
        opening = _OPENING.search(text, found.end)
    return _joined(best, spent=left <= 0) if best else None


def _are_objects(run: list[Scanned], found: Scanned) -> bool:
    return bool(run) and isinstance(run[-1].value, dict) and isinstance(found.value, dict)


def _has_objects(value: Any) -> bool:
    return bool(value) and (isinstance(value, dict) or any(isinstance(item, dict) for item in value))


def _joined(run: list[Scanned], *, spent: bool) -> JsonText:
    """The value of a run; of several objects a broken one is dropped, being but a part of one. ``spent``: there may
    have been more."""
    problem = next((one.problem for one in run if not one.complete), TOO_LONG if spent else None)
    if len(run) == 1:
        return JsonText(run[0].value, problem is None, problem)
    return JsonText([one.value for one in run if one.complete], problem is None, problem)
