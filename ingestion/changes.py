"""The first step of a run: what its source lists against the newest state of the corpus. It writes nothing."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from clausegraph.core.errors import SourceError
from clausegraph.core.extraction import Reject
from clausegraph.core.pages.document import SourceDocument
from clausegraph.indexes.corpora import CorpusRow, list_sources
from clausegraph.indexes.history import KnownVersion, known_versions
from clausegraph.indexes.ledger.store import Ledger
from clausegraph.indexes.truth import OpenMember, open_members
from clausegraph.ingestion.reasons import GONE, KEPT, LEFT, page_reason
from clausegraph.ingestion.results import Changes
from clausegraph.ingestion.sources.source import Source
from clausegraph.ingestion.tools import Options

Fate = Literal["added", "changed", "unchanged", "left", "kept", "rejected"]


@dataclass(frozen=True, slots=True)
class Before:
    """The pages of a source in the newest state, and every version of them that is stored; both by uri."""

    members: Mapping[str, OpenMember] = field(default_factory=dict)
    versions: Mapping[str, Mapping[str, KnownVersion]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Listed:
    """One thing that a source lists, what becomes of it, and why; a new or changed page with its document."""

    uri: str
    fate: Fate
    why: str = ""
    document: SourceDocument | None = None
    rejects: tuple[Reject, ...] = ()


def peek(source: Source) -> Iterator[SourceDocument | Reject]:
    """The documents, once it is certain that there is a first one."""
    documents = source.documents()
    seen: list[SourceDocument | Reject] = []
    for item in documents:
        seen.append(item)
        if isinstance(item, SourceDocument):
            break
    return itertools.chain(seen, documents)


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


def list_documents(
    documents: Iterable[SourceDocument | Reject], before: Before, extractor: str, options: Options
) -> Iterator[Listed]:
    """What becomes of each thing that the source lists, one after the other: a document may be large."""
    taken = 0
    for item in documents:
        if isinstance(item, Reject):
            yield Listed(item.what, "rejected", rejects=(item,))
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


def changes_of(listed: Iterable[Listed], before: Before, options: Options) -> Changes:
    """The changes that follow, once everything was listed. What is unusable now is kept as it is in the corpus."""
    by_fate: dict[Fate, list[str]] = {}
    why: dict[str, str] = {}
    rejects: list[Reject] = []
    for item in listed:
        by_fate.setdefault(item.fate, []).append(item.uri)
        rejects += item.rejects
        if item.fate not in ("unchanged", "rejected"):
            why[item.uri] = item.why
    unusable = {reject.what: reject.reason for reject in rejects}
    missing = sorted(set(before.members).difference(*(uris for fate, uris in by_fate.items() if fate != "rejected")))
    kept = {uri: unusable.get(uri, KEPT) for uri in missing if options.keep_missing or uri in unusable}
    removed = [uri for uri in missing if uri not in kept]
    return Changes(
        added=tuple(by_fate.get("added", ())),
        changed=tuple(by_fate.get("changed", ())),
        removed=tuple(removed),
        kept=(*by_fate.get("kept", ()), *kept),
        left=tuple(by_fate.get("left", ())),
        unchanged=len(by_fate.get("unchanged", ())),
        why=why | kept | dict.fromkeys(removed, GONE),
        rejects=tuple(rejects),
    )
