"""What is stated on a page, understood or not: which elements state rules, and which belong together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from clausegraph.core.types import PageKey, Passage, PassageKind, Stated, leaves
from clausegraph.indexes.views import View

# These gather conditions, they say nothing under them
_GATHERED = (PassageKind.INSTRUCTION, PassageKind.REQUIREMENTS, PassageKind.LIST)
_PAGES = 1000  # whose rules are kept, as many as readings are


def anchors_of(stated: Stated) -> dict[str, None]:
    """Anchors of the elements that state it or a leaf of its condition, each once."""
    return dict.fromkeys([span.anchor for span in stated.spans] + [leaf.anchor for leaf in leaves(stated.condition)])


@dataclass(frozen=True, slots=True)
class PageStatements:
    """Of a page: the elements that state a rule with its condition, and those that one statement or passage joins.

    Headings are left out of the latter: what one sets is the condition of all that stands below it.
    """

    rules: frozenset[str]
    joined: tuple[tuple[str, ...], ...]


_kept: WeakKeyDictionary[View, dict[PageKey, PageStatements]] = WeakKeyDictionary()


def statements_on(view: View, pages: Iterable[PageKey]) -> dict[PageKey, PageStatements]:
    """What statements and passages say on these pages; each page is read once."""
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
    supports = view.graph.supports_on(page, [element.anchor for element in elements])
    stated: list[Stated] = [*(one.statement for one in supports), *(one.passage for one in view.passages(page))]
    together = {tuple(sorted(anchors_of(one).keys() - headings)) for one in stated}
    return PageStatements(
        frozenset(span.anchor for one in stated if _is_rule(one) for span in one.spans),
        tuple(sorted(anchors for anchors in together if len(anchors) > 1)),
    )


def _is_rule(stated: Stated) -> bool:
    """Whether it holds under a condition that stands beside it; what a heading sets, it sets for all below."""
    own = {span.anchor for span in stated.spans}
    gathered = isinstance(stated, Passage) and stated.kind in _GATHERED
    return not gathered and any(leaf.anchor in own for leaf in leaves(stated.condition))
