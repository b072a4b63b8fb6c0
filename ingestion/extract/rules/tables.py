"""Statements of table rows: one a cell, qualified by the headers of its row and of its column."""

from __future__ import annotations

import re
from collections.abc import Collection

from clausegraph.core.extraction import InputElement
from clausegraph.core.language.conditions import parse_conditions
from clausegraph.core.language.normalise import entity_key
from clausegraph.core.language.propositions import shorten
from clausegraph.core.language.values import find_values, value_kind
from clausegraph.core.types import Condition, Leaf, Literal, Mention, Span, Statement
from clausegraph.ingestion.extract.rules.address import third_party, uncapitalised
from clausegraph.ingestion.extract.rules.names import Scene, reader_mention, resolve, topic_name

# A table of where to turn: its rows name offices, not cases.
_REACH = re.compile(r"\b(?:e-?mail|(?:tele)?phone|address|contact|website)\b", re.IGNORECASE)
_LONGEST_CASE = 14  # words of a row header that names a case; a longer one describes
_LONGEST_KIND = 8  # of one that names the kind which its column sorts by
_LONGEST_CELL = 16  # words of a cell that is one value; what is longer explains
_NEAR_START = 18  # characters before the value of a case: "Between …", "Born before …"
_CONDITIONAL = re.compile(r"\b(?:if|unless|when you)\b", re.IGNORECASE)
_OF_SOMEBODY = re.compile(
    r"(?:you|your|they|their|someone|people|person|single|couple|under|over|from|before|after|between)\b", re.IGNORECASE
)


def row_statements(element: InputElement, scene: Scene, headed: Collection[tuple[str, ...]] = ()) -> list[Statement]:
    """One statement for each cell after the row header; nothing for a header row.

    A row header that names a case ("£21,000 or less", "You live alone") is the condition of its cells, which are the
    section's; one that names a thing is what they are about.

    Args:
        headed: the headers of the rows beside it: a row that has their texts is theirs.
    """
    cells = _cells(element.text)
    texts = [element.text[start:end] for start, end in cells]
    headers = element.headers
    if not texts or _is_header(texts, headers, headed) or (not headers and not _has_value(texts)):
        return []
    condition = None if _REACH.search(" ".join(headers[1:])) else _case(element, cells[0])
    coded = headers and headers[0] and not re.search(r"[A-Za-z]{3}", texts[0])  # "16" under "Area"
    named = f"{headers[0]} {texts[0]}" if coded else texts[0]
    subject = scene.section if condition is not None else _case_of(named, scene)
    if subject is None:
        return []
    counted = condition is not None and headers and headers[0] and _counts(texts[0])
    by = f" by {uncapitalised(headers[0])}" if counted else ""  # what "£21,000 or less" is of
    found = []
    for position, (start, end) in enumerate(cells[1:], start=1):
        text = element.text[start:end]
        header = headers[position] if position < len(headers) else ""
        if not text or text in "-–—" or not _is_cell(text) or _CONDITIONAL.search(header):
            continue
        relation = _property(header) + by
        literal = Literal(text, value_kind(text) or "text")
        found.append(
            Statement(subject, relation, literal, (Span(element.label, cells[0][0], end),), condition=condition)
        )
    return found


def _is_header(texts: list[str], headers: tuple[str, ...], headed: Collection[tuple[str, ...]]) -> bool:
    row = tuple(texts)
    return row == headers[: len(row)] or any(row == other[: len(row)] for other in headed if other)


def _is_cell(text: str) -> bool:
    """Whether a cell is one value, and not a sentence or several."""
    return len(text.split()) <= _LONGEST_CELL and re.search(r"[a-z]\.\s?[A-Z]|\.$", text) is None


def _property(header: str) -> str:
    """A column's header as what its cells are: "weekly rate", "for 8 days"."""
    if not header:
        return "is"
    name = shorten(uncapitalised(header), 12)
    return f"for {name}" if value_kind(header) else name


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
    """The condition a row header states: its own "if", else the whole cell where it is a case and no thing's name."""
    start, end = cell
    parsed = parse_conditions(element.text, element.label, start, end)
    if parsed.condition is not None:
        return parsed.condition
    text = element.text[start:end]
    sorted_by = not element.headers or bool(element.headers[0])  # "Tax and duty" under "Kind of appeal"
    short = sorted_by and len(text.split()) <= _LONGEST_KIND
    return Leaf(element.label, start, end, text) if text and (short or _states_case(text)) else None


def _counts(text: str) -> bool:
    """Whether a text is or bounds a value: "Up to £24,000", "Born before 1 October 1946"."""
    return any(value.start < _NEAR_START for value in find_values(text))


def _states_case(text: str) -> bool:
    """Whether a row header is a value, a clause, or words that go on from its column's: "66 to 79", "monthly"."""
    if len(text.split()) > _LONGEST_CASE:
        return False
    return _counts(text) or text[:1].islower() or _OF_SOMEBODY.match(text) is not None
