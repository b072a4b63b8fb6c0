"""What the graph states on a page: which elements state rules, and which belong to one statement."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from clausegraph.core.language.restrictions import HAS_INSTRUCTION, KEEPS, MET
from clausegraph.core.types import PageKey, Statement, leaves
from clausegraph.indexes.views import View

_GATHERED = frozenset({HAS_INSTRUCTION, KEEPS, MET})  # these gather conditions, they state nothing under them
_PAGES = 1000  # whose rules are kept, as many as readings are


def anchors_of(statement: Statement) -> Iterable[str]:
    """Anchors of the elements that state it or a leaf of its condition, each once."""
    return dict.fromkeys(
        [span.anchor for span in statement.spans] + [leaf.anchor for leaf in leaves(statement.condition)]
    )


@dataclass(frozen=True, slots=True)
class PageStatements:
    """Of a page: the elements that state a support with a condition, and those that one statement has together."""

    rules: frozenset[str]
    joined: tuple[tuple[str, ...], ...]


_kept: WeakKeyDictionary[View, dict[PageKey, PageStatements]] = WeakKeyDictionary()


def statements_on(view: View, pages: Iterable[PageKey]) -> dict[PageKey, PageStatements]:
    """What the graph states on these pages; each page is read from it once."""
    kept = _kept.setdefault(view, {})
    found: dict[PageKey, PageStatements] = {}
    for page in pages:
        stated = kept.get(page)  # another thread may clear them at any moment
        if stated is None:
            if len(kept) >= _PAGES:
                kept.clear()
            stated = kept[page] = _stated(view, page)
        found[page] = stated
    return found


def _stated(view: View, page: PageKey) -> PageStatements:
    supports = view.graph.supports_on(page, [element.anchor for element in view.reading(page).elements])
    statements = [support.statement for support in supports]
    rules = (one for one in statements if one.condition is not None and one.relation not in _GATHERED)
    together = {tuple(sorted(anchors_of(one))) for one in statements}
    return PageStatements(
        frozenset(span.anchor for statement in rules for span in statement.spans),
        tuple(sorted(anchors for anchors in together if len(anchors) > 1)),
    )
