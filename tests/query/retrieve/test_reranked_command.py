"""The command in the order of a cross-encoder; it stands here since few processes should load torch."""

from pathlib import Path

import pytest

from tests.app.cli.conftest import Cli, clean_environment, cli, parsed, stocked, stocked_home
from tests.core.models.embedding.tiny_models import save_tiny_cross_encoder

__all__ = ["Cli", "clean_environment", "cli", "stocked", "stocked_home"]  # the fixtures of the command line's own tests


pytestmark = pytest.mark.long


@pytest.mark.usefixtures("stocked")
def test_the_command_searches_in_the_order_of_a_cross_encoder(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUSEGRAPH_RERANKER", str(save_tiny_cross_encoder(tmp_path / "model")))
    hits = parsed(cli("search", "Winter Heating Grant", "-n", "5", "--json"))["hits"]
    assert len(hits) == 5 and all(list(hit["parts"]) == ["reranked"] for hit in hits)
    monkeypatch.setenv("CLAUSEGRAPH_RERANKER", str(tmp_path / "none"))
    assert "CLAUSEGRAPH_RERANKER" in cli("search", "Winter Heating Grant").stderr
