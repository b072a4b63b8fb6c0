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


def anchors_of(statement: Statement) -> dict[str, None]:
    """Anchors of the elements that state it or a leaf of its condition, each once."""
    return dict.fromkeys(
        [span.anchor for span in statement.spans] + [leaf.anchor for leaf in leaves(statement.condition)]
    )


@dataclass(frozen=True, slots=True)
class PageStatements:
    """Of a page: the elements that state a rule with its condition, and those that one statement has together.

    Headings are left out of the latter: what one sets is the condition of all that stands below it.
    """

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
    elements = view.reading(page).elements
    headings = {element.anchor for element in elements if element.is_heading}
    statements = [one.statement for one in view.graph.supports_on(page, [element.anchor for element in elements])]
    together = {tuple(sorted(anchors_of(one).keys() - headings)) for one in statements}
    return PageStatements(
        frozenset(span.anchor for one in statements if _is_rule(one) for span in one.spans),
        tuple(sorted(anchors for anchors in together if len(anchors) > 1)),
    )


def _is_rule(statement: Statement) -> bool:
    """Whether it holds under a condition that stands beside it; what a heading sets, it sets for all below."""
    own = {span.anchor for span in statement.spans}
    return statement.relation not in _GATHERED and any(leaf.anchor in own for leaf in leaves(statement.condition))
