"""Answering by a model, in two steps: can the references answer? then the answer, by sub-problems, in a fixed form."""

from __future__ import annotations

import re
from dataclasses import replace

from clausegraph.core.errors import BudgetExceeded, UnusableReply
from clausegraph.core.language.normalise import tokens, visible
from clausegraph.core.types import AnswerStatus
from clausegraph.query.crag.answer.reply import (
    ANSWER_SCHEMA,
    SUMMARY_SCHEMA,
    cited,
    parse_answer,
    parse_plain,
    parse_summary,
)
from clausegraph.query.crag.shown import shown_references, shown_time, shown_times
from clausegraph.query.crag.switches import CragSwitches
from clausegraph.query.crag.types import (
    DONT_KNOW,
    Attributes,
    CragDraft,
    CragQuestion,
    KgFound,
    Reference,
    ReferenceKind,
)
from clausegraph.query.steps.llm.reply import UNUSABLE, object_of, object_schema, short
from clausegraph.query.steps.llm.validate import parse_judgement
from clausegraph.query.steps.model import StepModel
from clausegraph.query.steps.protocol import Acceptance

_MOST_REASONING = 1000  # characters
_DIGIT = re.compile(r"\d")
CHECK_SCHEMA = object_schema("check", missing={"type": "string"}, enough={"type": "boolean"})


class ModelAnswerer:
    """Asks for a check and for an answer; what a graph states needs no check where it is trusted first."""

    def __init__(self, model: StepModel, switches: CragSwitches) -> None:
        self._model, self._switches = model, switches

    def check(self, question: CragQuestion, references: tuple[Reference, ...]) -> CragDraft | None:
        """Nothing to answer from, or not enough, is "i don't know"; what can be computed from them is enough."""
        if not references:
            return CragDraft(AnswerStatus.UNKNOWN, DONT_KNOW, (), {"because": "there is nothing to answer from"})
        if not self._switches.self_check or self._is_trusted(references):
            return None
        judged = self._checked(self._inputs(question, references), references)
        if judged.accepted:
            return None
        reasons = {"self-check": judged.reason, "because": "the references do not say"}
        return CragDraft(AnswerStatus.UNKNOWN, DONT_KNOW, (), reasons, named_missing(question.text, judged.about))

    def answer(
        self, question: CragQuestion, attributes: Attributes, references: tuple[Reference, ...], known: KgFound
    ) -> CragDraft:
        """A draft. Errors as of ``StepModel.ask``."""
        kind = attributes.kind.value if attributes.kind else ""
        return self._draft(self._inputs(question, references) | {"kind": kind}, references)

    def _inputs(self, question: CragQuestion, references: tuple[Reference, ...]) -> dict[str, object]:
        return {
            "question": question.text,
            "now": shown_time(question.time),
            "times": shown_times(question),
            "references": shown_references(references),
            "sub_problems": _wanted(self._switches.sub_problems),
            "false_premise": _wanted(self._switches.false_premise),
        }

    def _is_trusted(self, references: tuple[Reference, ...]) -> bool:
        return self._switches.trust == "kg-first" and any(one.kind is ReferenceKind.KG for one in references)

    def _checked(self, inputs: dict[str, object], references: tuple[Reference, ...]) -> Acceptance:
        try:
            return self._model.ask(
                "crag-check", inputs, parse_judgement, schema=CHECK_SCHEMA, pages=_pages(references)
            ).value
        except UnusableReply as error:
            return Acceptance(True, f"left out: {error}")

    def _draft(self, inputs: dict[str, object], references: tuple[Reference, ...]) -> CragDraft:
        if not self._switches.structured:
            plain = self._model.ask("crag-plain", inputs, parse_plain, pages=_pages(references)).value
            return replace(plain, used=cited(references, plain.text) if plain.status is AnswerStatus.ANSWERED else ())
        said = self._model.ask("crag-answer", inputs, _as_written, schema=ANSWER_SCHEMA, pages=_pages(references)).value
        try:
            return parse_answer(said, references, false_premise=self._switches.false_premise)
        except UnusableReply as error:
            return self._summary(str(inputs["question"]), said, str(error))

    def _summary(self, question: str, said: str, why: str) -> CragDraft:
        reasons: dict[str, object] = {"reply": why}
        if self._switches.summarise:
            inputs: dict[str, object] = {"question": question, "reply": said}
            try:
                draft = self._model.ask("crag-summarise", inputs, parse_summary, schema=SUMMARY_SCHEMA).value
            except UNUSABLE as error:
                reasons["summary"] = str(error)
            else:
                return CragDraft(draft.status, draft.text, (), reasons | {"summary": "of the reply"})
        return CragDraft(AnswerStatus.UNKNOWN, DONT_KNOW, (), reasons | {"because": "the reply cannot be read"})


class OwnKnowledge:
    """What a model knows itself: a reference that is marked as such and never cited."""

    def __init__(self, model: StepModel) -> None:
        self._model = model

    def recall(self, question: CragQuestion) -> tuple[tuple[Reference, ...], str]:
        """At most one reference, and how it came about."""
        inputs: dict[str, object] = {"question": question.text, "now": shown_time(question.time)}
        try:
            said = self._model.ask("crag-own", inputs, parse_own, schema=OWN_SCHEMA).value
        except (UnusableReply, BudgetExceeded) as error:
            return (), f"left out: {error}"
        if not said:
            return (), "it does not know"
        return (Reference(ReferenceKind.OWN, said, "the model"),), "remembered, with its reasoning"


OWN_SCHEMA = object_schema(
    "own",
    reasoning={"type": "string"},
    false_premise={"type": "boolean"},
    answer={"type": "string"},
    sure={"type": "boolean"},
)


def parse_own(text: str) -> str:
    """What the model remembers, in words; "" where it does not know.

    Raises:
        UnusableReply: there is no object with an answer.
    """
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


def named_missing(question: str, words: str) -> str:
    """What a model names as missing; "" where that is nothing, or has a number or a name that the question lacks."""
    asked = set(tokens(question))
    names = [word for number, word in enumerate(words.split()) if _DIGIT.search(word) or (number and word[0].isupper())]
    if words.strip(" .").lower() in ("nothing", "none") or not set(tokens(" ".join(names))) <= asked:
        return ""
    return words


def _wanted(is_on: bool) -> str:
    return "wanted" if is_on else "not wanted"


def _as_written(text: str) -> str:
    return text


def _pages(references: tuple[Reference, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(str(one.evidence[0].page) for one in references if one.evidence))
