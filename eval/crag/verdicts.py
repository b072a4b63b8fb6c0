"""Whether an answer is right: exact rules first; what they leave open is for the judge.

CRAG's score of an answer: 1 where it is right, 0 where it says "i don't know", -1 where it is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from clausegraph.core.language.normalise import tokens
from clausegraph.query.crag.types import DONT_KNOW, INVALID

Verdict = Literal["correct", "incorrect", "missing"]
SCORES: dict[Verdict, int] = {"correct": 1, "missing": 0, "incorrect": -1}
_NUMBER = re.compile(r"^[£$€]?\s*(-?\d[\d,]*(?:\.\d+)?)\s*(%|percent)?\s*\.?$")
_ROUNDED = 0.005  # relative difference of two numbers one of which is rounded


@dataclass(frozen=True, slots=True)
class Graded:
    """A verdict, who gave it ("rules", "judge", "unjudged") and why."""

    verdict: Verdict
    by: str
    why: str

    @property
    def score(self) -> int:
        return SCORES[self.verdict]


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


def unjudged(graded: Graded | None) -> Graded:
    """What is neither equal nor judged counts as wrong: the figures are then a lower bound."""
    return graded or Graded(
        "incorrect", "unjudged", "it is worded otherwise than the gold answer, and nobody judged it"
    )


def plain_answer(text: str) -> str:
    """An answer without case, punctuation and articles."""
    return " ".join(word for word in tokens(text) if word not in ("a", "an", "the"))


def _number(text: str) -> float | None:
    match = _NUMBER.match(text.strip())
    return float(match[1].replace(",", "")) if match else None


def _same(one: float, other: float) -> bool:
    """Equal, or equal as far as the coarser of the two is written."""
    return one == other or (not (one.is_integer() and other.is_integer()) and abs(one - other) <= _ROUNDED * abs(other))
