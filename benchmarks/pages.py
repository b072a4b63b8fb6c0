"""``pages``: seconds and memory of hostile pages against their bytes, as the reading process reads them.

Each family repeats one thing. They were found by attacks; the first ones took minutes or gigabytes.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from contextlib import closing
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from benchmarks.costs import Workbench
from benchmarks.material import Check, print_checks, print_table
from clausegraph.core.pages.read import CONDITIONALQA, HTML, SourceDocument
from clausegraph.ingestion.reading.page import ReadingLimits
from clausegraph.ingestion.reading.process import SMALL_PAGE, ReadingProcess

SIZES = (SMALL_PAGE, 100_000, 200_000, 400_000, 800_000, 3_000_000)  # bytes
_NEAR_LINEAR = 1.25  # exponent of seconds against bytes
_LIMITS = {"processor time": "time", "memory": "memory", "split": "size"}  # words of a rejection, the limit
_MEASURABLE = 0.2  # seconds; less says nothing about growth


@dataclass(frozen=True, slots=True)
class Measured:
    """A page as it was read, or why it was not; ``seconds`` of processor time and ``megabytes`` beyond the start."""

    family: str
    size: int
    elements: int
    seconds: float = math.nan
    megabytes: float = math.nan
    rejected: str = ""

    def __str__(self) -> str:
        return self.rejected or f"{self.seconds:.2f} s {self.megabytes:.0f} MB"


def run(_: Workbench) -> dict[str, Any]:
    """Measure and print."""
    found = [measure(family, size) for family in FAMILIES for size in SIZES]
    rows = [
        (family, *(str(one) for one in found if one.family == family), growth(found, family)) for family in FAMILIES
    ]
    header = ("family", *(f"{size / 1e6:.2g} MB" for size in SIZES), "exponent")
    print_table("pages: processor seconds and memory of reading, chunking and rules", [header, *rows])
    exponents = [growth(found, family) for family in FAMILIES]
    small = [one for one in found if one.size == SMALL_PAGE]
    checks = [
        Check("pages neither read nor rejected for their cost", sum(map(_is_odd, found)), 0, "pages"),
        Check("largest exponent", max((e for e in exponents if e is not None), default=0.0), _NEAR_LINEAR, "", False),
        Check(f"slowest page of {SMALL_PAGE // 1024} KiB", max(one.seconds for one in small), 2.0, "s", False),
        Check(f"largest page of {SMALL_PAGE // 1024} KiB", max(one.megabytes for one in small), 100.0, "MB", False),
    ]
    print_checks(checks)
    return {"pages": [_known(one) for one in found], "checks": [check.as_dict() for check in checks]}


def measure(family: str, size: int, limits: ReadingLimits = ReadingLimits()) -> Measured:
    """Read a page of a family in a fresh reading process, rules included."""
    with closing(ReadingProcess(limits)) as process:
        reading, rejects = process.read(FAMILIES[family](size), rules=True)
        if process.took is not None:
            seconds, used = process.took
            return Measured(family, size, len(reading.elements), seconds, used / 1e6)
    reason = rejects[0].reason
    over = next((name for words, name in _LIMITS.items() if words in reason), reason)
    return Measured(family, size, 0, rejected=f"rejected: {over}")


def growth(found: list[Measured], family: str) -> float | None:
    """Exponent of seconds against bytes, fitted to what was read; none where too little was measurable."""
    read = [one for one in found if one.family == family and one.seconds > _MEASURABLE]
    if len(read) < 2:
        return None
    return float(np.polyfit(np.log([one.size for one in read]), np.log([one.seconds for one in read]), 1)[0])


def _is_odd(one: Measured) -> bool:
    return one.rejected not in ("", *(f"rejected: {name}" for name in _LIMITS.values()))


def _known(one: Measured) -> dict[str, Any]:
    """The figures as JSON values, without those that are not a number."""
    return {name: value for name, value in asdict(one).items() if not (isinstance(value, float) and math.isnan(value))}


# --- the families -----------------------------------------------------------------------------------

_RULE = "You can get it if you are 21 or over and live in Port Ashby, unless you rent the boat. "


def _html(before: str, unit: str, after: str = "") -> Callable[[int], SourceDocument]:
    def make(size: int) -> SourceDocument:
        page = f"<html><body><main><h1>Grant</h1>{before}{unit * (size // len(unit))}{after}</main></body></html>"
        return SourceDocument("hostile.html", page.encode(), HTML)

    return make


def _json(unit: str) -> Callable[[int], SourceDocument]:
    def make(size: int) -> SourceDocument:
        page = {"title": "Grant", "url": "", "contents": ["<h1>Grant</h1>"] + [unit] * (size // (len(unit) + 4))}
        return SourceDocument("hostile", json.dumps(page).encode(), CONDITIONALQA)

    return make


def _attributes(size: int) -> SourceDocument:
    names = " ".join(f"a{number}=1" for number in range(size // 9))
    return SourceDocument("hostile.html", f"<main><h1>Grant</h1><p {names}>You must pay.</p></main>".encode(), HTML)


def _numbered(unit: str) -> Callable[[int], SourceDocument]:
    """``unit`` again and again, each with a number of its own."""

    def make(size: int) -> SourceDocument:
        body = "".join(unit.replace("#n", str(number)) for number in range(size // len(unit)))
        return SourceDocument("hostile.html", f"<html><body><main><h1>Grant</h1>{body}</main></body></html>".encode())

    return make


# By name; each makes a page of about so many bytes
FAMILIES: dict[str, Callable[[int], SourceDocument]] = {
    "spanning cells": _html("<table>", f"<tr>{'<td colspan=50 rowspan=50>x</td>' * 20}</tr>", "</table>"),
    "links": _html("", "<a>x</a>"),
    "paragraphs with links": _html("", '<p>See <a href="/a/page">how to apply</a> for it.</p>'),
    "attributes of one tag": _attributes,
    "brackets": _html("<p>You can if ", "(", "</p>"),
    "empty headings": _html("", "<h2></h2>"),
    "headings": _html("", "<h2>a</h2><h3>b</h3>"),
    "nested lists": _html("<p>You can get it if:</p>" + "<ul><li>a" * 300, "<li>you rent</li>"),
    "descriptions": _html("<dl>", "<dd>x</dd>", "</dl>"),
    "one long paragraph": _html("<p>", _RULE, "</p>"),
    "short sentences": _html("<p>You can ", ". A", "</p>"),
    "elements of JSON": _json("<p>x</p>"),
    "open tags": _html("", "<b>a"),
    "breaks": _html("<p>", "You must pay.<br>", "</p>"),
    "one long word": _html("<p>", "a", "</p>"),
    "text without spaces": _html("<p>", "渔港居民可以在夜间停车，", "</p>"),
    "details in details": _html("", "<details><summary>Fee</summary>x"),
    "terms": _html("<dl>", "<dt>Fee<dd>You pay £20.", "</dl>"),
    "parts that controls open": _numbered("<a href='#p#n'>Fee #n</a><div id='p#n' hidden>You pay.</div>"),
    "notes": _numbered("<p id='n#n'>You pay £20<sup><a href='#n#n'>#n</a></sup>.</p>"),
    "lines that look like headings": _html("", "<p><b>Fee</b></p><p>You pay.</p>"),
    "equal texts among others": _numbered("<p>You pay.</p><div class='a'>Fee #n of the harbour</div>"),
    "cells over rows": _html("<table>", "<tr><td rowspan=9>a<td>b</tr>", "</table>"),
}
