"""What happened to one question: its answers and scores, the evidence that was found, what it cost.

Evidence recall is taken at context budgets: how much gold evidence a reader of so many tokens would see. Comparing
retrievers at equal *text* rather than at equal rank is fair to small and large units (chunks, elements) alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from pydantic import TypeAdapter

from clausegraph.eval.conditionalqa.dataset import ZERO, ConditionalAnswer, Kind, Question, Scores, score_answers
from clausegraph.eval.metrics import element_key, element_text

BUDGETS = (650, 1300, 2600)
"""Default context budgets, in tokens."""


@dataclass(frozen=True)
class BudgetFigures:
    """What fits into one budget for one question.

    ``tokens`` and ``units`` are what was taken; ``recall`` is the share of the gold evidence elements
    among it, 0 to 1, or ``None`` for a question without gold evidence.
    """

    budget: int
    tokens: int
    units: int
    recall: float | None


@dataclass(frozen=True)
class QuestionRecord:
    """What happened to one question.

    ``predicted`` is ``None`` without a prediction (a failure, with ``error``, or a run that only
    retrieves); an empty tuple is the answer "not answerable". ``retrieval`` has one entry per budget.
    ``milliseconds`` is wall time, ``model_tokens`` the prompt and output tokens of all calls, of which there were
    ``calls`` and which cost ``money``, replies from a cache as if they were new.
    """

    id: str
    kind: Kind
    conditional: bool
    gold: tuple[ConditionalAnswer, ...]
    predicted: tuple[ConditionalAnswer, ...] | None
    scores: Scores
    retrieval: tuple[BudgetFigures, ...] = ()
    milliseconds: float | None = None
    model_tokens: int | None = None
    error: str | None = None
    calls: int | None = None
    prompt_tokens: int | None = None
    money: float | None = None

    @property
    def has_prediction(self) -> bool:
        """Whether there is an answer to score, "not answerable" included."""
        return self.predicted is not None


QUESTION_RECORD = TypeAdapter(QuestionRecord)


def make_record(
    question: Question,
    predicted: Sequence[ConditionalAnswer] | None,
    *,
    retrieval: Sequence[BudgetFigures] = (),
    milliseconds: float | None = None,
    error: str | None = None,
) -> QuestionRecord:
    """Score one question and put all that is known of it into a record; one that failed has no prediction."""
    return QuestionRecord(
        id=question.id,
        kind=question.kind,
        conditional=question.conditional,
        gold=question.answers,
        predicted=None if predicted is None else tuple(predicted),
        scores=ZERO if predicted is None else score_answers(predicted, question.answers),
        retrieval=tuple(retrieval),
        milliseconds=milliseconds,
        error=error,
    )


def evidence_at_budgets(
    units: Sequence[Sequence[str]],
    evidence: Iterable[str],
    count_tokens: Callable[[str], int],
    budgets: Sequence[int] = BUDGETS,
) -> tuple[BudgetFigures, ...]:
    """Measure one ranked list against the gold evidence, at each budget.

    ``units`` are in rank order. A unit costs the tokens of the text of those of its elements that no
    earlier unit had, one element a line; nothing is truncated. Whole units are taken until the first
    that does not fit, and none after it, even if it were small enough: a reader gets the best first.
    ``count_tokens`` must neither truncate nor add special tokens. Elements are the same as ``element_key`` says.
    """
    gold = {element_key(element) for element in evidence}
    costs: list[int] = []
    seen_after: list[frozenset[tuple[str, str]]] = []
    total, seen = 0, frozenset[tuple[str, str]]()
    for unit in units:
        keyed = {element_key(element): element_text(element) for element in unit}
        total += count_tokens("\n".join(text for key, text in keyed.items() if key not in seen))
        seen |= keyed.keys()
        costs.append(total)
        seen_after.append(seen)
        if total > max(budgets):
            break  # counting is slow, and no unit after this one is taken
    figures = []
    for budget in budgets:
        taken = sum(cost <= budget for cost in costs)  # costs only grow, so these are the first
        found = seen_after[taken - 1] if taken else frozenset()
        recall = len(gold & found) / len(gold) if gold else None
        figures.append(BudgetFigures(budget, costs[taken - 1] if taken else 0, taken, recall))
    return tuple(figures)


def by_budget(records: Iterable[QuestionRecord]) -> dict[int, dict[str, float]]:
    """Budget → question id → recall, over the questions with gold evidence; smallest budget first."""
    found: dict[int, dict[str, float]] = {}
    for record in records:
        for figure in record.retrieval:
            if figure.recall is not None:
                found.setdefault(figure.budget, {})[record.id] = figure.recall
    return dict(sorted(found.items()))
