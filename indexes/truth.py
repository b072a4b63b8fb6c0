"""What was read and paid for, stored once: page versions, extractions and embeddings."""

from __future__ import annotations

import time
import zlib
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import numpy as np
from sqlalchemy import Column, ColumnElement, Connection, Select, Table, exists, func, insert, select, update

from clausegraph.core.errors import ModelMismatchError, StorageError
from clausegraph.core.extraction import Extraction
from clausegraph.core.hashing import content_hash
from clausegraph.core.models.embedding import Vectors
from clausegraph.core.serial import (
    extraction_from_bytes,
    extraction_to_json,
    pack,
    reading_from_bytes,
    reading_to_json,
    rule_from_text,
    statement_from_text,
)
from clausegraph.core.types import PageKey, PlacedRule, Reading, Rule
from clausegraph.indexes.ledger.cells import COUNTS, damage_error, decode, record_of
from clausegraph.indexes.ledger.dialect import insert_new, insert_or_update, without_index
from clausegraph.indexes.ledger.schema import (
    OPEN,
    blobs,
    chunks,
    embeddings,
    epochs,
    extractions,
    hidden_supports,
    in_newest,
    members,
    metadata,
    on_pages,
    page_versions,
    pages,
    rule_roles,
    rules,
    seen_at,
    sources,
    supports,
    vectors,
)
from clausegraph.indexes.ledger.store import Ledger, Reads, batches
from clausegraph.indexes.words import count_words, store_words

_FEW_RULES = 500
_BYTES = 4  # of a number of a vector
_ROWS_AT_ONCE = 200  # with data, written in one transaction


@dataclass(frozen=True, slots=True)
class VersionInput:
    """A fetched page with its reading, ready to be stored."""

    uri: str
    raw: bytes
    content_type: str
    title: str | None
    url: str | None
    pipeline: str
    reading: Reading

    @property
    def key(self) -> str:
        return version_key(self.raw, self.content_type, self.title, self.url, self.pipeline)


def version_key(raw: bytes, content_type: str, title: str | None, url: str | None, pipeline: str) -> str:
    """Identity of a page version: its bytes, what its source says of it, and the reading pipeline."""
    return content_hash("version", raw, content_type, title or "", url or "", pipeline)


def title_key(title: str) -> str:
    """A title as it is looked up: in small letters, with single spaces."""
    return " ".join(title.lower().split())


def raw_hash_of(raw: bytes) -> str:
    """Identity of the bytes of a page."""
    return content_hash("raw", raw)


@dataclass(frozen=True, slots=True)
class StoredPage:
    """A page version in the ledger, ready to be extracted and projected. ``read`` has its reading, which is large."""

    page_id: int
    version_id: int
    read: Callable[[], Reading]

    @classmethod
    def of(cls, page_id: int, version_id: int, reading: Reading) -> StoredPage:
        """A page whose reading is in memory already."""
        return cls(page_id, version_id, partial(_itself, reading))

    @property
    def reading(self) -> Reading:
        return self.read()


def _itself(reading: Reading) -> Reading:
    return reading


_READINGS_KEPT = 200


def kept_readings(ledger: Ledger) -> Callable[[int], Reading]:
    """The stored reading of a page version by its id; the last ones are kept, not all that a run has."""

    @lru_cache(maxsize=_READINGS_KEPT)
    def reading_of(version_id: int) -> Reading:
        with ledger.read() as connection:
            return load_reading(connection, version_id)

    return reading_of


@dataclass(frozen=True, slots=True)
class OpenMember:
    """A page of the newest state: which version of it, read and extracted how."""

    page_id: int
    uri: str
    version_id: int
    version_key: str
    extractor: str
    derivation: str


def open_members(ledger: Ledger, source_id: int) -> dict[str, OpenMember]:
    """The pages of a source in the newest state, by uri."""
    query = (
        select(members, pages.c.uri, page_versions.c.version_key, members.c.page_version_id.label("version_id"))
        .join(pages, pages.c.id == members.c.page_id)
        .join(page_versions, page_versions.c.id == members.c.page_version_id)
        .where(pages.c.source_id == source_id, in_newest(members))
    )
    return {row.uri: record_of(OpenMember, row, derivation=row.projection) for row in ledger.rows(query)}


def all_open_members(ledger: Ledger, corpus_id: int) -> list[tuple[int, int, str]]:
    """(page id, version id, extractor) of every page of the newest state of a corpus."""
    query = select(members.c.page_id, members.c.page_version_id, members.c.extractor).where(
        members.c.corpus_id == corpus_id, in_newest(members)
    )
    return [tuple(row) for row in ledger.rows(query.order_by(members.c.page_id))]


def store_versions(
    ledger: Ledger,
    corpus_id: int,
    source_id: int,
    versions: Sequence[VersionInput],
    reading_of: Callable[[int], Reading] | None = None,
) -> dict[str, StoredPage]:
    """Store page versions unless they are there, by uri; ``reading_of`` has the reading that is stored of a version.

    What takes long is done before the transactions, one for each page: others may be waiting to write.
    """
    read = reading_of or kept_readings(ledger)
    packed = [(version, _packed(version)) for version in versions]
    stored: dict[str, StoredPage] = {}
    for version, columns in packed:
        here = (pages.c.source_id == source_id, pages.c.uri == version.uri)
        with ledger.write() as connection:
            page = {"corpus_id": corpus_id, "source_id": source_id, "uri": version.uri}
            connection.execute(insert_new(pages), page)
            page_id = int(connection.execute(select(pages.c.id).where(*here)).scalar_one())
            version_id = _store_version(connection, corpus_id, page_id, columns)
        stored[version.uri] = StoredPage(page_id, version_id, partial(read, version_id))
    return stored


def _packed(version: VersionInput) -> dict[str, Any]:
    """The columns of a version, the ``data`` of its bytes, and its ``words``."""
    return {
        "version_key": version.key, "raw_hash": raw_hash_of(version.raw), "content_type": version.content_type,
        "title": version.title, "title_key": title_key(version.reading.title), "url": version.url,
        "pipeline": version.pipeline, "fetched": time.time(),
        "reading": pack(reading_to_json(version.reading)), "data": zlib.compress(version.raw),
        "words": count_words(version.reading.chunks),
    }  # fmt: skip


def _store_version(connection: Connection, corpus_id: int, page_id: int, columns: Mapping[str, Any]) -> int:
    """Id of the version."""
    values = dict(columns)
    blob = {"corpus_id": corpus_id, "hash": values["raw_hash"], "data": values.pop("data")}
    words = values.pop("words")
    # bytes and reading in place of those that are there: they may be damaged, and the page is fetched again for that
    connection.execute(insert_or_update(blobs, ["corpus_id", "hash"], blob, {"data": blob["data"]}))
    same = (page_versions.c.page_id == page_id, page_versions.c.version_key == columns["version_key"])
    found = connection.execute(select(page_versions.c.id).where(*same)).scalar()
    if found is not None:
        connection.execute(update(page_versions).where(page_versions.c.id == found).values(reading=columns["reading"]))
        return int(found)
    made = insert(page_versions).values(corpus_id=corpus_id, page_id=page_id, **values)
    version_id = int(connection.execute(made.returning(page_versions.c.id)).scalar_one())
    store_words(connection, corpus_id, version_id, words)
    return version_id


def load_reading(connection: Connection, version_id: int) -> Reading:
    """The stored reading of a page version."""
    data = connection.execute(select(page_versions.c.reading).where(page_versions.c.id == version_id)).scalar()
    if data is None:
        raise damage_error(page_versions.c.reading, version_id, "there is no such row, though a page refers to it")
    return decode(page_versions.c.reading, version_id, data, reading_from_bytes)


def stored_extractions(ledger: Ledger, corpus_id: int, keys: Sequence[str], extractor: str) -> dict[str, Extraction]:
    """The extractions there are for these input keys."""
    found = ledger.rows_of(_extracted(corpus_id, extractor), extractions.c.input_key, keys)
    return {row.input_key: decode(extractions.c.data, row.input_key, row.data, extraction_from_bytes) for row in found}


def known_extractions(ledger: Ledger, corpus_id: int, keys: Sequence[str], extractor: str) -> set[str]:
    """Those input keys that have a stored extraction."""
    query = _extracted(corpus_id, extractor).with_only_columns(extractions.c.input_key)
    return {row.input_key for row in ledger.rows_of(query, extractions.c.input_key, keys)}


def _extracted(corpus_id: int, extractor: str) -> Select[Any]:
    mine = (extractions.c.corpus_id == corpus_id, extractions.c.extractor == extractor)
    return select(extractions.c.input_key, extractions.c.data).where(*mine)


def _embedded(corpus_id: int, model: str) -> Select[Any]:
    mine = (embeddings.c.corpus_id == corpus_id, embeddings.c.model == model)
    return select(embeddings.c.text_hash, embeddings.c.data).where(*mine)


def store_extractions(ledger: Ledger, corpus_id: int, extractor: str, made: dict[str, Extraction]) -> None:
    """Store extractions by input key; one that is there already stays as it is."""
    mine = {"corpus_id": corpus_id, "extractor": extractor, "created": time.time()}
    rows = [mine | {"input_key": key, "data": pack(extraction_to_json(value))} for key, value in made.items()]
    _store(ledger, extractions, rows)


def missing_embeddings(ledger: Ledger, corpus_id: int, hashes: Sequence[str], model: str) -> list[str]:
    """Those text hashes that have no embedding by this model, in the order given."""
    query = _embedded(corpus_id, model).with_only_columns(embeddings.c.text_hash)
    found = {row.text_hash for row in ledger.rows_of(query, embeddings.c.text_hash, hashes)}
    return [value for value in dict.fromkeys(hashes) if value not in found]


def open_texts(ledger: Ledger, corpus_id: int) -> list[str]:
    """Hashes of the texts that the newest state of a corpus has vectors of, each once."""
    query = select(vectors.c.text_hash).distinct().where(vectors.c.corpus_id == corpus_id, vectors.c.until == OPEN)
    return [row.text_hash for row in ledger.rows(query)]


def store_embeddings(ledger: Ledger, corpus_id: int, model: str, hashes: Sequence[str], matrix: Vectors) -> None:
    """Store one vector per text hash: ``matrix`` has shape (len(hashes), dimension)."""
    mine = {"corpus_id": corpus_id, "model": model, "created": time.time()}
    pairs = zip(hashes, matrix, strict=True)
    rows = [mine | {"text_hash": key, "data": vector.astype("<f4").tobytes()} for key, vector in pairs]
    _store(ledger, embeddings, rows)


def _store(ledger: Ledger, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    for part in batches(rows, _ROWS_AT_ONCE):
        with ledger.write() as connection:
            connection.execute(insert_new(table), part)


def check_dimension(ledger: Ledger, corpus_id: int, model: str, dimension: int) -> None:
    """Raise where the corpus has vectors of this model with another dimension."""
    stored = ledger.value(_embedded(corpus_id, model).with_only_columns(func.length(embeddings.c.data)))
    if stored is not None and stored != _BYTES * dimension:
        raise ModelMismatchError(
            f"{model} gave vectors of {dimension} numbers, and those the corpus has of it are of {stored // _BYTES}: "
            "another model runs under this name; let the one run that embedded the corpus, or ingest into a new corpus"
        )


def load_embeddings(reads: Reads, corpus_id: int, model: str, hashes: Sequence[str]) -> dict[str, Vectors]:
    """The vectors there are for these text hashes, each of shape (dimension,)."""
    found: dict[str, Vectors] = {
        row.text_hash: decode(embeddings.c.data, row.text_hash, row.data, vector_from_bytes)
        for row in reads.rows_of(_embedded(corpus_id, model), embeddings.c.text_hash, hashes)
    }
    lengths = Counter(len(vector) for vector in found.values())
    if len(lengths) > 1:
        usual = lengths.most_common(1)[0][0]
        odd = next(key for key, vector in found.items() if len(vector) != usual)
        raise damage_error(embeddings.c.data, odd, f"it has {len(found[odd])} numbers where the others have {usual}")
    return found


def vector_from_bytes(data: bytes) -> Vectors:
    """A stored embedding, of shape (dimension,)."""
    vector: Vectors = np.frombuffer(data, dtype="<f4")
    if not np.isfinite(vector).all():
        raise ValueError("a number in it is infinite or none")
    return vector


def load_rules(reads: Reads, corpus_id: int, epoch: int, *among: ColumnElement[bool]) -> list[PlacedRule]:
    """The rules of an epoch by page and key, of pages or kinds that ``among`` names."""
    # by the index on until, every rule of the corpus would be read for those of a page
    mine = without_index(rules.c.corpus_id) if among else rules.c.corpus_id
    shown = (mine == corpus_id, seen_at(rules, epoch))
    query = select(rules, sources.c.name.label("source"), pages.c.uri).select_from(on_pages(rules))
    rows = reads.rows(query.where(*shown, *among))
    roles = select(rule_roles.c.page_id, rule_roles.c.rule_key, rule_roles.c.position, rule_roles.c.entity)
    held = roles.where(without_index(rule_roles.c.corpus_id) == corpus_id, seen_at(rule_roles, epoch))
    if len(rows) <= _FEW_RULES:  # of pages that may have many more
        held = held.where(rule_roles.c.rule_key.in_(sorted({row.content_key for row in rows})))
    entities: dict[tuple[int, str], dict[int, str]] = {}
    for row in reads.rows_of(held, rule_roles.c.page_id, sorted({row.page_id for row in rows})):
        entities.setdefault((row.page_id, row.rule_key), {})[row.position] = row.entity
    found = []
    for row in rows:
        rule = decode(rules.c.rule, row.id, row.rule, rule_from_text)
        named = entities.get((row.page_id, row.content_key), {})
        keys = tuple(named.get(at, role.entity.key) for at, role in enumerate(rule.roles))
        page = PageKey(row.source, row.uri)
        found.append(PlacedRule(row.content_key, page, row.chunk_key, rule, row.extractor, keys))
    return sorted(found, key=lambda one: (one.page, one.key))


def load_rules_of(
    reads: Reads, corpus_id: int, epoch: int, entities: Collection[str], limit: int | None = None
) -> list[PlacedRule]:
    """The rules of an epoch in which one of the entities has a role, by page and key, cut to ``limit`` before they are
    read."""
    seen = (without_index(rule_roles.c.since) <= epoch, without_index(rule_roles.c.until) > epoch)
    shown = (rule_roles.c.corpus_id == corpus_id, *seen)
    columns = (rule_roles.c.page_id, rule_roles.c.rule_key, sources.c.name.label("source"), pages.c.uri)
    query = select(*columns).distinct().select_from(on_pages(rule_roles)).where(*shown)
    ids = {
        (PageKey(row.source, row.uri), row.rule_key): row.page_id
        for row in reads.rows_of(query, rule_roles.c.entity, sorted(set(entities)))
    }
    wanted = sorted(ids)[:limit]
    found: dict[tuple[PageKey, str], PlacedRule] = {}
    for part in batches(wanted):
        of_pages = rules.c.page_id.in_(sorted({ids[place] for place in part}))
        keys = rules.c.content_key.in_(sorted({key for _, key in part}))
        found |= {(one.page, one.key): one for one in load_rules(reads, corpus_id, epoch, of_pages, keys)}
    return [found[place] for place in wanted]


def stated_rules(
    reads: Reads, corpus_id: int, epoch: int, wanted: Collection[tuple[PageKey, str]]
) -> dict[tuple[PageKey, str], Rule]:
    """The rules of an epoch by page and key, those of ``wanted`` that there are, as they are written."""
    mine = (without_index(rules.c.corpus_id) == corpus_id, seen_at(rules, epoch))
    columns = (rules.c.id, rules.c.content_key, rules.c.rule, sources.c.name, pages.c.uri)
    of_pages = pages.c.uri.in_(sorted({page.uri for page, _ in wanted})), sources.c.corpus_id == corpus_id
    query = select(*columns).select_from(on_pages(rules)).where(*mine, *of_pages)
    rows = reads.rows_of(query, rules.c.content_key, sorted({key for _, key in wanted}))
    return {
        place: decode(rules.c.rule, row.id, row.rule, rule_from_text)
        for row in rows
        if (place := (PageKey(row.name, row.uri), row.content_key)) in wanted
    }


@dataclass(frozen=True, slots=True)
class KnownVersion:
    """A stored version of a page without its content; ``published``: an epoch has or had it."""

    page_id: int
    key: str
    raw_hash: str
    content_type: str
    title: str | None
    url: str | None
    pipeline: str
    published: bool


def known_versions(ledger: Ledger, source_id: int) -> dict[str, dict[str, KnownVersion]]:
    """Every version of every page of a source that the ledger still has, by uri and version key."""
    published = exists().where(members.c.page_version_id == page_versions.c.id).correlate(page_versions)
    names = ("page_id", "raw_hash", "content_type", "title", "url", "pipeline")
    columns = (page_versions.c.version_key.label("key"), *(page_versions.c[name] for name in names))
    query: Select[Any] = select(pages.c.uri, *columns, published.label("published"))
    found: dict[str, dict[str, KnownVersion]] = {}
    joined = query.join(page_versions, page_versions.c.page_id == pages.c.id)
    for row in ledger.rows(joined.where(pages.c.source_id == source_id)):
        found.setdefault(row.uri, {})[row.key] = record_of(KnownVersion, row)
    return found


def open_chunks(ledger: Ledger, page_ids: Sequence[int]) -> dict[int, dict[str, str]]:
    """The chunks of these pages in the newest state: input key by content hash, by page id."""
    found: dict[int, dict[str, str]] = {}
    query = select(chunks.c.page_id, chunks.c.content_hash, chunks.c.input_key).where(chunks.c.until == OPEN)
    for row in ledger.rows_of(query, chunks.c.page_id, page_ids):
        found.setdefault(row.page_id, {})[row.content_hash] = row.input_key
    return found


_AT_ONCE = 500
_FORMS: dict[Table, tuple[Column[Any], Column[Any], Callable[[Any], object]]] = {  # names a row, is decoded, how
    page_versions: (page_versions.c.id, page_versions.c.reading, reading_from_bytes),
    extractions: (extractions.c.input_key, extractions.c.data, extraction_from_bytes),
    embeddings: (embeddings.c.text_hash, embeddings.c.data, vector_from_bytes),
    supports: (supports.c.id, supports.c.statement, statement_from_text),
    hidden_supports: (hidden_supports.c.id, hidden_supports.c.statement, statement_from_text),
    rules: (rules.c.id, rules.c.rule, rule_from_text),
    epochs: (epochs.c.number, epochs.c.summary, lambda text: COUNTS.validate_json(text, strict=True)),
}


def unreadable_rows(ledger: Ledger) -> Iterator[str]:
    """Of each table that has any, the first row that cannot be read, in words. Reads everything.

    Every cell is checked as it is fetched; what is packed in one is unpacked.
    """
    for table in metadata.sorted_tables:
        form = _FORMS.get(table)
        try:
            with ledger.read() as connection:
                for row in connection.execute(select(table)).yield_per(_AT_ONCE):
                    if form is not None:
                        named, column, parse = form
                        decode(column, row._mapping[named], row._mapping[column], parse)
        except StorageError as error:
            yield str(error)
