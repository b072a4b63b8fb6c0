"""A model writes the expression, several times; what most of them come to is the reference. After ElectricSheep."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from clausegraph.core.errors import UnusableReply
from clausegraph.core.expression import ExpressionRefused, evaluate, in_words
from clausegraph.query.crag.types import CragQuestion, Reference, ReferenceKind
from clausegraph.query.read.questions import AnswerType, question_form
from clausegraph.query.steps.model import StepModel
from clausegraph.query.steps.reply import UNUSABLE, object_of, object_schema

PROMPT = "crag-calculator"
SCHEMA = object_schema("calculation", needed={"type": "boolean"}, expression={"type": "string"})
SAMPLES = 5
TEMPERATURE = 0.7  # samples of one prompt at 0 are one sample
TABLE_CHARACTERS = 6000  # of all tables together
_TEXT_CHARACTERS = 6000
_QUANTITIES = (AnswerType.AMOUNT, AnswerType.NUMBER, AnswerType.DURATION, AnswerType.AGE)


def parse_expression(text: str) -> str:
    """The expression of a reply; empty where none is needed."""
    reply = object_of(text)
    expression = reply.get("expression")
    if reply.get("needed") is False or expression in (None, "", "none"):
        return ""
    if not isinstance(expression, str):
        raise UnusableReply("the reply has no expression")
    return expression.strip()


class ModelCalculator:
    """Computes what the question needs from what was found."""

    def __init__(self, model: StepModel, samples: int = SAMPLES) -> None:
        self._model, self._samples = model, samples

    def compute(self, question: CragQuestion, references: tuple[Reference, ...]) -> tuple[Reference, ...]:
        """The value that most samples come to, with its expression; nothing where most say that none is needed."""
        inputs = _inputs(question, references)
        first = self._samples if question_form(question.text).type in _QUANTITIES else 1
        written = self._written(inputs, range(1, first + 1))
        if any(written):
            written += self._written(inputs, range(first + 1, self._samples + 1))
        values: dict[str, str] = {}
        votes: Counter[str] = Counter()
        for expression in written:
            if expression is None:
                continue
            value = _value(expression)
            if value is not None:
                votes[value] += 1
                values.setdefault(value, expression)
        if not votes:
            return ()
        value, count = votes.most_common(1)[0]
        if not value:
            return ()
        expression = values[value]
        return (
            Reference(
                ReferenceKind.CALCULATOR,
                f"{expression} = {value}",
                f"calculator: {expression}",
                score=count / self._samples,
            ),
        )

    def _written(self, inputs: dict[str, object], attempts: range) -> list[str | None]:
        with ThreadPoolExecutor(max_workers=self._samples) as workers:
            return list(workers.map(lambda attempt: self._sample(inputs, attempt), attempts))

    def _sample(self, inputs: dict[str, object], attempt: int) -> str | None:
        """One reply's expression; none where it cannot be used or no call is left."""
        try:
            told = inputs | {"attempt": str(attempt)}
            return self._model.ask(PROMPT, told, parse_expression, schema=SCHEMA, temperature=TEMPERATURE).value
        except UNUSABLE:
            return None


def _value(expression: str) -> str | None:
    """The value in words, empty for "none is needed"; none where there is no value."""
    if not expression:
        return ""
    try:
        return in_words(evaluate(expression))
    except ExpressionRefused:
        return None


def _inputs(question: CragQuestion, references: Sequence[Reference]) -> dict[str, object]:
    tables = [one for one in references if one.kind is ReferenceKind.TABLE]
    texts = [one for one in references if one.kind not in (ReferenceKind.TABLE, ReferenceKind.OWN)]
    return {
        "question": question.text,
        "time": question.moment,
        "texts": _cut(texts, _TEXT_CHARACTERS) or "none",
        "tables": _cut(tables, TABLE_CHARACTERS) or "none",
    }


def _cut(references: Sequence[Reference], most: int) -> str:
    return "\n\n".join(one.text for one in references)[:most]
