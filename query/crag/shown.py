"""Question, time and references as a model is shown them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from clausegraph.core.language.normalise import visible
from clausegraph.query.crag.time.resolve import resolve
from clausegraph.query.crag.types import Attributes, CragQuestion, Reference, ReferenceKind

_MOST_TEXT = 6000  # characters of a reference
_MOST_SOURCE = 200
_REMEMBERED = "what a model remembers; it may be invented"


def shown_references(references: Sequence[Reference]) -> str:
    """The references behind their labels r1, r2, …, in the order given; "none" without any."""
    return "\n\n".join(_shown(f"r{number}", one) for number, one in enumerate(references, 1)) or "none"


def _shown(label: str, reference: Reference) -> str:
    source = _REMEMBERED if reference.kind is ReferenceKind.OWN else visible(reference.source)[:_MOST_SOURCE]
    about = [reference.kind.value, *([f"of {visible(reference.modified)}"] if reference.modified else [])]
    return f"{label} [{', '.join(about)}] {source}\n{reference.text[:_MOST_TEXT]}"


def shown_time(at: datetime) -> str:
    """The time of a question with its weekday and zone: ``Tuesday, 2024-03-05 23:18 (UTC-08:00)``."""
    offset = at.strftime("%z")
    return f"{at:%A, %Y-%m-%d %H:%M} (UTC{offset[:3]}:{offset[3:5]})"


def shown_times(question: CragQuestion) -> str:
    """What the question's expressions of time mean: ``"last Friday" is 2024-03-01``; nothing without any."""
    found = resolve(question.text, question.time)
    return "; ".join(f'"{visible(one.text)}" is {one.iso}' for one in found if one.text.strip() != one.iso)


def shown_attributes(attributes: Attributes) -> str:
    """Domain, kind and dynamism as far as they are known."""
    named = {"domain": attributes.domain, "kind": attributes.kind, "dynamism": attributes.dynamism}
    return ", ".join(f"{name} {value.value}" for name, value in named.items() if value is not None) or "nothing known"
