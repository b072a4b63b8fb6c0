"""What a page's head and headings say about it: title, address, dates."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lxml.etree import _Element

from clausegraph.core.pages.blocks import squeeze
from clausegraph.core.pages.dates import iso_date, stated_update
from clausegraph.core.types import Element

_SEPARATOR = re.compile(r"\s+[|–—·»-]\s+|:\s+|\s+::\s+")
_ADDRESS = re.compile(r"https?://\S{1,2000}", re.IGNORECASE)
_MODIFIED = ("article:modified_time", "og:updated_time", "dcterms.modified", "dc.date.modified", "last-modified")
_PUBLISHED = ("article:published_time", "dcterms.issued", "dc.date", "date")


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


def page_updated(root: _Element, lines: Sequence[str]) -> str | None:
    """ISO date the page says it was last updated: a line of its text, else its meta tags, else a time tag."""
    stated = stated_update(lines)
    if stated is not None:
        return stated
    meta = metas(root)
    for name in (*_MODIFIED, *_PUBLISHED):
        found = iso_date(meta.get(name, ""))
        if found is not None:
            return found
    for node in root.iter("time"):
        role = " ".join(filter(None, [node.get("itemprop"), node.get("class")])).lower()
        if any(word in role for word in ("modif", "updat", "publish")):
            return iso_date(node.get("datetime") or squeeze("".join(map(str, node.itertext()))))
    return None
