"""An epoch handed over to plain LlamaIndex: a storage context in a folder, or a property graph in a Neo4j."""

from __future__ import annotations

import json
import shutil
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from clausegraph.app.process import version
from clausegraph.core.errors import InputError, require_extra
from clausegraph.core.hashing import content_hash
from clausegraph.core.models.embedding import Vectors
from clausegraph.core.types import LITERAL
from clausegraph.indexes.views import View

if TYPE_CHECKING:
    from llama_index.core.graph_stores.types import LabelledPropertyGraph, Triplet
    from llama_index.core.schema import TextNode


MANIFEST = "clausegraph.json"
LONGEST = 500  # characters of an id: Neo4j keeps them in an index that takes no long ones
_INDEX_ID = "chunks"


def write_folder(view: View, folder: Path) -> dict[str, int]:
    """Write docstore, index store, FAISS vectors and property graph; returns how much of what.

    Raises:
        InputError: the folder is not empty or cannot be written, or the extra is not installed; nothing is left then.
    """
    require_extra("llamaindex", "an export to a folder")
    from llama_index.core import StorageContext
    from llama_index.core.data_structs.data_structs import IndexDict
    from llama_index.core.graph_stores import SimplePropertyGraphStore
    from llama_index.core.storage.docstore import SimpleDocumentStore
    from llama_index.core.storage.index_store import SimpleIndexStore
    from llama_index.vector_stores.faiss import FaissVectorStore

    from clausegraph.indexes.vectors.faiss import flat_index

    nodes, matrix = embedded_chunks(view)
    graph, counts = _property_graph(view, nodes)
    documents, indices = SimpleDocumentStore(), SimpleIndexStore()
    documents.add_documents(nodes)
    indices.add_index_struct(
        IndexDict(index_id=_INDEX_ID, nodes_dict={str(row): node.node_id for row, node in enumerate(nodes)})
    )
    storage = StorageContext.from_defaults(
        docstore=documents,
        index_store=indices,
        vector_store=FaissVectorStore(flat_index(matrix)),
        property_graph_store=SimplePropertyGraphStore(graph),
    )
    counts = {"chunk": len(nodes)} | counts
    with _new_folder(folder) as temporary:
        storage.persist(temporary)
        manifest = {
            "clausegraph": version(),
            "corpus": view.corpus,
            "epoch": view.epoch,
            "embedding_model": view.model,
            "dimension": int(matrix.shape[1]),
            "counts": counts,
        }
        (temporary / MANIFEST).write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
    return counts


def embedded_chunks(view: View) -> tuple[list[TextNode], Vectors]:
    """The chunks of the epoch by page, and their vectors, shape (n, d), in the same order.

    Raises:
        InputError: the epoch has none.
    """
    from clausegraph.query.stores.nodes import chunk_node

    names, matrix = view.vectors("chunk")
    rows = {name: row for row, name in enumerate(names)}
    found = [(page, chunk) for page in view.page_keys() for chunk in view.reading(page).chunks]
    if not found:
        raise InputError(f"epoch {view.epoch} of corpus {view.corpus!r} has no text to hand over; ingest pages first")
    order = [rows[page, chunk.key] for page, chunk in found]
    return [chunk_node(view, page, chunk) for page, chunk in found], matrix[order]


def every_triplet(view: View) -> list[Triplet]:
    """A triplet for each fact of the epoch, by fact id."""
    from clausegraph.query.stores.nodes import make_triplets

    supports = view.graph.all_supports()
    facts = view.graph.facts(sorted({support.fact_id for support in supports}))
    return make_triplets(view, facts, supports)


def stock_id(name: str) -> str:
    """The name as the id of a node; one that is too long, or has quotation marks, of which LlamaIndex would make
    blanks, gets a hash."""
    kept = name[:LONGEST].replace('"', "'")
    return name if kept == name else f"{kept}… {content_hash(name)[:16]}"


def entity_id(key: str) -> str:
    """The id of an entity or a value, another one for another key.

    Entities are capitalised as LlamaIndex's extractors do it: its LLMSynonymRetriever looks for them like that.
    """
    if key.startswith(LITERAL) or key.capitalize().lower() == key:
        return stock_id(key if key.startswith(LITERAL) else key.capitalize())
    return stock_id(key) if key == key.lower() else f"{stock_id(key)}… {content_hash(key)[:16]}"


def _property_graph(view: View, nodes: Sequence[TextNode]) -> tuple[LabelledPropertyGraph, dict[str, int]]:
    """Chunks, entities, values and facts. The stock store keys a relation by ``subject_label_object`` and its
    retrievers show the label alone, so that says the conditions too; the name is in ``properties["relation"]``."""
    from llama_index.core.graph_stores.types import ChunkNode, EntityNode, LabelledPropertyGraph, Relation
    from llama_index.core.vector_stores.utils import node_to_metadata_dict

    from clausegraph.query.stores.nodes import ENTITY, VALUE

    graph = LabelledPropertyGraph()
    for node in nodes:
        kept = node_to_metadata_dict(node, remove_text=True)
        graph.add_node(ChunkNode(id_=node.node_id, text=node.text, properties=kept))
    counts = {ENTITY: 0, VALUE: 0, "fact": 0}
    taken: set[str] = set()
    for subject, relation, target in every_triplet(view):
        ends = [entity_id(subject.id), entity_id(target.id)]
        for name, end in zip(ends, (subject, target), strict=True):
            if name not in graph.nodes:
                graph.add_node(EntityNode(name=name, label=end.label, properties=end.properties | {"key": end.id}))
                counts[end.label] += 1
        label = relation.id
        while (key := f"{ends[0]}_{label}_{ends[1]}") in taken:
            label += f" ({relation.properties['fact_id'][:8]})"
        taken.add(key)
        made = Relation(label=label, source_id=ends[0], target_id=ends[1], properties=relation.properties)
        graph.add_relation(made)
        counts["fact"] += 1
    return graph, counts


@contextmanager
def _new_folder(folder: Path) -> Iterator[Path]:
    """A folder beside the one that is wanted, which gets its name at the end."""
    temporary = folder.parent / f".{folder.name[:50]}-{uuid.uuid4().hex[:12]}"
    try:
        if folder.is_symlink() or (folder.exists() and (not folder.is_dir() or any(folder.iterdir()))):
            raise InputError(f"{folder} is there already and is no empty folder; name a new one")
        folder.parent.mkdir(parents=True, exist_ok=True)
        temporary.mkdir()
        yield temporary
        temporary.replace(folder)
    except OSError as error:
        raise InputError(f"{folder} cannot be written ({error.strerror or error}); choose another place") from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
