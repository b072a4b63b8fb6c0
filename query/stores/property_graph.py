"""An epoch's graph as a LlamaIndex ``PropertyGraphStore``: read-only, over either graph, with Cypher where there is a
server for it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from llama_index.core.graph_stores.types import ChunkNode, LabelledNode, PropertyGraphStore, Triplet
from llama_index.core.schema import BaseNode, TextNode

from clausegraph.core.errors import InputError, QueryRefused
from clausegraph.core.types import LITERAL, Chunk, Fact, PageKey
from clausegraph.indexes.graph.protocol import Graph, entity_ends
from clausegraph.indexes.views import View
from clausegraph.query.stores.nodes import chunk_node, entity_node, make_triplets, node_id, refuse_persist, refused

if TYPE_CHECKING:
    from clausegraph.indexes.graph.neo4j.server import Neo4jServer

SCHEMA_RELATIONS = 100  # named in the schema, those with most statements first
_LONGEST_NAME = 80  # of a relation in the schema
_ALL = 1_000_000_000  # facts: no cut
_DEEPEST = 2  # hops that a graph is asked for
_PINNED = ("corpus", "epoch")
_CYPHER = (
    "The graph is (:Entity {name})-[r:STATES {relation, fact_id, polarity, modality, wording, subject_written, "
    "object_written, page, anchors, condition, statement}]->(:Entity {name}) or (:Value {name}), and (:Rule {kind, "
    "text, values, page, condition})-[r:ABOUT|ACTOR|COUNTERPARTY|AUTHORITY|OBJECT|DOCUMENT|PLACE|NAMES]->(:Entity "
    "{name}); "
    "(:Page {key, source, uri}) and (:Condition {key, text}) are what page and condition name. "
    "Names of entities are in lower case. Relations are values of r.relation, never "
    "types. Every query must keep to one corpus and epoch, whose parameters are given: "
    "WHERE r.corpus = $corpus AND r.since <= $epoch AND r.until > $epoch"
)


class ViewPropertyGraphStore(PropertyGraphStore):
    """The graph of a view: chunks and entities as nodes, facts as triplets.

    What is not asked for (``None``) does not restrict; an empty list asks for nothing and gets nothing. Several
    restrictions hold together. Ids are those of chunks (``source:uri#key``), and names of entities in any spelling
    that has the same key; a value ("=" and its text) is an end of triplets only.

    Args:
        view: the epoch; whoever opened it closes it.
        server: the Neo4j that the view's graph is read from, for ``structured_query``.

    Raises:
        InputError: a server is given, but the view's graph is not read from it; and from every write.
        ViewExpired, StoreError: from every method, as the view and its graph.
    """

    def __init__(self, view: View, server: Neo4jServer | None = None) -> None:
        if server is not None:
            from clausegraph.indexes.graph.neo4j.graph import Neo4jGraph

            if not isinstance(view.graph, Neo4jGraph):
                raise InputError(
                    "Cypher needs a view whose graph is read from Neo4j; set CLAUSEGRAPH_GRAPH=neo4j (and run "
                    f"`clausegraph project neo4j --corpus {view.corpus}` if the epoch is not there yet)"
                )
        self._view = view
        self._server = server
        self._relations: dict[str, int] | None = None
        self.supports_structured_queries = server is not None

    @property
    def client(self) -> View:
        """The view."""
        return self._view

    # --- reading ----------------------------------------------------------------------------------

    def get(self, properties: dict[str, Any] | None = None, ids: list[str] | None = None) -> list[LabelledNode]:
        """Chunks and entities with these ids, in their order; all of the epoch where none are named.

        Args:
            properties: each must be equal in the node's.
        """
        nodes = self._nodes(self._every_id() if ids is None else ids)
        return [node for node in nodes if _has(properties, node.properties)]

    def get_triplets(
        self,
        entity_names: list[str] | None = None,
        relation_names: list[str] | None = None,
        properties: dict[str, Any] | None = None,
        ids: list[str] | None = None,
    ) -> list[Triplet]:
        """Facts of these entities and relations, and, by ``ids``, of these entities or stated in these chunks.

        Args:
            properties: each must be equal in the subject's, the relation's or the object's.
        """
        wanted = [self._around(names) for names in (entity_names, ids) if names is not None]
        facts = self._every_fact(relation_names) if not wanted else list(wanted[0].values())
        facts = [fact for fact in facts if all(fact.id in found for found in wanted[1:])]
        if relation_names is not None:
            facts = [fact for fact in facts if fact.relation in relation_names]
        return [
            triplet for triplet in self._triplets(facts) if _has(properties, *(part.properties for part in triplet))
        ]

    def get_rel_map(
        self, graph_nodes: Sequence[LabelledNode], depth: int = 2, limit: int = 30, ignore_rels: list[str] | None = None
    ) -> list[Triplet]:
        """Facts within ``depth`` hops of the entities, nearest and most stated first, cut to ``limit``.

        A chunk stands for the facts that it states; they come before those around the entities.

        Raises:
            InputError: a depth of more than 2.
        """
        if depth > _DEEPEST:
            raise InputError(f"depth {depth} is more than the {_DEEPEST} hops a graph is asked for; give 1 or 2")
        if depth < 1 or limit < 1:
            return []
        ignored = set(ignore_rels or ()) & set(self._counted())
        chunks = [node.id for node in graph_nodes if isinstance(node, ChunkNode)]
        found = {fact.id: fact for fact in self._stated(chunks) if fact.relation not in ignored}
        keys = [node.id for node in graph_nodes if not isinstance(node, ChunkNode)]
        kept = [name for name in self._counted() if name not in ignored] if ignored else None
        for fact in self._graph.neighbourhood(keys, depth, limit, kept):
            found.setdefault(fact.id, fact)
        return self._triplets(list(found.values())[:limit])

    def get_llama_nodes(self, node_ids: list[str]) -> list[BaseNode]:
        """The chunks of these ids as text nodes; other ids are left out."""
        return [chunk_node(self._view, page, chunk) for page, chunk in self._chunks(node_ids).values()]

    async def aget_llama_nodes(self, node_ids: list[str]) -> list[BaseNode]:
        """As ``get_llama_nodes``."""
        return self.get_llama_nodes(node_ids)

    # --- schema and Cypher ------------------------------------------------------------------------

    def get_schema(self, refresh: bool = False) -> dict[str, Any]:
        """What the graph holds: ``{"corpus", "epoch", "entities", "facts", "relations": {name: statements},
        "more_relations"}``; an epoch never changes, so there is nothing to refresh."""
        counts = self._graph.counts()
        ranked = sorted(self._counted().items(), key=lambda item: (-item[1], item[0]))
        return {
            "corpus": self._view.corpus,
            "epoch": self._view.epoch,
            "entities": counts.entities,
            "facts": counts.facts,
            "relations": dict(ranked[:SCHEMA_RELATIONS]),
            "more_relations": len(ranked[SCHEMA_RELATIONS:]),
        }

    def get_schema_str(self, refresh: bool = False) -> str:
        """The schema for a prompt. Names of relations come from documents: quoted, on one line, cut."""
        schema = self.get_schema(refresh)
        named = [
            f"{json.dumps(' '.join(name.split())[:_LONGEST_NAME], ensure_ascii=False)} ({held})"
            for name, held in schema["relations"].items()
        ]
        more = f" and {schema['more_relations']} rarer ones" if schema["more_relations"] else ""
        return "\n".join(
            [
                f"{schema['entities']} entities, {schema['facts']} facts.",
                *([_CYPHER] if self.supports_structured_queries else []),
                f"Relations, with how often they are stated: {', '.join(named)}{more}",
            ]
        )

    async def aget_schema_str(self, refresh: bool = False) -> str:
        """As ``get_schema_str``."""
        return self.get_schema_str(refresh)

    def structured_query(self, query: str, param_map: dict[str, Any] | None = None) -> list[dict[str, Any]]:
        """The rows of a Cypher query that can only read; ``$corpus`` and ``$epoch`` are given.

        The database holds every epoch and corpus of its ledger, so a query must name both parameters; which rows
        they keep is up to the query.

        Raises:
            InputError: the graph is the ledger's, or a parameter would replace a pinned one.
            QueryRefused: a parameter is not named, it does more than read, or its rows are too many.
            StoreError: too slow; or the database does not have the epoch.
        """
        if self._server is None:
            raise InputError(
                "Cypher needs the graph in Neo4j, and this one is read from the ledger; set CLAUSEGRAPH_GRAPH=neo4j "
                "and run `clausegraph project neo4j`, or use get_triplets and get_rel_map"
            )
        given = param_map or {}
        if taken := [name for name in _PINNED if name in given]:
            raise InputError(f"parameter ${taken[0]} is pinned by the store; give yours another name")
        if missing := [name for name in _PINNED if f"${name}" not in query]:
            raise QueryRefused(
                f"the query does not use ${missing[0]}, so it would mix corpora or epochs; keep relationships to "
                "r.corpus = $corpus AND r.since <= $epoch AND r.until > $epoch"
            )
        from clausegraph.indexes.graph.neo4j.cypher import run_pinned

        result = run_pinned(self._view, self._server, query, given)
        if result.is_cut:
            raise QueryRefused(f"the query has more than {len(result.rows)} rows; aggregate, or end it with a LIMIT")
        return [dict(zip(result.columns, row, strict=True)) for row in result.rows]

    # --- what it does not do ----------------------------------------------------------------------

    def vector_query(self, query: Any, **kwargs: Any) -> NoReturn:
        """Refused: vectors are in ``ViewVectorStore``."""
        raise InputError(
            "the graph has no vectors; give VectorContextRetriever or PropertyGraphIndex "
            "vector_store=ViewVectorStore(view, 'fact')"
        )

    upsert_nodes = refused("upsert_nodes")
    upsert_relations = refused("upsert_relations")
    upsert_llama_nodes = refused("upsert_llama_nodes")
    delete = refused("delete")
    delete_llama_nodes = refused("delete_llama_nodes")
    persist = refuse_persist

    # --- inside -----------------------------------------------------------------------------------

    @property
    def _graph(self) -> Graph:
        self._view.page_keys()  # raises when the view has ended: a vacuumed epoch must not look like an empty one
        return self._view.graph

    def _counted(self) -> dict[str, int]:
        if self._relations is None:
            self._relations = self._graph.relations()
        return self._relations

    def _nodes(self, ids: Sequence[str]) -> list[LabelledNode]:
        chunks = self._chunks(ids)
        entities = self._entities([identity for identity in ids if identity not in chunks])
        nodes: dict[str, LabelledNode] = {}
        for identity in ids:
            if identity in chunks:
                nodes[identity] = _as_chunk(chunk_node(self._view, *chunks[identity]))
            elif identity in entities:
                nodes[entities[identity]] = entity_node(self._view, entities[identity])
        return list(nodes.values())

    def _every_id(self) -> list[str]:
        pages = {page: self._view.reading(page).chunks for page in self._view.page_keys()}
        ends = sorted(entity_ends(self._every_fact(None)))
        return [node_id(page, chunk.key) for page, chunks in pages.items() for chunk in chunks] + ends

    def _chunks(self, ids: Iterable[str]) -> dict[str, tuple[PageKey, Chunk]]:
        """Those of the ids that are a chunk's."""
        pages = {str(page): page for page in self._view.page_keys()}
        found: dict[str, tuple[PageKey, Chunk]] = {}
        for identity in ids:
            name, _, key = identity.rpartition("#")
            for chunk in self._view.reading(pages[name]).chunks if name in pages else ():
                if chunk.key == key:
                    found[identity] = pages[name], chunk
        return found

    def _entities(self, names: Sequence[str]) -> dict[str, str]:
        """Those of the names that name an entity, name → key: as a key, else in another spelling."""
        exact = self._graph.named(names)
        others = [name for name in names if name not in exact and not name.startswith(LITERAL)]
        return exact | self._graph.named(others, normalised=True)

    def _around(self, names: Sequence[str]) -> dict[str, Fact]:
        """The facts of these entities or chunks, by id."""
        chunks = self._chunks(names)
        keys = list(self._entities([name for name in names if name not in chunks]).values())
        return {fact.id: fact for fact in (*self._stated(chunks), *self._graph.neighbourhood(keys, 1, _ALL))}

    def _stated(self, chunk_ids: Iterable[str]) -> list[Fact]:
        """The facts that these chunks state."""
        graph = self._graph
        return graph.facts(
            [
                support.fact_id
                for page, chunk in self._chunks(chunk_ids).values()
                for support in graph.supports_on(page, chunk.anchors)
                if support.chunk_key == chunk.key
            ]
        )

    def _every_fact(self, relation_names: Sequence[str] | None) -> list[Fact]:
        stated = (
            one.fact_id
            for one in self._graph.all_supports()
            if relation_names is None or one.statement.relation in relation_names
        )
        return self._graph.facts(sorted(set(stated)))

    def _triplets(self, facts: Sequence[Fact]) -> list[Triplet]:
        return make_triplets(self._view, facts, self._graph.supports([fact.id for fact in facts]))


def _as_chunk(node: TextNode) -> ChunkNode:
    return ChunkNode(id_=node.node_id, text=node.text, properties=node.metadata)


def _has(wanted: dict[str, Any] | None, *places: dict[str, Any]) -> bool:
    """Whether each of the wanted values is in one of the places."""
    return all(any(key in place and place[key] == value for place in places) for key, value in (wanted or {}).items())
