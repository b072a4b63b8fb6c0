"""What a form found: facts in words, and the answer where one of them is it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from clausegraph.query.crag.kg.api.asked import TimedText
from clausegraph.query.crag.kg.api.client import ApiSession


@dataclass(frozen=True, slots=True)
class ApiFound:
    """Facts, the names they are about, and the answer; ``calls`` are the numbers of the calls that gave them."""

    facts: tuple[str, ...]
    entities: tuple[str, ...] = ()
    answer: str | None = None


Form = Callable[[TimedText, ApiSession], ApiFound | None]


def number(value: Any, unit: str = "") -> str:
    """A number as one writes it: whole ones without a point, others with two digits."""
    if isinstance(value, str):
        return value
    text = f"{value:,.0f}" if float(value).is_integer() else f"{value:,.2f}"
    return (unit + text if unit == "$" else f"{text} {unit}".strip()) if unit else text.replace(",", "")


def listed(values: Any) -> str:
    """A list in words."""
    return ", ".join(str(value) for value in values) if isinstance(values, list) else str(values)
