"""Dates that a page states about itself."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date

from clausegraph.core.language.lexicon import SHORT_MONTHS

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


def stated_publication(lines: Iterable[str]) -> str | None:
    """ISO date of the page's "published" line."""
    return _stated(lines, _FIRST)


def stated_review(lines: Iterable[str]) -> str | None:
    """ISO date of the page's "last reviewed" line; when it will be reviewed next is none."""
    return _stated(lines, _REVIEWED)


def _stated(lines: Iterable[str], words: re.Pattern[str]) -> str | None:
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
