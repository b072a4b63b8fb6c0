"""What is done with a page, in whichever process, and what that may take."""

from __future__ import annotations

from dataclasses import dataclass

from clausegraph.core.extraction import Reject, extraction_inputs
from clausegraph.core.pages.chunks import chunk_reading
from clausegraph.core.pages.read import MAX_PAGE_BYTES, SourceDocument, read_document
from clausegraph.core.types import Reading
from clausegraph.ingestion.formats.formats import FORMATS, read_converted

PageRead = tuple[Reading, tuple[Reject, ...]]


@dataclass(frozen=True, slots=True)
class ReadingLimits:
    """Seconds of processor time; megabytes beyond what the reading process has when it starts; bytes of the page.

    Memory is limited where the operating system can (Linux), time everywhere.
    """

    seconds: float = 10.0
    megabytes: int = 500
    page_bytes: int = MAX_PAGE_BYTES

    @property
    def reply_bytes(self) -> int:
        """How large a reading may be as JSON: as Python's objects it is four times as large."""
        return self.megabytes * 1_000_000 // 4


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
