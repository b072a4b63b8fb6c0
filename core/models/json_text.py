"""JSON out of a model's reply: tolerant of what stands around it, and of a reply that breaks off."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from clausegraph.core.errors import UnusableReply
from clausegraph.core.models.json_scan import MAX_STEPS, TOO_LONG, Scanned, scan_value, without_surrogates
from clausegraph.core.naming import is_text

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

    Raises:
        UnusableReply: there is no JSON object or array in it.
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
