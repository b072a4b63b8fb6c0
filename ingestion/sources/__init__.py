"""Where pages come from. Start at ``document.py``; ``open_source`` picks the source for a location."""

from clausegraph.ingestion.sources.detect import open_source
from clausegraph.ingestion.sources.document import CONDITIONALQA, HTML, Source, SourceDocument
from clausegraph.ingestion.sources.passages import PassagesSource

__all__ = ["CONDITIONALQA", "HTML", "PassagesSource", "Source", "SourceDocument", "open_source"]
