"""Which elements of a page are the steps of a procedure, and their order.

Steps are the items of a numbered list, and what stands below a heading "Step 2: …" or in a paragraph that begins so.
Steps in steps have the numbers of those around them first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TypeVar

from clausegraph.core.types import Element, Reading, Rule, Span, Statement, StepOrder

_DEEPEST = 8  # steps in steps; no real procedure is nested so deeply
_LONGEST = 200  # characters of a procedure's name
_LABEL = re.compile(r"(?i:step|stage)\s+(\d{1,3})(?:\s*[:.)–—-]|\s+(?=[A-Z])|$)")
_S = TypeVar("_S", Statement, Rule)


@dataclass(frozen=True, slots=True)
class PageSteps:
    """The steps of one page by anchor."""

    elements: dict[str, StepOrder] = field(default_factory=dict)

    @classmethod
    def of(cls, reading: Reading) -> PageSteps:
        """Find them."""
        found: dict[str, StepOrder] = {}
        by_anchor = {element.anchor: element for element in reading.elements}
        headed: dict[tuple[str, ...], StepOrder] = {}  # path of a heading that is a step, itself included → that step
        for element in reading.elements:
            path = element.headings
            around = found.get(element.parent or "") or found.get(element.lead_in or "")
            if around is None and headed:
                around = next((headed[path[:end]] for end in range(len(path), 0, -1) if path[:end] in headed), None)
            step = _step(element, around, by_anchor, reading.title)
            if step is not None:
                found[element.anchor] = step
                if element.is_heading:
                    headed[(*path, element.text)] = step
        return cls(found)

    def at(self, spans: Iterable[Span]) -> StepOrder | None:
        """The step that all of the spans which stand in one stand in; none where they are of several."""
        found = {step for span in spans if (step := self.elements.get(span.anchor)) is not None}
        return found.pop() if len(found) == 1 else None

    def placed(self, stated: _S) -> _S:
        """The same with its step."""
        step = self.at(stated.spans) if self.elements else None
        return stated if step is None else replace(stated, step=step)


def _step(element: Element, around: StepOrder | None, by_anchor: dict[str, Element], title: str) -> StepOrder | None:
    """The step that an element is, or the one around it."""
    number = element.number
    if number is None and (label := _LABEL.match(element.text)) and element.tag != "tr":
        number = int(label[1])
    if number is None:
        return around
    if around is not None:
        return StepOrder(around.procedure, (*around.number[: _DEEPEST - 1], number))
    above = by_anchor.get(element.lead_in or "")
    name = above.text if above is not None else element.headings[-1] if element.headings else title
    return StepOrder(name[:_LONGEST], (number,))
