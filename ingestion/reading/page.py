"""What is done with a page, in whichever process."""

from __future__ import annotations

from clausegraph.core.extraction import Reject, extraction_inputs
from clausegraph.core.pages.chunks import chunk_reading
from clausegraph.core.pages.read import SourceDocument, read_document
from clausegraph.core.types import Reading
from clausegraph.ingestion.formats.formats import FORMATS, read_converted

PageRead = tuple[Reading, tuple[Reject, ...]]


def read_page(document: SourceDocument) -> PageRead:
    """A page as elements and chunks."""
    reading, rejects = (read_converted if document.content_type in FORMATS else read_document)(document)
    return chunk_reading(reading), rejects


def rehearse_rules(reading: Reading) -> None:
    """Extract by rules what an extraction will: what that would take counts as part of reading the page."""
    from clausegraph.ingestion.extract.rules.extractor import RuleExtractor

    rules = RuleExtractor()
    for chunk_input, _ in extraction_inputs(reading):
        rules.extract(chunk_input)
