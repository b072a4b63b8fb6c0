"""An ``Answer`` as JSON values; docs/answers.md describes them, docs/answer.schema.json is their schema."""

from __future__ import annotations

from typing import Any

from clausegraph.app.conditions import condition_json
from clausegraph.app.render import answer_text
from clausegraph.core.presentation.answer import present
from clausegraph.core.presentation.quoted_parts import PresentedLine, PresentedTable
from clausegraph.core.presentation.wording import headline, open_questions, opposite, pages_disagree
from clausegraph.core.types import Alternative, Answer, Contradiction, Evidence, TraceStep, holds

SCHEMA = "clausegraph.answer/4"
"""Name and version of the form; the version grows when a reader of the one before could misread it."""


def answer_json(answer: Answer, *, trace: bool = False) -> dict[str, Any]:
    """The answer as JSON values; ``trace`` adds the engine's steps."""
    value: dict[str, Any] = {
        "schema": SCHEMA,
        "question": answer.inquiry.question,
        "scenario": answer.inquiry.scenario,
        "status": answer.status.value,
        "corpus": answer.corpus,
        "epoch": answer.epoch,
        "corrected": [{"typed": typed, "read": read} for typed, read in answer.corrected],
        "pages_disagree": pages_disagree(answer),
        "contradictions": [_contradiction_json(one) for one in answer.contradictions],
        "extractors": list(answer.extractors),
        "alternatives": [_alternative_json(alternative) for alternative in answer.alternatives],
        "quotes": [evidence_json(evidence) for evidence in answer.quotes],
        "presentation": presentation_json(answer),
    }
    if trace:
        value["trace"] = [step_json(step) for step in answer.trace]
    return value


def presentation_json(answer: Answer) -> dict[str, Any]:
    """The answer as people read it: lines with the numbers of their citations, and the same as plain text."""
    shown = present(answer)
    return {
        "headline": [_line_json(line) for line in shown.headline],
        "disputed": [_line_json(line) for line in shown.disputed],
        "for_you": list(shown.for_you),
        "check": list(shown.check),
        "next": [_line_json(line) for line in shown.next],
        "more": [_line_json(line) for line in shown.more],
        "sources": [
            {
                "title": source.title,
                "address": source.address,
                "updated": source.updated or None,
                "citations": [{"number": one.number} | evidence_json(one.evidence) for one in source.citations],
                "lines": [_line_json(line) for line in source.lines],
            }
            for source in shown.sources
        ],
        "text": answer_text(answer),
    }


def _line_json(line: PresentedLine) -> dict[str, Any]:
    return {
        "kind": line.kind.value,
        "text": line.text,
        "citations": list(line.citations),
        "depth": line.depth,
        "calculations": list(line.calculations),
        "table": None if line.table is None else _table_json(line.table),
        "is_in_table": line.is_in_table,
    }


def _table_json(table: PresentedTable) -> dict[str, Any]:
    return {
        "place": table.place,
        "heads": list(table.heads),
        "number": table.number or None,
        "rows": [{"cells": list(row.cells), "number": row.number or None, "note": row.note} for row in table.rows],
    }


def step_json(step: TraceStep) -> dict[str, Any]:
    """A step of the engine."""
    return {"name": step.name, "milliseconds": round(step.milliseconds, 1), "detail": step.detail}


def _alternative_json(alternative: Alternative) -> dict[str, Any]:
    return {
        "text": alternative.text,
        "headline": headline(alternative),
        "score": round(alternative.score, 4),
        "holds": holds(alternative.condition).value,
        "otherwise": opposite(alternative),
        "condition": condition_json(alternative.condition),
        "open_conditions": list(alternative.open_conditions),
        "open_questions": open_questions(alternative),
        "evidence": [evidence_json(evidence) for evidence in alternative.evidence],
    }


def evidence_json(evidence: Evidence) -> dict[str, Any]:
    """A quoted span with everything that is needed to find it again."""
    return {
        "source": evidence.page.source,
        "uri": evidence.page.uri,
        "title": evidence.title,
        "url": evidence.url,
        "updated": evidence.updated,
        "headings": list(evidence.headings),
        "anchor": evidence.span.anchor,
        "start": evidence.span.start,
        "end": evidence.span.end,
        "lead_in": evidence.lead_in,
        "quote": evidence.quote,
        "items": list(evidence.items),
        "item_depths": [depth for depth, _ in evidence.nested_items],
        "items_left": evidence.items_left,
        "html": evidence.html,
        "page_number": evidence.page_number,
    }


def _contradiction_json(one: Contradiction) -> dict[str, Any]:
    sides = {"newer": evidence_json(one.newer), "older": evidence_json(one.older)}
    return {"kind": one.kind, "superseded": one.superseded, "since": one.since} | sides
