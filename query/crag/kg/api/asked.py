"""What a question says, as the rules that build calls read it: days, names between known words."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import lru_cache

from clausegraph.core.language.lexicon import word_set
from clausegraph.query.crag.kg.align import plain
from clausegraph.query.crag.time.resolve import TimeRange, resolve

_YEAR = re.compile(r"\b(1[89]\d\d|20\d\d)\b")
_QUOTED = re.compile(r"[\"“]([^\"”]{2,80})[\"”]")
_COMMON = word_set(
    "a an the of for in on at by to from with as and or is are was were be been being do does did has have had what"
    " which who whom whose when where how why many much long old that this these those it its his her their there"
    " can could you tell me please give find show say know about many often any total number name names list all"
    " first last latest recent most current currently now today yesterday day date year month time"
)


@dataclass(frozen=True, slots=True)
class TimedText:
    """A question and the moment it is asked."""

    text: str
    at: datetime

    @property
    def today(self) -> date:
        return self.at.date()

    def days(self) -> tuple[date, ...]:
        """The single days that the question names, by the calendar or counted from its moment."""
        return tuple(one.start for one in _named(self) if one.start is not None and one.start == one.end)

    def year(self) -> int | None:
        """The first year named, outside of dates too."""
        match = _YEAR.search(self.text)
        return int(match[1]) if match else None

    def has(self, pattern: str) -> bool:
        """Whether the question has it, in any case."""
        return re.search(pattern, self.text, re.IGNORECASE) is not None

    def names(self, known: Collection[str], pattern: str = "") -> list[str]:
        """What stands between words that are known, as a name may; longest first.

        Args:
            known: words that a form expects, beside those that any question has.
            pattern: of longer expressions that are no part of a name.
        """
        quoted = [match[1] for match in _QUOTED.finditer(self.text)]
        text = self.text
        for one in _named(self):
            text = text.replace(one.text, " | ")
        if pattern:
            text = re.sub(pattern, " | ", text, flags=re.IGNORECASE)
        text = re.sub(r"['’]s?\b|[?!,;:]", " | ", text)
        spans: list[list[str]] = [[]]
        for word in text.split():
            said = plain(word)
            is_inside = said in _INSIDE and bool(spans[-1])
            if not said or ((said in known or said in _COMMON) and not is_inside):
                spans.append([])
            else:
                spans[-1].append(word)
        found = [" ".join(_trimmed(span)) for span in spans]
        ranked = sorted((name for name in found if name), key=lambda name: -len(name))
        return list(dict.fromkeys((*quoted, *ranked)))


_INSIDE = word_set("of the and in to a for on")  # what a name may have in its middle


@lru_cache(maxsize=64)
def _named(asked: TimedText) -> tuple[TimeRange, ...]:
    return tuple(one for one in resolve(asked.text, asked.at) if one.text)


def _trimmed(span: list[str]) -> list[str]:
    while span and plain(span[-1]) in _COMMON:
        span = span[:-1]
    return span


def month_of(day: date) -> str:
    """``YYYY-MM``."""
    return f"{day:%Y-%m}"


def month_before(day: date) -> date:
    """A day of the month before."""
    return day.replace(day=1) - timedelta(days=1)
