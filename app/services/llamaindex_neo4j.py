"""An epoch as a property graph of LlamaIndex's own in a Neo4j, written by its own store."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import numpy as np

from clausegraph.app.services.llamaindex import (
    LONGEST,
    embedded_chunks,
    entity_id,
    every_triplet,
    stock_id,
)
from clausegraph.core.errors import InputError, SettingsError, StoreError, StoreRefused, require_extra
from clausegraph.core.hashing import content_hash
from clausegraph.core.models.embedding import Vectors, normalised
from clausegraph.core.settings import Settings
from clausegraph.indexes.views import View

if TYPE_CHECKING:
    from llama_index.core.graph_stores.types import EntityNode, LabelledNode, Relation, Triplet

    from clausegraph.indexes.graph.neo4j.server import Address


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
    address = _address(uri, settings)
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
    ends = {end.id: end.label for subject, _, target in triplets for end in (subject, target)}
    labels = list(ends.values())
    return (
        {"chunk": len(nodes)} | {label: labels.count(label) for label in ("entity", "value")} | {"fact": len(triplets)}
    )


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


def _address(uri: str, settings: Settings) -> Address:
    try:
        parts = urlsplit(uri)
        host, has_user = parts.hostname, parts.username is not None or parts.password is not None
    except ValueError as error:
        raise InputError(f"the URI of the target cannot be read ({error}); it is like bolt://127.0.0.1:7687") from error
    if has_user or "@" in parts.netloc:
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
        uri,
        settings.neo4j_user,
        settings.neo4j_password.get_secret_value(),
        settings.neo4j_database,
        _DEADLINE_S,
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
