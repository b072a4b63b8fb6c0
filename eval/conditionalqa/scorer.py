"""The ConditionalQA metrics: EM and F1, without and with conditions.

The definitions are those of the official scorer (evaluate.py of haitian-sun/ConditionalQA in its
last version), computed in polynomial time: it tries every order of the predictions, we solve the
assignment problem.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from clausegraph.eval.conditionalqa.dataset import ConditionalAnswer
from clausegraph.eval.metrics import best_pairs, normalise_answer, token_f1


@dataclass(frozen=True)
class Scores:
    """The four metrics, each from 0 to 1: of one question, or the mean over several."""

    em: float
    f1: float
    em_with_conditions: float
    f1_with_conditions: float


ZERO = Scores(0.0, 0.0, 0.0, 0.0)


def score_answers(predicted: Sequence[ConditionalAnswer], gold: Sequence[ConditionalAnswer]) -> Scores:
    """Score the answers to one question.

    Without gold answers (not answerable), everything is 1 if nothing was predicted and 0
    otherwise. Else, for each metric on its own, predictions and gold answers are paired so that
    the sum is greatest; the sum is divided by the number of gold answers and, where more was
    predicted, multiplied by exp(1 - predicted / gold). Missing predictions count as empty ones.
    """
    if not gold:
        return ZERO if predicted else Scores(1.0, 1.0, 1.0, 1.0)
    # An empty answer matches a gold text of articles only, so padding is not the same as zero.
    padding = [ConditionalAnswer("")] * (len(gold) - len(predicted))
    padded = [*predicted, *padding]
    discount = math.exp(1.0 - len(padded) / len(gold))

    def best(value: Callable[[ConditionalAnswer, ConditionalAnswer], float]) -> float:
        values = [[value(p, g) for g in gold] for p in padded]
        return discount * sum(values[p][g] for p, g in best_pairs(values)) / len(gold)

    return Scores(
        em=best(_exact),
        f1=best(_overlap),
        em_with_conditions=best(lambda p, g: _exact(p, g) * conditions_f1(p, g)),
        f1_with_conditions=best(lambda p, g: _overlap(p, g) * conditions_f1(p, g)),
    )


def conditions_f1(predicted: ConditionalAnswer, gold: ConditionalAnswer) -> float:
    """Return the F1 of the two sets of conditions by exact string; 1 if both are empty."""
    ours, theirs = set(predicted.conditions), set(gold.conditions)
    if not ours and not theirs:
        return 1.0
    return 2.0 * len(ours & theirs) / (len(ours) + len(theirs))


def _exact(predicted: ConditionalAnswer, gold: ConditionalAnswer) -> float:
    return float(normalise_answer(predicted.text) == normalise_answer(gold.text))


def _overlap(predicted: ConditionalAnswer, gold: ConditionalAnswer) -> float:
    return token_f1(predicted.text, gold.text)
