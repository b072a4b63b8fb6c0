"""Where pages come from. Start at ``document.py``; ``open_source`` picks the source for a location."""

from ingestion.sources.detect import open_source
from ingestion.sources.document import CONDITIONALQA, HTML, Source, SourceDocument

__all__ = ["CONDITIONALQA", "HTML", "Source", "SourceDocument", "open_source"]
