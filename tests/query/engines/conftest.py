"""The sample corpus of an invented authority, read by the rules, with hashed embeddings; and a fake model server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from clausegraph.app.dev.fake_llm import FakeModelServer, FakeOptions
from clausegraph.core.models.build import ModelOptions, make_llm
from clausegraph.core.models.embedding import HashingEmbedder
from clausegraph.core.prompts import shipped_prompts
from clausegraph.indexes.ledger.store import open_ledger
from clausegraph.indexes.views import View, open_view
from clausegraph.ingestion.extract.rules.extractor import RuleExtractor
from clausegraph.ingestion.pipeline import Tools, ingest
from clausegraph.ingestion.sources import open_source
from clausegraph.query.steps.model import ModelSteps
from tests.harness.fake_model import as_new

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


@pytest.fixture(scope="module")
def fake() -> Iterator[FakeModelServer]:
    with FakeModelServer(FakeOptions(replies="echo")) as server:
        yield server


@pytest.fixture
def steps(fake: FakeModelServer) -> Iterator[ModelSteps]:
    as_new(fake)
    with make_llm(ModelOptions("openai", "fake-small", fake.url, "none", max_output=500, attempts=2)) as llm:
        yield ModelSteps(llm, shipped_prompts())
