"""A page format: AsciiDoc's headings and paragraphs. One pure function to HTML, and one entry in ``FORMATS``."""

from __future__ import annotations

from html import escape

from clausegraph.core.pages.read import SourceDocument
from clausegraph.ingestion.formats.formats import FORMATS, Converted, Format
from clausegraph.ingestion.reading.page import read_page


def convert_asciidoc(raw: bytes) -> Converted:
    """Blocks between blank lines; up to three ``=`` make a heading."""
    html = []
    for block in filter(str.strip, raw.decode("utf-8", "replace").split("\n\n")):
        level = min(len(block) - len(block.lstrip("=")), 3)
        tag = f"h{level}" if level else "p"
        html.append(f"<{tag}>{escape(block.lstrip('='))}</{tag}>")
    return Converted("".join(html))


FORMATS["text/asciidoc"] = Format("AsciiDoc", (".adoc",), convert_asciidoc)  # files of that name are read

text = b"= Rent help\n\n== Who can get it\n\nYou must rent from the council."
reading, rejects = read_page(SourceDocument("rent.adoc", text, "text/asciidoc"))
for element in reading.elements:
    print(element.tag, element.headings, element.text)
