"""JSON lines: a line for each page, element, chunk, fact and statement; ``type`` says which.

Values are the stored ones to the letter; control and direction characters and lone surrogates are written as
JSON escapes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import IO, Any

from clausegraph.app.services.records import chunk_record, element_record, fact_record, page_record, support_record
from clausegraph.core.text import clean_json
from clausegraph.indexes.views import View


def write_jsonl(view: View, file: IO[bytes]) -> dict[str, int]:
    """Write every record of the epoch; returns the number of lines by type."""
    counts: dict[str, int] = {}
    for kind, record in _records(view):
        line = clean_json(json.dumps({"type": kind} | record, ensure_ascii=False))
        file.write(line.encode("utf-8") + b"\n")
        counts[kind] = counts.get(kind, 0) + 1
    return counts


def _records(view: View) -> Iterator[tuple[str, dict[str, Any]]]:
    yield "corpus", {"corpus": view.corpus, "epoch": view.epoch, "model": view.model}
    for page in view.page_keys():
        reading = view.reading(page)
        yield "page", page_record(page, reading)
        for element in reading.elements:
            yield "element", element_record(page, element)
        for chunk in reading.chunks:
            yield "chunk", chunk_record(page, chunk)
    supports = view.graph.all_supports()
    for fact in view.graph.facts(sorted({support.fact_id for support in supports})):
        yield "fact", fact_record(fact)
    for support in supports:
        yield "support", support_record(support, view.reading(support.page))
