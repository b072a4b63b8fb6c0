"""The web as a source. Start at ``source.py``; ``visits.py`` asks addresses, ``site.py`` and ``lists.py`` say which,
``outcome.py`` makes pages of what they answered, ``duplicates.py`` tells which of them are one."""

from clausegraph.ingestion.sources.web.options import WebOptions
from clausegraph.ingestion.sources.web.source import WebSource, is_address, is_address_file

__all__ = ["WebOptions", "WebSource", "is_address", "is_address_file"]
