"""From what the addresses of a crawl answered to pages: a pure function of the rows, so a crawl that was killed and one
that was not come to the same.

Nothing that a page says is lost by taking it for another: what is left out says the same, adds nothing, or is called
another form of the other page by the site itself. Words are compared by MinHash (Broder, "On the resemblance and
containment of documents", 1997); pages to compare are those with an equal band of their sketches (Leskovec, Rajaraman
and Ullman, "Mining of Massive Datasets", 3.4). Sketches and bands are those of the library datasketch, which a test
holds them to: it would bring SciPy, 120 MB.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cache

import numpy as np
from numpy.typing import NDArray

from clausegraph.core.hashing import content_hash
from clausegraph.indexes.fetches import FetchRow

_HOPS = 20
UNLINKED = "no page of the site leads to it any more"
UNLISTED = "it is not listed any more"
Hashes = NDArray[np.uint64]

_PERMUTATIONS = 64
_BANDS, _BAND_SIZE = 5, 11  # of a sketch: what pages alike by _ALIKE and less alike ones are told apart by best
_ALIKE = 0.8  # of the shingles of both: a print version without its frame has more, another page of a series less
_SHINGLE = 3  # words
_MOST_SHINGLES = 50_000

Pieces = Callable[[FetchRow], Sequence[str]]


@dataclass(slots=True)
class Outcome:
    """The pages of a source after a crawl.

    ``pages``: address by uri. ``same``: for each other address the uri of its page and how that is known. ``gone``: by
    uri, why. ``kept``: rows as the next crawl is to find them; ``dropped``: addresses to forget.
    """

    pages: dict[str, str] = field(default_factory=dict)
    same: dict[str, tuple[str, str]] = field(default_factory=dict)
    gone: dict[str, str] = field(default_factory=dict)
    kept: list[FetchRow] = field(default_factory=list)
    dropped: list[str] = field(default_factory=list)


def outcome_of(
    rows: Mapping[str, FetchRow], reached: Iterable[str], unreached: Callable[[str], str], pieces: Pieces
) -> Outcome:
    """Which pages there are. ``rows`` are of every known address, ``reached`` are those of this crawl; ``unreached``
    says why a page at an address that was not reached is gone, empty where it stays; ``pieces`` are those of its text.
    """
    live = set(reached)
    live |= {address for address in rows if address not in live and not unreached(address)}
    live |= _held(live, rows)
    ends = {address: found for address in sorted(live) if (found := _stands(address, rows))}
    contents = {address: rows[address] for address in sorted(set(ends.values()))}
    established = frozenset(address for address, row in contents.items() if row.uri and _is_own(row, rows))
    twins = duplicates(contents, established, pieces)
    made = Outcome()
    leading: dict[str, list[str]] = {}
    for address, end in ends.items():
        leading.setdefault(twins[end][0] if end in twins else end, []).append(address)
    uris = _identities({address: rows[address] for address in leading}, leading, rows)
    for content, addresses in leading.items():
        uri = uris[content]
        made.pages[uri] = content
        for address in addresses:
            if address != uri:
                made.same[address] = (uri, _why_same(address, ends[address], twins, content))
            made.kept.append(_kept(rows[address], uri, ends[address] == address))
    for address, row in rows.items():
        if address not in ends:
            made.dropped.append(address)
        if row.uri and row.uri not in made.pages:
            made.gone[row.uri] = _why_gone(rows.get(row.uri, row), live, unreached, rows)
    return made


def last_good(row: FetchRow) -> str:
    """What to add to a problem: since when the version is from that stays."""
    return f"; the version of {datetime.fromtimestamp(row.fetched, UTC):%Y-%m-%d} stays" if row.raw_hash else ""


def _leads(row: FetchRow) -> bool:
    """Whether what the row shows is at its target: it redirects there, or did so when it last answered."""
    if row.outcome == "moved":
        return row.permanent or not row.raw_hash
    return bool(row.target) and row.outcome in ("failed", "refused") and not row.raw_hash


def _held(live: set[str], rows: Mapping[str, FetchRow]) -> set[str]:
    """Where addresses that fail led when they last answered: nobody said that the pages there are gone."""
    found: set[str] = set()
    for address in live:
        at = address
        while (row := rows.get(at)) is not None and row.outcome != "moved" and _leads(row) and row.target not in found:
            at = row.target
            found.add(at)
    return found & set(rows)


def _stands(address: str, rows: Mapping[str, FetchRow]) -> str:
    """The address whose bytes are what a reader of this one should get; empty where there are none."""
    at = address
    for _ in range(_HOPS):
        row = rows.get(at)
        if row is None:
            break
        if not _leads(row):
            if row.raw_hash:
                return at
            if row.outcome == "gone":
                return ""
            break
        at = row.target
    return address if rows[address].raw_hash else ""  # what it leads to never had a page: its own last one stays


def _is_own(row: FetchRow, rows: Mapping[str, FetchRow]) -> bool:
    """Whether the row was the page of its uri, not one more address of it."""
    if row.uri == row.address:
        return True
    first = rows.get(row.uri)
    return first is None or _stands(row.uri, rows) == _stands(row.address, rows)


def _identities(
    contents: Mapping[str, FetchRow], leading: Mapping[str, list[str]], rows: Mapping[str, FetchRow]
) -> dict[str, str]:
    """Address to uri: what a page was called stays its name, wherever it has moved to."""
    taken: dict[str, str] = {}
    for address, row in contents.items():
        if row.uri == address:
            taken[address] = address
    named = set(taken)
    for address, row in contents.items():
        if address not in named and row.uri and row.uri not in taken:
            taken[row.uri] = address
            named.add(address)
    for address in contents:
        if address not in named:
            names = [rows[one].uri for one in leading[address] if rows[one].uri and _is_own(rows[one], rows)]
            # nobody else is called like the address, unless a page that moved away from there still is
            free = address if address not in taken else f"{address}#moved-here"
            taken[next((name for name in sorted(names) if name not in taken), free)] = address
    return {address: uri for uri, address in taken.items()}


def _why_same(address: str, end: str, twins: Mapping[str, tuple[str, str]], content: str) -> str:
    if address == content:
        return "the page has moved here"
    if end != address:
        return f"it redirects to {end}"
    return twins[end][1] if end in twins else "it shows the same"


def _kept(row: FetchRow, uri: str, stands: bool) -> FetchRow:
    """The row for the next crawl; what an address had before it moved is needed no more."""
    if stands:
        return replace(row, uri=uri)
    return replace(
        row, uri=uri, raw_hash="", content_type="", etag="", last_modified="", canonical="", text_hash="", sketch=b""
    )


def _why_gone(row: FetchRow, live: set[str], unreached: Callable[[str], str], rows: Mapping[str, FetchRow]) -> str:
    if row.address not in live:
        return unreached(row.address)
    if row.outcome == "moved" and row.target in rows:
        return f"it redirects to {row.target}: {rows[row.target].reason}"
    return row.reason or UNLISTED


# --- duplicates ------------------------------------------------------------------------------------


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

    Those ``established`` as pages of the corpus become another page's address only where the site says so: a wall that
    all pages show for a day would make one of them all.
    """
    found: dict[str, tuple[str, str]] = {}
    for address in sorted(rows):
        target = rows[address].canonical
        if target == address or target not in rows or _root(target, found) == address:
            continue
        if _alike(rows[address], rows[target]):
            found[address] = (target, "it names this address as its own")
    # of equal pages the first stays: one that the corpus has, then the shortest address
    left = sorted(rows.keys() - found.keys(), key=lambda one: (one not in established, len(one), one))
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
