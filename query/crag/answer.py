"""Answering by a model, in two steps: can the references answer? then the answer, by sub-problems, in a fixed form.

Everything that is unsure in a reply collapses to "i don't know".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from clausegraph.core.errors import UnusableReply
from clausegraph.core.language.normalise import tokens, visible
from clausegraph.core.tokens import count_tokens
from clausegraph.core.types import AnswerStatus
from clausegraph.query.crag.times import resolve
from clausegraph.query.crag.types import (
    DONT_KNOW,
    INVALID,
    Attributes,
    CragDraft,
    CragQuestion,
    CragSwitches,
    Reference,
    ReferenceKind,
)
from clausegraph.query.steps.model import StepModel
from clausegraph.query.steps.reply import UNUSABLE, object_of, object_schema, parse_judgement, short

MOST_TOKENS = 50  # of an answer that count
_MOST_TEXT, _MOST_SOURCE = 6000, 200  # characters of a reference
_MOST_REASONING = 1000
_MOST_CITED = 3  # sentences that are cited
_REMEMBERED = "what a model remembers; it may be invented"
_UNSURE = re.compile(r"\bi\s+(?:do\s+not|don['’]?t)\s+know\b", re.IGNORECASE)
_INVALID = re.compile(r"^\W*invalid\s+question\W*$", re.IGNORECASE)
_TEXT: dict[str, Any] = {"type": "string"}
_FLAG: dict[str, Any] = {"type": "boolean"}
_TEXTS = {"type": "array", "items": _TEXT}
CHECK_SCHEMA = object_schema("check", missing=_TEXT, enough=_FLAG)
ANSWER_SCHEMA = object_schema(
    "answer", sub_problems=_TEXTS, used=_TEXTS, false_premise=_FLAG, answer=_TEXT, answerable=_FLAG
)
SUMMARY_SCHEMA = object_schema("summary", answer=_TEXT)
OWN_SCHEMA = object_schema("own", reasoning=_TEXT, false_premise=_FLAG, answer=_TEXT, sure=_FLAG)


# --- what a model is shown ------------------------------------------------------------------------


def shown_references(references: Sequence[Reference]) -> str:
    """The references behind their labels r1, r2, …, in the order given; "none" without any."""
    return "\n\n".join(f"r{number} {_shown(one)}" for number, one in enumerate(references, 1)) or "none"


def _shown(reference: Reference) -> str:
    source = _REMEMBERED if reference.kind is ReferenceKind.OWN else visible(reference.source)[:_MOST_SOURCE]
    about = [reference.kind.value, *([f"of {visible(reference.modified)}"] if reference.modified else [])]
    return f"[{', '.join(about)}] {source}\n{reference.text[:_MOST_TEXT]}"


def shown_time(at: datetime) -> str:
    """The time of a question with its weekday and zone: ``Tuesday, 2024-03-05 23:18 (UTC-08:00)``."""
    offset = at.strftime("%z")
    return f"{at:%A, %Y-%m-%d %H:%M} (UTC{offset[:3]}:{offset[3:5]})"


def asked(question: CragQuestion, **more: object) -> dict[str, object]:
    """Inputs of a prompt: the question, when it is asked, and more."""
    return {"question": question.text, "now": shown_time(question.time)} | more


def shown_times(question: CragQuestion) -> str:
    """What the question's expressions of time mean: ``"last Friday" is 2024-03-01``; nothing without any."""
    found = resolve(question.text, question.time)
    return "; ".join(f'"{visible(one.text)}" is {one.iso}' for one in found if one.text.strip() != one.iso)


def shown_attributes(attributes: Attributes) -> str:
    """Domain, kind and dynamism as far as they are known."""
    named = {"domain": attributes.domain, "kind": attributes.kind, "dynamism": attributes.dynamism}
    return ", ".join(f"{name} {value.value}" for name, value in named.items() if value is not None) or "nothing known"


# --- what it replies ------------------------------------------------------------------------------


def unknown(because: str, **reasons: object) -> CragDraft:
    """ "I don't know", and why."""
    return CragDraft(AnswerStatus.UNKNOWN, DONT_KNOW, (), reasons | {"because": because})


def parse_answer(text: str, references: Sequence[Reference], *, false_premise: bool = True) -> CragDraft:
    """A reply as a draft."""
    reply = object_of(text)
    if not isinstance(reply.get("answer"), (str, int, float, list)) or isinstance(reply.get("answer"), bool):
        raise UnusableReply("the reply has no answer")
    answer = _one_line(reply["answer"])
    reasons: dict[str, object] = {}
    if steps := [short(step) for step in _listed(reply.get("sub_problems"))][:10]:
        reasons["sub-problems"] = steps
    by_label = {f"r{number}": one for number, one in enumerate(references, 1)}
    named = [short(label).strip().strip("[]") for label in _listed(reply.get("used"))]
    used = [by_label[one] for one in dict.fromkeys(named) if one in by_label]
    if foreign := [one for one in named if one not in by_label]:
        reasons["labels that were not shown"] = foreign
    if false_premise and (reply.get("false_premise") is True or _INVALID.match(answer)):
        return CragDraft(AnswerStatus.INVALID_PREMISE, INVALID, cited(used, ""), reasons)
    if not answer or _UNSURE.search(answer):
        return unknown("the model does not know", **reasons)
    if reply.get("answerable") is not True:
        return unknown("the model says it is not answerable", **reasons)
    kinds = sorted({one.kind.value for one in used})
    return CragDraft(AnswerStatus.ANSWERED, answer, cited(used, answer), reasons | {"rests on": kinds})


def parse_plain(text: str) -> CragDraft:
    """A reply without a form as a draft: the text is the answer."""
    answer = _one_line(text)
    if not answer:
        raise UnusableReply("the reply is empty")
    return _of_text(answer)


def parse_summary(text: str) -> CragDraft:
    """A backup summariser's reply as a draft without references."""
    answer = object_of(text).get("answer")
    if not isinstance(answer, str):
        raise UnusableReply("the summary has no answer")
    return _of_text(_one_line(answer))


def _of_text(answer: str) -> CragDraft:
    if _INVALID.match(answer):
        return CragDraft(AnswerStatus.INVALID_PREMISE, INVALID)
    if not answer or _UNSURE.search(answer):
        return CragDraft(AnswerStatus.UNKNOWN, DONT_KNOW)
    return CragDraft(AnswerStatus.ANSWERED, answer)


def parse_own(text: str) -> str:
    """What the model remembers, in words; "" where it does not know."""
    reply = object_of(text)
    if not isinstance(reply.get("answer"), str):
        raise UnusableReply("the reply has no answer")
    answer = short(reply["answer"])
    if not answer or DONT_KNOW in answer.lower().replace("’", "'"):
        return ""
    sure = "" if reply.get("sure") is True else " (not sure)"
    premise = "The question assumes something false. " if reply.get("false_premise") is True else ""
    reasoning = visible(reply["reasoning"])[:_MOST_REASONING] if isinstance(reply.get("reasoning"), str) else ""
    return f"{premise}{reasoning} Answer: {answer}{sure}".strip()


def cited(used: Sequence[Reference], answer: str) -> tuple[Reference, ...]:
    """What may be cited, each with the sentences that have most of the answer's words; what is remembered may not."""
    words = set(tokens(answer))
    found = []
    for one in used:
        if one.kind is not ReferenceKind.OWN:
            shares = [len(words & set(tokens(quote.quote))) for quote in one.evidence]
            best = max(shares, default=0)
            kept = [quote for quote, share in zip(one.evidence, shares, strict=True) if share == best or not words]
            found.append(replace(one, evidence=tuple(kept[:_MOST_CITED])))
    return tuple(found)


def named_missing(question: str, words: str) -> str:
    """What a model names as missing; "" where that is nothing, or has a number or a name that the question lacks."""
    asked = set(tokens(question))
    names = [word for at, word in enumerate(words.split()) if re.search(r"\d", word) or (at and word[0].isupper())]
    if words.strip(" .").lower() in ("nothing", "none") or not set(tokens(" ".join(names))) <= asked:
        return ""
    return words


def _listed(value: object) -> list[object]:
    return value[:50] if isinstance(value, list) else [] if value in (None, "") else [value]


def _one_line(value: object) -> str:
    """One line of at most ``MOST_TOKENS`` word pieces."""
    text = ", ".join(str(one) for one in value) if isinstance(value, list) else str(value)
    words = visible(text).split()
    while len(words) > 1 and count_tokens(" ".join(words)) > MOST_TOKENS:
        words = words[: max(1, min(len(words) - 1, MOST_TOKENS))]
    return " ".join(words)[:1000]


# --- asking ---------------------------------------------------------------------------------------


class ModelAnswerer:
    """Asks for a check and for an answer; what a graph states needs no check where it is trusted first."""

    def __init__(self, model: StepModel, switches: CragSwitches) -> None:
        self._model, self._switches = model, switches

    def check(self, question: CragQuestion, references: tuple[Reference, ...]) -> CragDraft | None:
        """Nothing to answer from, or not enough, is "i don't know"; what can be computed from them is enough."""
        if not references:
            return unknown("there is nothing to answer from")
        trusted = self._switches.trust == "kg-first" and any(one.kind is ReferenceKind.KG for one in references)
        if not self._switches.self_check or trusted:
            return None
        inputs, pages = self._inputs(question, references), _pages(references)
        try:
            judged = self._model.ask("crag-check", inputs, parse_judgement, schema=CHECK_SCHEMA, pages=pages).value
        except UnusableReply:
            return None
        if judged.accepted:
            return None
        draft = unknown("the references do not say", **{"self-check": judged.reason})
        return replace(draft, missing=named_missing(question.text, judged.missing))

    def answer(self, question: CragQuestion, attributes: Attributes, references: tuple[Reference, ...]) -> CragDraft:
        """A draft. Errors as of ``StepModel.ask``."""
        inputs, pages = self._inputs(question, references), _pages(references)
        inputs["kind"] = attributes.kind.value if attributes.kind else ""
        if not self._switches.structured:
            plain = self._model.ask("crag-plain", inputs, parse_plain, pages=pages).value
            return replace(plain, used=cited(references, plain.text) if plain.status is AnswerStatus.ANSWERED else ())
        said = self._model.ask("crag-answer", inputs, str, schema=ANSWER_SCHEMA, pages=pages).value
        try:
            return parse_answer(said, references, false_premise=self._switches.false_premise)
        except UnusableReply as error:
            return self._summary(question, said, str(error))

    def _inputs(self, question: CragQuestion, references: tuple[Reference, ...]) -> dict[str, object]:
        return asked(
            question,
            times=shown_times(question),
            references=shown_references(references),
            sub_problems="wanted" if self._switches.sub_problems else "not wanted",
            false_premise="wanted" if self._switches.false_premise else "not wanted",
        )

    def _summary(self, question: CragQuestion, said: str, why: str) -> CragDraft:
        reasons: dict[str, object] = {"reply": why}
        if self._switches.summarise:
            inputs: dict[str, object] = {"question": question.text, "reply": said}
            try:
                draft = self._model.ask("crag-summarise", inputs, parse_summary, schema=SUMMARY_SCHEMA).value
                return replace(draft, reasons=reasons | {"summary": "of the reply"})
            except UNUSABLE as error:
                reasons["summary"] = str(error)
        return unknown("the reply cannot be read", **reasons)


def recall(model: StepModel, question: CragQuestion) -> tuple[tuple[Reference, ...], str]:
    """What a model knows itself: at most one reference, which is marked as such and never cited; how it came about."""
    try:
        said = model.ask("crag-own", asked(question), parse_own, schema=OWN_SCHEMA).value
    except UNUSABLE as error:
        return (), f"left out: {error}"
    if not said:
        return (), "it does not know"
    return (Reference(ReferenceKind.OWN, said, "the model"),), "remembered, with its reasoning"


def _pages(references: tuple[Reference, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(str(one.evidence[0].page) for one in references if one.evidence))
