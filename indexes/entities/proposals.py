"""Proposals that two names stand for one entity: candidates by blocking, similarity of spelling and of meaning.

Within one type, a name is compared with its nearest names by embedding (matrix product, block by block), with
its nearest by weighted trigrams (sparse product), and a one-word name with those it may abbreviate. What
``entity_variants.may_be_same`` excludes is never proposed; of the rest a pair is, when it

* is spelt almost alike (``SPELT_ALIKE``) and means something near (``NEAR``),
* or is spelt somewhat alike (``SPELT_NEAR``) and means almost the same (``MEANS_SAME``),
* or is an abbreviation and its long form.

Score: the mean of both similarities; an abbreviation adds ``ABBREVIATION``, at most 1. Nothing is merged here:
somebody accepts or rejects what is proposed.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz
from scipy.sparse import csr_array
from sqlalchemy import select

from clausegraph.core.hashing import content_hash
from clausegraph.core.models.embedding import Embedder, Vectors
from clausegraph.core.types import LITERAL
from clausegraph.indexes.entities.decisions import Proposed, list_decisions
from clausegraph.indexes.entities.names import PROPOSED, REJECTED, accepted_pairs, resolve
from clausegraph.indexes.entities.variants import abbreviated, initials, may_be_same
from clausegraph.indexes.ledger.schema import supports
from clausegraph.indexes.ledger.store import Ledger
from clausegraph.indexes.truth import batches, load_embeddings, missing_embeddings, store_embeddings

SPELT_ALIKE, NEAR = 0.90, 0.55
SPELT_NEAR, MEANS_SAME = 0.70, 0.88
ABBREVIATION = 0.5
NEIGHBOURS = 8  # of each name, by meaning and by spelling
UNTYPED = "thing"  # what an extractor says that knows no type: an abbreviation so typed may be of any
PRONOUNS = frozenset({"you", "we"})  # keys of the reader and the author of a page
MAX_WORDS = 8  # a longer "name" is a clause, and clauses are not merged
_SHARED_TRIGRAMS = 0.3  # cosine over weighted trigrams from which spelling is compared
_SHARED_BY = 400  # trigrams of more names than this, or of one in five, tell little
_BLOCK = 1024
_TEXTS_AT_ONCE = 512

Positions = NDArray[np.int64] | NDArray[np.int32]


@dataclass(slots=True)
class Profile:
    """An entity at one epoch: supports that mention it, types of its mentions, and how pages write it."""

    key: str
    supports: int = 0
    types: Counter[str] = field(default_factory=Counter)
    surfaces: Counter[str] = field(default_factory=Counter)


def entity_profiles(ledger: Ledger, corpus_id: int, epoch: int) -> dict[str, Profile]:
    """Every entity that an epoch's supports mention, by key."""
    query = select(supports.c.subject, supports.c.object, supports.c.statement).where(
        supports.c.corpus_id == corpus_id, supports.c.since <= epoch, supports.c.until > epoch
    )
    found: dict[str, Profile] = {}
    with ledger.read() as connection:
        for row in connection.execute(query):
            statement = json.loads(row.statement)
            ends = {row.subject: statement["subject"]}
            if not row.object.startswith(LITERAL):
                ends.setdefault(row.object, statement["object"])
            for key, node in ends.items():
                profile = found.setdefault(key, Profile(key))
                profile.supports += 1
                profile.surfaces[node[1]] += 1
                profile.types[node[3]] += 1
    return found


def propose(
    ledger: Ledger, corpus_id: int, epoch: int, embedder: Embedder, of_type: str | None = None
) -> tuple[list[Proposed], dict[str, Profile]]:
    """The pairs of an epoch's names that somebody should decide about, best first, and every profile.

    Pairs that were decided, that are one entity by what was accepted, or whose name has an open proposal
    already are left out; each name is proposed to be taken for one other at most.
    """
    profiles = entity_profiles(ledger, corpus_id, epoch)
    names = {key: one for key, one in profiles.items() if key not in PRONOUNS and len(key.split()) <= MAX_WORDS}
    vectors = embed_names(ledger, corpus_id, embedder, sorted(names))
    found = sorted(similar_pairs(names, vectors, of_type), key=lambda one: (-one.score, one.name, one.entity))
    return _undecided(ledger, corpus_id, found, profiles), profiles


def _undecided(
    ledger: Ledger, corpus_id: int, found: Sequence[Proposed], profiles: Mapping[str, Profile]
) -> list[Proposed]:
    rows = list_decisions(ledger, corpus_id)
    with ledger.read() as connection:
        pairs = accepted_pairs(connection, corpus_id)
    names = resolve(pairs)
    rejected = {frozenset((row.name, row.entity)) for row in rows if row.state == REJECTED}
    taken = set(pairs) | {row.name for row in rows if row.state == PROPOSED and row.entity in profiles}
    chosen = []
    for one in found:
        same = names.get(one.name, one.name) == names.get(one.entity, one.entity)
        if one.name not in taken and not same and frozenset((one.name, one.entity)) not in rejected:
            taken.add(one.name)
            chosen.append(one)
    return chosen


def embed_names(ledger: Ledger, corpus_id: int, embedder: Embedder, names: Sequence[str]) -> dict[str, Vectors]:
    """The vectors of entity keys, each of shape (dimension,); those not stored yet are made and stored."""
    hashes = {name: content_hash("text", name) for name in names}
    texts = {digest: name for name, digest in hashes.items()}
    model = embedder.fingerprint
    missing = missing_embeddings(ledger, corpus_id, list(texts), model)
    missing.sort(key=lambda digest: (len(texts[digest]), digest))
    for part in batches(missing, _TEXTS_AT_ONCE):
        store_embeddings(ledger, corpus_id, model, part, embedder.embed_texts([texts[digest] for digest in part]))
    with ledger.read() as connection:
        found = load_embeddings(connection, corpus_id, model, list(texts))
    return {name: found[digest] for name, digest in hashes.items()}


def similar_pairs(
    profiles: Mapping[str, Profile], vectors: Mapping[str, Vectors], of_type: str | None = None
) -> list[Proposed]:
    """Every pair above the thresholds; the name with fewer supports is taken for the other."""
    made: dict[tuple[str, str], Proposed] = {}
    by_type: dict[str, list[str]] = {}
    for key in sorted(profiles):
        for kind in profiles[key].types:
            by_type.setdefault(kind, []).append(key)
    for kind, keys in sorted(by_type.items()):
        if of_type in (None, kind):
            for pair in _candidates(keys, np.stack([vectors[key] for key in keys])):
                _judge(made, pair, kind, profiles, vectors)
    for short, long, kind in _abbreviations(profiles):
        if of_type in (None, kind):
            _judge(made, (short, long), kind, profiles, vectors)
    return list(made.values())


def _judge(
    made: dict[tuple[str, str], Proposed],
    pair: tuple[str, str],
    kind: str,
    profiles: Mapping[str, Profile],
    vectors: Mapping[str, Vectors],
) -> None:
    entity, name = sorted(pair, key=lambda key: (-profiles[key].supports, -len(key), key))
    if (name, entity) in made:
        return
    short = abbreviated(name, profiles[entity].surfaces) or abbreviated(entity, profiles[name].surfaces)
    if not short and not may_be_same(name, entity):
        return
    spelt = max(fuzz.ratio(name, entity), fuzz.token_sort_ratio(name, entity)) / 100
    means = max(0.0, float(vectors[name] @ vectors[entity]))
    if short or (spelt >= SPELT_ALIKE and means >= NEAR) or (spelt >= SPELT_NEAR and means >= MEANS_SAME):
        score = min(1.0, (spelt + means) / 2 + (ABBREVIATION if short else 0.0))
        evidence = {"origin": "review", "type": kind, "string": round(spelt, 4), "embedding": round(means, 4)}
        made[name, entity] = Proposed(name, entity, round(score, 4), evidence | {"abbreviation": short})


# --- blocking -------------------------------------------------------------------------------------


def _candidates(keys: Sequence[str], matrix: Vectors) -> Iterator[tuple[str, str]]:
    """Pairs of names of one type that may be alike; ``matrix`` has shape (len(keys), dimension)."""
    if len(keys) < 2:
        return
    trigrams = _trigrams(keys)
    transposed = trigrams.T.tocsr()
    for start in range(0, len(keys), _BLOCK):
        block = slice(start, start + _BLOCK)
        means = matrix[block] @ matrix.T
        rows, columns = np.nonzero(means >= MEANS_SAME)
        yield from _nearest(keys, start, rows, columns, means[rows, columns])
        spelt = (trigrams[block] @ transposed).tocoo()
        kept = spelt.data >= _SHARED_TRIGRAMS
        yield from _nearest(keys, start, spelt.row[kept], spelt.col[kept], spelt.data[kept])


def _nearest(
    keys: Sequence[str], start: int, rows: Positions, columns: Positions, scores: Vectors
) -> Iterator[tuple[str, str]]:
    """For each row its ``NEIGHBOURS`` best columns but itself; row and column i have score i."""
    other = rows + start != columns
    rows, columns, scores = rows[other], columns[other], scores[other]
    order = np.lexsort((columns, -scores, rows))
    rows, columns = rows[order], columns[order]
    rank = np.arange(len(rows)) - np.searchsorted(rows, rows)  # within the row
    best = rank < NEIGHBOURS
    for row, column in zip(rows[best].tolist(), columns[best].tolist(), strict=True):
        yield keys[start + row], keys[column]


def _trigrams(keys: Sequence[str]) -> csr_array:
    """One row of length 1 for each name, over its rarer trigrams; shape (len(keys), trigrams)."""
    padded = [f"  {key} " for key in keys]
    grams = [sorted({text[i : i + 3] for i in range(len(text) - 2)}) for text in padded]
    shared = Counter(gram for row in grams for gram in row)
    limit = min(_SHARED_BY, max(20, len(keys) // 5))
    columns = {gram: number for number, gram in enumerate(sorted(g for g, n in shared.items() if 1 < n <= limit))}
    lines = [[columns[gram] for gram in row if gram in columns] for row in grams]
    weights = np.log(len(keys) / np.array([shared[gram] for gram in columns], dtype=np.float32)) + 1.0
    pointers = np.cumsum([0, *(len(line) for line in lines)])
    indices = np.array([column for line in lines for column in line], dtype=np.int64)
    values = []
    for line in lines:
        own = weights[line] if line else np.empty(0, np.float32)
        values.append(own / (np.linalg.norm(own) or 1.0))
    data = np.concatenate(values).astype(np.float32)
    return csr_array((data, indices, pointers), shape=(len(keys), len(columns)))


def _abbreviations(profiles: Mapping[str, Profile]) -> Iterator[tuple[str, str, str]]:
    """(short, long, type) of one-word names made of another's initials, of one type or the short one untyped."""
    for long in sorted(profiles):
        for short in sorted({made for surface in profiles[long].surfaces for made in initials(surface)}):
            if short in profiles and short != long and " " not in short:
                kinds = sorted(set(profiles[short].types) & set(profiles[long].types))
                if kinds or UNTYPED in profiles[short].types:
                    yield short, long, (kinds or sorted(profiles[long].types))[0]
