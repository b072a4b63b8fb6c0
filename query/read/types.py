"""What the reader takes and returns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from clausegraph.core.types import Alternative, AnswerStatus, Element, PageKey, Reading, Support

Pages = Callable[[PageKey], Reading]
Supports = Callable[[PageKey, Sequence[str]], Sequence[Support]]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A retrieved element. ``score`` orders candidates (higher is better, roughly 0 to 1); ``similarity``
    is the cosine of scenario with question and the element's passage, comparable across questions."""

    page: PageKey
    element: Element
    score: float
    similarity: float


@dataclass(frozen=True, slots=True)
class ReadResult:
    """Status and alternatives, best first, and why: plain values for the trace."""

    status: AnswerStatus
    alternatives: tuple[Alternative, ...]
    reasons: Mapping[str, object] = field(default_factory=dict)


def no_supports(page: PageKey, anchors: Sequence[str]) -> Sequence[Support]:
    """For callers without extracted facts: nothing is stated on any element."""
    return ()
