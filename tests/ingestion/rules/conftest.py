"""Inputs for extractor tests, and the real pages where they are."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from clausegraph.core.pages.chunks import chunk_reading
from clausegraph.core.pages.read import SourceDocument, read_document
from clausegraph.core.types import Reading
from clausegraph.ingestion.sources import open_source

_REPOSITORY = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="session")
def sample_readings() -> dict[str, Reading]:
    """The sample corpus, read but not chunked, by uri."""
    return readings(_REPOSITORY / "examples" / "corpus")


@pytest.fixture(scope="session")
def statements() -> list[dict[str, Any]]:
    """The labelled statements of the sample corpus."""
    records: list[dict[str, Any]] = json.loads((_REPOSITORY / "examples" / "statements.json").read_text("utf-8"))
    return records


def readings(location: Path, *, chunked: bool = False) -> dict[str, Reading]:
    """Readings of a source by uri."""
    found: dict[str, Reading] = {}
    for document in open_source(str(location)).documents():
        if isinstance(document, SourceDocument):
            reading, _ = read_document(document)
            found[document.uri] = chunk_reading(reading) if chunked else replace(reading, chunks=())
    return found
