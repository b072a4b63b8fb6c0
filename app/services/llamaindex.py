"""An epoch handed over to plain LlamaIndex: a storage context in a folder, or a property graph in a Neo4j."""

from __future__ import annotations

import json
import re
import shutil
import uuid
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import numpy as np

from clausegraph.app.process import version
from clausegraph.core.errors import InputError, SettingsError, StoreError, StoreRefused, require_extra
from clausegraph.core.hashing import content_hash
from clausegraph.core.models.embedding import Vectors, normalised
from clausegraph.core.settings import Settings
from clausegraph.core.types import LITERAL
from clausegraph.indexes.views import View

if TYPE_CHECKING:
    from llama_index.core.graph_stores.types import EntityNode, LabelledNode, LabelledPropertyGraph, Relation, Triplet
    from llama_index.core.schema import TextNode

    from clausegraph.indexes.graph.neo4j.server import Address


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
    rows = {str(row): node.node_id for row, node in enumerate(nodes)}
    indices.add_index_struct(IndexDict(index_id=_INDEX_ID, nodes_dict=rows))
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
        graph.add_relation(Relation(label=label, source_id=ends[0], target_id=ends[1], properties=relation.properties))
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


_DEADLINE_S = 600.0  # of a transaction
SCHEMES = ("bolt", "bolt+s", "bolt+ssc", "neo4j", "neo4j+s", "neo4j+ssc")
MOST_TYPES = 65_000  # of relationships; Neo4j has room for 65,535 in all
_PLAIN = re.compile(r"(?!not )[a-z][a-z0-9]*( [a-z0-9]+)*")
_PROCEDURES = ("apoc.create.addLabels", "apoc.merge.relationship", "apoc.meta.data", "apoc.meta.subGraph")


def write_neo4j(view: View, uri: str, settings: Settings) -> dict[str, int]:
    """Write chunks, entities, values and facts into an empty database; returns how much of what.

    User, password and database are those of the settings.

    Raises:
        InputError: the URI is not a Neo4j's or has a password in it; too many relations; the extra is not installed.
        SettingsError: no password is set.
        StoreRefused: the database is not empty, or has no APOC.
        StoreError: Neo4j does not answer, or failed on the way: part of the epoch may be there then.
    """
    address = _target_address(uri, settings)
    from llama_index.graph_stores.neo4j import Neo4jPropertyGraphStore

    from clausegraph.indexes.graph.neo4j.server import driver_errors

    nodes, matrix = embedded_chunks(view)
    triplets = every_triplet(view)
    relations = [_relation(relation) for _, relation, _ in triplets]
    types = {relation.label for relation in relations}
    if len(types) > MOST_TYPES:
        raise InputError(
            f"{len(types)} different relations are more than the {MOST_TYPES} relationship types that a Neo4j takes; "
            "export to a folder instead"
        )
    for node, vector in zip(nodes, matrix, strict=True):
        node.id_ = stock_id(node.node_id)
        node.embedding = vector.tolist()
    _check_target(address)
    try:
        with (
            driver_errors(address),
            Neo4jPropertyGraphStore(
                address.user, address.password, uri, address.database, refresh_schema=False, timeout=address.deadline
            ) as store,
        ):
            store.upsert_llama_nodes(nodes)
            store.upsert_nodes(list(_ends(view, triplets)))
            store.upsert_relations(relations)
    except StoreError as error:
        raise type(error)(
            f"{error}; the export is not complete: empty the database (MATCH (n) DETACH DELETE n) and run it again"
        ) from error
    labels = Counter({end.id: end.label for subject, _, target in triplets for end in (subject, target)}.values())
    return {"chunk": len(nodes), "entity": labels["entity"], "value": labels["value"], "fact": len(triplets)}


def identifier(relation: str, *, denied: bool = False) -> str:
    """A relationship type for a relation's name: letters, digits, underscores, another one for another name.

    ``is paid to`` becomes ``is_paid_to``; what is not plain lower-case words gets a hash. ``denied`` makes the one
    for a fact that no statement affirms.
    """
    if _PLAIN.fullmatch(relation) and len(relation) <= LONGEST:
        made = relation.replace(" ", "_")
    else:
        made = f"r_{re.sub('[^a-z0-9]+', '_', relation.lower())[:40].strip('_')}__{content_hash(relation)[:16]}"
    return f"not_{made}" if denied else made


def _target_address(uri: str, settings: Settings) -> Address:
    try:
        parts = urlsplit(uri)
        host = parts.hostname
    except ValueError as error:
        raise InputError(f"the URI of the target cannot be read ({error}); it is like bolt://127.0.0.1:7687") from error
    if "@" in parts.netloc:
        raise InputError(
            "user and password do not belong into a URI, where they end up in histories and logs; set "
            "CLAUSEGRAPH_NEO4J_USER and CLAUSEGRAPH_NEO4J_PASSWORD"
        )
    if parts.scheme not in SCHEMES or not host or parts.path.strip("/"):
        raise InputError(
            f"{uri!r} is no address of a Neo4j; it is like bolt://127.0.0.1:7687 (or {', '.join(SCHEMES[1:])}), its "
            "database is named by CLAUSEGRAPH_NEO4J_DATABASE"
        )
    if settings.neo4j_password is None:
        raise SettingsError("no password for Neo4j; set CLAUSEGRAPH_NEO4J_PASSWORD (and CLAUSEGRAPH_NEO4J_USER)")
    require_extra("llamaindex", "an export to Neo4j")
    from clausegraph.indexes.graph.neo4j.server import Address

    return Address(
        uri, settings.neo4j_user, settings.neo4j_password.get_secret_value(), settings.neo4j_database, _DEADLINE_S
    )


def _check_target(address: Address) -> None:
    """Refuse a database in which anything is, and one that LlamaIndex's store cannot write to."""
    from clausegraph.indexes.graph.neo4j.server import Neo4jServer

    where = f"database {address.database!r} at {address.uri}"
    with Neo4jServer(address) as server:
        if server.read("MATCH (l:Ledger) RETURN l.id AS id LIMIT 1"):
            raise StoreRefused(
                f"{where} holds the projection of a ledger of ClauseGraph; an export needs a database of its own: name "
                "another server, or another database with CLAUSEGRAPH_NEO4J_DATABASE"
            )
        found = server.read("MATCH (n) RETURN labels(n) AS labels LIMIT 1")
        if found:
            label = next(iter(found[0]["labels"]), "unlabelled")
            raise StoreRefused(
                f"{where} is not empty (it has {label} nodes); an export needs a database of its own: name another one "
                "with CLAUSEGRAPH_NEO4J_DATABASE, or empty it (MATCH (n) DETACH DELETE n)"
            )
        there = server.read("SHOW PROCEDURES YIELD name WHERE name STARTS WITH 'apoc.' RETURN collect(name) AS names")
        if missing := sorted(set(_PROCEDURES) - set(there[0]["names"])):
            raise StoreRefused(
                f"Neo4j at {address.uri} lacks APOC ({missing[0]}), which LlamaIndex's store writes with; put the "
                "apoc-core jar of the server's version into its plugins folder and restart it"
            )
        try:
            server.read("CALL apoc.meta.data({}) YIELD label RETURN count(label), apoc.any.property({a: 1}, 'a')")
        except StoreError as error:
            if "ProcedureRegistrationFailed" not in str(error):
                raise
            raise StoreRefused(
                f"Neo4j at {address.uri} does not let APOC read the schema, without which LlamaIndex's store does not "
                "open; add dbms.security.procedures.unrestricted=apoc.* to its neo4j.conf and restart it"
            ) from error


def _ends(view: View, triplets: Sequence[Triplet]) -> Iterator[EntityNode]:
    """Entities and values, once for each chunk that mentions them, the one that states most of them last.

    The store ties a node to one chunk at a time, and keeps the last as the source that its retrievers show.
    """
    from llama_index.core.graph_stores.types import TRIPLET_SOURCE_KEY, EntityNode

    vectors = _entity_vectors(view, triplets)
    ends: dict[str, LabelledNode] = {}
    chunks: dict[str, Counter[str]] = {}
    for subject, relation, target in triplets:
        for end in (subject, target):
            ends.setdefault(end.id, end)
            chunks.setdefault(end.id, Counter()).update(one["chunk"] for one in relation.properties["statements"])
    for name, end in ends.items():
        kept = {key: end.properties[key] for key in ("corpus", "epoch", "type", "kind") if key in end.properties}
        for chunk, _ in reversed(chunks[name].most_common()):
            yield EntityNode(
                name=entity_id(name),
                label=end.label,
                properties=kept | {"key": name, TRIPLET_SOURCE_KEY: stock_id(chunk)},
                embedding=vectors.pop(name, None),
            )


def _entity_vectors(view: View, triplets: Sequence[Triplet]) -> dict[str, list[float]]:
    """A vector for each end of a fact, by which the stock vector index finds it: the mean of its facts' vectors.

    No entity is embedded by itself in ClauseGraph; its facts are.
    """
    names, matrix = view.vectors("fact")
    rows: dict[str, list[int]] = {}
    for row, (_, fact) in enumerate(names):
        rows.setdefault(fact, []).append(row)
    facts: dict[str, list[int]] = {}
    for subject, relation, target in triplets:
        for end in (subject.id, target.id):
            facts.setdefault(end, []).extend(rows[relation.properties["fact_id"]])
    means: Vectors = normalised(np.stack([matrix[found].mean(axis=0) for found in facts.values()]))
    return dict(zip(facts, means.tolist(), strict=True))


def _relation(relation: Relation) -> Relation:
    """The fact as Neo4j can hold it: its statements as lines of JSON."""
    from llama_index.core.graph_stores.types import Relation

    properties: dict[str, Any] = dict(relation.properties)
    statements = properties.pop("statements")
    kept = properties | {
        "chunk": stock_id(properties["chunk"]),
        "pages": list(dict.fromkeys(one["page"] for one in statements)),
        "statements": [json.dumps(one, ensure_ascii=False) for one in statements],
    }
    return Relation(
        label=identifier(relation.label, denied=not properties["holds"]),
        source_id=entity_id(relation.source_id),
        target_id=entity_id(relation.target_id),
        properties=kept,
    )
