"""What follows from the truth, by epoch interval: can be computed again."""

from __future__ import annotations

from sqlalchemy import Column, ForeignKey, Index, Integer, String, Table, Text

from clausegraph.indexes.ledger.dialect import IDS_NEVER_REUSED, index_where
from clausegraph.indexes.ledger.schema.columns import corpus_id, interval, metadata

entity_names = Table(  # the accepted decisions, as each epoch applied them
    "entity_names",
    metadata,
    Column("id", Integer, primary_key=True),
    corpus_id(),
    Column("name", Text, nullable=False),
    Column("entity", Text, nullable=False),
    *interval(),
    Index("entity_names_open", "corpus_id", "until"),
)

chunks = Table(
    "chunks",
    metadata,
    Column("id", Integer, primary_key=True),
    corpus_id(),
    Column("page_id", ForeignKey("pages.id", ondelete="CASCADE"), nullable=False),
    Column("key", Text, nullable=False),
    Column("content_hash", String(64), nullable=False),
    Column("input_key", String(64), nullable=False),
    *interval(),
    Index("chunks_page", "page_id", "until"),
    Index("chunks_until", "corpus_id", "until"),
)

# As a literal in the query, too, or no planner can tell that the index holds all that is asked for.
_DEFINED = "extractor = 'definitions:1'"
supports = Table(
    "supports",
    metadata,
    Column("id", Integer, primary_key=True),
    corpus_id(),
    Column("page_id", ForeignKey("pages.id", ondelete="CASCADE"), nullable=False),
    Column("chunk_key", Text, nullable=False),
    Column("fact_id", String(64), nullable=False),
    Column("subject", Text, nullable=False),
    Column("relation", Text, nullable=False),
    Column("object", Text, nullable=False),
    Column("content_key", String(64), nullable=False),
    Column("extractor", Text, nullable=False),
    Column("statement", Text, nullable=False),
    *interval(),
    Index("supports_page", "page_id", "until"),
    Index("supports_until", "corpus_id", "until"),
    Index("supports_fact", "corpus_id", "fact_id"),
    Index("supports_subject", "corpus_id", "subject"),
    Index("supports_object", "corpus_id", "object"),
    index_where(_DEFINED, "supports_definitions", "corpus_id", "until"),
)

hidden_supports = Table(  # would be supports if nobody had decided to hide what they state; under the names as written
    "hidden_supports",
    metadata,
    Column("id", Integer, primary_key=True),
    corpus_id(),
    Column("page_id", ForeignKey("pages.id", ondelete="CASCADE"), nullable=False),
    Column("chunk_key", Text, nullable=False),
    Column("fact_id", String(64), nullable=False),
    Column("subject", Text, nullable=False),
    Column("relation", Text, nullable=False),
    Column("object", Text, nullable=False),
    Column("content_key", String(64), nullable=False),
    Column("extractor", Text, nullable=False),
    Column("statement", Text, nullable=False),
    *interval(),
    Index("hidden_supports_page", "page_id", "until"),
    Index("hidden_supports_until", "corpus_id", "until"),
)

passages = Table(  # what was not understood, with its conditions and names; no part of the graph
    "passages",
    metadata,
    Column("id", Integer, primary_key=True),
    corpus_id(),
    Column("page_id", ForeignKey("pages.id", ondelete="CASCADE"), nullable=False),
    Column("chunk_key", Text, nullable=False),
    Column("content_key", String(64), nullable=False),
    Column("extractor", Text, nullable=False),
    Column("passage", Text, nullable=False),
    *interval(),
    Index("passages_page", "page_id", "until"),
    Index("passages_until", "corpus_id", "until"),
)

entity_tokens = Table(
    "entity_tokens",
    metadata,
    Column("corpus_id", ForeignKey("corpora.id", ondelete="CASCADE"), primary_key=True),
    Column("token", Text, primary_key=True),
    Column("entity", Text, primary_key=True),
)

vectors = Table(
    "vectors",
    metadata,
    Column("id", Integer, primary_key=True),  # the id in the FAISS segments, never reused
    corpus_id(),
    Column("kind", String(10), nullable=False),  # chunk, element, fact, passage
    Column("page_id", ForeignKey("pages.id", ondelete="CASCADE")),
    Column("ref", Text, nullable=False),
    Column("text_hash", String(64), nullable=False),
    Column("model", Text, nullable=False),
    *interval(),
    Index("vectors_page", "page_id", "until"),
    Index("vectors_until", "corpus_id", "until"),
    Index("vectors_ref", "corpus_id", "kind", "ref"),
    Index("vectors_text", "corpus_id", "text_hash"),
    Index("vectors_since", "corpus_id", "kind", "since"),
    **IDS_NEVER_REUSED,
)
