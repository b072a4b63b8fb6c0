"""Pages written as other files: what people would have who kept the same text as a web site, PDF, Word or Markdown."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterator
from html import escape
from itertools import groupby

from clausegraph.core.pages.markup import HEADINGS
from clausegraph.core.types import Element, Reading

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#+\-.!|~&()])")


def runs(reading: Reading) -> Iterator[tuple[str, list[Element]]]:
    """Elements in order; the items of a list and the rows of a table together."""
    for _, group in groupby(enumerate(reading.elements), lambda at: at[1].tag if at[1].tag in ("li", "tr") else at[0]):
        elements = [element for _, element in group]
        yield elements[0].tag, elements


def _cells(row: Element) -> list[str]:
    return row.text.split(" | ")


def as_markdown(reading: Reading) -> bytes:
    """CommonMark with tables, the title in its front matter; every sign that could mean something is escaped."""
    parts = []
    for tag, elements in runs(reading):
        texts = [_SPECIAL.sub(r"\\\1", element.text) for element in elements]
        if tag == "li":
            parts.append("\n".join(f"- {text}" for text in texts))
        elif tag == "tr":
            width = max(len(_cells(row)) for row in elements)
            rows = [[_SPECIAL.sub(r"\\\1", cell) for cell in _cells(row)] for row in elements]
            lines = [f"| {' | '.join(row)} |" for row in rows]
            parts.append("\n".join([lines[0], "|---" * width + "|", *lines[1:]]))
        else:
            parts.append(f"{'#' * int(tag[1])} {texts[0]}" if tag in HEADINGS else texts[0])
    return "\n\n".join([f"---\ntitle: {json.dumps(reading.title)}\n---", *parts]).encode()


def as_site_page(reading: Reading) -> bytes:
    """A page of a web site: a cookie notice, a header with menus and a search, breadcrumbs, related pages, a footer."""
    title = escape(reading.title)
    menu = "".join(
        f'<li><a href="/{name.lower()}">{name}</a></li>' for name in ("Benefits", "Housing", "Births", "Money")
    )
    parts = []
    for tag, elements in runs(reading):
        texts = [escape(element.text) for element in elements]
        if tag == "li":
            parts.append(f"<ul>{''.join(f'<li>{text}</li>' for text in texts)}</ul>")
        elif tag == "tr":
            rows = ["".join(f"<td>{escape(cell)}</td>" for cell in _cells(row)) for row in elements]
            parts.append(f"<table>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>")
        else:
            parts.append(f"<{tag}>{texts[0]}</{tag}>")
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title} - The Office</title></head><body>'
        '<div class="cookie-banner" role="region"><p>We use cookies to make this site work and to count visits.</p>'
        '<button>Accept all cookies</button></div><header role="banner"><a href="/">The Office</a>'
        f'<form role="search"><input name="q"><button>Search</button></form><nav><ul>{menu}</ul></nav></header>'
        '<div class="breadcrumbs"><ol><li><a href="/">Home</a></li><li><a href="/Benefits">Benefits</a></li></ol></div>'
        f'<main id="content"><h1>{title}</h1>{"".join(parts)}</main>'
        f"<aside><h2>Related content</h2><ul>{menu}</ul></aside>"
        '<footer><ul><li><a href="/help">Help</a></li><li><a href="/privacy">Privacy</a></li></ul>'
        "<p>All content is available under the open licence of the office, except where otherwise stated.</p></footer>"
        "</body></html>"
    ).encode()


def as_docx(reading: Reading) -> bytes:
    """A Word document with the styles of its template, its title as such above the text."""
    import docx

    document = docx.Document()
    document.add_heading(reading.title, 0)
    for tag, elements in runs(reading):
        if tag == "tr":
            rows = [_cells(row) for row in elements]
            width = max(map(len, rows))
            table = document.add_table(len(rows), width)
            for index, row in enumerate(rows):
                for column, text in enumerate(row):
                    table.cell(index, column).text = text
                if len(row) < width:
                    table.cell(index, len(row) - 1).merge(table.cell(index, width - 1))
            continue
        for element in elements:
            if tag in HEADINGS:
                document.add_heading(element.text, int(tag[1]))
            else:
                document.add_paragraph(element.text, style="List Bullet" if tag == "li" else None)
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def as_pdf(reading: Reading) -> bytes:
    """A PDF in one column, ragged, with gaps between paragraphs."""
    return _pdf(reading, columns=1)


def as_pdf_in_columns(reading: Reading) -> bytes:
    """A PDF in two columns, justified."""
    return _pdf(reading, columns=2)


def _pdf(reading: Reading, columns: int) -> bytes:
    from benchmarks.leaflets import Leaflet

    pdf = Leaflet(reading.title, columns)
    for tag, elements in runs(reading):
        if tag == "tr":
            pdf.rows([_cells(row) for row in elements])
        for element in elements if tag != "tr" else ():
            pdf.element(tag, element.text)
        pdf.ln(2)
    return bytes(pdf.output())


WRITERS: dict[str, Callable[[Reading], bytes]] = {
    ".html": as_site_page,
    ".md": as_markdown,
    ".docx": as_docx,
    ".pdf": as_pdf,
    ".columns.pdf": as_pdf_in_columns,
}
"""By ending."""
