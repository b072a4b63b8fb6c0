"""What may be looked up for a question by who decides himself what to look for, and what was found until now."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from clausegraph.query.crag.types import Attributes, CragQuestion, Reference

Found = tuple[Reference, ...]


class CragSources:
    """Pages and graph of a question; keeps what was found, each reference once.

    Args:
        pages: the pieces nearest to some words; none where there are no pages.
        graph: what the graph says to some words; none where there is no graph, or it failed.
    """

    def __init__(self, pages: Callable[[str], Found], graph: Callable[[str], Found]) -> None:
        self._pages, self._graph = pages, graph
        self.found: list[Reference] = []

    def pages(self, words: str) -> Found:
        """Look into the pages."""
        return self._kept(self._pages(words))

    def graph(self, words: str) -> Found:
        """Ask the graph."""
        return self._kept(self._graph(words))

    def forget(self) -> None:
        """Drop what was found until now."""
        self.found.clear()

    def _kept(self, found: Found) -> Found:
        known = {(one.kind, one.text) for one in self.found}
        self.found += [one for one in found if (one.kind, one.text) not in known]
        return found


class CragGatherer(Protocol):
    """Another way to gather references than to take all that is on."""

    name: str

    def gather(self, question: CragQuestion, attributes: Attributes, sources: CragSources) -> tuple[str, ...]:
        """Looks things up, and says in words what was done; the sources keep what was found."""
