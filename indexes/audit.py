"""What readers get against what it was made from: each difference in words, and what of it can be written again.

Nothing is trusted but the truth tables. Pages are compared one after the other, with the function that plans a publish;
vectors some thousand at a time. The epoch is held meanwhile, so that others may publish and vacuum.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from sqlalchemy import Connection, Row, delete, select, union

from clausegraph.core.errors import StorageError
from clausegraph.core.models.embedding import Vectors
from clausegraph.core.serial import statement_from_text
from clausegraph.core.types import PageKey, Reading
from clausegraph.indexes.corpora import CorpusRow, list_epochs
from clausegraph.indexes.entities.names import names_at, wanted_names
from clausegraph.indexes.fetches import load_raw
from clausegraph.indexes.hidden import claim_of, hidden_claims
from clausegraph.indexes.ledger.cells import decode
from clausegraph.indexes.ledger.dialect import insert_or_update
from clausegraph.indexes.ledger.leases import RunLease, check_fence
from clausegraph.indexes.ledger.schema import (
    VERSIONED,
    embeddings,
    hidden_supports,
    members,
    page_versions,
    page_words,
    pages,
    seen_at,
    sources,
    vectors,
)
from clausegraph.indexes.ledger.store import Ledger, batches
from clausegraph.indexes.plan import Claims, PageTarget, PublishPlan, compare_page
from clausegraph.indexes.postings import misplaced_words, sound_words, write_blocks_again
from clausegraph.indexes.truth import StoredPage, load_reading
from clausegraph.indexes.vectors.protocol import Ids
from clausegraph.indexes.vectors.segments import (
    listed_ids,
    listed_segments,
    merge_segments,
    segment_state,
    vector_index,
)
from clausegraph.indexes.words import count_words, store_words

Part = Literal["bytes", "words", "rows", "names", "vectors", "embeddings", "neo4j"]
Derive = Callable[[StoredPage, str], PageTarget]  # of a page and the fingerprint of its extractor
Step = Callable[[str, int, int], None]  # stage, done, total
_TOLERANCE = 1e-5  # of a number of a vector
_VECTORS_AT_ONCE = 50_000
_NOUNS = {"supports": "statement", "hidden_supports": "hidden statement", "rule_roles": "role of rule",
          "members": "entry of version"}  # fmt: skip
_KEYS = ("content_key", "ref", "key", "rule_key", "page_version_id")  # the columns that name a row, the first there is


@dataclass(frozen=True, slots=True)
class Difference:
    """One kind of difference at one place; ``of``: the page, page version, embedding or kind of vectors to repair."""

    part: Part
    text: str
    of: Any = None


# --- pages ------------------------------------------------------------------------------------------


def page_differences(ledger: Ledger, corpus: CorpusRow, derive: Derive, told: Step) -> Iterator[Difference]:
    """Bytes, words and rows of the newest epoch against those that publishing would make of what is stored.

    A decision that waits for the next publish is no difference: rows are compared as the epoch took it, too.
    """
    epoch, model = corpus.newest, list_epochs(ledger, corpus.id)[0].model
    with ledger.read() as connection:
        there = {name: entity for name, (entity, _) in names_at(connection, corpus.id, epoch).items()}
        wanted, decided = wanted_names(connection, corpus.id), hidden_claims(connection, corpus.id)
        listed = _listed_pages(connection, corpus.id, epoch)
    wrong: set[str] = set()
    for number, (page, page_id, member) in enumerate(listed, 1):
        try:
            with ledger.read() as connection:
                target = PageTarget(page_id)
                if member is not None:
                    reading = load_reading(connection, member.page_version_id)
                    yield from _version_differences(ledger, connection, page, member, reading)
                    page_read = StoredPage.of(page_id, member.page_version_id, reading)
                    target = derive(page_read, member.extractor)
                if target.lost:
                    yield _lost(page, f"{target.lost} stored extractions of {page} are lost")
                    continue
                applied = _applied_claims(connection, page_id, epoch)
                ways = [(there, applied), (wanted, decided.get(page_id, frozenset()))]
                plans = [
                    (compare_page(connection, corpus.id, model, target, epoch, *way), way[0])
                    for way in (ways if ways[0] != ways[1] else ways[:1])
                ]
                plan, names = min(plans, key=lambda one: one[0].size)
                yield from _in_words(connection, page, page_id, plan)
                wrong |= {name for name in there.keys() | wanted.keys() if names.get(name) != there.get(name)}
        except StorageError as error:  # the reading is damaged, or a cell is of another kind
            yield _lost(page, f"{page} cannot be compared: {error}")
        told("compare", number, len(listed))
    yield from _block_differences(ledger, corpus)
    for name in sorted(wrong):
        taken = f"stands for {there.get(name, name)!r}, in the truth for {wanted.get(name, name)!r}"
        yield Difference("names", f"the name {name!r} {taken}")


def _listed_pages(connection: Connection, corpus_id: int, epoch: int) -> list[tuple[PageKey, int, Row[Any] | None]]:
    """Every page of which the epoch has a row, with its id and what the epoch says of its version."""
    query = select(members, page_versions.c.raw_hash).join(
        page_versions, page_versions.c.id == members.c.page_version_id
    )
    mine = query.where(members.c.corpus_id == corpus_id, seen_at(members, epoch)).order_by(members.c.id.desc())
    versions = {row.page_id: row for row in connection.execute(mine)}
    of_pages = [table for table in VERSIONED if "page_id" in table.c]
    ids = union(*(select(one.c.page_id).where(one.c.corpus_id == corpus_id, seen_at(one, epoch)) for one in of_pages))
    named = select(pages.c.id, sources.c.name, pages.c.uri).join(sources, sources.c.id == pages.c.source_id)
    rows = connection.execute(named.where(pages.c.id.in_(ids)).order_by(pages.c.id))
    return [(PageKey(row.name, row.uri), row.id, versions.get(row.id)) for row in rows]


def _version_differences(
    ledger: Ledger, connection: Connection, page: PageKey, member: Row[Any], reading: Reading
) -> Iterator[Difference]:
    """Stored bytes against their hash, and words against the reading."""
    what, version_id = f"{page} (version {member.page_version_id})", member.page_version_id
    try:
        load_raw(ledger, member.corpus_id, member.raw_hash)
    except StorageError:
        yield _lost(page, f"the bytes of {what} are lost, or are not those that were fetched")
    wanted, stored = count_words(reading.chunks), dict(sound_words(connection, [version_id])).get(version_id)
    if stored != wanted:
        counts = {} if stored is None else stored.counts
        terms = sorted(term for term in wanted.counts.keys() | counts if wanted.counts.get(term) != counts.get(term))
        text = f"the words of {what} are not those of its reading, as {(terms or ['their number'])[0]!r}"
        yield Difference("words", text, version_id)


def _block_differences(ledger: Ledger, corpus: CorpusRow) -> Iterator[Difference]:
    """Postings against the words of page versions."""
    with ledger.read() as connection:
        found = misplaced_words(connection, corpus.id)
    query = select(page_versions.c.id, sources.c.name, pages.c.uri).join(pages, pages.c.id == page_versions.c.page_id)
    named = query.join(sources, sources.c.id == pages.c.source_id)
    keys = {row.id: str(PageKey(row.name, row.uri)) for row in ledger.rows_of(named, page_versions.c.id, found)}
    for number, term in sorted(found.items()):
        what = f"the words of {keys.get(number, 'a page that is gone')} (version {number})"
        yield Difference("words", f"{what} are not what keyword search gets, as {term!r}", number)


def _lost(page: PageKey, text: str) -> Difference:
    return Difference("bytes", f"{text}; fetch the page again: `clausegraph pages refresh {page} --force`")


def _applied_claims(connection: Connection, page_id: int, epoch: int) -> Claims:
    query = select(hidden_supports).where(hidden_supports.c.page_id == page_id, seen_at(hidden_supports, epoch))
    statement = hidden_supports.c.statement
    rows = connection.execute(query)
    return frozenset(claim_of(decode(statement, row.id, row.statement, statement_from_text)) for row in rows)


def _in_words(connection: Connection, page: PageKey, page_id: int, plan: PublishPlan) -> Iterator[Difference]:
    for table in VERSIONED:
        column = next((table.c[name] for name in _KEYS if name in table.c), table.c.id)
        missing = {str(row[column.name])[:12] for row in plan.opened.get(table, ())}
        closed = select(column).where(table.c.id.in_(plan.closed.get(table, ())))
        strange = {str(key)[:12] for key in connection.execute(closed).scalars()}
        noun = _NOUNS.get(table.name, table.name.removesuffix("s"))
        for keys, said in (
            (missing & strange, "is not what the truth says"),
            (missing - strange, "is in the truth and not in what readers get"),
            (strange - missing, "is in what readers get and not in the truth"),
        ):
            if keys:
                more = f", and {len(keys) - 1} more" if len(keys) > 1 else ""
                yield Difference("rows", f"{noun} {min(keys)} of {page} {said}{more}", page_id)


def count_again(ledger: Ledger, lease: RunLease, version_ids: Collection[int]) -> None:
    """Write the words of page versions anew, and the postings of their blocks."""
    there = ledger.rows_of(select(page_versions.c.id), page_versions.c.id, version_ids)
    for version_id in sorted(row.id for row in there):
        with ledger.write() as connection:
            check_fence(connection, lease)
            words = count_words(load_reading(connection, version_id).chunks)
            connection.execute(delete(page_words).where(page_words.c.version_id == version_id))
            store_words(connection, lease.corpus_id, version_id, words)
    write_blocks_again(ledger, lease, version_ids)


# --- vectors ----------------------------------------------------------------------------------------


def segment_differences(ledger: Ledger, corpus: CorpusRow) -> Iterator[Difference]:
    """Segments against their checksums."""
    for row in listed_segments(ledger, corpus.id):
        if (state := segment_state(ledger, row)) != "sound":
            text = f"segment {row.file} of corpus {corpus.name!r} is {state}"
            yield Difference("vectors", text, (row.model, row.kind))


def vector_differences(ledger: Ledger, corpus: CorpusRow) -> list[Difference]:
    """Segments against their checksums, against the ids that the ledger lists, and against its embeddings."""
    segments = listed_segments(ledger, corpus.id)
    found = list(segment_differences(ledger, corpus))
    damaged = {one.of for one in found}
    kinds = ledger.rows(select(vectors.c.model, vectors.c.kind).distinct().where(vectors.c.corpus_id == corpus.id))
    for of in sorted({(row.model, row.kind) for row in kinds}):
        listed = listed_ids(ledger, corpus.id, *of)
        rows = [row for row in segments if (row.model, row.kind) == of and segment_state(ledger, row) == "sound"]
        parts = [vector_index(ledger).ids(corpus.id, row.file) for row in rows]
        seen = np.concatenate([listed[:0], *parts])
        if of not in damaged and (odd := np.setxor1d(listed, seen)).size:
            text = (
                f"vectors of kind {of[1]} of corpus {corpus.name!r} are listed and in no sound segment, or the reverse"
            )
            found.append(Difference("vectors", f"{odd.size} {text}", of))
        for row, ids in zip(rows, parts, strict=True):
            found += _embedding_differences(ledger, row, ids)
    if found and listed_segments(ledger, corpus.id) != segments:  # a vacuum has merged them
        return vector_differences(ledger, corpus)
    return found


def _embedding_differences(ledger: Ledger, row: Row[Any], ids: Ids) -> Iterator[Difference]:
    """The vectors of a sound segment against the embeddings; where these differ, it is they that are damaged."""
    mine = (embeddings.c.corpus_id == row.corpus_id, embeddings.c.model == row.model)
    embedded = select(embeddings.c.text_hash, embeddings.c.data).where(*mine)
    for start in range(0, ids.size, _VECTORS_AT_ONCE):
        others = np.concatenate([ids[:start], ids[start + _VECTORS_AT_ONCE :]])
        some, matrix = vector_index(ledger).open(row.corpus_id, row.file, others).everything()
        texts = ledger.rows_of(select(vectors.c.id, vectors.c.text_hash), vectors.c.id, some.tolist())
        hashes = {one.id: one.text_hash for one in texts}
        stored = {one.text_hash: one.data for one in ledger.rows_of(embedded, embeddings.c.text_hash, hashes.values())}
        for number, vector in zip(some.tolist(), matrix, strict=True):
            key = hashes.get(number)
            if key is not None and not _is_near(stored.get(key), vector):
                what = "is not the vector that was published" if key in stored else "is lost"
                of = (row.model, key, vector.astype("<f4").tobytes())
                yield Difference("embeddings", f"embedding {key[:12]} of kind {row.kind} {what}", of)


def _is_near(data: bytes | None, vector: Vectors) -> bool:
    if data is None or len(data) != 4 * vector.size:
        return False
    return bool(np.abs(np.frombuffer(data, dtype="<f4") - vector).max() <= _TOLERANCE)  # not so where there is a NaN


def mend_vectors(ledger: Ledger, lease: RunLease, found: Sequence[Difference]) -> None:
    """Write embeddings again as the sound segments have them, and segments as the ledger has them.

    Raises:
        SegmentError: an embedding is in no sound segment either.
    """
    for part in batches([one.of for one in found if one.part == "embeddings"]):
        with ledger.write() as connection:
            check_fence(connection, lease)
            for model, key, data in part:
                mine = {"corpus_id": lease.corpus_id, "text_hash": key, "model": model}
                row = mine | {"data": data, "created": 0.0}
                connection.execute(insert_or_update(embeddings, list(mine), row, {"data": data}))
    for model, kind in sorted({one.of for one in found if one.part == "vectors"}):
        merge_segments(ledger, lease, model, kind)
