"""A page format: Markdown with headings and paragraphs. One pure function, and one line in ``PAGE_READERS``."""

from __future__ import annotations

from clausegraph.core.extraction import Reject
from clausegraph.core.pages.anchors import AnchorMaker
from clausegraph.core.pages.document import SourceDocument
from clausegraph.core.pages.headings import HeadingPath
from clausegraph.core.pages.read import PAGE_READERS, read_document
from clausegraph.core.types import Element, Reading


def read_markdown(document: SourceDocument) -> tuple[Reading, tuple[Reject, ...]]:
    """Blocks between blank lines; up to three ``#`` make a heading."""
    anchors, path, elements = AnchorMaker(), HeadingPath(), []
    for block in filter(str.strip, document.raw.decode("utf-8", "replace").split("\n\n")):
        text = " ".join(block.lstrip("#").split())
        level = min(len(block) - len(block.lstrip("#")), 3)
        tag = f"h{level}" if level else "p"
        elements.append(Element(anchors.make(tag, text), tag, f"<{tag}>{text}</{tag}>", text, path.above(tag)))
        if level:
            path.enter(tag, text)
    title = next((element.text for element in elements if element.is_heading), document.uri)
    return Reading(title, document.url, tuple(elements)), ()


PAGE_READERS["text/markdown"] = read_markdown

text = b"# Rent help\n\n## Who can get it\n\nYou must rent from the council."
reading, rejects = read_document(SourceDocument("rent.md", text, "text/markdown"))
for element in reading.elements:
    print(element.tag, element.headings, element.text)
