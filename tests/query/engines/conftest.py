"""The sample corpus of an invented authority, read by the rules, with hashed embeddings."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from clausegraph.core.models.embedding import HashingEmbedder
from clausegraph.indexes.ledger.store import open_ledger
from clausegraph.indexes.views import View, open_view
from clausegraph.ingestion.extract.rules.extractor import RuleExtractor
from clausegraph.ingestion.pipeline import Tools, ingest
from clausegraph.ingestion.sources import open_source

EXAMPLES = Path(__file__).parents[3] / "examples" / "corpus"


@pytest.fixture(scope="session")
def hashing() -> HashingEmbedder:
    return HashingEmbedder(256)


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory, hashing: HashingEmbedder) -> Iterator[View]:
    with open_ledger(tmp_path_factory.mktemp("sample") / "home") as ledger:
        ingest(Tools(ledger, hashing, RuleExtractor()), "sample", open_source(str(EXAMPLES)))
        with open_view(ledger, "sample") as view:
            yield view
