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
_TOKEN = re.compile(
    r"""(?P<mark>[{}\[\],])|"(?P<text>[^"\\]*(?:\\.[^"\\]*)*)"
    |(?P<integer>-?[0-9]+)(?P<more>(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)|(?P<word>-?[A-Za-z_]+)""",
    re.DOTALL | re.VERBOSE,
)
_WORDS = {"true": True, "false": False, "null": None, "True": True, "False": False, "None": None}
_WORDS |= {"NaN": None, "Infinity": None, "-Infinity": None}
_BAD_ESCAPE = re.compile(r'\\(?:(["\\/bfnrt]|u[0-9a-fA-F]{4})|(.))', re.DOTALL)
_SURROGATE = re.compile("[\ud800-\udfff]")
_UNSET: Any = object()
_KEYLESS = "it has a value without a key"


@dataclass(frozen=True, slots=True)
class Scanned:
    """What was read up to ``end``: ``complete``, or kept from a value that broke there because of ``problem``."""

    value: Any
    end: int
    complete: bool
    steps: int  # what it took, of ``MAX_STEPS``
    problem: str | None = None


@dataclass(slots=True)
class _Open:
    """A container that has begun: its values so far, and the key that waits for one."""

    container: Any
    key: Any = _UNSET

    def put(self, value: Any) -> None:
        """Add a value; of an object under the key that waits for it."""
        if isinstance(self.container, list):
            self.container.append(value)
        else:
            self.container[self.key], self.key = value, _UNSET


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
    place, steps, problem = start, 0, ""
    items: list[Any] | None = None
    while not problem and steps < most:
        steps += 1
        place = _SPACE.match(text, place).end()  # type: ignore[union-attr]  # it matches nothing, too
        token = _TOKEN.match(text, place)
        mark = token["mark"] if token else None
        wants_key = bool(stack) and isinstance(stack[-1].container, dict) and stack[-1].key is _UNSET
        if mark and mark in "{[":
            if len(stack) == MAX_DEPTH:
                problem = f"it is nested more than {MAX_DEPTH} deep"
            elif wants_key:
                problem = _KEYLESS
            else:
                stack.append(_Open({} if mark == "{" else []))
                if items is None and mark == "[" and len(stack) == (2 if isinstance(stack[0].container, dict) else 3):
                    items = stack[-1].container if key is not None and stack[-2].key == key else None
                place += 1
        elif mark and mark in "}]":
            top = stack[-1]
            if isinstance(top.container, dict) is not (mark == "}") or top.key is not _UNSET:
                problem = f"it has a stray {mark!r}"
            else:
                stack.pop()
                place += 1
                if not stack:
                    return items or [], Scanned(top.container, place, True, steps)
                stack[-1].put(top.container)
        elif mark and stack[-1].key is _UNSET:
            place += 1
        else:
            problem, place = _scan_scalar(text, place, None if mark else token, stack[-1], wants_key)
    return items or [], Scanned(_kept(stack), max(place, start + 1), False, steps, problem or TOO_LONG)


def _scan_scalar(text: str, place: int, token: re.Match[str] | None, top: _Open, wants_key: bool) -> tuple[str, int]:
    """Take a key with its colon, or a string, number or word; returns what is wrong, and the place after it."""
    if token is None or (token["word"] and token["word"] not in _WORDS):
        if text[place : place + 1] in ("", '"'):
            return ("it breaks off in a text", len(text)) if text[place:] else ("it breaks off", place)
        return f"it has {text[place : place + 12]!a} where a value belongs", token.end() if token else place
    end = token.end()
    if token["text"] is not None and wants_key:
        place = _SPACE.match(text, end).end()  # type: ignore[union-attr]
        if text[place : place + 1] != ":":
            return "it breaks off" if place >= len(text) else "a key has no value", place
        top.key = _decoded(token[0])
        return "", place + 1
    is_cut_off = token["text"] is None and end >= len(text)  # 1 may have been 12
    if not is_cut_off and not wants_key:
        top.put(_scalar(token))
    return "it breaks off" if is_cut_off else _KEYLESS if wants_key else "", end


def _scalar(token: re.Match[str]) -> Any:
    if token["text"] is not None:
        return _decoded(token[0])
    if token["word"]:
        return _WORDS[token["word"]]
    if token["more"]:
        return float(token[0])
    return int(token[0]) if len(token[0].lstrip("-")) <= _LONGEST_INTEGER else None


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
    plain = body.strip()
    # An unpaired surrogate is for the scanner to replace, whether it is escaped or not
    if plain[:1] in ("{", "[") and "\\ud" not in plain.lower() and is_text(plain):
        try:
            return JsonText(json.loads(plain, parse_constant=lambda _: None), True)
        except (ValueError, RecursionError):  # not JSON, or an integer or a nesting that Python refuses
            pass
    run, spent = _longest_run(without_surrogates(body))
    if not run:
        shown = " ".join(text[: 4 * _EXCERPT].split())[:_EXCERPT]
        raise UnusableReply(f"the model's reply has no JSON in it: {shown!a}")
    problem = next((one.problem for one in run if not one.complete), TOO_LONG if spent else None)
    if len(run) == 1:
        return JsonText(run[0].value, problem is None, problem)
    # Of several objects a broken one is dropped, being but a part of one
    return JsonText([one.value for one in run if one.complete], problem is None, problem)


def _longest_run(text: str) -> tuple[list[Scanned], bool]:
    """The longest value among prose, where objects in direct succession count as one; whether all steps were spent, so
    that there may have been more."""
    best: list[Scanned] = []
    run: list[Scanned] = []
    longest = began = end = 0
    left = MAX_STEPS
    opening = _OPENING.search(text)
    while opening and left > 0:
        start = opening.start()
        found = scan_value(text, start, left)
        left -= found.steps
        are_objects = bool(run) and isinstance(run[-1].value, dict) and isinstance(found.value, dict)
        follows = are_objects and not text[end:start].strip(" \t\r\n,;")
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
    return best, left <= 0


def _has_objects(value: Any) -> bool:
    return bool(value) and (isinstance(value, dict) or any(isinstance(item, dict) for item in value))
