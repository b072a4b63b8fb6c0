"""An epoch handed over as a folder, opened again by LlamaIndex's own classes."""

import json
from pathlib import Path

import pytest
from llama_index.core import PropertyGraphIndex, StorageContext, VectorStoreIndex, load_index_from_storage
from llama_index.core.graph_stores import SimplePropertyGraphStore
from llama_index.core.llms import MockLLM
from llama_index.vector_stores.faiss import FaissVectorStore

from clausegraph.app.services.llamaindex import MANIFEST, write_folder
from clausegraph.core.errors import InputError
from clausegraph.indexes.views import View
from clausegraph.query.stores.llamaindex import EmbedderModel
from clausegraph.query.stores.vector_store import ViewVectorStore
from tests.query.llamaindex.conftest import HOSTILE, Script


def test_stock_classes_open_it(view: View, embed_model: EmbedderModel, tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "out"
    counts = write_folder(view, folder)
    assert counts == {"chunk": 2, "entity": 4, "value": 1, "fact": 5}
    manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    assert (manifest["epoch"], manifest["embedding_model"], manifest["counts"]) == (1, "hashing:8", counts)

    storage = StorageContext.from_defaults(
        persist_dir=str(folder), vector_store=FaissVectorStore.from_persist_dir(str(folder))
    )
    index = load_index_from_storage(storage, embed_model=embed_model)
    ours = VectorStoreIndex.from_vector_store(ViewVectorStore(view), embed_model=embed_model)
    for question in ("pensioner may ask council", "winter grant amount £40"):
        theirs = index.as_retriever(similarity_top_k=2).retrieve(question)  # type: ignore[attr-defined]
        wanted = ours.as_retriever(similarity_top_k=2).retrieve(question)
        assert [node.node_id for node in theirs] == [node.node_id for node in wanted]
        assert [node.text for node in theirs] == [node.text for node in wanted]
        assert [node.score for node in theirs] == pytest.approx([node.score for node in wanted], abs=1e-6)
        assert theirs[0].metadata["epoch"] == 1 and theirs[0].metadata["anchors"] == wanted[0].metadata["anchors"]
    assert "may ask" in str(index.as_query_engine(llm=MockLLM()).query("pensioner may ask council"))

    graph = SimplePropertyGraphStore.from_persist_dir(str(folder))
    assert storage.property_graph_store is not None
    (triplet,) = graph.get_triplets(properties={"relation": HOSTILE})
    assert (triplet[0].id, triplet[2].id) == ("Council", "Pensioner")
    index = PropertyGraphIndex.from_existing(graph, llm=Script(says="winter grant"), embed_model=embed_model)
    texts = [node.text for node in index.as_retriever(use_async=False).retrieve("How much is it?")]
    assert any("Winter grant -> amount -> =£40" in text for text in texts)
    around = graph.get_rel_map(graph.get(ids=["Winter grant"]), depth=1)
    assert sorted(relation.label for _, relation, _ in around) == [
        "amount",
        "is paid to [if (you live here or not in prison); or without condition]",
        "is paid to [not]",
    ]
    (paid,) = [relation for _, relation, target in around if target.id == "Pensioner"]
    assert [one["page"] for one in paid.properties["statements"]] == ["pages:grants.html", "pages:people.html"]
    (text,) = graph.get_llama_nodes([paid.properties["chunk"]])
    assert text.metadata["page"] == "pages:grants.html" and "£40" in text.get_content()


def test_a_folder_is_complete_or_not_there(view: View, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    full = tmp_path / "full"
    full.mkdir()
    (full / "mine").write_text("x")
    for taken in (full, full / "mine"):
        with pytest.raises(InputError, match="no empty folder"):
            write_folder(view, taken)
    with pytest.raises(InputError, match="cannot be written"):
        write_folder(view, full / "mine" / "out")
    empty = tmp_path / "empty"
    empty.mkdir()

    def fails(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(StorageContext, "persist", fails)
        with pytest.raises(InputError, match="No space left"):
            write_folder(view, empty)
    assert list(empty.iterdir()) == [] and sorted(path.name for path in tmp_path.iterdir()) == ["empty", "full"]
    write_folder(view, empty)
    assert (empty / "docstore.json").is_file() and (full / "mine").read_text() == "x"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty", "full"]
