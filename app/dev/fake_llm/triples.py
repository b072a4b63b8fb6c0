"""Triples of a numbered page: by the rule extractor, or one cheap triple per element."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from clausegraph.app.dev.fake_llm.pages import PromptSection, sections_of

if TYPE_CHECKING:
    from clausegraph.core.extraction import ExtractionInput
    from clausegraph.core.types import Condition, Statement

_GROUPED = re.compile(r"(?<=\d),(?=\d)")


@lru_cache(maxsize=256)
def rule_triples(page: str) -> tuple[dict[str, Any], ...]:
    """The triples that ``RuleExtractor`` finds, in element order. The same page is read once."""
    from clausegraph.ingestion.extract.rules.extractor import RuleExtractor

    found: list[dict[str, Any]] = []
    for section in sections_of(page):
        source = input_of(section)
        numbers = {f"e{i}": element.number for i, element in enumerate(section.elements)}
        numbers |= {f"h{i}": element.number for i, element in enumerate(section.above)}
        texts = {element.number: element.text for element in (*section.above, *section.elements)}
        found += [_triple(statement, numbers, texts) for statement in RuleExtractor().extract(source).statements]
    return tuple(sorted(found, key=lambda triple: int(triple["elements"][0])))


def short_triples(page: str) -> list[dict[str, Any]]:
    """One triple per element: its first two words, "states", its last words. No language is read."""
    found: list[dict[str, Any]] = []
    for section in sections_of(page):
        for element in section.elements:
            words = element.text.replace(" | ", " ").split()
            head = min(2, max(1, len(words) - 1))
            triple = _bare(" ".join(words[:head]), "states", " ".join(words[head:][-4:] or words))
            found.append(triple | {"elements": [element.number]})
    return found


def as_lines(triples: tuple[dict[str, Any], ...] | list[dict[str, Any]]) -> str:
    """``(subject, relation, object)``, one a line; no part keeps a comma of its own. "none" where there are none."""
    lines = [f"({_no_commas(t['subject'])}, {_no_commas(t['relation'])}, {_no_commas(t['object'])})" for t in triples]
    return "\n".join(lines) or "none"


def _no_commas(text: str) -> str:
    return " ".join(_GROUPED.sub("", text).replace(",", " ").split())


def input_of(section: PromptSection) -> ExtractionInput:
    """The extraction input of a section; a list goes on from the paragraph directly before it.

    What follows an item that ends with a colon is taken for a list of its own, since a prompt does not show nesting.
    """
    from clausegraph.core.extraction import ExtractionInput, InputElement

    elements: list[InputElement] = []
    lead_in: str | None = None
    for i, element in enumerate(section.elements):
        label = f"e{i}"
        if element.tag != "li":
            lead_in = label if element.tag == "p" else None
        above = lead_in if element.tag == "li" else None
        elements.append(
            InputElement(label, element.tag, element.text, section.path, lead_in=above, headers=element.headers)
        )
        if element.tag == "li" and element.text.endswith(":"):
            lead_in = label
    headings = tuple(InputElement(f"h{i}", one.tag, one.text) for i, one in enumerate(section.above))
    return ExtractionInput(section.title, section.path, tuple(elements), above=headings)


def _bare(subject: str, relation: str, target: str) -> dict[str, Any]:
    return {
        "subject": subject,
        "subject_type": "thing",
        "relation": relation,
        "object": target,
        "object_type": "thing",
        "elements": [],
        "holds": True,
        "modality": "is",
        "if": None,
        "in_force": None,
        "doubt": "",
    }


def _triple(statement: Statement, numbers: dict[str, int], texts: dict[int, str]) -> dict[str, Any]:
    """A statement in the form that the condition-aware prompt asks for."""
    from clausegraph.core.types import Literal, Mention

    match statement.object:
        case Literal(value, kind):
            target, target_type = value, kind
        case Mention(surface, _, kind):
            target, target_type = surface, kind
    start, end = statement.effective_from, statement.effective_to
    return _bare(statement.subject.surface, statement.relation, target) | {
        "subject_type": statement.subject.type,
        "object_type": target_type,
        "elements": sorted({numbers[span.anchor] for span in statement.spans}),
        "holds": statement.polarity,
        "modality": str(statement.modality),
        "if": _condition(statement.condition, numbers, texts),
        "in_force": {"from": start, "to": end} if start or end else None,
    }


def _condition(condition: Condition | None, numbers: dict[str, int], texts: dict[int, str]) -> Any:
    from clausegraph.core.types import All, AnyOf, Leaf, Not

    match condition:
        case None:
            return None
        case Leaf(label, start, end):
            number = numbers[label]
            return {"element": number, "quote": texts[number][start:end]}
        case Not(child):
            return {"not": _condition(child, numbers, texts)}
        case All(children):
            return {"all": [_condition(child, numbers, texts) for child in children]}
        case AnyOf(children):
            return {"any": [_condition(child, numbers, texts) for child in children]}
