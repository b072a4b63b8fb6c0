"""Evidence recall at context budgets: how much gold evidence a reader of so many tokens would see.

Retrievers return units (chunks, triples with their sources ...), each a list of serialised elements.
Comparing them at equal *text* rather than at equal rank is fair to small and large units alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from clausegraph.core.errors import InputError
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

    @property
    def complete(self) -> bool:
        """Whether all gold evidence is there; false without gold evidence."""
        return self.recall == 1.0


@dataclass(frozen=True)
class RetrievalSummary:
    """Means over the questions that have evidence; ``None`` where there is none.

    ``recall`` is the mean evidence recall, ``complete`` the share of questions with all evidence.
    """

    budget: int
    questions: int
    recall: float | None
    complete: float | None


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
    ``count_tokens`` must neither truncate nor add special tokens. Elements are the same if their
    serialised strings are equal, or else their tag and whitespace-normalised text
    (:func:`clausegraph.eval.metrics.element_key`).

    Raises:
        InputError: a budget is not positive.
    """
    for budget in budgets:
        if budget <= 0:
            raise InputError(f"context budget {budget} is not positive; give a number of tokens above 0")
    costs, seen_after = _cumulate(units, count_tokens, limit=max(budgets, default=0))
    gold = {element_key(element) for element in evidence}
    figures = []
    for budget in budgets:
        taken = sum(cost <= budget for cost in costs)  # costs only grow, so these are the first
        seen = seen_after[taken - 1] if taken else frozenset()
        figures.append(
            BudgetFigures(
                budget=budget,
                tokens=costs[taken - 1] if taken else 0,
                units=taken,
                recall=len(gold & seen) / len(gold) if gold else None,
            )
        )
    return tuple(figures)


def _cumulate(
    units: Sequence[Sequence[str]], count_tokens: Callable[[str], int], *, limit: int
) -> tuple[list[int], list[frozenset[tuple[str, str]]]]:
    """Return, for each rank, the tokens and the element keys of all units up to it.

    Ends with the first unit that goes beyond ``limit``: counting is slow and none after it is taken.
    """
    costs: list[int] = []
    seen_after: list[frozenset[tuple[str, str]]] = []
    total, seen = 0, frozenset[tuple[str, str]]()
    for unit in units:
        keyed = {element_key(element): element_text(element) for element in unit}
        total += count_tokens("\n".join(text for key, text in keyed.items() if key not in seen))
        seen |= keyed.keys()
        costs.append(total)
        seen_after.append(seen)
        if total > limit:
            break
    return costs, seen_after


def summarise_retrieval(questions: Iterable[Sequence[BudgetFigures]]) -> tuple[RetrievalSummary, ...]:
    """Average the figures of many questions, one summary per budget, smallest budget first."""
    by_budget: dict[int, list[BudgetFigures]] = {}
    for figures in questions:
        for figure in figures:
            by_budget.setdefault(figure.budget, []).append(figure)
    return tuple(_summary(budget, by_budget[budget]) for budget in sorted(by_budget))


def _summary(budget: int, figures: Sequence[BudgetFigures]) -> RetrievalSummary:
    recalls = [figure.recall for figure in figures if figure.recall is not None]
    return RetrievalSummary(
        budget=budget,
        questions=len(recalls),
        recall=sum(recalls) / len(recalls) if recalls else None,
        complete=sum(figure.complete for figure in figures) / len(recalls) if recalls else None,
    )
