"""A small published corpus: three pages of an invented authority, the rule extractor, hashed embeddings."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from clausegraph.core.models.embedding import HashingEmbedder
from clausegraph.indexes.ledger.store import Ledger, open_ledger
from clausegraph.indexes.views import View, open_view
from clausegraph.ingestion.extract.rules.extractor import RuleExtractor
from clausegraph.ingestion.pipeline import Tools, ingest
from clausegraph.ingestion.sources.records import ConditionalQASource


@pytest.fixture(scope="session")
def embedder() -> HashingEmbedder:
    return HashingEmbedder(256)


@pytest.fixture(scope="session")
def stocked_home(tmp_path_factory: pytest.TempPathFactory, embedder: HashingEmbedder) -> Path:
    """A home with the corpus "town" published; never written to."""
    folder = tmp_path_factory.mktemp("town")
    pages = ConditionalQASource(Path(__file__).with_name("documents.json"))
    with open_ledger(folder / "home") as ledger:
        ingest(Tools(ledger, embedder, RuleExtractor()), "town", pages)
    return folder / "home"


@pytest.fixture
def ledger(stocked_home: Path, tmp_path: Path) -> Iterator[Ledger]:
    """A ledger with the corpus "town" published, of the test's own."""
    shutil.copytree(stocked_home, tmp_path / "home")
    with open_ledger(tmp_path / "home") as ledger:
        yield ledger


@pytest.fixture
def view(ledger: Ledger) -> Iterator[View]:
    with open_view(ledger, "town") as view:
        yield view
