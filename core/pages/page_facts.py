"""What a page says about itself, in its head and its text: title, address, language, dates."""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import islice

from lxml.etree import _Element

from clausegraph.core.language.lexicon import SHORT_MONTHS, WordTable
from clausegraph.core.pages.blocks import squeeze
from clausegraph.core.types import Element

_TABLE = WordTable(__file__)

_MONTH = "(?P<{}>" + "|".join(SHORT_MONTHS) + r")[a-z]*\.?"
_DATES = (  # day first, as in Europe, where both are numbers
    r"\b(?P<y>\d{4})-(?P<m>\d{2})-(?P<d>\d{2})",
    rf"\b(?P<d>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH.format('m')},?\s+(?P<y>\d{{4}})\b",
    rf"\b{_MONTH.format('m')}\s+(?P<d>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<y>\d{{4}})\b",
    r"\b(?P<d>\d{1,2})/(?P<m>\d{1,2})/(?P<y>\d{4})\b",
)
_LATER = r"\b(?:updated|revised|(?<!next )reviewed|modified|amended|changed|correct (?:at|as at|as of|on))\b"
_FIRST = r"\b(?:published|issued|posted)\b"
_REVIEWED = r"\b(?<!next )reviewed\b"
_ABOUT_PAGE = _TABLE.pattern("about_page")
_MAX_LINE = 120  # characters; a longer paragraph is about something else
_UPDATED_ABROAD = _TABLE.pattern("updated_abroad")
_SEPARATOR = re.compile(r"\s+[|–—·»-]\s+|:\s+|\s+::\s+")
_ADDRESS = re.compile(r"https?://\S{1,2000}", re.IGNORECASE)
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3}(?=$|[,;\s])")
_MODIFIED_NAMES = (
    "article:modified_time", "og:updated_time", "dcterms.modified", "dc.date.modified", "last-modified", "datemodified"
)  # fmt: skip
_PUBLISHED_NAMES = (
    "article:published_time", "dcterms.issued", "dc.date", "date", "datepublished", "pubdate", "publishdate",
    "dc.date.issued", "dcterms.created", "citation_publication_date", "parsely-pub-date", "sailthru.date",
)  # fmt: skip
_REVIEWED_NAMES = ("lastreviewed", "last-reviewed", "dcterms.reviewed")
_MAX_SCRIPTS = 100
_MAX_SCRIPT = 200_000  # characters


def iso_date(text: str) -> str | None:
    """The first date in a text as ``YYYY-MM-DD``; ``None`` when there is none, or none that exists."""
    for form in _DATES:
        match = re.search(form, text, re.IGNORECASE)
        if match is not None:
            month = match["m"][:3].lower()
            number = SHORT_MONTHS.index(month) + 1 if month in SHORT_MONTHS else int(month)
            try:
                return date(int(match["y"]), number, int(match["d"])).isoformat()
            except ValueError:
                continue
    return None


def stated_update(lines: Sequence[str]) -> str | None:
    """ISO date of the page's "last updated" line; of its "published" line when there is no other."""
    return _stated(lines, _LATER) or _stated(lines, _FIRST)


def _stated(lines: Iterable[str], words: str) -> str | None:
    """The first date that stands behind one of the words in a line about the page; when it is due next is none."""
    for line in lines:
        said = None
        if len(line) <= _MAX_LINE and _ABOUT_PAGE.search(line):
            said = re.search(words, line, re.IGNORECASE)
        if said is not None and (found := iso_date(line[said.end() :])):
            return found
    return None


def _stated_abroad(lines: Iterable[str]) -> str | None:
    """The date of an "updated" line in another language."""
    for line in lines:
        said = _UPDATED_ABROAD.search(line) if len(line) <= _MAX_LINE else None
        if said is not None:
            import dateparser  # slow to import

            # Nothing that depends on the day it is read: whole dates only, the day before the month
            whole = {"PARSERS": ["absolute-time"], "REQUIRE_PARTS": ["day", "month", "year"], "DATE_ORDER": "DMY"}
            found = dateparser.parse(said[1], languages=["de", "fr", "es", "it", "nl"], settings=whole)
            if found is not None:
                return str(found.date())
    return None


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
    return first or _without_site(_title_tag(root), meta.get("og:site_name")) or fallback


def page_publisher(root: _Element) -> str | None:
    """The site's name: ``og:site_name``, else what stands behind the last bar or dash of ``<title>``."""
    title = _title_tag(root)
    ends = [found.end() for found in _SEPARATOR.finditer(title) if ":" not in found[0]]
    return metas(root).get("og:site_name") or (title[ends[-1] :] if ends else "") or None


def stated_title(root: _Element) -> str:
    """What the page's head calls it: ``og:title`` and ``<title>``, with the site's name where it stands there."""
    return f"{metas(root).get('og:title', '')} {_title_tag(root)}".strip()


def _title_tag(root: _Element) -> str:
    node = next(root.iter("title"), None)
    return squeeze("".join(map(str, node.itertext()))) if node is not None else ""


def _without_site(title: str, site: str | None) -> str:
    """Drop the site's name: the stated one, or what stands behind the last separator."""
    separators = list(_SEPARATOR.finditer(title))
    if not separators:
        return title
    if site is not None:
        return title.removesuffix(site).rstrip(" |–—·»-:") or title
    return title[: separators[-1].start()]


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

    "Updated" is the date of publication where nothing else is stated. No other date of the text counts: it may be one
    of the rules.
    """
    stated = {**_linked_data(root), **metas(root)}
    published = _stated(lines, _FIRST) or _first(stated, _PUBLISHED_NAMES) or _by_time(root, ("publish",))
    updated = stated_update(lines) or _first(stated, _MODIFIED_NAMES) or _by_time(root, ("modif", "updat"))
    reviewed = _stated(lines, _REVIEWED) or _first(stated, _REVIEWED_NAMES) or _by_time(root, ("review",))
    return PageDates(published, updated or _stated_abroad(lines) or published, reviewed)


def _first(stated: Mapping[str, str], names: Iterable[str]) -> str | None:
    return next((found for name in names if (found := iso_date(stated.get(name, "")))), None)


def _by_time(root: _Element, words: Iterable[str]) -> str | None:
    for node in root.iter("time"):
        role = " ".join(filter(None, [node.get("itemprop"), node.get("class")])).lower()
        if any(word in role for word in words):
            return iso_date(node.get("datetime") or squeeze("".join(map(str, node.itertext()))))
    return None


def _linked_data(root: _Element) -> dict[str, str]:
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
