"""Which addresses show the same page.

Nothing that a page says is lost by taking it for another: what is left out says the same, adds nothing, or is called
another form of the other page by the site itself. Words are compared by MinHash (Broder, "On the resemblance and
containment of documents", 1997), as datasketch has it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from clausegraph.core.hashing import content_hash
from clausegraph.indexes.fetches import FetchRow

if TYPE_CHECKING:
    from datasketch import MinHash

_PERMUTATIONS = 64
_SCHEME = "affine64"  # how datasketch makes them: those stored were made so
_ALIKE = 0.8  # of the shingles of both: a print version without its frame has more, another page of a series less
_SHINGLE = 3  # words
_MOST_SHINGLES = 50_000

Pieces = Callable[[FetchRow], Sequence[str]]


def text_hash_of(pieces: Sequence[str]) -> str:
    """Identity of the text of a page; empty where it has none."""
    return content_hash("text", "\n".join(pieces)) if pieces else ""


def sketch_of(pieces: Sequence[str]) -> bytes:
    """MinHash of the words of a page, in threes; empty where it has fewer."""
    words = " ".join(pieces).lower().split()
    shingles = {" ".join(words[at : at + _SHINGLE]) for at in range(min(len(words) - _SHINGLE + 1, _MOST_SHINGLES))}
    if not shingles:
        return b""
    made = _empty()
    made.update_batch([shingle.encode("utf-8", "replace") for shingle in sorted(shingles)])
    return np.asarray(made.hashvalues, dtype="<u8").tobytes()


def duplicates(rows: Mapping[str, FetchRow], established: frozenset[str], pieces: Pieces) -> dict[str, tuple[str, str]]:
    """Addresses whose page is another one's: that one's address, and how that is known.

    Args:
        rows: addresses that have a page.
        established: those that are pages of the corpus. They become another page's address only where the site says
            so: a wall that all pages show for a day would make one of them all.
        pieces: the pieces of text of a page.
    """
    found: dict[str, tuple[str, str]] = {}
    for address in sorted(rows):
        target = rows[address].canonical
        if target == address or target not in rows or _root(target, found) == address:
            continue
        if _alike(rows[address], rows[target]):
            found[address] = (target, "it names this address as its own")
    left = sorted((address for address in rows if address not in found), key=lambda one: _order(one, established))
    for what, key in (("bytes", "raw_hash"), ("text", "text_hash")):
        first: dict[str, str] = {}
        for address in left:
            value = getattr(rows[address], key)
            kept = first.setdefault(value, address) if value else address
            if kept != address and address not in established and address not in found:
                found[address] = (kept, f"equal {what}")
    left = [address for address in left if address not in found]
    found |= _contained({address: rows[address] for address in left}, established, pieces)
    return {address: (_root(kept, found), why) for address, (kept, why) in found.items()}


def _contained(rows: Mapping[str, FetchRow], established: frozenset[str], pieces: Pieces) -> dict[str, tuple[str, str]]:
    """Near duplicates of which one adds nothing to the other."""
    from datasketch import MinHashLSH

    index = MinHashLSH(threshold=_ALIKE, num_perm=_PERMUTATIONS)
    hashes = {address: _minhash(row.sketch) for address, row in rows.items() if row.sketch}
    found: dict[str, tuple[str, str]] = {}

    @cache  # a page is near all others of its template, and is parsed once
    def said(address: str) -> frozenset[int]:
        return frozenset(map(hash, pieces(rows[address])))  # nothing where it cannot be looked at again

    for address, made in hashes.items():
        index.insert(address, made)
    for address, made in hashes.items():
        near = sorted(other for other in index.query(made) if other != address and other not in found)
        if address in established or not near:
            continue
        for other in near:
            if made.jaccard(hashes[other]) >= _ALIKE and said(address) and said(address) <= said(other):
                found[address] = (other, "nearly equal, and it adds nothing")
                break
    return found


def _alike(one: FetchRow, other: FetchRow) -> bool:
    if one.text_hash and one.text_hash == other.text_hash:
        return True
    both = bool(one.sketch and other.sketch)
    return both and _minhash(one.sketch).jaccard(_minhash(other.sketch)) >= _ALIKE


def _root(address: str, found: Mapping[str, tuple[str, str]]) -> str:
    while address in found:
        address = found[address][0]
    return address


def _order(address: str, established: frozenset[str]) -> tuple[bool, int, str]:
    """Of equal pages the first stays: one that the corpus has, then the shortest address."""
    return address not in established, len(address), address


def _empty() -> MinHash:
    from datasketch import MinHash

    return MinHash(num_perm=_PERMUTATIONS, scheme=_SCHEME)


def _minhash(sketch: bytes) -> MinHash:
    from datasketch import MinHash

    return MinHash(num_perm=_PERMUTATIONS, hashvalues=np.frombuffer(sketch, dtype="<u8"), scheme=_SCHEME)
