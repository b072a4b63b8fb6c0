"""Names of nodes and relationships in Neo4j: one for each row of the ledger, the same whenever it is written."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Row

from clausegraph.core.language.normalise import tokens


@dataclass(frozen=True, slots=True)
class GraphCorpus:
    """The corpus whose rows these are: its id in the ledger, and its name."""

    id: int
    name: str


def page_key(corpus_id: int, page_id: int) -> str:
    return f"{corpus_id}/{page_id}"


def term_key(corpus_id: int, name: str) -> str:
    """Key of the node of an entity or a value: names may be too long for an index."""
    return f"{corpus_id}/{digest(name)}"


def words(name: str) -> str:
    """The tokens of a name, each between blanks, as a text index finds them."""
    return f" {' '.join(sorted(set(tokens(name))))} "


def digest(*parts: str) -> str:
    text = "\0".join(parts).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(text, digest_size=16).hexdigest()


def member_id(corpus: GraphCorpus, row: Row[Any]) -> str:
    return f"{corpus.id}/{row.page_id}/{row.page_version_id}/{digest(row.extractor, row.projection)[:8]}@{row.since}"


def chunk_id(corpus: GraphCorpus, row: Row[Any]) -> str:
    return f"{corpus.id}/{row.page_id}/{digest(row.key, row.content_hash, row.input_key)}@{row.since}"


def support_id(corpus: GraphCorpus, row: Row[Any]) -> str:
    return f"{corpus.id}/{row.page_id}/{row.content_key}@{row.since}"


def name_id(corpus: GraphCorpus, row: Row[Any]) -> str:
    return f"{corpus.id}/{digest(row.name)}@{row.since}"
