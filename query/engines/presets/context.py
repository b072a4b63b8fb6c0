"""What is put into one prompt: blocks of text, and the elements they show."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from clausegraph.core.types import Element, JudgedCondition, PageKey
from clausegraph.query.rank.hits import Hit
from clausegraph.query.read.protocol import Pages


@dataclass(frozen=True, slots=True)
class ContextElement:
    """An element of a page that the model is shown."""

    page: PageKey
    element: Element


@dataclass(frozen=True, slots=True)
class Solved:
    """What code has solved of the conditions of what is asked: those that are missing, as a tree; none if none is."""

    missing: JudgedCondition | None


@dataclass(frozen=True, slots=True)
class PromptContext:
    """The text of a prompt's context, what it shows, triples in words, and conditions where code has solved them."""

    text: str
    shown: tuple[ContextElement, ...]
    triples: tuple[str, ...] = ()
    solved: Solved | None = None

    @property
    def pages(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(str(one.page) for one in self.shown))


def of_hits(pages: Pages, hits: Sequence[Hit], triples: Iterable[str] = ()) -> PromptContext:
    """The hits in their order, each behind the title of its page; triples above them."""
    stated = tuple(dict.fromkeys(triples))
    blocks = [f"{pages(hit.page).title} > {' > '.join(hit.headings)}\n{hit.text}" for hit in hits]
    return PromptContext("\n\n".join(["\n".join(stated), *blocks] if stated else blocks), shown_in(pages, hits), stated)


def of_page(pages: Pages, page: PageKey) -> PromptContext:
    """A whole page, element by element, with its tags as ConditionalQA's pages have them."""
    reading = pages(page)
    shown = tuple(ContextElement(page, element) for element in reading.elements)
    return PromptContext("\n".join([reading.title, *(element.plain_html for element in reading.elements)]), shown)


def shown_in(pages: Pages, hits: Iterable[Hit]) -> tuple[ContextElement, ...]:
    """The elements of the hits, each once, in order."""
    found: dict[tuple[PageKey, str], ContextElement] = {}
    for hit in hits:
        for anchor in hit.anchors:
            element = pages(hit.page).element(anchor)
            if element is not None:
                found.setdefault((hit.page, anchor), ContextElement(hit.page, element))
    return tuple(found.values())
