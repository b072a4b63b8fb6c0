"""What readers get against what it was made from: each difference in words, and what of it can be written again.

Nothing is trusted but the truth tables. Pages are compared one after the other, with the function that plans a publish;
vectors some thousand at a time. The epoch is held meanwhile, so that others may publish and vacuum.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from sqlalchemy import Connection, Row, Table, delete, select, union

from clausegraph.core.errors import LedgerError, StorageError
from clausegraph.core.models.embedding import Vectors
from clausegraph.core.serial import statement_from_text
from clausegraph.core.types import PageKey
from clausegraph.indexes.corpora import CorpusRow, list_epochs
from clausegraph.indexes.entities.names import names_at, wanted_names
from clausegraph.indexes.hidden import claim_of, hidden_claims
from clausegraph.indexes.ledger.cells import decode
from clausegraph.indexes.ledger.dialect import insert_or_update
from clausegraph.indexes.ledger.leases import RunLease, check_fence
from clausegraph.indexes.ledger.schema import (
    VERSIONED,
    blobs,
    chunk_words,
    embeddings,
    hidden_supports,
    members,
    page_versions,
    pages,
    postings,
    seen_at,
    sources,
    vectors,
)
from clausegraph.indexes.ledger.store import Ledger, batches
from clausegraph.indexes.plan import Claims, PageTarget, PublishPlan, compare_page
from clausegraph.indexes.plan import Row as Cells
from clausegraph.indexes.truth import StoredPage, load_reading, raw_hash_of
from clausegraph.indexes.vectors.protocol import EpochIndex, Ids
from clausegraph.indexes.vectors.segments import (
    listed_ids,
    listed_segments,
    merge_segments,
    segment_state,
    vector_index,
    visible_ids,
)
from clausegraph.indexes.words import count_words, store_words, stored_words

Part = Literal["database", "bytes", "words", "rows", "names", "vectors", "embeddings", "neo4j"]
Derive = Callable[[StoredPage, str], PageTarget]  # of a page and the fingerprint of its extractor
Step = Callable[[str, int, int], None]  # stage, done, total
Names = Mapping[str, str]  # name → entity
_TOLERANCE = 1e-5  # of a number of a vector
_VECTORS_AT_ONCE = 2000
_IN_WORDS = {"supports": "statement", "hidden_supports": "hidden statement", "rule_roles": "role", "members": "entry"}
_KEYS = ("content_key", "ref", "key", "rule_key")  # the columns that name a row, the first that there is


@dataclass(frozen=True, slots=True)
class Difference:
    """One kind of difference at one place. ``of``: the page, page version or embedding that it is about; ``fix``: what
    to do where it cannot be written again from what there is."""

    part: Part
    text: str
    count: int = 1
    of: Any = None
    fix: str = ""


def version_differences(ledger: Ledger, corpus: CorpusRow, told: Step) -> Iterator[Difference]:
    """Stored bytes against their hashes, readings that cannot be read, and words against the readings."""
    mine = page_versions.c.corpus_id == corpus.id
    versions = [row.id for row in ledger.rows(select(page_versions.c.id).where(mine).order_by(page_versions.c.id))]
    for number, version_id in enumerate(versions, 1):
        with ledger.read() as connection:
            row = connection.execute(select(page_versions).where(page_versions.c.id == version_id)).one_or_none()
            if row is not None:  # a vacuum may be quicker
                yield from _of_version(connection, row)
        told("read", number, len(versions))


def _of_version(connection: Connection, row: Row[Any]) -> Iterator[Difference]:
    page = page_key(connection, row.page_id)
    what = f"{page} (version {row.id})"
    mine = (blobs.c.corpus_id == row.corpus_id, blobs.c.hash == row.raw_hash)
    data = connection.execute(select(blobs.c.data).where(*mine)).scalar()
    if data is None or not _is_whole(data, row.raw_hash):
        said = "are lost" if data is None else "are not those that were fetched"
        yield Difference("bytes", f"the bytes of {what} {said}", fix=_fetch_again(page))
    try:
        reading = load_reading(connection, row.id)
    except StorageError as error:
        yield Difference("bytes", f"the reading of {what} is damaged: {error}", fix=_fetch_again(page))
        return
    wanted, there = count_words(reading.chunks), stored_words(connection, row.id)
    counts = {} if there is None else there.counts
    differ = sorted({term for term, _ in wanted.counts.items() ^ counts.items()})
    if there is None or differ or (there.keys, sum(there.lengths)) != (wanted.keys, sum(wanted.lengths)):
        text = f"the words of {what} are not those of its reading, as {(differ or ['their number'])[0]!r}"
        yield Difference("words", text, max(1, len(differ)), row.id)


def _fetch_again(page: PageKey) -> str:
    return f"fetch the page again: `clausegraph pages refresh {page} --force`"


def _is_whole(data: bytes, raw_hash: str) -> bool:
    try:
        return raw_hash_of(zlib.decompress(data)) == raw_hash
    except zlib.error:
        return False


def count_again(ledger: Ledger, lease: RunLease, version_ids: Collection[int]) -> None:
    """Write the words of page versions anew."""
    for version_id in version_ids:
        with ledger.write() as connection:
            check_fence(connection, lease)
            words = count_words(load_reading(connection, version_id).chunks)
            for table in (postings, chunk_words):
                connection.execute(delete(table).where(table.c.version_id == version_id))
            store_words(connection, lease.corpus_id, version_id, words)


# --- rows -------------------------------------------------------------------------------------------


def row_differences(ledger: Ledger, corpus: CorpusRow, derive: Derive, told: Step) -> Iterator[Difference]:
    """The rows of the newest epoch against those that publishing would make of readings, extractions and decisions.

    A decision that waits for the next publish is no difference: rows are compared as the epoch took it, too.
    """
    epoch, model = corpus.newest, list_epochs(ledger, corpus.id)[0].model
    of_pages = [table for table in VERSIONED if "page_id" in table.c]
    with ledger.read() as connection:
        there = {name: entity for name, (entity, _) in names_at(connection, corpus.id, epoch).items()}
        wanted, claims = wanted_names(connection, corpus.id), hidden_claims(connection, corpus.id)
        every = (select(one.c.page_id).where(one.c.corpus_id == corpus.id, seen_at(one, epoch)) for one in of_pages)
        page_ids = sorted(connection.execute(union(*every)).scalars())
    wrong: set[str] = set()
    for number, page_id in enumerate(page_ids, 1):
        try:
            with ledger.read() as connection:
                page, target = page_key(connection, page_id), _target(connection, page_id, epoch, derive)
                decided = claims.get(page_id, frozenset())
                if target is None:  # its reading is damaged, as ``version_differences`` tells
                    continue
                if target.lost:
                    text = f"{target.lost} stored extractions of {page} are lost"
                    yield Difference("bytes", text, target.lost, fix=_fetch_again(page))
                    continue
                plan, names = _least(connection, target, PublishPlan(corpus.id, model), epoch, (there, wanted), decided)
                yield from _in_words(connection, page, page_id, plan)
                wrong |= {name for name in there.keys() | wanted.keys() if names.get(name) != there.get(name)}
        except StorageError as error:  # a cell that is of another kind
            yield Difference("bytes", f"{page}: {error}")
        told("compare", number, len(page_ids))
    for name in sorted(wrong):
        taken = f"stands for {there.get(name, name)!r}, in the truth for {wanted.get(name, name)!r}"
        yield Difference("names", f"the name {name!r} {taken}")


def _target(connection: Connection, page_id: int, epoch: int, derive: Derive) -> PageTarget | None:
    """What a page shall be at an epoch: nothing where it is no page of it; None where its reading is damaged."""
    query = select(members).where(members.c.page_id == page_id, seen_at(members, epoch)).order_by(members.c.id)
    member = connection.execute(query).first()
    if member is None:
        return PageTarget(page_id)
    with suppress(StorageError):
        reading = load_reading(connection, member.page_version_id)
        return derive(StoredPage(page_id, member.page_version_id, reading), member.extractor)
    return None


def _least(
    connection: Connection, target: PageTarget, empty: PublishPlan, epoch: int,
    names: tuple[Names, Names], decided: Claims,
) -> tuple[PublishPlan, Names]:  # fmt: skip
    """What differs on a page, and under which names: those that the epoch has or, where that explains more, those that
    it should have; statements hidden as was decided, or as they are while that waits for a publish."""
    found = []
    for hidden in (decided, _applied_claims(connection, target.page_id, epoch)):
        for taken in names:
            plan = PublishPlan(empty.corpus_id, empty.model)
            compare_page(connection, target, epoch, plan, taken, hidden)
            if plan.is_empty:
                return plan, taken
            found.append((plan.size, plan, taken))
    _, plan, taken = min(found, key=lambda one: one[0])
    return plan, taken


def _applied_claims(connection: Connection, page_id: int, epoch: int) -> Claims:
    query = select(hidden_supports).where(hidden_supports.c.page_id == page_id, seen_at(hidden_supports, epoch))
    statement = hidden_supports.c.statement
    return {
        claim_of(decode(statement, row.id, row.statement, statement_from_text)) for row in connection.execute(query)
    }


def page_key(connection: Connection, page_id: int) -> PageKey:
    """The name of a page, by its id."""
    query = select(sources.c.name, pages.c.uri).join(pages, pages.c.source_id == sources.c.id)
    row = connection.execute(query.where(pages.c.id == page_id)).one()
    return PageKey(row.name, row.uri)


def _in_words(connection: Connection, page: PageKey, page_id: int, plan: PublishPlan) -> Iterator[Difference]:
    for table in VERSIONED:
        missing = {_name_of(table, row) for row in plan.opened.get(table, ())}
        closed = select(table).where(table.c.id.in_(plan.closed.get(table, ())))
        strange = {_name_of(table, row._asdict()) for row in connection.execute(closed)}
        noun = _IN_WORDS.get(table.name, table.name.removesuffix("s"))
        for names, said in (
            (missing & strange, "is not what the truth says"),
            (missing - strange, "is in the truth and not in what readers get"),
            (strange - missing, "is in what readers get and not in the truth"),
        ):
            if names:
                more = f", and {len(names) - 1} more" if len(names) > 1 else ""
                yield Difference("rows", f"{noun} {min(names)} of {page} {said}{more}", len(names), page_id)


def _name_of(table: Table, row: Cells) -> str:
    key = next((str(row[name]) for name in _KEYS if name in table.c), "")
    if table is vectors:
        return f"{row['kind']} {key}"
    if table is members:
        return f"(version {row['page_version_id']}, {row['extractor']}, {row['projection']})"
    return f"{row['role']} {row['entity']!r} in rule {key[:12]}" if "role" in table.c else key[:12]


# --- vectors ----------------------------------------------------------------------------------------


def vector_differences(
    ledger: Ledger, corpus: CorpusRow, told: Step = lambda *_: None, *, short: bool = False
) -> Iterator[Difference]:
    """Segments against their checksums and, unless ``short``, against the ledger's rows and its embeddings."""
    kinds = ledger.rows(select(vectors.c.model, vectors.c.kind).distinct().where(vectors.c.corpus_id == corpus.id))
    for done, (model, kind) in enumerate(sorted(map(tuple, kinds)), 1):
        rows = listed_segments(ledger, corpus.id, model, kind)
        found = [*_of_kind(ledger, corpus, model, kind, rows, short)]
        if not found or listed_segments(ledger, corpus.id, model, kind) == rows:  # else a vacuum has merged them
            yield from found
        told("vectors", done, len(kinds))


def _of_kind(
    ledger: Ledger, corpus: CorpusRow, model: str, kind: str, rows: Collection[Row[Any]], short: bool
) -> Iterator[Difference]:
    index = vector_index(ledger)
    states = {row: segment_state(ledger, row) for row in rows}
    for row, state in states.items():
        if state != "sound":
            yield Difference("vectors", f"segment {row.file} of corpus {corpus.name!r} is {state}", of=(model, kind))
    if short:
        return
    listed, seen = listed_ids(ledger, corpus.id, model, kind), np.empty(0, dtype=np.int64)
    visible = visible_ids(ledger, corpus.id, corpus.newest, model, kind)
    for row in (row for row, state in states.items() if state == "sound"):
        ids = index.ids(corpus.id, row.file)
        seen = np.concatenate([seen, ids])
        yield from _values(ledger, row, np.intersect1d(ids, visible))
    lacking, strange = np.setdiff1d(listed, seen), np.setdiff1d(seen, listed)
    for ids, said in ((lacking, "listed and in no sound segment"), (strange, "in a segment and not listed")):
        if ids.size and (ids is strange or set(states.values()) <= {"sound"}):
            text = f"vector {ids[0]} of kind {kind} of corpus {corpus.name!r} is {said}"
            yield Difference("vectors", text, int(ids.size), (model, kind))


def _values(ledger: Ledger, row: Row[Any], ids: Ids) -> Iterator[Difference]:
    """The vectors of a sound segment against the embeddings; where these differ, it is they that are damaged."""
    index = vector_index(ledger)
    at_once = max(ids.size, 1) if isinstance(index, EpochIndex) else _VECTORS_AT_ONCE  # a database opens it whole
    for start in range(0, ids.size, at_once):
        some, matrix = index.open(row.corpus_id, row.file, ids[start : start + at_once]).everything()
        texts = select(vectors.c.id, vectors.c.text_hash)
        hashes = {one.id: one.text_hash for one in ledger.rows_of(texts, vectors.c.id, some.tolist())}
        mine = (embeddings.c.corpus_id == row.corpus_id, embeddings.c.model == row.model)
        query = select(embeddings.c.text_hash, embeddings.c.data).where(*mine)
        stored = {one.text_hash: one.data for one in ledger.rows_of(query, embeddings.c.text_hash, hashes.values())}
        for one, vector in zip(some.tolist(), matrix, strict=True):
            key = hashes.get(one, "")
            if key and not _is_near(stored.get(key), vector):
                what = "is not the vector that was published" if key in stored else "is lost"
                of = (row.model, key, vector.astype("<f4").tobytes())
                yield Difference("embeddings", f"embedding {key[:12]} of kind {row.kind} {what}", of=of)


def _is_near(data: bytes | None, vector: Vectors) -> bool:
    if data is None or len(data) != 4 * vector.size:
        return False
    return bool(np.abs(np.frombuffer(data, dtype="<f4") - vector).max() <= _TOLERANCE)  # not so where there is a NaN


def mend_vectors(ledger: Ledger, lease: RunLease, found: Sequence[Difference]) -> list[str]:
    """Write embeddings again as the sound segments have them, and segments as the ledger; why some cannot be."""
    failed = []
    for part in batches([one.of for one in found if one.part == "embeddings"]):
        with ledger.write() as connection:
            check_fence(connection, lease)
            for model, key, data in part:
                mine = {"corpus_id": lease.corpus_id, "text_hash": key, "model": model}
                row = mine | {"data": data, "created": 0.0}
                connection.execute(insert_or_update(embeddings, list(mine), row, {"data": data}))
    for model, kind in sorted({one.of for one in found if one.part == "vectors"}):
        try:
            merge_segments(ledger, lease, model, kind)
        except LedgerError as error:
            failed.append(str(error))
    return failed
