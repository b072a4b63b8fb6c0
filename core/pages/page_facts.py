"""What a page's head and headings say about it: title, address, dates."""

from __future__ import annotations

import functools
import json
import re
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from lxml import etree, html
from lxml.etree import _Element

from clausegraph.core.pages.blocks import squeeze
from clausegraph.core.pages.dates import (
    iso_date,
    stated_publication,
    stated_review,
    stated_update,
    stated_update_elsewhere,
)
from clausegraph.core.types import Element

_SEPARATOR = re.compile(r"\s+[|–—·»-]\s+|:\s+|\s+::\s+")
_ADDRESS = re.compile(r"https?://\S{1,2000}", re.IGNORECASE)
_MODIFIED = (
    "article:modified_time", "og:updated_time", "dcterms.modified", "dc.date.modified", "last-modified", "datemodified"
)  # fmt: skip
_PUBLISHED = ("article:published_time", "dcterms.issued", "dc.date", "date", "datepublished")
_REVIEWED = ("lastreviewed", "last-reviewed", "dcterms.reviewed")
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3}(?=$|[,;\s])")
_HEAD_ATTRIBUTES = ("name", "property", "itemprop", "http-equiv", "content", "rel", "href")
_MAX_SCRIPTS = 100
_MAX_SCRIPT = 200_000  # characters


def metas(root: _Element) -> dict[str, str]:
    """Contents of the page's meta tags by lower-case name or property; the first of equal ones."""
    found: dict[str, str] = {}
    for node in root.iter("meta"):
        name = node.get("property") or node.get("name") or node.get("itemprop") or node.get("http-equiv")
        if name and node.get("content"):
            found.setdefault(name.strip().lower(), squeeze(node.get("content") or ""))
    return found


def page_title(root: _Element, elements: Sequence[Element], fallback: str) -> str:
    """``og:title``, else the first h1 of the main text, else ``<title>`` without the site's name."""
    meta = metas(root)
    if meta.get("og:title"):
        return _without_site(meta["og:title"], meta.get("og:site_name"))
    first = next((element.text for element in elements if element.tag == "h1"), None)
    if first:
        return first
    node = next(root.iter("title"), None)
    title = squeeze("".join(map(str, node.itertext()))) if node is not None else ""
    return _without_site(title, meta.get("og:site_name")) or fallback


def stated_title(root: _Element) -> str:
    """What the page's head calls it: ``og:title`` and ``<title>``, with the site's name where it stands there."""
    node = next(root.iter("title"), None)
    title = squeeze("".join(map(str, node.itertext()))) if node is not None else ""
    return f"{metas(root).get('og:title', '')} {title}".strip()


def _without_site(title: str, site: str | None) -> str:
    """Drop the site's name: the stated one, or what stands behind the last separator."""
    parts = _SEPARATOR.split(title)
    if len(parts) < 2:
        return title
    if site is not None:
        return title.removesuffix(site).rstrip(" |–—·»-:") or title
    last = list(_SEPARATOR.finditer(title))[-1]
    return title[: last.start()]


def page_url(root: _Element) -> str | None:
    """The canonical address that the page states, if any: http or https, so that it can stand in a link."""
    stated = [node.get("href") for node in root.iter("link") if "canonical" in (node.get("rel") or "").lower().split()]
    candidates = [(address or "").strip() for address in (*stated, metas(root).get("og:url"))]
    return next((one for one in candidates if _ADDRESS.fullmatch(one) and one.isprintable()), None)


def page_language(root: _Element) -> str | None:
    """The language that the page states, as it states it ("en", "en-GB")."""
    meta = metas(root)
    stated = (root.get("lang"), root.get("{http://www.w3.org/XML/1998/namespace}lang"), root.get("xml:lang"))
    for text in (*stated, meta.get("content-language"), meta.get("og:locale"), meta.get("dc.language")):
        found = _LANGUAGE.match((text or "").strip().replace("_", "-"))
        if found:
            return found[0]
    return None


@dataclass(frozen=True, slots=True)
class PageDates:
    """ISO dates that a page states of itself."""

    published: str | None
    updated: str | None
    reviewed: str | None


def page_dates(root: _Element, lines: Sequence[str]) -> PageDates:
    """The dates that a page states: in lines of its text first, then in its head, then by ``time``.

    "Updated" is the date of publication where nothing else is stated. What htmldate finds counts last, and it sees the
    head only: a date in the text may be one of the rules.
    """
    stated = {**linked_data(root), **metas(root)}
    guess = functools.cache(lambda original: _by_htmldate(root, original=original))
    published = stated_publication(lines) or _first(stated, _PUBLISHED) or _by_time(root, ("publish",)) or guess(True)
    updated = (
        stated_update(lines)
        or _first(stated, _MODIFIED)
        or _by_time(root, ("modif", "updat"))
        or stated_update_elsewhere(lines)
        or published
        or guess(False)
    )
    reviewed = stated_review(lines) or _first(stated, _REVIEWED) or _by_time(root, ("review",))
    return PageDates(published, updated, reviewed)


def _first(stated: Mapping[str, str], names: Iterable[str]) -> str | None:
    return next((found for name in names if (found := iso_date(stated.get(name, "")))), None)


def _by_time(root: _Element, words: Iterable[str]) -> str | None:
    for node in root.iter("time"):
        role = " ".join(filter(None, [node.get("itemprop"), node.get("class")])).lower()
        if any(word in role for word in words):
            return iso_date(node.get("datetime") or squeeze("".join(map(str, node.itertext()))))
    return None


def linked_data(root: _Element) -> dict[str, str]:
    """Dates of the page's JSON-LD by lower-case name, the first of equal ones; of what is the page, not part of it."""
    found: dict[str, str] = {}
    for node in islice(root.iter("script"), _MAX_SCRIPTS):
        if (node.get("type") or "").lower().strip() != "application/ld+json" or len(node.text or "") > _MAX_SCRIPT:
            continue
        try:
            pending = deque([json.loads(node.text or "")])
        except (ValueError, RecursionError):
            continue  # many a page's is damaged
        while pending:
            value = pending.popleft()
            if isinstance(value, list):
                pending += value[:_MAX_SCRIPTS]
            elif isinstance(value, dict):
                pending += [value[key] for key in ("@graph", "mainEntity", "mainEntityOfPage") if key in value]
                for name in ("datePublished", "dateModified", "lastReviewed"):
                    if isinstance(value.get(name), str):
                        found.setdefault(name.lower(), value[name])
    return found


def _printable(value: str) -> str:
    return "".join(character for character in value[:500] if character.isprintable())


def _by_htmldate(root: _Element, *, original: bool) -> str | None:
    """What htmldate makes of the head alone."""
    head = root.find("head")
    if head is None:
        return None
    from htmldate import find_date  # slow to import

    page = html.Element("html")
    copy = etree.SubElement(page, "head")
    for node in islice(head, _MAX_SCRIPTS * 4):
        if node.tag in ("meta", "link"):
            etree.SubElement(
                copy, node.tag, {name: _printable(value) for name in _HEAD_ATTRIBUTES if (value := node.get(name))}
            )
    etree.SubElement(page, "body")
    # Bounds of its own, or what it accepts depends on the day it is asked
    found = find_date(
        page, extensive_search=False, original_date=original, min_date="1990-01-01", max_date="2099-12-31",
        deferred_url_extractor=True,
    )  # fmt: skip
    return found if found and iso_date(found) else None
