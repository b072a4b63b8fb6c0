"""What a page says about itself, in its head and its text: title, address, language, dates."""

from __future__ import annotations

import functools
import json
import re
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import islice

from lxml import etree, html
from lxml.etree import _Element

from clausegraph.core.language.lexicon import SHORT_MONTHS
from clausegraph.core.pages.blocks import squeeze
from clausegraph.core.types import Element

_MONTH = "(" + "|".join(SHORT_MONTHS) + r")[a-z]*\.?"
_FORMS = (
    (re.compile(r"\b(\d{4})-(\d{2})-(\d{2})"), "ymd"),
    (re.compile(rf"\b(\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH},?\s+(\d{{4}})\b", re.IGNORECASE), "dmy"),
    (re.compile(rf"\b{_MONTH}\s+(\d{{1,2}})(?:st|nd|rd|th)?,?\s+(\d{{4}})\b", re.IGNORECASE), "mdy"),
    (re.compile(r"\b(\d{1,2})/(\d{1,2})/(\d{4})\b"), "dmy"),  # day first, as in Europe
)
_LATER = re.compile(
    r"\b(?:updated|revised|reviewed|modified|amended|changed|correct (?:at|as at|as of|on))\b", re.IGNORECASE
)
_FIRST = re.compile(r"\b(?:published|issued|posted)\b", re.IGNORECASE)
_ABOUT_PAGE = re.compile(
    r"^\W*(?:last|first|page|this page|updated|published|leaflet|guide|document|date)\b", re.IGNORECASE
)
_MAX_LINE = 120  # characters; a longer paragraph is about something else


def iso_date(text: str) -> str | None:
    """The first date in a text as ``YYYY-MM-DD``; ``None`` when there is none, or none that exists."""
    for pattern, order in _FORMS:
        match = pattern.search(text)
        if match is None:
            continue
        part = dict(zip(order, match.groups(), strict=True))
        month = part["m"][:3].lower()
        number = SHORT_MONTHS.index(month) + 1 if month in SHORT_MONTHS else int(part["m"])
        try:
            return date(int(part["y"]), number, int(part["d"])).isoformat()
        except ValueError:
            continue
    return None


def stated_update(lines: Iterable[str]) -> str | None:
    """ISO date of the page's "last updated" line; of its "published" line when there is no other."""
    published: str | None = None
    for line in lines:
        if len(line) > _MAX_LINE or not _ABOUT_PAGE.search(line):
            continue
        later = _LATER.search(line)
        if later is not None and (found := iso_date(line[later.start() :])):
            return found
        if published is None and _FIRST.search(line):
            published = iso_date(line)
    return published


_REVIEWED = re.compile(r"\b(?<!next )reviewed\b", re.IGNORECASE)
_STATES_A_DATE = re.compile(
    r"^\W*(?:last|first|page|this page|updated|published|reviewed|posted|issued|created|leaflet|guide|document|date)\b",
    re.IGNORECASE,
)


def _stated(lines: Iterable[str], words: re.Pattern[str]) -> str | None:
    """ISO date of the page's "published" or "last reviewed" line; when it will be reviewed next is none."""
    for line in lines:
        said = words.search(line) if len(line) <= _MAX_LINE and _STATES_A_DATE.search(line) else None
        if said is not None and (found := iso_date(line[said.end() :])):
            return found
    return None


# Words for "updated" and "published", by language; what stands behind them is read by dateparser
_ELSEWHERE = tuple(
    (language, re.compile(rf"^\W*(?:{words})\b", re.IGNORECASE))
    for language, words in (
        ("de", r"stand|(?:zuletzt )?(?:aktualisiert|geändert)(?: am)?|letzte (?:änderung|aktualisierung)"),
        ("fr", r"(?:dernière )?(?:mise? à jour|modification)(?: le| du)?"),
        ("es", r"última actualización|actualizad[oa](?: el)?"),
        ("it", r"ultimo aggiornamento|aggiornat[oa](?: il| al)?"),
        ("nl", r"(?:laatst )?(?:bijgewerkt|gewijzigd)(?: op)?"),
    )
)
_SOME_DATE = re.compile(
    r"\d{1,2}(?:\.|er)?\s+(?:de\s+)?[^\W\d]{3,12}\.?\s+(?:de\s+)?\d{4}|\d{1,2}[./-]\d{1,2}[./-]\d{4}"
)


def stated_update_elsewhere(lines: Iterable[str]) -> str | None:
    """ISO date of an "updated" line in German, French, Spanish, Italian or Dutch."""
    for line in lines:
        if len(line) > _MAX_LINE:
            continue
        for language, words in _ELSEWHERE:
            said = words.search(line)
            date_text = _SOME_DATE.search(line, said.end()) if said is not None else None
            if date_text is not None and (found := _local_date(date_text[0], language)):
                return found
    return None


def _local_date(text: str, language: str) -> str | None:
    import dateparser  # slow to import

    # Nothing that depends on the day it is read: whole dates only, the day before the month
    settings = {"PARSERS": ["absolute-time"], "REQUIRE_PARTS": ["day", "month", "year"], "DATE_ORDER": "DMY"}
    found = dateparser.parse(text, languages=[language], settings=settings)
    return found.date().isoformat() if found is not None else None


_SEPARATOR = re.compile(r"\s+[|–—·»-]\s+|:\s+|\s+::\s+")
_ADDRESS = re.compile(r"https?://\S{1,2000}", re.IGNORECASE)
_MODIFIED = (
    "article:modified_time", "og:updated_time", "dcterms.modified", "dc.date.modified", "last-modified", "datemodified"
)  # fmt: skip
_PUBLISHED = ("article:published_time", "dcterms.issued", "dc.date", "date", "datepublished")
_REVIEWED_NAMES = ("lastreviewed", "last-reviewed", "dcterms.reviewed")
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
    published = _stated(lines, _FIRST) or _first(stated, _PUBLISHED) or _by_time(root, ("publish",)) or guess(True)
    updated = (
        stated_update(lines)
        or _first(stated, _MODIFIED)
        or _by_time(root, ("modif", "updat"))
        or stated_update_elsewhere(lines)
        or published
        or guess(False)
    )
    reviewed = _stated(lines, _REVIEWED) or _first(stated, _REVIEWED_NAMES) or _by_time(root, ("review",))
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
