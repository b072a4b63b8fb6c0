"""The first step of a run: what its source lists against the newest state of the corpus. It writes nothing."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from clausegraph.core.errors import SourceError
from clausegraph.core.extraction import Reject
from clausegraph.core.pages.read import SourceDocument
from clausegraph.indexes.corpora import CorpusRow, list_sources
from clausegraph.indexes.ledger.store import Ledger
from clausegraph.indexes.truth import KnownVersion, OpenMember, known_versions, open_members
from clausegraph.ingestion.reasons import GONE, KEPT, LEFT, page_reason, skipped_words
from clausegraph.ingestion.results import Changes
from clausegraph.ingestion.sources.source import (
    Fetched,
    Gone,
    Item,
    Page,
    SameAs,
    Skipped,
    Source,
    StoredDocument,
    Unlisted,
)
from clausegraph.ingestion.tools import Options

Fate = Literal[
    "added", "changed", "unchanged", "left", "kept", "rejected", "unlisted", "skipped", "gone", "same", "fetched"
]
_PAGES: tuple[Fate, ...] = ("added", "changed", "unchanged", "left", "kept")


@dataclass(frozen=True, slots=True)
class Before:
    """The pages of a source in the newest state, and every version of them that is stored; both by uri."""

    members: Mapping[str, OpenMember] = field(default_factory=dict)
    versions: Mapping[str, Mapping[str, KnownVersion]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Listed:
    """One thing that a source lists, what becomes of it, and why; a new or changed page with its document.

    What is "unlisted" has a prefix of uris as its uri; what is "skipped" are files by ending; what is the "same" has in
    ``page`` the uri of the page whose address it is.
    """

    uri: str
    fate: Fate
    why: str = ""
    document: Page | None = None
    rejects: tuple[Reject, ...] = ()
    skipped: Mapping[str, int] = field(default_factory=dict)
    page: str = ""
    fetched: Mapping[str, int] = field(default_factory=dict)


def peek(source: Source, options: Options, documents: Iterator[Item] | None = None) -> Iterator[Item]:
    """What the source lists (``documents``, where it was asked), once it is certain that there is a page in it, or that
    none is meant.

    A source that has lost all its pages is more often a disk that is not mounted than one that was emptied.

    Raises:
        SourceError: it has no usable page, and the options do not allow that.
    """
    documents = source.documents() if documents is None else documents
    seen: list[Item] = []
    for item in documents:
        seen.append(item)
        if isinstance(item, Page):
            return itertools.chain(seen, documents)
    if options.allow_empty:
        return iter(seen)
    raise SourceError(
        f"source {source.location} has no usable page: {_found_instead(source, seen)}. Nothing is removed; should the "
        "pages that an earlier run took from it go, add --allow-empty"
    )


def _found_instead(source: Source, seen: Iterable[Item]) -> str:
    """What a source without a page has."""
    items = list(seen)
    found = [skipped_words(item.counts) for item in items if isinstance(item, Skipped)]
    unusable = [
        Reject(item.prefix, item.reason) if isinstance(item, Unlisted) else item
        for item in items
        if isinstance(item, Reject | Unlisted)
    ]
    unusable += [Reject(item.uri, item.reason) for item in items if isinstance(item, Gone)]
    if unusable:
        first = unusable[0]
        many = f"{len(unusable)} not usable, the first is {first.what!r}: "
        found.append(first.reason if len(unusable) == 1 and first.what in source.location else many + first.reason)
    return "; ".join(found) or "it is empty"


def check_location(ledger: Ledger, corpus: CorpusRow, source: Source, options: Options) -> None:
    """A run mirrors its source, so another place under the same name would remove the first one's pages."""
    for row in list_sources(ledger, corpus.id):
        if row.name == source.name and row.location != source.location and not options.relocate:
            raise SourceError(
                f"source {row.name!r} of corpus {corpus.name!r} is {row.location}, not {source.location}; "
                "add --source-name NAME to keep both, or --relocate if it has moved"
            )


def state_before(ledger: Ledger, source_id: int) -> Before:
    """What the ledger has of a source."""
    return Before(open_members(ledger, source_id), known_versions(ledger, source_id))


def narrowed(documents: Iterable[Item], before: Before, options: Options) -> tuple[Iterable[Item], Before]:
    """What the source lists, and what there was, of the pages that the run is to look at."""
    only = options.only
    if only is None:
        return documents, before
    members = {uri: member for uri, member in before.members.items() if uri in only}
    return (item for item in documents if _concerns(item, only)), Before(members, before.versions)


def _concerns(item: Item, only: frozenset[str]) -> bool:
    match item:
        case SourceDocument() | StoredDocument() | Gone() | SameAs():
            return item.uri in only
        case Reject(what):
            return what in only
        case Unlisted(prefix):
            return any(uri.startswith(prefix) for uri in only)
    return not isinstance(item, Skipped)


def list_documents(documents: Iterable[Item], before: Before, extractor: str, options: Options) -> Iterator[Listed]:
    """What becomes of each thing that the source lists, one after the other: a document may be large."""
    taken = 0
    for item in documents:
        if not isinstance(item, Page):
            yield _no_page(item)
            continue
        member = before.members.get(item.uri)
        why = page_reason(item, member, before.versions.get(item.uri, {}), extractor, force=options.force)
        if not why:
            yield Listed(item.uri, "unchanged")
        elif options.limit is not None and taken >= options.limit:
            yield Listed(item.uri, "left", LEFT)
        else:
            taken += 1
            yield Listed(item.uri, "changed" if member else "added", why, item)


def _no_page(item: Reject | Unlisted | Skipped | Gone | SameAs | Fetched) -> Listed:
    match item:
        case Reject(what):
            return Listed(what, "rejected", rejects=(item,))
        case Unlisted(prefix, reason):
            return Listed(prefix, "unlisted", rejects=(Reject(prefix, reason),))
        case Skipped(counts):
            return Listed("", "skipped", skipped=counts)
        case Gone(uri, reason):
            return Listed(uri, "gone", reason)
        case SameAs(address, uri, reason):
            return Listed(address, "same", reason, page=uri)
        case Fetched(counts):
            return Listed("", "fetched", fetched=counts)


def changes_of(listed: Iterable[Listed], before: Before, options: Options) -> Changes:
    """The changes that follow, once everything was listed. What is unusable now is kept as it is in the corpus."""
    by_fate: dict[Fate, list[str]] = {}
    why: dict[str, str] = {}
    rejects: list[Reject] = []
    skipped: dict[str, int] = {}
    fetched: dict[str, int] = {}
    same: dict[str, str] = {}
    gone: dict[str, str] = {}
    for item in listed:
        by_fate.setdefault(item.fate, []).append(item.uri)
        rejects += item.rejects
        skipped |= item.skipped
        fetched |= item.fetched
        if item.fate == "same":
            same[item.uri] = f"{item.page}: {item.why}"
            gone[item.uri] = f"it is the page {item.page}: {item.why}"
        if item.fate == "gone":
            gone[item.uri] = item.why
        if item.fate in _PAGES and item.fate != "unchanged":
            why[item.uri] = item.why
    unusable = {reject.what: reject.reason for reject in rejects}
    missing = sorted(set(before.members).difference(*(by_fate.get(fate, ()) for fate in _PAGES)))
    unlisted = frozenset(by_fate.get("unlisted", ()))
    kept: dict[str, str] = {}
    for uri in missing:
        place = "" if uri in gone else uri if uri in unusable else _above(uri, unlisted)
        if place or options.keep_missing:
            kept[uri] = unusable.get(place, KEPT)
    removed = [uri for uri in missing if uri not in kept]
    return Changes(
        added=tuple(by_fate.get("added", ())),
        changed=tuple(by_fate.get("changed", ())),
        removed=tuple(removed),
        kept=(*by_fate.get("kept", ()), *kept),
        left=tuple(by_fate.get("left", ())),
        unchanged=len(by_fate.get("unchanged", ())),
        why=why | kept | {uri: gone.get(uri, GONE) for uri in removed},
        rejects=tuple(rejects),
        skipped=skipped,
        same=same,
        fetched=fetched,
    )


def _above(uri: str, prefixes: frozenset[str]) -> str:
    """The shortest of the prefixes, which end with "/", that the uri has; empty without one."""
    ends = (place + 1 for place, character in enumerate(uri) if character == "/") if prefixes else ()
    return next((uri[:end] for end in ends if uri[:end] in prefixes), "")
