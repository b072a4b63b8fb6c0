"""Pages made to be slow: each family repeats one thing. Found by attacks; the first ones took minutes or gigabytes."""

from __future__ import annotations

import json
from collections.abc import Callable

from clausegraph.core.pages.read import CONDITIONALQA, HTML, SourceDocument

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
