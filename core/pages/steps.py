"""Which elements and sentences of a page are the steps of a procedure, and their order.

Steps are the items of a numbered list, what stands below a heading "Step 2: …" or in a paragraph that begins so, and
sentences "First … Then … Finally …" that follow each other. Steps in steps have the numbers of those around them first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import TypeVar

from clausegraph.core.language.clauses import sentence_spans
from clausegraph.core.language.lexicon import is_base
from clausegraph.core.types import Element, Passage, Reading, Span, Statement, StepOrder

_DEEPEST = 8  # steps in steps; no real procedure is nested so deeply
_LONGEST = 200  # characters of a procedure's name

_LABEL = re.compile(r"(?i:step|stage)\s+(\d{1,3})(?:\s*[:.)–—-]|\s+(?=[A-Z])|$)")
_FIRST = re.compile(r"First(?:ly)?(?:,|\s+(?P<word>[a-z]+))")
_NEXT = re.compile(r"(?:(?:Second|Third|Fourth)(?:ly)?,|(?:Then|Next|After (?:that|this)|Afterwards|Finally|Lastly)\b)")
_MAY_BEGIN = re.compile(r"\bFirst(?:ly)?[, ]")


_S = TypeVar("_S", Statement, Passage)


@dataclass(frozen=True, slots=True)
class PageSteps:
    """The steps of one page: by anchor, of whole elements, and of sentences as ``(start, end, step)``."""

    elements: dict[str, StepOrder] = field(default_factory=dict)
    sentences: dict[str, list[tuple[int, int, StepOrder]]] = field(default_factory=dict)

    @classmethod
    def of(cls, reading: Reading) -> PageSteps:
        """Find them."""
        found = cls()
        by_anchor = {element.anchor: element for element in reading.elements}
        headed: dict[tuple[str, ...], StepOrder] = {}  # path of a heading that is a step, itself included → that step
        for element in reading.elements:
            step = _step(element, found.elements, headed, by_anchor, reading.title)
            if step is not None:
                found.elements[element.anchor] = step
                if element.is_heading:
                    headed[(*element.headings, element.text)] = step
        for run in _runs(reading.elements, found.elements):
            for anchor, start, end, step in _told_in_turn(run, by_anchor, reading.title):
                found.sentences.setdefault(anchor, []).append((start, end, step))
        return found

    def at(self, spans: Iterable[Span]) -> StepOrder | None:
        """The step that all of the spans which stand in one stand in; none where they are of several."""
        found = {step for span in spans if (step := self._of(span)) is not None}
        return found.pop() if len(found) == 1 else None

    def placed(self, stated: _S) -> _S:
        """The same with its step."""
        step = self.at(stated.spans) if self.elements or self.sentences else None
        return stated if step is None else replace(stated, step=step)

    def _of(self, span: Span) -> StepOrder | None:
        told = (step for start, end, step in self.sentences.get(span.anchor, ()) if start <= span.start < end)
        return self.elements.get(span.anchor) or next(told, None)


def _step(
    element: Element,
    steps: dict[str, StepOrder],
    headed: dict[tuple[str, ...], StepOrder],
    by_anchor: dict[str, Element],
    title: str,
) -> StepOrder | None:
    """The step that an element is, or stands in; those above it are known."""
    path = element.headings
    around = steps.get(element.parent or "") or steps.get(element.lead_in or "")
    if around is None and headed:
        around = next((headed[path[:end]] for end in range(len(path), 0, -1) if path[:end] in headed), None)
    number = element.number
    if number is None and (label := _LABEL.match(element.text)) and element.tag != "tr":
        number = int(label[1])
    if number is None:
        return around
    if around is not None:
        return StepOrder(around.procedure, (*around.number[: _DEEPEST - 1], number))
    return StepOrder(_procedure(element, by_anchor, title), (number,))


def _procedure(element: Element, by_anchor: dict[str, Element], title: str) -> str:
    above = by_anchor.get(element.lead_in or "")
    name = above.text if above is not None else element.headings[-1] if element.headings else title
    return name[:_LONGEST]


def _runs(elements: Sequence[Element], known: dict[str, StepOrder]) -> Iterator[list[Element]]:
    """Paragraphs and items that follow each other in one place, are no steps yet, and may tell some."""
    there = groupby(elements, key=lambda one: (one.headings, one.lead_in, one.parent, one.tag))
    for (_, _, _, tag), group in there:
        run = list(group) if tag in ("p", "li") else []
        if any(_MAY_BEGIN.search(one.text) for one in run):
            yield [one for one in run if one.anchor not in known]


def _told_in_turn(
    run: Sequence[Element], by_anchor: dict[str, Element], title: str
) -> Iterator[tuple[str, int, int, StepOrder]]:
    """Sentences that begin "First", "Then", …, and those between, in order: anchor, start, end and step of each."""
    told: list[tuple[Element, int, int, int]] = []  # with the number
    number = 0
    for element in run:
        spans = sentence_spans(element.text)
        marks = [_mark(element.text[start:end]) for start, end in spans]
        if number and (not marks or marks[0] != "next"):
            yield from _numbered(told, by_anchor, title)
            told, number = [], 0
        last = max((index for index, mark in enumerate(marks) if mark), default=-1)
        for index, (start, end) in enumerate(spans[: last + 1]):
            if marks[index] == "first":
                yield from _numbered(told, by_anchor, title)
                told, number = [], 1
            elif number and marks[index] == "next":
                number += 1
            if number:
                told.append((element, start, end, number))
    yield from _numbered(told, by_anchor, title)


def _mark(sentence: str) -> str:
    first = _FIRST.match(sentence)
    if first is not None and (first["word"] is None or first["word"] == "you" or is_base(first["word"])):
        return "first"
    return "next" if _NEXT.match(sentence) else ""


def _numbered(
    told: Sequence[tuple[Element, int, int, int]], by_anchor: dict[str, Element], title: str
) -> Iterator[tuple[str, int, int, StepOrder]]:
    if not told or told[-1][3] < 2:
        return  # one step is no procedure
    name = _procedure(told[0][0], by_anchor, title)
    for element, start, end, number in told:
        yield element.anchor, start, end, StepOrder(name, (number,))
