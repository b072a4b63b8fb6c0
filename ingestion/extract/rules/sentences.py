"""Statements of one sentence: its proposition, its condition, the values and dates it names."""

from __future__ import annotations

from dataclasses import dataclass, replace

from clausegraph.core.language.conditions import join
from clausegraph.core.language.propositions import Proposition
from clausegraph.core.language.values import TELLING_KINDS, effective_dates, find_values
from clausegraph.core.types import Condition, Literal, Mention, Span, Statement
from clausegraph.ingestion.extract.rules.mentions import mention, mention_or_literal

_MOST_VALUES = 3  # value statements of one sentence


@dataclass(frozen=True, slots=True)
class Scene:
    """What a sentence is read against: the page's topic and the subject named last."""

    topic: Mention
    last: Mention | None = None


def clause_statement(
    proposition: Proposition,
    condition: Condition | None,
    spans: tuple[Span, ...],
    text: str,
    scene: Scene,
) -> Statement:
    """The statement of a proposition; an empty object is the topic."""
    subject = mention(proposition.subject, scene.topic, scene.last)
    target = mention_or_literal(proposition.object, scene.topic) if proposition.object else scene.topic
    effective_from, effective_to = effective_dates(text)
    return Statement(
        subject=subject,
        relation=proposition.relation,
        object=target,
        spans=spans,
        polarity=proposition.polarity,
        modality=proposition.modality,
        condition=condition,
        effective_from=effective_from,
        effective_to=effective_to,
    )


def value_statements(statement: Statement, text: str) -> list[Statement]:
    """The values inside a statement's main clause, each about what the statement is about."""
    if isinstance(statement.object, Literal):
        return []
    about = statement.object if statement.subject.key in ("you", "we") else statement.subject
    values = [value for value in find_values(text) if value.kind in TELLING_KINDS][:_MOST_VALUES]
    return [
        replace(statement, subject=about, relation=f"states {value.kind}", object=Literal(value.text, value.kind))
        for value in values
    ]


def combined(first: Condition | None, second: Condition | None) -> Condition | None:
    """Both conditions, where there are two."""
    parts = [part for part in (first, second) if part is not None]
    return join("all", parts) if parts else None
