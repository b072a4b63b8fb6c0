"""Where pages come from. Start at ``source.py``; ``open_source`` picks the source for a location."""

from clausegraph.core.pages.read import CONDITIONALQA, HTML, SourceDocument
from clausegraph.ingestion.sources.detect import open_source
from clausegraph.ingestion.sources.records import PassagesSource
from clausegraph.ingestion.sources.source import Item, Skipped, Source, StoredDocument, Unlisted

__all__ = ["CONDITIONALQA", "HTML", "Item", "PassagesSource", "Skipped", "Source", "SourceDocument", "StoredDocument",
           "Unlisted", "open_source"]  # fmt: skip
