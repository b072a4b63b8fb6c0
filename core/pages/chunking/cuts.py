"""Where to cut a section: the cheapest way to pack its units into chunks."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate

_PER_CHUNK = 1.0  # the unit that costs of cuts are measured in: a cut that costs more is worth an extra chunk
_UNEVENNESS = 0.5
_MOST_UNITS = 512  # in one chunk; more fit only where they have no tokens at all


@dataclass(frozen=True, slots=True)
class Unit:
    """Characters ``[start, end)`` of the element with this index, with tokens and the cost of a cut before it.

    ``must_cut`` demands a cut before it.
    """

    element: int
    start: int
    end: int
    tokens: int
    cut_cost: float
    must_cut: bool = False


def best_cuts(units: Sequence[Unit], rooms: Sequence[int]) -> list[tuple[int, int]]:
    """Pack units into chunks ``[first, last)`` of least total cost.

    ``rooms[i]`` is how many tokens a chunk that begins with unit ``i`` can hold. A chunk costs a constant, the cut
    before it, and the square of the share of its room left empty. Ties go to the later cut.
    """
    best = [0.0] + [float("inf")] * len(units)
    came_from = [0] * (len(units) + 1)
    before = [0, *accumulate(unit.tokens for unit in units)]  # tokens before each unit, and of all
    runs = _run_ends(units)
    for first, room in enumerate(rooms):
        start = before[first]
        limit = min(runs[first], first + _MOST_UNITS)
        too_much = max(first + 2, bisect_right(before, start + room, first + 1, limit + 1))
        base = best[first] + _PER_CHUNK + units[first].cut_cost
        losses = _losses(room, max(room, units[first].tokens))
        for last in range(first + 1, too_much):
            cost = base + losses[before[last] - start]
            if cost <= best[last]:
                best[last], came_from[last] = cost, first
    cuts: list[tuple[int, int]] = []
    last = len(units)
    while last > 0:
        cuts.append((came_from[last], last))
        last = came_from[last]
    return cuts[::-1]


def _run_ends(units: Sequence[Unit]) -> list[int]:
    """By first unit: where the next cut is demanded at the latest."""
    ends = [len(units)] * len(units)
    for index in range(len(units) - 2, -1, -1):
        ends[index] = index + 1 if units[index + 1].must_cut else ends[index + 1]
    return ends


@lru_cache(maxsize=1024)
def _losses(room: int, most: int) -> list[float]:
    """Cost of the room left empty, by the tokens that are used of it, 0 to ``most``."""
    return [_UNEVENNESS * empty * empty for empty in (max(0.0, 1 - tokens / room) for tokens in range(most + 1))]
