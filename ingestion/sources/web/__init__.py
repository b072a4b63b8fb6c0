"""The web as a source. Start at ``crawl.py``; ``visits.py`` asks addresses, ``site.py`` and ``lists.py`` say which,
``outcome.py`` makes pages of what they answered."""

from clausegraph.ingestion.sources.web.crawl import WebSource
from clausegraph.ingestion.sources.web.site import WebOptions

__all__ = ["WebOptions", "WebSource"]
