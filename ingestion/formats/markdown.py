"""Markdown by markdown-it-py (CommonMark, tables, definition lists, footnotes), and what its front matter says."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from typing import Any

import yaml
from markdown_it import MarkdownIt
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.footnote import footnote_plugin

from clausegraph.core.pages.decode import decode_page
from clausegraph.core.pages.page_facts import iso_date
from clausegraph.ingestion.formats.converted import Converted

_FRONT = re.compile(r"\A\s*(---|\+\+\+)[ \t]*\r?\n(.{0,20000}?)^\1[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)
_KEYS = re.compile(r"^[\w-]+\s*[:=]", re.MULTILINE)
_UPDATED = ("updated", "last_updated", "lastmod", "last_modified", "last_modified_at", "modified", "date", "published")
_ADDRESS = ("canonical", "canonical_url", "canonicalurl", "url")


def convert_markdown(raw: bytes) -> Converted:
    """Markdown with the HTML in it, of which the reading takes what it takes of any page."""
    text = decode_page(raw)
    found = _FRONT.match(text)
    said: Mapping[str, Any] = {}
    problem: tuple[str, ...] = ()
    if found is not None and _KEYS.search(found[2]):
        text = text[found.end() :]
        try:
            said = _front_matter(found[1], found[2])
        except ValueError as error:
            problem = (f"its front matter was left out: {' '.join(str(error).split())[:200]}",)
    known: dict[str, Any] = {}
    html = _renderer().render(text, known)
    notes = known.get("footnotes", {}).get("refs", {})
    problem += tuple(f"a footnote that nothing refers to: {name[1:]}" for name, place in notes.items() if place < 0)
    updated = next((day for key in _UPDATED if (day := iso_date(_text(said.get(key))))), None)
    address = next((url for key in _ADDRESS if re.match(r"https?://\S+$", url := _text(said.get(key)))), None)
    return Converted(html, _text(said.get("title")), updated, address, problem)


def _renderer() -> MarkdownIt:
    """Footnotes stand under a heading of their own, without arrows back to the text."""
    renderer = MarkdownIt("commonmark", {"html": True, "maxNesting": 200}).enable(["table", "strikethrough"])
    renderer.use(deflist_plugin).use(footnote_plugin)
    renderer.add_render_rule("footnote_block_open", lambda *_: "<h2>Notes</h2>\n<ol>\n")
    renderer.add_render_rule("footnote_block_close", lambda *_: "</ol>\n")
    renderer.add_render_rule("footnote_anchor", lambda *_: "")
    return renderer


def _front_matter(mark: str, text: str) -> dict[str, Any]:
    """The values of the front matter by lower-case key: YAML between "---", TOML between "+++".

    Raises:
        ValueError: it is neither.
    """
    if mark == "+++":
        values: Any = tomllib.loads(text)
    else:
        try:
            values = yaml.load(text, yaml.BaseLoader)  # noqa: S506 (it makes texts, lists and mappings only)
        except (yaml.YAMLError, RecursionError) as error:
            raise ValueError(f"no YAML: {error}") from error
    return {str(key).lower(): value for key, value in values.items()} if isinstance(values, dict) else {}


def _text(value: Any) -> str:
    """A plain value as text; of a list or mapping nothing: one may stand for a billion texts."""
    return "" if value is None or isinstance(value, (list, dict)) else " ".join(str(value).split())
