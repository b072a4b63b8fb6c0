"""Statements of table rows: the row header is the subject, the column header the relation, the cell the object."""

from __future__ import annotations

import re

from clausegraph.core.extraction import InputElement
from clausegraph.core.language.conditions import parse_conditions
from clausegraph.core.language.normalise import entity_key
from clausegraph.core.language.propositions import shorten
from clausegraph.core.language.values import find_values, value_kind
from clausegraph.core.types import Condition, Leaf, Literal, Mention, Span, Statement
from clausegraph.ingestion.extract.rules.address import third_party
from clausegraph.ingestion.extract.rules.names import Scene, reader_mention, resolve, topic_name

# A table of where to turn: its rows name offices, not cases.
_REACH = re.compile(r"\b(?:e-?mail|(?:tele)?phone|address|contact|website)\b", re.IGNORECASE)
_LONGEST_CASE = 8  # words of a row header that names a case; a longer one describes


def row_statements(element: InputElement, scene: Scene) -> list[Statement]:
    """One statement for each cell after the row header; nothing for a header row."""
    cells = _cells(element.text)
    texts = [element.text[start:end] for start, end in cells]
    headers = element.headers
    if not texts or tuple(texts) == tuple(headers[: len(texts)]) or (not headers and not _has_value(texts)):
        return []
    condition = None if _REACH.search(" ".join(headers[1:])) else _case(element, cells[0])
    coded = headers and headers[0] and not re.search(r"[A-Za-z]{3}", texts[0])  # "16" under "Area"
    named = f"{headers[0]} {texts[0]}" if coded else texts[0]
    subject = scene.section if condition is not None else _case_of(named, scene)
    if subject is None:
        return []
    found = []
    for position, (start, end) in enumerate(cells[1:], start=1):
        text = element.text[start:end]
        if not text or text in "-–—":
            continue
        header = headers[position] if position < len(headers) else ""
        relation = shorten(header, 8).lower() or "is"
        literal = Literal(text, value_kind(text) or "text")
        found.append(
            Statement(subject, relation, literal, (Span(element.label, cells[0][0], end),), condition=condition)
        )
    return found


def _case_of(text: str, scene: Scene) -> Mention | None:
    """What a row is about, with the page it is of: "Lower rate (Carer Payment)"; a case of the reader's as a role."""
    clause = re.sub(r"^(?:if|when)\s+", "", text, flags=re.IGNORECASE)
    said = third_party(clause)
    if said is not None:
        return reader_mention(f"{scene.reader.surface} who {said}")
    found = resolve(text, scene) or Mention(text, entity_key(text), "thing")
    topic = topic_name(scene.address.title)
    if not text or found.surface.endswith(")") or topic.lower() in found.surface.lower():
        return found if text else None
    surface = f"{found.surface} ({topic})"
    return Mention(surface, entity_key(surface), found.type)


def _cells(text: str) -> list[tuple[int, int]]:
    """Spans of the cells of a row."""
    spans: list[tuple[int, int]] = []
    position = 0
    for part in text.split(" | "):
        spans.append((position, position + len(part)))
        position += len(part) + 3
    return spans


def _has_value(texts: list[str]) -> bool:
    return any(next(find_values(text), None) is not None for text in texts[1:])


def _case(element: InputElement, cell: tuple[int, int]) -> Condition | None:
    """The condition a row header states: its own "if", else the whole cell if it is short: the case the row is for."""
    start, end = cell
    parsed = parse_conditions(element.text, element.label, start, end)
    if parsed.condition is not None:
        return parsed.condition
    text = element.text[start:end]
    return Leaf(element.label, start, end, text) if text and len(text.split()) <= _LONGEST_CASE else None
