"""``clausegraph export --to llamaindex``: what the command line adds to the two exports."""

import json
from pathlib import Path

import pytest
from llama_index.core import StorageContext, load_index_from_storage
from llama_index.vector_stores.faiss import FaissVectorStore

from clausegraph.app.services.llamaindex import MANIFEST
from clausegraph.core.models.embedding import HashingEmbedder
from clausegraph.query.stores.llamaindex import EmbedderModel
from tests.app.cli.conftest import SAMPLE, Cli, clean_environment, cli, parsed

__all__ = ["clean_environment", "cli"]  # its fixtures


@pytest.fixture
def two_epochs(cli: Cli, tmp_path: Path) -> None:
    pages = tmp_path / "pages"
    pages.mkdir()
    for number, name in enumerate(("heating-grant", "study-grant"), start=1):
        (pages / f"{name}.html").write_text((SAMPLE / f"{name}.html").read_text(encoding="utf-8"), encoding="utf-8")
        assert parsed(cli("ingest", "pages", "--corpus", "mine", "--json"))["epoch"] == number


@pytest.mark.usefixtures("two_epochs")
def test_an_epoch_of_a_corpus(cli: Cli) -> None:
    newest = parsed(cli("export", "--to", "llamaindex", "new", "--corpus", "mine", "--json"))
    older = parsed(cli("export", "--to", "llamaindex", "old", "--corpus", "mine", "--epoch", "1", "--json"))
    assert (newest["epoch"], older["epoch"], newest["format"], older["output"]) == (2, 1, "llamaindex", "old")
    assert newest["counts"]["chunk"] > older["counts"]["chunk"] and set(older["counts"]) == set(newest["counts"])
    assert json.loads(Path("old", MANIFEST).read_text(encoding="utf-8"))["epoch"] == 1
    storage = StorageContext.from_defaults(persist_dir="old", vector_store=FaissVectorStore.from_persist_dir("old"))
    index = load_index_from_storage(storage, embed_model=EmbedderModel(HashingEmbedder()))
    found = index.as_retriever(similarity_top_k=100).retrieve("study grant")  # type: ignore[attr-defined]
    assert {node.metadata["uri"] for node in found} == {"heating-grant.html"}
    again = cli("export", "--to", "llamaindex", "old", "--corpus", "mine")
    assert again.exit_code == 2 and "no empty folder" in again.stderr
    assert cli("export", "--to", "llamaindex", "x", "--corpus", "mine", "--epoch", "9").exit_code == 3
    shown = cli("export", "--to", "llamaindex", "again", "--corpus", "mine")
    assert shown.exit_code == 0 and f"{newest['counts']['fact']} fact" in shown.stdout


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("folder",),
        ("--to", "llamaindex"),
        ("--to", "llamaindex", "folder", "--output", "file"),
        ("--output", "file", "folder"),
        ("--to", "langchain", "folder"),
    ],
)
def test_one_place_to_write_to(cli: Cli, words: tuple[str, ...]) -> None:
    result = cli("export", *words)
    assert result.exit_code == 2 and "--to" in result.stderr


@pytest.mark.usefixtures("two_epochs")
def test_a_password_in_the_uri_is_refused_and_not_repeated(cli: Cli) -> None:
    result = cli("export", "--to", "llamaindex", "bolt://neo4j:hunter2@127.0.0.1:1", "--corpus", "mine", "--json")
    assert result.exit_code == 2 and "CLAUSEGRAPH_NEO4J_PASSWORD" in result.output and "hunter2" not in result.output
