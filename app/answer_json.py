"""An ``Answer`` as JSON values; docs/answers.md describes them, docs/answer.schema.json is their schema."""

from __future__ import annotations

from itertools import combinations
from typing import Any

from clausegraph.app.conditions import condition_json
from clausegraph.app.text import one_line
from clausegraph.app.wording import headline, open_questions, opposite
from clausegraph.core.language.values import TELLING_KINDS, value_kind
from clausegraph.core.types import Alternative, Answer, Contradiction, Evidence, PageKey, TraceStep, holds

SCHEMA = "clausegraph.answer/3"
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
    }
    if trace:
        value["trace"] = [step_json(step) for step in answer.trace]
    return value


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
        "html": evidence.html,
        "page_number": evidence.page_number,
    }


def _contradiction_json(one: Contradiction) -> dict[str, Any]:
    sides = {"newer": evidence_json(one.newer), "older": evidence_json(one.older)}
    return {"kind": one.kind, "superseded": one.superseded, "since": one.since} | sides


def pages_disagree(answer: Answer) -> bool:
    """Whether pages contradict each other in what was found, or two alternatives are two sides."""
    return any(not one.superseded for one in answer.contradictions) or alternatives_disagree(answer)


def alternatives_disagree(answer: Answer) -> bool:
    """Whether two verdicts, or two values of one kind, rest on other pages and neither waits for a condition.

    Alternatives on one page are its own cases; with open conditions both may be right; two names may both be meant.
    """
    settled = [a for a in answer.alternatives if a.evidence and not a.open_conditions and _kind(a)]
    return any(
        one_line(a.text).lower() != one_line(b.text).lower() and _kind(a) == _kind(b) and not (_pages(a) & _pages(b))
        for a, b in combinations(settled, 2)
    )


def _kind(alternative: Alternative) -> str:
    """Whether an alternative is a verdict or a value, and of which kind; "" for all else."""
    kind = "verdict" if alternative.text.lower() in ("yes", "no") else value_kind(alternative.text) or ""
    return kind if kind in {"verdict", *TELLING_KINDS} else ""


def _pages(alternative: Alternative) -> set[PageKey]:
    return {evidence.page for evidence in alternative.evidence}
