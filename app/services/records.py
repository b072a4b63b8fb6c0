"""Pages, elements, chunks, facts, statements and steps of procedures as JSON records."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from clausegraph.app.render import attributes, condition_json
from clausegraph.core.language.wording import condition_words, relation_words, written
from clausegraph.core.text import one_line
from clausegraph.core.types import (
    LITERAL,
    Chunk,
    Element,
    Fact,
    Mention,
    PageKey,
    PlacedPassage,
    Reading,
    Span,
    Statement,
    StepOrder,
    Support,
)
from clausegraph.indexes.derive import statement_id
from clausegraph.query.read.evidence import quote_of


def page_record(page: PageKey, reading: Reading) -> dict[str, Any]:
    """A page by itself: its key, title, address, language and dates."""
    shown = attributes(reading, "title url language published updated reviewed")
    return attributes(page, "source uri") | shown


def element_record(page: PageKey, element: Element) -> dict[str, Any]:
    """An element of a page."""
    shown = attributes(element, "anchor tag headings text html lead_in parent page_number")
    return {"page": str(page)} | shown


def chunk_record(page: PageKey, chunk: Chunk) -> dict[str, Any]:
    """A chunk of a page."""
    return {"page": str(page)} | attributes(chunk, "key headings anchors text")


def fact_record(fact: Fact) -> dict[str, Any]:
    """A fact: its ends, and by how many statements it holds; ``literal``: its object is a value, and no entity."""
    shown = {"object": fact.object.removeprefix(LITERAL), "literal": fact.object.startswith(LITERAL)}
    return attributes(fact, "id subject relation") | shown | {"supports": fact.supports}


def support_record(support: Support, reading: Reading) -> dict[str, Any]:
    """A statement at its place, with the sentences it was read from."""
    statement = support.statement
    return {
        "id": statement_id(support),
        "fact": support.fact_id,
        "page": str(support.page),
        "title": reading.title,
        "updated": reading.updated,
        "url": reading.url,
        "chunk": support.chunk_key,
        "subject": statement.subject.surface,
        "subject_key": statement.subject.key,
        "relation": statement.relation,
        "object": object_text(statement),
        "polarity": statement.polarity,
        "modality": statement.modality.value,
        "wording": statement.wording,
        "subject_written": written(statement.subject),
        "object_written": written(statement.object),
        "condition": condition_json(statement.condition),
        "effective_from": statement.effective_from,
        "effective_to": statement.effective_to,
        **step_record(statement.step),
        "extractor": support.extractor,
        "quotes": [
            {"anchor": element.anchor, "headings": list(element.headings), "quote": quote}
            for element, quote in quotes(support, reading)
        ],
    }


def passage_record(placed: PlacedPassage, reading: Reading) -> dict[str, Any]:
    """What the page says under a condition, or of what it names, without that anything is claimed of it."""
    passage = placed.passage
    return {
        "key": placed.key,
        "kind": passage.kind.value,
        "chunk": placed.chunk_key,
        "condition": condition_json(passage.condition),
        "names": [one.surface for one in passage.names],
        **step_record(passage.step),
        "extractor": placed.extractor,
        "elements": [
            {"anchor": element.anchor, "headings": list(element.headings), "quote": quote}
            for element, quote in quoted(passage.spans, reading)
        ],
    }


def quotes(support: Support, reading: Reading) -> Sequence[tuple[Element, str]]:
    """The elements that state it, each with the sentences its spans touch."""
    return quoted(support.statement.spans, reading)


def quoted(spans: Iterable[Span], reading: Reading) -> Sequence[tuple[Element, str]]:
    """The elements that spans touch, each with the sentences they touch; those the reading has not are left out."""
    by_anchor = {element.anchor: element for element in reading.elements}
    found: dict[str, tuple[Element, str]] = {}
    for span in spans:
        element = by_anchor.get(span.anchor)
        if element is not None:
            found.setdefault(span.anchor, (element, quote_of(element, span.start, span.end)))
    return list(found.values())


def stated_fields(statement: Statement) -> dict[str, Any]:
    """What tables and edges have of a statement beside its ends, in words."""
    return {
        "relation": statement.relation,
        "polarity": statement.polarity,
        "modality": statement.modality.value,
        "wording": statement.wording,
        "subject_written": written(statement.subject),
        "object_written": written(statement.object),
        "condition": condition_words(statement.condition),
        "effective_from": statement.effective_from,
        "effective_to": statement.effective_to,
        **step_record(statement.step),
    }


def object_text(statement: Statement) -> str:
    """The object as the page writes it."""
    node = statement.object
    return node.surface if isinstance(node, Mention) else node.value


def statement_words(statement: Statement) -> str:
    """The statement on one line, with its condition."""
    line = f"{statement.subject.surface} {relation_words(statement)} {object_text(statement)}"
    condition = f" if {one_line(condition_words(statement.condition))}" if statement.condition is not None else ""
    return one_line(line + condition)


Record = dict[str, Any]


def step_record(step: StepOrder | None) -> dict[str, str | None]:
    """Which step of which procedure it is: "2.1" and the words above its steps; none where it is no step."""
    return {"step": None, "procedure": None} if step is None else {"step": step.text, "procedure": step.procedure}


def steps_in_order(records: Iterable[Record]) -> list[Record]:
    """Facts with their statements; steps of one procedure follow each other by number, where the first of them was."""
    procedures: dict[tuple[str, str], list[Record]] = {}
    found: list[list[Record]] = []
    for record in records:
        first = _first(record)
        if not first.get("step"):
            found.append([record])
            continue
        steps = procedures.setdefault((first["page"], first["procedure"]), [])
        if not steps:
            found.append(steps)
        steps.append(record)
    return [record for steps in found for record in sorted(steps, key=_number)]


def _first(record: Record) -> Record:
    """Its first statement; nothing where it has none."""
    return record["statements"][0] if record["statements"] else {}


def _number(record: Record) -> list[int]:
    step = _first(record).get("step")
    return [int(number) for number in step.split(".")] if step else []


def statement_record(support: Support, reading: Reading) -> dict[str, Any]:
    statement = support.statement
    return {
        "id": statement_id(support),
        "words": statement_words(statement),
        "subject": statement.subject.surface,
        "object": object_text(statement),
        "modality": statement.modality.value,
        "polarity": statement.polarity,
        "condition": one_line(condition_words(statement.condition)),
        "page": str(support.page),
        "title": reading.title,
        "updated": reading.updated,
        "effective_from": statement.effective_from,
        "effective_to": statement.effective_to,
        **step_record(statement.step),
        "quotes": [quote for _, quote in quotes(support, reading)],
    }
