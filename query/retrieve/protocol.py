"""What a retriever is."""

from __future__ import annotations

from typing import Protocol

from clausegraph.core.errors import InputError
from clausegraph.core.inquiry import Inquiry
from clausegraph.query.rank.hits import Hit


class Retriever(Protocol):
    """Finds what an inquiry is about in one view. It searches with question and scenario."""

    def retrieve(self, inquiry: Inquiry, *, limit: int | None = None, budget: int | None = None) -> list[Hit]:
        """Hits of one level, best first, each once; equal views give equal lists.

        Args:
            limit: hits at most.
            budget: word pieces of text in all; whole hits until the next would not fit.

        Raises:
            InputError: neither is given, or one is below 1.
        """


def depth(limit: int | None, budget: int | None) -> int:
    """How many hits can be asked for at most: each has one word piece or more.

    Raises:
        InputError: neither is given, or one is below 1.
    """
    given = {name: value for name, value in (("limit", limit), ("budget", budget)) if value is not None}
    if not given:
        raise InputError("neither limit nor budget is given; give limit=20 (hits) or budget=1300 (word pieces)")
    for name, value in given.items():
        if not isinstance(value, int) or value < 1:
            raise InputError(f"{name} is {value!r}; give a whole number from 1, or leave it out")
    return min(given.values())
