"""Chunks, elements and facts of an epoch as LlamaIndex's nodes and triplets."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NoReturn

from llama_index.core.graph_stores.types import (
    TRIPLET_SOURCE_KEY,
    VECTOR_SOURCE_KEY,
    EntityNode,
    LabelledNode,
    Relation,
    Triplet,
)
from llama_index.core.schema import NodeRelationship, RelatedNodeInfo, TextNode

from clausegraph.core.errors import InputError
from clausegraph.core.language.wording import condition_words, written
from clausegraph.core.serial import condition_to_json
from clausegraph.core.types import LITERAL, Chunk, Element, Fact, Mention, PageKey, Reading, Statement, Support
from clausegraph.indexes.views import View
from clausegraph.query.read.evidence import quote_of

ENTITY, VALUE = "entity", "value"  # labels; no label is ever text of a document or a model
_OUTRIGHT = "without condition"

Properties = dict[str, Any]


class GraphEntity(EntityNode):
    """An entity or a value. Its id is its name to the letter: LlamaIndex would make blanks of quotation marks."""

    @property
    def id(self) -> str:
        return self.name


class GraphRelation(Relation):
    """A fact. ``label`` is the relation's name; ``id``, which LlamaIndex's retrievers print between the two ends,
    also says under which conditions it is stated, and that it is denied."""

    @property
    def id(self) -> str:
        qualifiers: list[str] = self.properties["qualifiers"]
        return f"{self.label} [{'; or '.join(qualifiers)}]" if qualifiers else self.label


def refused(what: str) -> Callable[..., NoReturn]:
    """The method of a store that reads one epoch, in place of one that writes: always ``InputError``."""

    def refuse(self: Any, *args: Any, **kwargs: Any) -> NoReturn:
        view: View = self.client
        raise InputError(
            f"{what} is refused: this store reads epoch {view.epoch} of corpus {view.corpus!r} and nothing writes to "
            f"an epoch; run `clausegraph ingest SOURCE --corpus {view.corpus}` (from Python "
            f"`open_corpus({view.corpus!r}).ingest(SOURCE)`) and open the store again"
        )

    return refuse


def refuse_persist(self: Any, persist_path: str, fs: Any = None) -> NoReturn:
    """Always ``InputError``: the ledger is where it is stored; it says how to get a copy."""
    view: View = self.client
    raise InputError(
        "persist is refused: the ledger is where this epoch is stored; for a copy that plain LlamaIndex opens run "
        f"`clausegraph export --to llamaindex FOLDER --corpus {view.corpus} --epoch {view.epoch}`"
    )


# --- texts ----------------------------------------------------------------------------------------


def node_id(page: PageKey, ref: str) -> str:
    """Id of the node of a chunk (``ref`` its key) or an element (its anchor)."""
    return f"{page}#{ref}"


def chunk_node(view: View, page: PageKey, chunk: Chunk, more: Mapping[str, Any] | None = None) -> TextNode:
    """A chunk: its text as it was embedded, its place and ``more`` in the metadata."""
    place = {"chunk": chunk.key, "anchors": list(chunk.anchors), "headings": list(chunk.headings)}
    return _text_node(view, page, chunk.key, chunk.text, place | dict(more or {}))


def element_node(view: View, page: PageKey, element: Element, more: Mapping[str, Any] | None = None) -> TextNode:
    """An element of a page, with ``more`` in the metadata."""
    place = {"anchors": [element.anchor], "headings": list(element.headings), "tag": element.tag, "html": element.html}
    return _text_node(view, page, element.anchor, element.text, place | dict(more or {}))


def fact_node(view: View, fact: Fact, supports: Sequence[Support]) -> TextNode:
    """A fact in words; a graph retriever goes on from its subject."""
    statements = [statement_record(view, support) for support in supports]
    metadata = _fact_properties(view, fact, statements) | {VECTOR_SOURCE_KEY: fact.subject}
    return _node(fact.id, fact.text, metadata)


def place_of(view: View, page: PageKey) -> Properties:
    """What the metadata of everything that stands on a page begins with."""
    reading = view.reading(page)
    return {
        "corpus": view.corpus,
        "epoch": view.epoch,
        "page": str(page),
        "source": page.source,
        "uri": page.uri,
        "title": reading.title,
        "url": reading.url,
        "updated": reading.updated,
    }


def _text_node(view: View, page: PageKey, ref: str, text: str, more: Properties) -> TextNode:
    node = _node(node_id(page, ref), text, place_of(view, page) | more)
    node.relationships[NodeRelationship.SOURCE] = RelatedNodeInfo(node_id=str(page))
    return node


def _node(identity: str, text: str, metadata: Properties) -> TextNode:
    """Metadata is for programs: no model and no embedder is to read it."""
    hidden = {f"excluded_{reader}_metadata_keys": list(metadata) for reader in ("llm", "embed")}
    return TextNode(id_=identity, text=text, metadata=metadata, **hidden)


# --- triplets -------------------------------------------------------------------------------------


def make_triplets(view: View, facts: Iterable[Fact], supports: Sequence[Support]) -> list[Triplet]:
    """One triplet a fact, in the order given; ``supports`` are theirs, by page.

    Its subject carries the chunk that states it (the first by page), from which LlamaIndex's retrievers take the
    source text; its relation all that state it, with their conditions.
    """
    statements: dict[str, list[Properties]] = {}
    first: dict[str, Statement] = {}
    for support in supports:
        statements.setdefault(support.fact_id, []).append(statement_record(view, support))
        first.setdefault(support.fact_id, support.statement)
    return [_triplet(view, fact, first[fact.id], statements[fact.id]) for fact in facts if fact.id in first]


def entity_node(view: View, key: str, properties: Mapping[str, Any] | None = None) -> GraphEntity:
    """An entity of the epoch by its key, or a value: "=" and its text."""
    value = {"value": key.removeprefix(LITERAL)} if key.startswith(LITERAL) else {}
    made = {"corpus": view.corpus, "epoch": view.epoch} | dict(properties or {}) | value
    return GraphEntity(name=key, label=VALUE if value else ENTITY, properties=made)


def _triplet(view: View, fact: Fact, first: Statement, statements: Sequence[Properties]) -> Triplet:
    properties = _fact_properties(view, fact, statements)
    place = {key: properties[key] for key in ("page", "chunk", "anchors")} | {TRIPLET_SOURCE_KEY: properties["chunk"]}
    target = first.object
    kind = {"type": target.type} if isinstance(target, Mention) else {"kind": target.kind}
    subject: LabelledNode = entity_node(view, fact.subject, place | {"type": first.subject.type})
    relation = GraphRelation(label=fact.relation, source_id=fact.subject, target_id=fact.object, properties=properties)
    return subject, relation, entity_node(view, fact.object, place | kind)


def _fact_properties(view: View, fact: Fact, statements: Sequence[Properties]) -> Properties:
    first = statements[0]
    return {
        "corpus": view.corpus,
        "epoch": view.epoch,
        "fact_id": fact.id,
        "subject": fact.subject,
        "relation": fact.relation,
        "object": fact.object,
        "supports": len(statements),
        "page": first["page"],
        "chunk": first["chunk"],
        "anchors": first["anchors"],
        "holds": any(one["holds"] for one in statements),
        "conditions": list(dict.fromkeys(one["condition"] for one in statements if one["condition"])),
        "qualifiers": _qualifiers(statements),
        "statements": statements,
    }


def statement_record(view: View, support: Support) -> Properties:
    """A statement with its place, its sentences and its condition, in words and as a tree (JSON)."""
    statement = support.statement
    reading = view.reading(support.page)
    return {
        "page": str(support.page),
        "title": reading.title,
        "url": reading.url,
        "chunk": node_id(support.page, support.chunk_key),
        "anchors": list(dict.fromkeys(span.anchor for span in statement.spans)),
        "quotes": _quotes(support, reading),
        "holds": statement.polarity,
        "modality": statement.modality.value,
        "wording": statement.wording,
        "subject_written": written(statement.subject),
        "object_written": written(statement.object),
        "condition": condition_words(statement.condition),
        "condition_tree": json.dumps(condition_to_json(statement.condition), ensure_ascii=False),
        "effective_from": statement.effective_from,
        "effective_to": statement.effective_to,
        "step": statement.step.text if statement.step else None,
        "procedure": statement.step.procedure if statement.step else None,
        "extractor": support.extractor,
    }


def _quotes(support: Support, reading: Reading) -> list[str]:
    by_anchor = {element.anchor: element for element in reading.elements}
    spans = [span for span in support.statement.spans if span.anchor in by_anchor]
    return list(dict.fromkeys(quote_of(by_anchor[span.anchor], span.start, span.end) for span in spans))


def _qualifiers(statements: Sequence[Properties]) -> list[str]:
    """How its statements limit or deny the fact; none where all of them simply state it."""
    words: dict[str, None] = {}
    for one in statements:
        limits = ([] if one["holds"] else ["not"]) + ([f"if {one['condition']}"] if one["condition"] else [])
        words[" ".join(limits) or _OUTRIGHT] = None
    return [] if list(words) == [_OUTRIGHT] else list(words)
