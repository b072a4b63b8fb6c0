"""A small published corpus: three pages of an invented authority, the rule extractor, hashed embeddings."""

from __future__ import annotations

import json
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

PAGES = {
    "Harbour mooring grant": [
        "<h1>Overview</h1>",
        "<p>The mooring grant pays £120 a month towards the cost of a berth.</p>",
        "<h1>Eligibility</h1>",
        "<p>You can get the mooring grant if you:</p>",
        "<li>are 21 or over</li>",
        "<li>own a registered boat</li>",
        "<li>live in Port Ashby</li>",
        "<p>You cannot get the mooring grant if you rent the boat to tourists.</p>",
        "<h1>Who pays</h1>",
        "<p>The Harbour Office must pay the Mooring Grant.</p>",
    ],
    "Allotment licence": [
        "<h1>How to apply</h1>",
        "<p>Apply to the parks office for an allotment licence.</p>",
        "<p>The allotment licence costs £35 a year.</p>",
        "<h2>Deadline</h2>",
        "<p>Apply by 1 March. You get a decision within 20 working days.</p>",
    ],
    "Night market stall": [
        "<h1>Stall permit</h1>",
        "<p>You need a stall permit to sell food at the night market.</p>",
        "<tr>Stall size | Fee</tr>",
        "<tr>Small | £15</tr>",
        "<tr>Large | £40</tr>",
    ],
}


@pytest.fixture(scope="session")
def embedder() -> HashingEmbedder:
    return HashingEmbedder(256)


@pytest.fixture(scope="session")
def stocked_home(tmp_path_factory: pytest.TempPathFactory, embedder: HashingEmbedder) -> Path:
    """A home with the corpus "town" published; never written to."""
    pages = [
        {"title": title, "url": f"https://town.example/{number}", "contents": contents}
        for number, (title, contents) in enumerate(PAGES.items())
    ]
    folder = tmp_path_factory.mktemp("town")
    source = folder / "documents.json"
    source.write_text(json.dumps(pages), encoding="utf-8")
    with open_ledger(folder / "home") as ledger:
        ingest(Tools(ledger, embedder, RuleExtractor()), "town", ConditionalQASource(source))
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
