"""Files of plain text and of Markdown to HTML.

Markdown is converted by markdown-it-py (CommonMark, tables, definition lists, footnotes); its front matter says title,
date and address. Paragraphs, lists and headings of plain text are told by blank lines, bullets and underlines.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any

from clausegraph.core.pages.decode import decode_page
from clausegraph.core.pages.page_facts import iso_date
from clausegraph.ingestion.formats.formats import Converted

_BULLET = re.compile(r"^\s*(?:[-*•‣◦·–]|\(?(?:\d{1,3}|[a-z]|[ivx]{1,5})[.)])\s+(?=\S)")
_NUMBER = re.compile(r"^\s*\d{1,3}(?:\.\d{1,3})*[.)]?\s+(?=[A-Z])")
_UNDERLINE = re.compile(r"^\s*(=|-|~|_|\*)\1{2,}\s*$")
_ENDS_SENTENCE = re.compile(r"[.:;,!?]$")
_MAX_HEADING = 80  # characters
_WRAPPED = 0.6  # of the longest usual line: shorter lines were broken on purpose
_FULL = 0.8  # of that width
_USUAL_LINE = 100  # characters; longer ones are paragraphs that were not wrapped


def convert_text(raw: bytes) -> Converted:
    """A text file, of any encoding that a page may have."""
    return Converted(html_of_text(decode_page(raw)))


def html_of_text(text: str, *, titled: bool = True) -> str:
    """The text as HTML; ``titled``: a first line that stands alone and is no sentence is its title."""
    lines = [line.expandtabs(4).rstrip() for line in re.split(r"\r\n|[\r\n\f\v\x85\u2028\u2029]", text)]
    width = max((len(line) for line in lines if len(line) <= _USUAL_LINE), default=0)
    blocks = list(_blocks(lines))
    return "\n".join(_html(block, width, first=titled and not i, blocks=blocks, at=i) for i, block in enumerate(blocks))


def _blocks(lines: Sequence[str]) -> Iterator[list[str]]:
    """Runs of lines without a blank one; an underlined line with its underline is one of its own."""
    block: list[str] = []
    for line in lines:
        if _UNDERLINE.match(line):
            heads = block and len(block[-1].strip()) <= _MAX_HEADING and not _BULLET.match(block[-1])
            head = block[-1:] if heads else []
            if block[: len(block) - len(head)]:
                yield block[: len(block) - len(head)]
            if head:
                yield [*head, line]
            block = []
        elif line.strip():
            block.append(line)
        elif block:
            yield block
            block = []
    if block:
        yield block


def _html(block: Sequence[str], width: int, *, first: bool, blocks: Sequence[Sequence[str]], at: int) -> str:
    if len(block) == 2 and (underline := _UNDERLINE.match(block[1])):
        return _tagged("h1" if underline[1] == "=" else "h2", block[0])
    follows = blocks[at + 1] if at + 1 < len(blocks) else ()
    level = _heading_level(block, first, follows)
    if level:
        return _tagged(level, block[0])
    start = next((i for i in range(len(block)) if _begins_item(block, i, width)), len(block))
    before = _paragraph(block[:start], width) if start else ""
    return before + _items(block[start:], width) if start < len(block) else before


def _heading_level(block: Sequence[str], first: bool, follows: Sequence[str]) -> str:
    """ "h1", "h2" or nothing: a short line alone, and the document's first, in capitals, or numbered over a text."""
    line = block[0].strip()
    if len(block) > 1 or len(line) > _MAX_HEADING or _ENDS_SENTENCE.search(line) or not follows:
        return ""
    if _NUMBER.match(line):
        return "" if _NUMBER.match(follows[0]) or _BULLET.match(follows[0]) else "h2"
    if _BULLET.match(line):
        return ""
    if first:
        return "h1"
    return "h2" if line.upper() == line and sum(map(str.isalpha, line)) > 2 else ""


def _paragraph(lines: Sequence[str], width: int) -> str:
    """Lines that were broken long before the usual width were broken on purpose."""
    on_purpose = len(lines) > 1 and all(len(line) < _WRAPPED * width for line in lines)
    return f"<p>{('<br>' if on_purpose else ' ').join(escape(line.strip(), quote=False) for line in lines)}</p>"


def _begins_item(lines: Sequence[str], at: int, width: int) -> bool:
    """Whether a line has an item's mark, and is no part of a sentence that went on from a full line before."""
    if _BULLET.match(lines[at]) is None:
        return False
    above = lines[at - 1] if at else ""
    return len(above) < _FULL * width or bool(_ENDS_SENTENCE.search(above)) or bool(_BULLET.match(above))


def _items(lines: Sequence[str], width: int) -> str:
    items: list[list[str]] = []
    for at, line in enumerate(lines):
        bullet = _BULLET.match(line) if _begins_item(lines, at, width) else None
        if bullet or not items:
            items.append([line[bullet.end() if bullet else 0 :]])
        else:
            items[-1].append(line.strip())
    numbered = re.match(r"\s*\(?(\d+)", lines[0])
    tag = "ol" if numbered else "ul"
    start = f' start="{numbered[1]}"' if numbered else ""
    return f"<{tag}{start}>{''.join(_tagged('li', ' '.join(item)) for item in items)}</{tag}>"


def _tagged(tag: str, text: str) -> str:
    return f"<{tag}>{escape(text.strip(), quote=False)}</{tag}>"


# --- Markdown -----------------------------------------------------------------------------------

_FRONT = re.compile(r"\A\s*(---|\+\+\+)[ \t]*\r?\n(.{0,20000}?)^\1[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)
_KEYS = re.compile(r"^[\w-]+\s*[:=]", re.MULTILINE)
_UPDATED = ("updated", "last_updated", "lastmod", "last_modified", "last_modified_at", "modified", "date", "published")
_ADDRESSES = ("canonical", "canonical_url", "canonicalurl", "url")


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
    updated = next((day for key in _UPDATED if (day := iso_date(_plain(said.get(key))))), None)
    address = next((url for key in _ADDRESSES if re.match(r"https?://\S+$", url := _plain(said.get(key)))), None)
    return Converted(html, _plain(said.get("title")), updated, address, problem)


def _renderer() -> Any:
    """Footnotes stand under a heading of their own, without arrows back to the text."""
    from markdown_it import MarkdownIt
    from mdit_py_plugins.deflist import deflist_plugin
    from mdit_py_plugins.footnote import footnote_plugin

    renderer = MarkdownIt("commonmark", {"html": True, "maxNesting": 200}).enable(["table", "strikethrough"])
    renderer.use(deflist_plugin).use(footnote_plugin)
    renderer.add_render_rule("footnote_block_open", lambda *_: "<h2>Notes</h2>\n<ol>\n")
    renderer.add_render_rule("footnote_block_close", lambda *_: "</ol>\n")
    renderer.add_render_rule("footnote_anchor", lambda *_: "")
    return renderer


def _front_matter(mark: str, text: str) -> dict[str, Any]:
    """The values of the front matter by lower-case key: YAML between "---", TOML between "+++"."""
    import yaml

    if mark == "+++":
        values: Any = tomllib.loads(text)
    else:
        try:
            values = yaml.load(text, yaml.BaseLoader)  # noqa: S506 (it makes texts, lists and mappings only)
        except (yaml.YAMLError, RecursionError) as error:
            raise ValueError(f"no YAML: {error}") from error
    return {str(key).lower(): value for key, value in values.items()} if isinstance(values, dict) else {}


def _plain(value: Any) -> str:
    """A plain value as text; of a list or mapping nothing: one may stand for a billion texts."""
    return "" if value is None or isinstance(value, (list, dict)) else " ".join(str(value).split())
