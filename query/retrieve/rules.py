"""Which elements of a page state rules: something that the graph holds under a condition."""

from __future__ import annotations

from collections.abc import Iterable
from weakref import WeakKeyDictionary

from clausegraph.core.language.restrictions import HAS_INSTRUCTION, KEEPS, MET
from clausegraph.core.types import PageKey
from clausegraph.indexes.views import View
from clausegraph.query.rank.signals import Place

_GATHERED = frozenset({HAS_INSTRUCTION, KEEPS, MET})  # these gather conditions, they state nothing under them
_PAGES = 1000  # whose rules are kept, as many as readings are

_kept: WeakKeyDictionary[View, dict[PageKey, frozenset[Place]]] = WeakKeyDictionary()


def rules_on(view: View, pages: Iterable[PageKey]) -> frozenset[Place]:
    """The elements of these pages that state a support with a condition; each page is read from the graph once."""
    kept = _kept.setdefault(view, {})
    found: set[Place] = set()
    for page in pages:
        stated = kept.get(page)  # another thread may clear them at any moment
        if stated is None:
            if len(kept) >= _PAGES:
                kept.clear()
            stated = kept[page] = _stated(view, page)
        found |= stated
    return frozenset(found)


def _stated(view: View, page: PageKey) -> frozenset[Place]:
    supports = view.graph.supports_on(page, [element.anchor for element in view.reading(page).elements])
    rules = (s.statement for s in supports if s.statement.condition and s.statement.relation not in _GATHERED)
    return frozenset((page, span.anchor) for statement in rules for span in statement.spans)
