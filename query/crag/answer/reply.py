"""A model's reply to a draft: a fixed form, of which everything that is unsure collapses to "i don't know"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from clausegraph.core.errors import UnusableReply
from clausegraph.core.language.normalise import tokens, visible
from clausegraph.core.tokens import count_tokens
from clausegraph.core.types import AnswerStatus, Evidence
from clausegraph.query.crag.types import DONT_KNOW, INVALID, CragDraft, Reference, ReferenceKind
from clausegraph.query.steps.llm.reply import object_of, object_schema, short

MOST_TOKENS = 50  # of an answer that count
_MOST_CITED = 3  # sentences that are cited
_UNSURE = re.compile(r"\bi\s+(?:do\s+not|don['’]?t)\s+know\b", re.IGNORECASE)
_INVALID = re.compile(r"^\W*invalid\s+question\W*$", re.IGNORECASE)
_TEXT: dict[str, Any] = {"type": "string"}
ANSWER_SCHEMA = object_schema(
    "answer",
    sub_problems={"type": "array", "items": _TEXT},
    used={"type": "array", "items": _TEXT},
    false_premise={"type": "boolean"},
    answer=_TEXT,
    answerable={"type": "boolean"},
)
SUMMARY_SCHEMA = object_schema("summary", answer=_TEXT)


def parse_answer(text: str, references: Sequence[Reference], *, false_premise: bool = True) -> CragDraft:
    """A reply as a draft.

    Args:
        references: as they were shown, in that order; labels that were not shown are left out and told of.
        false_premise: whether one may be found.

    Raises:
        UnusableReply: there is no object, or it lacks an answer.
    """
    reply = object_of(text)
    if not isinstance(reply.get("answer"), (str, int, float, list)) or isinstance(reply.get("answer"), bool):
        raise UnusableReply("the reply has no answer")
    answer = _text_of(reply["answer"])
    steps = [short(step) for step in _listed(reply.get("sub_problems"))][:10]
    used, foreign = _used(reply.get("used"), references)
    reasons: dict[str, object] = {"sub-problems": steps} if steps else {}
    if foreign:
        reasons["labels that were not shown"] = foreign
    if false_premise and (reply.get("false_premise") is True or _INVALID.match(answer)):
        return CragDraft(AnswerStatus.INVALID_PREMISE, INVALID, cited(used, ""), reasons)
    if not answer or _UNSURE.search(answer) or reply.get("answerable") is not True:
        why = (
            "the model does not know" if _UNSURE.search(answer) or not answer else "the model says it is not answerable"
        )
        return CragDraft(AnswerStatus.UNKNOWN, DONT_KNOW, (), reasons | {"because": why})
    kinds = sorted({one.kind.value for one in used})
    return CragDraft(AnswerStatus.ANSWERED, answer, cited(used, answer), reasons | {"rests on": kinds})


def parse_plain(text: str) -> CragDraft:
    """A reply without a form as a draft: the text is the answer.

    Raises:
        UnusableReply: it is empty.
    """
    answer = _text_of(text)
    if not answer:
        raise UnusableReply("the reply is empty")
    return _of_text(answer)


def _of_text(answer: str) -> CragDraft:
    if _INVALID.match(answer):
        return CragDraft(AnswerStatus.INVALID_PREMISE, INVALID)
    if not answer or _UNSURE.search(answer):
        return CragDraft(AnswerStatus.UNKNOWN, DONT_KNOW)
    return CragDraft(AnswerStatus.ANSWERED, answer)


def parse_summary(text: str) -> CragDraft:
    """A backup summariser's reply as a draft without references.

    Raises:
        UnusableReply: there is no object, or it lacks an answer.
    """
    reply = object_of(text)
    answer = reply.get("answer")
    if not isinstance(answer, str):
        raise UnusableReply("the summary has no answer")
    return _of_text(_text_of(answer))


def cited(used: Sequence[Reference], answer: str) -> tuple[Reference, ...]:
    """What may be cited, each with the sentences that have most of the answer's words; what is remembered may not."""
    words = set(tokens(answer))
    return tuple(_narrowed(one, words) for one in used if one.kind is not ReferenceKind.OWN)


def _narrowed(reference: Reference, words: set[str]) -> Reference:
    shares = [len(words & set(tokens(one.quote))) for one in reference.evidence]
    best = max(shares, default=0)
    kept: tuple[Evidence, ...] = tuple(
        one for one, share in zip(reference.evidence, shares, strict=True) if share == best or not words
    )[:_MOST_CITED]
    return Reference(reference.kind, reference.text, reference.source, kept, reference.modified, reference.score)


def _used(labels: object, references: Sequence[Reference]) -> tuple[list[Reference], list[str]]:
    by_label = {f"r{number}": one for number, one in enumerate(references, 1)}
    named = [short(label).strip().strip("[]") for label in _listed(labels)]
    return [by_label[one] for one in dict.fromkeys(named) if one in by_label], [n for n in named if n not in by_label]


def _listed(value: object) -> list[object]:
    return value[:50] if isinstance(value, list) else [] if value in (None, "") else [value]


def _text_of(value: object) -> str:
    """One line of at most ``MOST_TOKENS`` word pieces."""
    text = ", ".join(str(one) for one in value) if isinstance(value, list) else str(value)
    words = visible(text).split()
    while len(words) > 1 and count_tokens(" ".join(words)) > MOST_TOKENS:
        words = words[: max(1, min(len(words) - 1, MOST_TOKENS))]
    return " ".join(words)[:1000]
