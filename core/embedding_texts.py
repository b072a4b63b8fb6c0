"""What is embedded of an element, a statement and a rule; a chunk is embedded as ``Chunk.text``.

An element alone says too little ("at least 16"): title, heading path and lead-in stand in front of it. So they do
before a fact, whose conditions follow it. A rule is told in its own words.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from clausegraph.core.extraction import introducer
from clausegraph.core.types import Element, Leaf, Mention, Modality, Reading, Rule, Span, Statement, leaves

FINGERPRINT = "embedding-texts:5"  # raise it when a text below changes: every corpus is embedded again
_CONDITIONS = 600  # characters of a statement's conditions: a long list of them has an element, and a text, for each
_WORDS = 600  # characters of a rule's own words: with its conditions as much as a model takes in
_CONTEXT = 2000  # characters of a lead-in or parent item: more than a model takes in, repeated for each of its items


def element_texts(reading: Reading) -> list[str]:
    """Of every element, in page order: title, heading path, what introduces it (lead-in, else parent item; header
    cells), text."""
    by_anchor = {element.anchor: element for element in reading.elements}
    return [_element_text(reading.title, element, by_anchor) for element in reading.elements]


def statement_text(title: str, headings: Sequence[str], statement: Statement) -> str:
    """Of a statement under a page's title and heading path: what it says and its conditions."""
    node = statement.object
    target = node.surface if isinstance(node, Mention) else node.value
    said = f"{statement.subject.surface} {statement.wording or _relation(statement)} {target}"
    return _under(title, headings, _if(said, (leaf.words for leaf in leaves(statement.condition))))


def rule_text(title: str, headings: Sequence[str], rule: Rule, elements: Mapping[str, Element]) -> str:
    """Of a rule under a page's title and heading path: its words, and what of its conditions stands elsewhere.

    Args:
        elements: of its page, by anchor.
    """
    told = [elements[span.anchor].text[span.start : span.end] for span in rule.spans]
    words = " ".join(text for text in told if text not in headings)[:_WORDS]
    others = (leaf for leaf in leaves(rule.condition) if not is_within(leaf, rule.spans))
    apart = dict.fromkeys(leaf.words if leaf.anchor == rule.spans[0].anchor else leaf.text for leaf in others)
    return _under(title, headings, _if(words, apart))


def is_within(leaf: Leaf, spans: Sequence[Span]) -> bool:
    """Whether one of the spans of a rule has the words of a condition, not only the place of another section's."""
    own = spans[0]
    if leaf.meaning and leaf.anchor == own.anchor and leaf.start <= own.start and own.end <= leaf.end:
        return False
    return any(span.anchor == leaf.anchor and span.start <= leaf.start and leaf.end <= span.end for span in spans)


def _if(said: str, cases: Iterable[str]) -> str:
    conditions = "; ".join(cases)[:_CONDITIONS]
    return f"{said} if {conditions}" if conditions else said


def _under(title: str, headings: Sequence[str], said: str) -> str:
    return "\n".join(line for line in (title, " > ".join(headings), said) if line)


def _relation(statement: Statement) -> str:
    """Modality and negation before the relation, unjoined: no verb list decides what is paid for."""
    if statement.modality is not Modality.IS:
        return f"{statement.modality.value} {statement.relation}"
    return statement.relation if statement.polarity else f"not {statement.relation}"


def _element_text(title: str, element: Element, by_anchor: dict[str, Element]) -> str:
    above = introducer(element, by_anchor)
    lines = [
        title,
        " > ".join(element.headings),
        above.text[:_CONTEXT] if above else "",
        " | ".join(header for header in element.headers if header),
        element.text,
    ]
    return "\n".join(line for line in lines if line)
