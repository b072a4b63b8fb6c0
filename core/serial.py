"""Plain JSON values for readings, statements, condition trees and whole answers, and back; one place, both ways.

What was damaged meets whatever error Python has for it: who reads it from a store says where it stood.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable
from dataclasses import fields, is_dataclass, replace
from datetime import date
from enum import Enum
from typing import Any

from clausegraph.core.extraction import Extraction, Reject
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.types import (
    All,
    Alternative,
    Answer,
    AnswerStatus,
    AnyOf,
    Chunk,
    Condition,
    ConditionState,
    Contradiction,
    Element,
    Evidence,
    JudgedLeaf,
    Leaf,
    Link,
    Literal,
    Mention,
    Modality,
    Not,
    PageKey,
    Reading,
    Role,
    RoleName,
    Rule,
    RuleKind,
    RuleLink,
    RuleLinkName,
    Sentence,
    SentenceRole,
    Span,
    Statement,
    StepOrder,
    TraceStep,
    mapped,
)

_ELEMENT = ("anchor", "tag", "html", "text", "headings", "lead_in", "parent", "headers")
_STATED = ("published", "reviewed", "language", "publisher")  # of a reading


def pack(value: Any) -> bytes:
    """Compressed JSON, as the ledger stores it."""
    return zlib.compress(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode(), 6)


def unpack(data: bytes) -> Any:
    """The value of ``pack``; of bytes that were damaged it raises what zlib and json do."""
    return json.loads(zlib.decompress(data))


def condition_to_json(condition: Condition | None) -> Any:
    """``{"all": […]}``, ``{"any": […]}``, ``{"not": …}``, ``{"leaf": [anchor, start, end, text]}`` or null.

    A leaf with a meaning has it as its fifth part.
    """
    match condition:
        case None:
            return None
        case Leaf(anchor, start, end, text, meaning):
            return {"leaf": [anchor, start, end, text, *([meaning] if meaning else [])]}
        case Not(child):
            return {"not": condition_to_json(child)}
        case All(children):
            return {"all": [condition_to_json(child) for child in children]}
        case AnyOf(children):
            return {"any": [condition_to_json(child) for child in children]}


def condition_from_json(value: Any) -> Condition | None:
    """The tree of ``condition_to_json``."""
    if value is None:
        return None
    ((kind, body),) = value.items()
    if kind == "leaf":
        return Leaf(*body)
    if kind == "not":
        return Not(_required(body))
    children = tuple(_required(child) for child in body)
    return All(children) if kind == "all" else AnyOf(children)


def _required(value: Any) -> Condition:
    condition = condition_from_json(value)
    if condition is None:
        raise ValueError("a condition tree has an empty branch")
    return condition


def relabel(condition: Condition | None, anchors: dict[str, str]) -> Condition | None:
    """The tree with every leaf's label replaced by the anchor it stands for."""
    if condition is None:
        return None
    return mapped(condition, lambda leaf: replace(leaf, anchor=anchors[leaf.anchor]))


def statement_to_json(statement: Statement) -> dict[str, Any]:
    """A statement as a JSON object; default values are left out."""
    value: dict[str, Any] = {
        "subject": _node_to_json(statement.subject),
        "relation": statement.relation,
        "object": _node_to_json(statement.object),
        "spans": _spans_to_json(statement.spans),
        "polarity": statement.polarity,
        "modality": str(statement.modality),
        "condition": condition_to_json(statement.condition),
        "from": statement.effective_from,
        "to": statement.effective_to,
        "wording": statement.wording or None,
        "step": _step_to_json(statement.step),
    }
    return {key: item for key, item in value.items() if item is not None}


def statement_from_json(value: dict[str, Any]) -> Statement:
    """The statement of ``statement_to_json``."""
    subject = _node_from_json(value["subject"])
    if not isinstance(subject, Mention):
        raise ValueError("a statement has a literal as its subject")
    return Statement(
        subject=subject,
        relation=value["relation"],
        object=_node_from_json(value["object"]),
        spans=tuple(Span(*span) for span in value["spans"]),
        polarity=value["polarity"],
        modality=Modality(value["modality"]),
        condition=condition_from_json(value.get("condition")),
        effective_from=value.get("from"),
        effective_to=value.get("to"),
        wording=value.get("wording", ""),
        step=_step_from_json(value.get("step")),
    )


def statement_from_text(text: str) -> Statement:
    """The statement of a JSON text."""
    return statement_from_json(json.loads(text))


def rule_to_json(rule: Rule) -> dict[str, Any]:
    """A rule as a JSON object; what it lacks is left out."""
    value: dict[str, Any] = {
        "kinds": [kind.value for kind in rule.kinds],
        "spans": _spans_to_json(rule.spans),
        "roles": [[role.name.value, *_node_to_json(role.entity)[1:]] for role in rule.roles],
        "values": [[one.value, one.kind] for one in rule.values] or None,
        "polarity": None if rule.polarity else False,
        "modality": None if rule.modality is Modality.IS else rule.modality.value,
        "condition": condition_to_json(rule.condition),
        "from": rule.effective_from,
        "to": rule.effective_to,
        "step": _step_to_json(rule.step),
        "links": [[link.name.value, link.anchor, link.start] for link in rule.links] or None,
    }
    return {key: item for key, item in value.items() if item is not None}


def rule_from_json(value: dict[str, Any]) -> Rule:
    """The rule of ``rule_to_json``."""
    return Rule(
        tuple(map(RuleKind, value["kinds"])),
        tuple(Span(*span) for span in value["spans"]),
        tuple(Role(RoleName(name), Mention(*entity)) for name, *entity in value["roles"]),
        tuple(Literal(*one) for one in value.get("values", ())),
        value.get("polarity", True),
        Modality(value.get("modality", "is")),
        condition_from_json(value.get("condition")),
        value.get("from"),
        value.get("to"),
        _step_from_json(value.get("step")),
        tuple(RuleLink(RuleLinkName(name), *place) for name, *place in value.get("links", ())),
    )


def rule_from_text(text: str) -> Rule:
    """The rule of a JSON text."""
    return rule_from_json(json.loads(text))


def _spans_to_json(spans: Iterable[Span]) -> list[list[Any]]:
    return [[span.anchor, span.start, span.end] for span in spans]


def _step_to_json(step: StepOrder | None) -> list[Any] | None:
    return None if step is None else [step.procedure, list(step.number)]


def _step_from_json(value: list[Any] | None) -> StepOrder | None:
    return None if value is None else StepOrder(value[0], tuple(value[1]))


def _node_to_json(node: Mention | Literal) -> list[str]:
    if isinstance(node, Mention):
        more = [node.written, node.node] if node.node else [node.written] if node.written else []
        return ["mention", node.surface, node.key, node.type, *more]
    return ["literal", node.value, node.kind]


def _node_from_json(value: list[str]) -> Mention | Literal:
    return Mention(*value[1:]) if value[0] == "mention" else Literal(*value[1:])


def extraction_to_json(extraction: Extraction) -> dict[str, Any]:
    """Statements, rejects and rules of one chunk."""
    value: dict[str, Any] = {
        "statements": [statement_to_json(statement) for statement in extraction.statements],
        "rejects": [[reject.what, reject.reason] for reject in extraction.rejects],
    }
    if extraction.rules:
        value["rules"] = [rule_to_json(rule) for rule in extraction.rules]
    return value


def extraction_from_json(value: dict[str, Any]) -> Extraction:
    """The extraction of ``extraction_to_json``."""
    return Extraction(
        tuple(statement_from_json(item) for item in value["statements"]),
        tuple(Reject(*item) for item in value["rejects"]),
        tuple(rule_from_json(item) for item in value.get("rules", ())),
    )


def extraction_from_bytes(data: bytes) -> Extraction:
    """The extraction of packed JSON."""
    return extraction_from_json(unpack(data))


def reading_to_json(reading: Reading) -> dict[str, Any]:
    """A reading as a JSON object; what a page need not state is left out where it does not."""
    stated = {name: value for name in _STATED if (value := getattr(reading, name)) is not None}
    return {
        "title": reading.title,
        "url": reading.url,
        "updated": reading.updated,
        **stated,
        "elements": [
            [
                *(getattr(one, name) for name in _ELEMENT),
                [[link.href, link.text] for link in one.links],
                *([] if one.page_number is None else [one.page_number]),
            ]
            for one in reading.elements
        ],
        "chunks": [[c.key, c.headings, _spans_to_json(c.parts), c.text, c.content_hash] for c in reading.chunks],
    }


def reading_from_json(value: dict[str, Any]) -> Reading:
    """The reading of ``reading_to_json``."""
    elements = tuple(
        Element(a, tag, html, text, tuple(heads), lead, parent, tuple(cells), tuple(Link(*k) for k in links), *rest)
        for a, tag, html, text, heads, lead, parent, cells, links, *rest in value["elements"]
    )
    chunks = tuple(
        Chunk(key, tuple(heads), tuple(Span(*part) for part in parts), text, digest)
        for key, heads, parts, text, digest in value["chunks"]
    )
    stated = {name: value[name] for name in _STATED if name in value}
    return Reading(value["title"], value["url"], elements, chunks, value["updated"], **stated)


def reading_from_bytes(data: bytes) -> Reading:
    """The reading of packed JSON."""
    return reading_from_json(unpack(data))


_KINDS: dict[str, Any] = {
    kind.__name__: kind
    for kind in (
        All, Alternative, Answer, AnswerStatus, AnyOf, ConditionState, Contradiction, Evidence, Inquiry, JudgedLeaf,
        Leaf, Not, PageKey, Sentence, SentenceRole, Span, TraceStep,
    )
}  # fmt: skip
_MAP, _DAY = "map", "day"


def answer_to_json(answer: Answer) -> Any:
    """Objects with one member, the name of a type of ``core.types``, and its fields by name; lists for tuples."""
    return _plain(answer)


def answer_from_json(value: Any) -> Answer:
    """The answer of :func:`answer_to_json`; lists in its trace are tuples then."""
    try:
        made = _whole(value)
    except (TypeError, KeyError, AttributeError) as error:
        raise ValueError(f"no answer of this version ({error})") from error
    if not isinstance(made, Answer):
        raise ValueError("no answer")
    return made


def _plain(value: Any) -> Any:
    match value:
        case Enum():
            return {type(value).__name__: value.value}
        case None | str() | bool() | int() | float():
            return value
        case date():
            return {_DAY: value.isoformat()}
        case list() | tuple():
            return [_plain(one) for one in value]
        case dict():
            return {_MAP: {str(name): _plain(one) for name, one in value.items()}}
        case _ if is_dataclass(value) and type(value).__name__ in _KINDS:
            return {type(value).__name__: {one.name: _plain(getattr(value, one.name)) for one in fields(value)}}
        case _:
            raise TypeError(f"{type(value).__name__} is no part of an answer")


def _whole(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_whole(one) for one in value)
    if not isinstance(value, dict):
        return value
    ((name, body),) = value.items()
    if name == _MAP:
        return {key: _whole(one) for key, one in body.items()}
    if name == _DAY:
        return date.fromisoformat(body)
    kind = _KINDS[name]
    return kind(**{key: _whole(one) for key, one in body.items()}) if isinstance(body, dict) else kind(body)
