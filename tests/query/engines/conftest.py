"""The sample corpus of an invented authority, read by the rules, with hashed embeddings."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from clausegraph.core.models.embedding import HashingEmbedder
from clausegraph.indexes.ledger.store import open_ledger
from clausegraph.indexes.views import View, open_view
from clausegraph.ingestion.extract.rules.extractor import RuleExtractor
from clausegraph.ingestion.pipeline import Tools, ingest
from clausegraph.ingestion.sources import open_source
from clausegraph.query.engines.bank import Engine, make_engine
from clausegraph.query.steps.model import ModelSteps
from tests.harness.fake_llm import FakeModelServer
from tests.law.world import CORPUS, World

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


@pytest.fixture
def view(world: World) -> Iterator[View]:
    """What is published in the world of a test."""
    with open_view(world.ledger, CORPUS) as opened:
        yield opened


@dataclass(frozen=True)
class Asking:
    """Engines over the sample corpus before a fake model."""

    fake: FakeModelServer
    steps: ModelSteps
    view: View
    embedder: HashingEmbedder

    def script(self, replies: Any) -> None:
        """What the model replies: in turn, or by words of the prompt."""
        self.fake.set(replies="script", script=replies)

    def engine(self, name: str, **options: Any) -> Engine:
        return make_engine(self.view, self.embedder, engine=name, model=self.steps, **options)


@pytest.fixture
def asking(fake: FakeModelServer, steps: ModelSteps, sample: View, hashing: HashingEmbedder) -> Asking:
    return Asking(fake, steps, sample, hashing)
