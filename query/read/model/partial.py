"""Sentences of a reply that is still being written: shown as unchecked until the answer is there."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from typing import Any

from clausegraph.core.models.json_text import MAX_STEPS, scan_list
from clausegraph.core.types import TraceStep

WRITING = "writing"  # name of a step that is told while a question is open, and is in no answer's trace
SENTENCES = "sentences"
SHOWN_ROLES = ("answer", "item")

_OPENING = re.compile(r"[{\[]")
_THOUGHT, _THOUGHT_END = "<think>", "</think>"
Watch = Callable[[TraceStep], None]


def finished_sentences(text_so_far: str) -> tuple[str, ...]:
    """The texts of the complete items of "sentences" whose role is "answer" or "item".

    ``text_so_far`` is JSON that is still being written, perhaps with thoughts, prose or a code fence before it. The
    first object that has such a sentence counts. What is found in a text is the beginning of what is found when the
    text has grown. Time is linear in the text; nothing is raised.
    """
    left = MAX_STEPS
    opening = _OPENING.search(text_so_far, _start_of_reply(text_so_far))
    while opening and left > 0:
        items, scanned = scan_list(text_so_far, opening.start(), SENTENCES, left)
        if found := tuple(_shown_texts(items)):
            return found
        left -= scanned.steps
        opening = _OPENING.search(text_so_far, scanned.end)
    return ()


def _start_of_reply(text: str) -> int:
    """Where the reply begins behind the thoughts that stand first; the end of the text while they go on."""
    if not text.lstrip().startswith(_THOUGHT):
        return 0
    end = text.find(_THOUGHT_END)
    return len(text) if end < 0 else end + len(_THOUGHT_END)


def _shown_texts(items: list[Any]) -> Iterator[str]:
    for item in items:
        if not isinstance(item, dict) or not isinstance(item.get("text"), str):
            continue
        text = " ".join(item["text"].split())
        if text and str(item.get("role")).strip().lower() in SHOWN_ROLES:
            yield text


class SentenceWatch:
    """Tells a watch of each sentence of a growing reply once, in order, as a step named "writing".

    Its detail is ``{"sentence": text, "number": from 1, "checked": False}``. When the reply begins anew (another
    attempt, or a repair) and sentences were told, ``{"restarted": True}`` comes first, and what was told before is
    void. Its milliseconds are those since this was made. One is made for each reading; it listens to the calls of that
    reading one after the other.
    """

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self._began = time.perf_counter()
        self._text = ""
        self._told: tuple[str, ...] = ()

    def __call__(self, text_so_far: str) -> None:
        """Take the whole text of the reply so far."""
        grown = text_so_far.startswith(self._text)
        more = text_so_far[len(self._text) :] if grown else text_so_far
        self._text = text_so_far
        if grown and "}" not in more:
            return  # no sentence can have ended
        found = finished_sentences(text_so_far)
        if found[: len(self._told)] != self._told:
            self._told = ()
            self._tell({"restarted": True})
        for number, sentence in enumerate(found[len(self._told) :], len(self._told) + 1):
            self._tell({"sentence": sentence, "number": number, "checked": False})
        self._told = found

    def _tell(self, detail: dict[str, object]) -> None:
        self._watch(TraceStep(WRITING, (time.perf_counter() - self._began) * 1000, detail))


def sentence_watch(watch: Watch | None) -> SentenceWatch | None:
    """What listens to a reader's replies on behalf of a watch; none without one, so that nothing is streamed."""
    return None if watch is None else SentenceWatch(watch)
