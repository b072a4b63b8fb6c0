"""Which addresses show the same page.

Nothing that a page says is lost by taking it for another: what is left out says the same, adds nothing, or is called
another form of the other page by the site itself. Words are compared by MinHash (Broder, "On the resemblance and
containment of documents", 1997); pages to compare are those with an equal band of their sketches (Leskovec, Rajaraman
and Ullman, "Mining of Massive Datasets", 3.4). Sketches and bands are those of the library datasketch, which a test
holds them to: it would bring SciPy, 120 MB.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from clausegraph.core.hashing import content_hash
from clausegraph.indexes.fetches import FetchRow

Hashes = NDArray[np.uint64]

_PERMUTATIONS = 64
_BANDS, _BAND_SIZE = 5, 11  # of a sketch: what pages alike by _ALIKE and less alike ones are told apart by best
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
    digests = (hashlib.sha1(shingle.encode("utf-8", "replace"), usedforsecurity=False) for shingle in shingles)
    hashes = _mixed(np.frombuffer(b"".join(digest.digest()[:8] for digest in digests), dtype="<u8"))
    lowest = [(factor * hashes + addend).min() for factor, addend in zip(*_permutations(), strict=True)]
    return np.array(lowest, dtype="<u8").tobytes()


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
    sketches = {address: row.sketch for address, row in rows.items() if row.sketch}
    found: dict[str, tuple[str, str]] = {}

    @cache  # a page is near all others of its template, and is parsed once
    def said(address: str) -> frozenset[int]:
        return frozenset(map(hash, pieces(rows[address])))  # nothing where it cannot be looked at again

    with_band: dict[tuple[int, bytes], list[str]] = defaultdict(list)
    for address, sketch in sketches.items():
        for band in _bands(sketch):
            with_band[band].append(address)
    for address, sketch in sketches.items():
        others = {other for band in _bands(sketch) for other in with_band[band]}
        near = sorted(other for other in others if other != address and other not in found)
        if address in established or not near:
            continue
        for other in near:
            if _likeness(sketch, sketches[other]) >= _ALIKE and said(address) and said(address) <= said(other):
                found[address] = (other, "nearly equal, and it adds nothing")
                break
    return found


def _alike(one: FetchRow, other: FetchRow) -> bool:
    if one.text_hash and one.text_hash == other.text_hash:
        return True
    return bool(one.sketch and other.sketch) and _likeness(one.sketch, other.sketch) >= _ALIKE


def _root(address: str, found: Mapping[str, tuple[str, str]]) -> str:
    while address in found:
        address = found[address][0]
    return address


def _order(address: str, established: frozenset[str]) -> tuple[bool, int, str]:
    """Of equal pages the first stays: one that the corpus has, then the shortest address."""
    return address not in established, len(address), address


def _likeness(one: bytes, other: bytes) -> float:
    """The share of permutations with the same lowest hash, which estimates Jaccard's similarity of the shingles."""
    return float(np.mean(np.frombuffer(one, dtype="<u8") == np.frombuffer(other, dtype="<u8")))


def _bands(sketch: bytes) -> list[tuple[int, bytes]]:
    size = _BAND_SIZE * 8
    return [(band, sketch[band * size : (band + 1) * size]) for band in range(_BANDS)]


@cache
def _permutations() -> tuple[Hashes, Hashes]:
    """Factors, which are odd, and addends of the permutations of 64-bit numbers, drawn with a fixed seed."""
    drawn = np.random.RandomState(1)
    factors = drawn.randint(0, 1 << 63, _PERMUTATIONS, dtype=np.uint64) * np.uint64(2) + np.uint64(1)
    return factors, drawn.randint(0, 1 << 64, _PERMUTATIONS, dtype=np.uint64)


def _mixed(hashes: Hashes) -> Hashes:
    """Spread the bits of hashes: the finalizer of MurmurHash3, a permutation of 64-bit numbers."""
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        hashes = (hashes ^ (hashes >> np.uint64(33))) * np.uint64(factor)
    return hashes ^ (hashes >> np.uint64(33))
