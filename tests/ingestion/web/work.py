"""A crawl in a process of its own, to be killed."""

from pathlib import Path
from typing import Any

from clausegraph.core.models.embedding import HashingEmbedder
from clausegraph.indexes.ledger.store import open_ledger
from clausegraph.ingestion.extract.rules.extractor import RuleExtractor
from clausegraph.ingestion.fetch import WebLimits
from clausegraph.ingestion.pipeline import Tools, ingest
from clausegraph.ingestion.report import RunReport
from clausegraph.ingestion.sources.web import WebOptions, WebSource

RuleExtractor().fingerprint  # noqa: B018 - worked out here, it is there in every child


def crawl(home: str, location: str, limits: dict[str, Any], corpus: str) -> RunReport:
    """Follow a site into a ledger."""
    options = WebOptions(mode="site", limits=WebLimits(**limits))
    with open_ledger(Path(home)) as ledger:
        return ingest(Tools(ledger, HashingEmbedder(16), RuleExtractor()), corpus, WebSource(location, "town", options))
