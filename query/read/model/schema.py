"""A reader's reply: its JSON schema, and its text as a draft of the right form, not yet checked. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from clausegraph.core.errors import UnusableReply
from clausegraph.core.models.json_text import read_json
from clausegraph.core.types import SentenceRole

STATES = ("met", "contradicted", "open", "granted")
KINDS = ("gate", "fact", "procedure", "list", "branch", "greeting")
ROLES = ("answer", "item", "next", "more")


def _object(**properties: Any) -> dict[str, Any]:
    """An object with exactly these keys: strict schemas know no optional ones."""
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _list(items: Any) -> dict[str, Any]:
    return {"type": "array", "items": items}


_TEXT = {"type": "string"}
_TREE = {"$ref": "#/$defs/tree"}

_CONDITION = _object(
    id=_TEXT, element=_TEXT, quote=_TEXT, state={"type": "string", "enum": list(STATES)}, scenario=_TEXT, ask=_TEXT
)
_ANSWER = _object(text=_TEXT, element=_TEXT, evidence=_list(_TEXT), **{"if": {"anyOf": [_TREE, {"type": "null"}]}})
_SUM = _object(value=_TEXT, expression=_TEXT)
_SENTENCE = _object(text=_TEXT, role={"type": "string", "enum": list(ROLES)}, sources=_list(_TEXT), sums=_list(_SUM))

READ_SCHEMA: dict[str, Any] = {
    **_object(
        rules=_list(_TEXT),
        analysis=_TEXT,
        conditions=_list(_CONDITION),
        kind={"type": "string", "enum": list(KINDS)},
        answers=_list(_ANSWER),
        sentences=_list(_SENTENCE),
        missing=_TEXT,
    ),
    "$defs": {
        "tree": {
            "anyOf": [
                _TEXT,  # the id of a condition
                _object(all=_list(_TREE)),
                _object(any=_list(_TREE)),
                _object(**{"not": _TREE}),
            ]
        },
    },
}

_DIRECT = _list(_object(text=_TEXT, element=_TEXT, evidence=_list(_TEXT), conditions=_list(_TEXT)))

DIRECT_SCHEMA: dict[str, Any] = _object(answers=_DIRECT)


MOST_CONDITIONS = 60
MOST_ANSWERS = 20
MOST_LABELS = 30  # of one list
MOST_SENTENCES = 60
MOST_SUMS = 12  # of one sentence
_LONGEST = 2_000  # characters of any text that is kept


@dataclass(frozen=True, slots=True)
class DraftCondition:
    """A leaf as the model labels it; ``element`` is a label, ``state`` one of ``schema.STATES`` or nothing known."""

    id: str
    element: str
    quote: str
    state: str
    scenario: str = ""
    ask: str = ""


@dataclass(frozen=True, slots=True)
class DraftAnswer:
    """An answer as the model drafts it. ``when`` is its ``if`` as sent: ids of conditions under all, any and not.

    ``element`` is the label of the element that has the answer's words.
    """

    text: str
    element: str
    evidence: tuple[str, ...]
    when: Any = None


@dataclass(frozen=True, slots=True)
class DraftSentence:
    """A drafted sentence: ``sources`` are labels, ``sums`` pairs of a value in it and an expression."""

    text: str
    role: SentenceRole
    sources: tuple[str, ...]
    sums: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Draft:
    """What a reply says. ``missing`` is what of the question the pages do not answer, by the model."""

    rules: tuple[str, ...]
    analysis: str
    conditions: Mapping[str, DraftCondition]
    kind: str
    answers: tuple[DraftAnswer, ...]
    sentences: tuple[DraftSentence, ...] = ()
    missing: str = ""

    @property
    def is_refusal(self) -> bool:
        """Whether it answers nothing; it may still say whom to ask."""
        return not self.answers and all(one.role is SentenceRole.NEXT for one in self.sentences)


def parse_draft(text: str) -> Draft:
    """The draft in a reply. What is no condition or answer is passed over; lists are read to their limits.

    Raises:
        UnusableReply: there is no JSON object with a list of answers in it.
    """
    value = _with_answers(read_json(text).value)
    listed = [c for c in (_condition(item) for item in _items(value.get("conditions"))) if c is not None]
    conditions = {found.id: found for found in listed[:MOST_CONDITIONS]}
    answers: list[DraftAnswer] = []
    for number, item in enumerate(_items(value["answers"])[:MOST_ANSWERS]):
        if isinstance(item, dict) and _text(item.get("text")):
            answers.append(_answer(item, conditions, number))
    if _items(value["answers"]) and not answers:
        raise UnusableReply('no item of "answers" has a "text"')
    kind = _text(value.get("kind")).lower()
    return Draft(
        rules=_labels(value.get("rules")),
        analysis=_text(value.get("analysis")),
        conditions=conditions,
        kind=kind if kind in KINDS else "",
        answers=tuple(answers),
        sentences=_sentences(value.get("sentences")),
        missing=_text(value.get("missing")),
    )


def _with_answers(value: Any) -> dict[str, Any]:
    candidates = value if isinstance(value, list) else [value]
    for item in candidates:
        if isinstance(item, dict) and isinstance(item.get("answers"), list):
            return item
    raise UnusableReply('the reply has no JSON object with a list of "answers"')


def _items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _text(value: Any) -> str:
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = f"{value:g}" if abs(value) < 10**15 else ""
    return " ".join(value[:_LONGEST].split()) if isinstance(value, str) else ""


def _label(value: Any) -> str:
    """A label as it is shown: "e4" of "e4", " E4 " or "[e4]"."""
    return _text(value).strip("[]().- ").lower()


def _labels(value: Any) -> tuple[str, ...]:
    given = value if isinstance(value, list) else [value]
    return tuple(dict.fromkeys(label for label in map(_label, given[:MOST_LABELS]) if label))


def _condition(item: Any) -> DraftCondition | None:
    if not isinstance(item, dict) or not _text(item.get("id")):
        return None
    return DraftCondition(
        id=_text(item.get("id")),
        element=_label(item.get("element")),
        quote=_text(item.get("quote")),
        state=_text(item.get("state")).lower(),
        scenario=_text(item.get("scenario")),
        ask=_text(item.get("ask")),
    )


def _answer(item: dict[str, Any], conditions: dict[str, DraftCondition], number: int) -> DraftAnswer:
    """An answer; elements that it names as its conditions, without a tree, are open ones that must all hold."""
    when = item.get("if")
    named = _labels(item.get("conditions")) if when is None else ()
    for label in named:
        conditions[f"{label} of {number}"] = DraftCondition(f"{label} of {number}", label, "", "open")
    return DraftAnswer(
        text=_text(item.get("text")),
        element=_label(item.get("element")),
        evidence=_labels(item.get("evidence")),
        when={"all": [f"{label} of {number}" for label in named]} if named else when,
    )


def _sentences(value: Any) -> tuple[DraftSentence, ...]:
    found = []
    for item in _items(value)[:MOST_SENTENCES]:
        if isinstance(item, dict) and _text(item.get("text")):
            role = _text(item.get("role")).lower()
            sums = [one for one in _items(item.get("sums"))[:MOST_SUMS] if isinstance(one, dict)]
            found.append(
                DraftSentence(
                    text=_text(item.get("text")),
                    role=SentenceRole(role) if role in ROLES else SentenceRole.ANSWER,
                    sources=_labels(item.get("sources")),
                    sums=tuple((_text(one.get("value")), _text(one.get("expression"))) for one in sums),
                )
            )
    return tuple(found)
