"""Whether an answer is right: exact rules first, then a language model as judge.

CRAG's score of an answer: 1 where it is right, 0 where it says "i don't know", -1 where it is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from clausegraph.core.errors import UnusableReply
from clausegraph.core.language.normalise import tokens
from clausegraph.query.crag.types import DONT_KNOW, INVALID
from clausegraph.query.steps.model import ModelSteps, QuestionLimits, QuestionMeter
from clausegraph.query.steps.reply import UNUSABLE, object_of, object_schema, short

Verdict = Literal["correct", "incorrect", "missing"]
VERDICTS: tuple[Verdict, ...] = ("correct", "incorrect", "missing")
PROMPT = "crag-judge"
SCHEMA = object_schema("grade", explanation={"type": "string"}, score={"type": "integer", "enum": [0, 1]})
_LONGEST = 400  # characters of an answer that are judged: CRAG counts 50 tokens
_NUMBER = re.compile(r"^[£$€]?\s*(-?\d[\d,]*(?:\.\d+)?)\s*(%|percent)?\s*\.?$")
_ROUNDED = 0.005  # relative difference of two numbers one of which is rounded
_UNJUDGED = "it is worded otherwise than the gold answer, and nobody judged it"


@dataclass(frozen=True, slots=True)
class Graded:
    """A verdict, who gave it ("rules", "judge", "unjudged") and why."""

    verdict: Verdict
    by: str
    why: str


def by_rules(answer: str, gold: Sequence[str]) -> Graded | None:
    """The verdict that needs nobody's opinion; none where the wording differs."""
    said = plain_answer(answer)
    if not said or said == plain_answer(DONT_KNOW) or "don't know" in answer.lower():
        return Graded("missing", "rules", "it says that it does not know")
    wanted = [plain_answer(one) for one in gold]
    if said in wanted:
        return Graded("correct", "rules", "it is the gold answer")
    if said == plain_answer(INVALID):
        return Graded("incorrect", "rules", "it finds a false premise, the gold answer does not")
    numbers = [_number(answer), *(_number(one) for one in gold)]
    if numbers[0] is not None and None not in numbers[1:]:
        same = any(_same(numbers[0], one) for one in numbers[1:] if one is not None)
        return Graded("correct" if same else "incorrect", "rules", "both are numbers")
    return None


def plain_answer(text: str) -> str:
    """An answer without case, punctuation and articles."""
    return " ".join(word for word in tokens(text) if word not in ("a", "an", "the"))


def _number(text: str) -> float | None:
    match = _NUMBER.match(text.strip())
    return float(match[1].replace(",", "")) if match else None


def _same(one: float, other: float) -> bool:
    """Equal, or equal as far as the coarser of the two is written."""
    return one == other or (not (one.is_integer() and other.is_integer()) and abs(one - other) <= _ROUNDED * abs(other))


def parse_grade(text: str) -> tuple[int, str]:
    """Score and explanation of a reply."""
    reply = object_of(text)
    score = reply.get("score")
    if isinstance(score, bool) or score not in (0, 1):
        raise UnusableReply("the reply has no score of 0 or 1")
    return int(score), short(reply.get("explanation"))


class CragJudge:
    """Rules first; then one call of the model, with all gold answers. Without a model, what is open counts as wrong."""

    def __init__(self, steps: ModelSteps | None) -> None:
        self._steps = steps

    def grade(self, question: str, gold: Sequence[str], answer: str) -> Graded:
        """The verdict; a reply that cannot be used is no verdict for the answer."""
        found = by_rules(answer, gold)
        if found is not None or self._steps is None:
            return found or Graded("incorrect", "unjudged", _UNJUDGED)
        model = self._steps.question(QuestionMeter(QuestionLimits(1)))
        inputs: dict[str, object] = {"question": question, "gold": "\n".join(gold), "answer": answer[:_LONGEST]}
        try:
            score, why = model.ask(PROMPT, inputs, parse_grade, schema=SCHEMA).value
        except UNUSABLE as error:
            return Graded("incorrect", "unjudged", f"the judge's reply cannot be used: {error}")
        return Graded("correct" if score else "incorrect", "judge", why)
