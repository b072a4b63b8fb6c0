"""Condition trees written short, for exact comparisons: all[a, not(b)]."""

from __future__ import annotations

from clausegraph.core.extraction import ExtractionInput, InputElement
from clausegraph.core.types import All, AnyOf, Condition, Leaf, Not


def written(condition: Condition | None) -> str:
    """``all[a, any[b, not(c)]]``; an empty text for no condition."""
    match condition:
        case None:
            return ""
        case Leaf():
            return condition.text
        case Not(child):
            return f"not({written(child)})"
        case All(children):
            return f"all[{'; '.join(map(written, children))}]"
        case AnyOf(children):
            return f"any[{'; '.join(map(written, children))}]"


def source(*elements: InputElement, title: str = "Heating Grant") -> ExtractionInput:
    """An input without headings."""
    return ExtractionInput(title, (), elements)


def prose(text: str, label: str = "e0") -> InputElement:
    """A paragraph."""
    return InputElement(label, "p", text)


def item(text: str, label: str, lead_in: str) -> InputElement:
    """A list item under ``lead_in``."""
    return InputElement(label, "li", text, lead_in=lead_in)
