"""Best one-to-one assignment, the core of every metric that compares two unordered lists."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from clausegraph.core.errors import require_extra


def best_pairs(values: Sequence[Sequence[float]]) -> list[tuple[int, int]]:
    """Return the (row, column) pairs of the assignment with the greatest total value.

    ``values`` has one row per item of the first list, one column per item of the second; the
    shorter list is assigned completely. Deterministic, O(n^3) (Crouse 2016, the modified
    Jonker-Volgenant algorithm of SciPy).

    Raises:
        InputError: the extra ``eval`` is not installed.
    """
    if not values or not values[0]:
        return []
    require_extra("eval", "scoring answers")
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(np.asarray(values, dtype=np.float64), maximize=True)
    return [(int(row), int(column)) for row, column in zip(rows, columns, strict=True)]


def best_total(values: Sequence[Sequence[float]]) -> float:
    """Return the total value of :func:`best_pairs`."""
    return sum(values[row][column] for row, column in best_pairs(values))
