"""Homes that are filled as ``clausegraph ingest`` fills them."""

from pathlib import Path
from typing import Any

from clausegraph.app.services.ingest import run_ingest
from clausegraph.app.workspace import Workspace
from clausegraph.core.settings import Settings
from clausegraph.ingestion.pipeline import Options
from clausegraph.ingestion.report import RunReport
from clausegraph.ingestion.sources import open_source


def run(settings: Settings, folder: Path, **options: Any) -> RunReport:
    """An ingest of a folder into the corpus of the settings; ``options`` are those of ``Options``."""
    with Workspace(settings) as workspace:
        return run_ingest(workspace, settings.corpus, open_source(str(folder)), Options(**options))


def filled(home: Path, folder: Path, corpus: str = "default", model: str = "hashing") -> Settings:
    """Settings of a home that has a corpus of a folder, read by the rules."""
    settings = Settings(home=home, corpus=corpus, embedding_model=model, extractor="rules")
    run(settings, folder)
    return settings
