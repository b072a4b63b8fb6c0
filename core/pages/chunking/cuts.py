"""Where to cut a section: the cheapest way to pack its units into chunks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_PER_CHUNK = 1.0  # the unit that costs of cuts are measured in: a cut that costs more is worth an extra chunk
_UNEVENNESS = 0.5


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
    for first, room in enumerate(rooms):
        tokens = 0
        for last in range(first + 1, len(units) + 1):
            unit = units[last - 1]
            tokens += unit.tokens
            if last > first + 1 and (tokens > room or unit.must_cut):
                break
            empty = max(0.0, 1 - tokens / room)
            cost = best[first] + _PER_CHUNK + units[first].cut_cost + _UNEVENNESS * empty * empty
            if cost <= best[last]:
                best[last], came_from[last] = cost, first
    cuts: list[tuple[int, int]] = []
    last = len(units)
    while last > 0:
        cuts.append((came_from[last], last))
        last = came_from[last]
    return cuts[::-1]
