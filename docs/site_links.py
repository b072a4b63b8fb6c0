"""A hook of mkdocs: links out of docs/ become paths of the repository, since the site lacks those files."""

from __future__ import annotations

import posixpath
import re
from typing import Any

LINK = re.compile(r"\[([^\]]+)\]\(((?:\.\./)+[^)#]+)(#[^)]*)?\)")


def on_page_markdown(markdown: str, *, page: Any, config: Any, files: Any) -> str:
    """Return the page's Markdown with each link that leads out of docs/ as text: its words and its path."""
    folder = posixpath.dirname(page.file.src_uri)

    def shown(match: re.Match[str]) -> str:
        words, target, _ = match.groups()
        path = posixpath.normpath(posixpath.join("docs", folder, target))
        if path.startswith("docs/"):
            return match.group()
        return f"`{path}`" if words.strip("`") in path else f"{words} (`{path}`)"

    return LINK.sub(shown, markdown)


def on_page_content(html: str, *, page: Any, config: Any, files: Any) -> str:
    """Return the page without the role names of docstrings, as in ``:meth:`ask```: mkdocstrings shows them as text."""
    return re.sub(r":(?:attr|class|data|exc|func|meth|mod):(?=<code>)", "", html)
