"""Where the shared data sets are (tests that need them skip where they are absent), and the sample corpus."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from clausegraph.app.services.ingest import run_ingest
from clausegraph.app.workspace import Workspace
from clausegraph.core.settings import load_settings
from clausegraph.ingestion.pipeline import Options, no_progress
from clausegraph.ingestion.sources import open_source

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(scope="session")
def sample_workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """The sample corpus, read by the rules, with hashed embeddings and without a language model."""
    loaded = load_settings(home=tmp_path_factory.mktemp("sample") / "home", corpus="sample")
    changes = {"embedding_model": "hashing", "extractor": "rules", "llm": None}
    with Workspace(loaded.model_copy(update=changes)) as workspace:
        run_ingest(workspace, "sample", open_source(str(EXAMPLES / "corpus")), Options(), no_progress)
        yield workspace
