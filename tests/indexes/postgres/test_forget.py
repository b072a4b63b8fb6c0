"""Forgotten is gone from PostgreSQL too: no cell of any table has a string or a vector of a page."""

from __future__ import annotations

from pathlib import Path

import pytest

from clausegraph.app.services.forget import forget
from clausegraph.app.workspace import Workspace
from tests.law.forgetting import CORPUS, PLACES, ingest, left, own_vectors, page, plant, settings_of, write_pages

pytestmark = pytest.mark.integration
GONE = PLACES[6:8]


def test_no_table_has_anything_of_a_page(address: str, tmp_path: Path) -> None:
    with Workspace(settings_of(tmp_path / "home", database=address)) as workspace:
        ingest(workspace, write_pages(tmp_path / "pages", PLACES[:10]))
        for place in GONE:
            plant(workspace, place)
        vectors = own_vectors(workspace, GONE)
        before = left(tmp_path / "home", GONE, vectors, address)
        assert {"page_versions", "vector_data", "watches", "kept_answers", "deeds", "replies"} <= {
            found.split()[0] for found in before
        }
        for place in GONE:
            made = forget(workspace, CORPUS, page(place), None, "asked", "tester")["certificate"]
            assert made["searched"]["vectors"] > 0
        assert left(tmp_path / "home", GONE, vectors, address) == []
