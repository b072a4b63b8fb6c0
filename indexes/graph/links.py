"""Hyperlinks between pages of a corpus, the page that an entity has of its own, pages that replace others. Pure."""

from __future__ import annotations

import posixpath
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import unquote, urljoin, urlsplit

from clausegraph.core.language.clauses import sentence_spans
from clausegraph.core.language.normalise import entity_key
from clausegraph.core.types import PageKey, Reading

_ASKING = re.compile(
    r"(?:how to |find out (?:about|how to) |check (?:if you can )?|your )?"
    r"(?:(?:get|apply for|claim|register (?:for|as)|renew)\s+)?"
    r"(?:a |an |the |your )?",
    re.IGNORECASE,
)
_PARTS = re.compile(r"\s+[|–—·»]\s+|\s+-\s+|:\s+")  # before the publisher, or what of its topic a page is about
_TITLE_NAMES = 4


@dataclass(frozen=True, slots=True)
class PageLink:
    """A hyperlink of an element at ``anchor`` of a page to another page of the corpus."""

    page: PageKey
    anchor: str
    text: str
    target: PageKey


@dataclass(frozen=True, slots=True)
class OwnPage:
    """The page about an entity: by its title, or because that many links with the entity's name lead there."""

    page: PageKey
    by: str  # "title" or "links"
    links: int = 0


def page_links(readings: Mapping[PageKey, Reading]) -> Iterator[PageLink]:
    """Every hyperlink that leads to another page of the corpus, by page and place."""
    places = {address: page for page, reading in readings.items() for address in _addresses(page, reading)}
    for page, reading in readings.items():
        for element in reading.elements:
            for link in element.links:
                target = _target(page, reading, link.href, places)
                if target is not None and target != page:
                    yield PageLink(page, element.anchor, link.text, target)


def own_pages(readings: Mapping[PageKey, Reading]) -> dict[str, OwnPage]:
    """The page of its own that an entity has, by entity key: titles first, then what links are called that lead there.

    A title or a link's text that stands for several pages names none of them. A link's text counts where it shares a
    word with its target's title ("Report a change" does, "online" does not).
    """
    names = {page: list(title_names(reading.title)) for page, reading in readings.items()}
    titled: dict[str, PageKey] = {}
    for nearness in range(_TITLE_NAMES):  # the page called so wins over one of which only a part is
        titled = _unanimous((found[nearness], page) for page, found in names.items()) | titled
    counts: Counter[tuple[str, PageKey]] = Counter()
    for link in page_links(readings):
        key = entity_key(link.text)
        if set(key.split()) & set(entity_key(readings[link.target].title).split()):
            counts[key, link.target] += 1
    linked = _unanimous(counts)
    found = {name: OwnPage(page, "links", counts[name, page]) for name, page in linked.items()}
    found |= {name: OwnPage(page, "title", counts[name, page]) for name, page in titled.items()}
    return {name: own for name, own in found.items() if name}


def title_names(title: str) -> Iterator[str]:
    """The keys of what a title names, the nearest first: whole, without its asking words ("Get a rod fishing licence"
    is the page of the rod fishing licence), and both without its publisher or last part. Always four."""
    for text in (title, _PARTS.split(title)[0]):
        asking = _ASKING.match(text)
        yield entity_key(text)
        yield entity_key(text[asking.end() :] if asking else text)


def _unanimous(pairs: Iterable[tuple[str, PageKey]]) -> dict[str, PageKey]:
    pages: dict[str, set[PageKey]] = defaultdict(set)
    for name, page in pairs:
        pages[name].add(page)
    return {name: next(iter(found)) for name, found in pages.items() if len(found) == 1}


def _addresses(page: PageKey, reading: Reading) -> Iterator[tuple[str, str]]:
    """What a link to a page may say: its place in its source, and its address on the web."""
    yield page.source, page.uri.removeprefix("./")
    for address in (reading.url, page.uri):
        if address and "://" in address:
            yield "", _web(address)


def _target(page: PageKey, reading: Reading, href: str, places: Mapping[tuple[str, str], PageKey]) -> PageKey | None:
    try:
        address = urlsplit(href.strip())
        whole = urljoin(reading.url or (page.uri if "://" in page.uri else ""), href.strip())
    except ValueError:  # "http://[" is no address
        return None
    if not (address.scheme or address.netloc) and address.path:
        near = posixpath.normpath(posixpath.join(posixpath.dirname(page.uri), unquote(address.path)))
        if (found := places.get((page.source, near))) is not None:
            return found
    return places.get(("", _web(whole))) if "://" in whole else None


def _web(address: str) -> str:
    """An address without scheme, query and fragment."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return address
    return f"{parts.netloc.lower().removeprefix('www.')}{unquote(parts.path).rstrip('/')}"


_ITSELF = (
    r"\b(?:they|it|(?:this|these|the|our)(?: (?:new|old|older|updated|revised|current))?"
    r" (?:pages?|guides?|guidance|rules?|leaflets?|notice|policy|policies|version|advice|document|order|terms))\b"
)
_REPLACES = re.compile(
    rf"{_ITSELF}(?: (?:now|also|have|has))* (?:replaces?d?|supersedes?d?|takes? the place of)\b", re.IGNORECASE
)
_IS_REPLACED = re.compile(
    rf"{_ITSELF} (?:is|are|was|were|has been|have been)(?: now| being)? (?:replaced|superseded) by\b", re.IGNORECASE
)


def may_replace(reading: Reading) -> bool:
    """Whether a page with links speaks of what replaces what; which pages these are, only the others tell."""
    texts = (element.text for element in reading.elements if element.links)
    return any(_REPLACES.search(text) or _IS_REPLACED.search(text) for text in texts)


@dataclass(frozen=True, slots=True)
class Replacement:
    """``older`` holds no more since ``newer`` does; the sentence that says so, and on which of the two."""

    older: PageKey
    newer: PageKey
    said_on: PageKey
    anchor: str
    quote: str


def replacements(readings: Mapping[PageKey, Reading]) -> Iterator[Replacement]:
    """What pages say of what replaces what, where the sentence links to the other page; each pair once."""
    texts = {(page, element.anchor): element.text for page, one in readings.items() for element in one.elements}
    seen: set[tuple[PageKey, PageKey]] = set()
    for link in page_links(readings):
        text = texts[link.page, link.anchor]
        for start, end in sentence_spans(text):
            sentence = text[start:end]
            if link.text not in sentence:
                continue
            for pattern, pair in ((_REPLACES, (link.target, link.page)), (_IS_REPLACED, (link.page, link.target))):
                if pattern.search(sentence) and pair not in seen:
                    seen.add(pair)
                    yield Replacement(*pair, link.page, link.anchor, sentence)
