"""From what the addresses of a crawl answered to pages: a pure function of the rows, so a crawl that was killed and one
that was not come to the same."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from clausegraph.indexes.fetches import FetchRow
from clausegraph.ingestion.sources.web.duplicates import Pieces, duplicates

_HOPS = 20
UNLINKED = "no page of the site leads to it any more"
UNLISTED = "it is not listed any more"


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
    """Which pages there are.

    Args:
        rows: every address that is known.
        reached: those of this crawl.
        unreached: why a page at an address that was not reached is gone; empty where it stays.
        pieces: the pieces of text of a page.
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
            taken[next((name for name in sorted(names) if name not in taken), _free(address, taken))] = address
    return {address: uri for uri, address in taken.items()}


def _free(address: str, taken: Mapping[str, str]) -> str:
    """The address as a uri: nobody else is called so, unless a page that moved away from here still is."""
    return address if address not in taken else f"{address}#moved-here"


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
