"""The first step of a run: what its source lists against the newest state of the corpus, and why each page is done.

It writes nothing.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from clausegraph.core.errors import SourceError
from clausegraph.core.extraction import Reject
from clausegraph.core.pages.chunks import CHUNKER_FINGERPRINT
from clausegraph.core.pages.read import READER_FINGERPRINT, SourceDocument
from clausegraph.indexes.corpora import CorpusRow, list_sources
from clausegraph.indexes.derive import DERIVATION_FINGERPRINT
from clausegraph.indexes.forgotten import StaysOut, forgotten_key, list_forgotten, why_out
from clausegraph.indexes.ledger.store import Ledger
from clausegraph.indexes.truth import KnownVersion, OpenMember, known_versions, open_members, raw_hash_of
from clausegraph.ingestion.formats.formats import conversion_fingerprint
from clausegraph.ingestion.report import RunReport
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

FORCED = "forced (--force)"
_CHANGED = "its bytes changed"
_OTHER_EXTRACTOR = "other extractor"
_LISTED = "the source lists another page with this uri before it; the first one is used"
_ENDINGS = 5  # of files that were not read, named


@dataclass(frozen=True, slots=True)
class Before:
    """The pages of a source in the newest state, and every version of them that is stored; both by uri."""

    members: Mapping[str, OpenMember] = field(default_factory=dict)
    versions: Mapping[str, Mapping[str, KnownVersion]] = field(default_factory=dict)


def state_before(ledger: Ledger, source_id: int) -> Before:
    """What the ledger has of a source."""
    return Before(open_members(ledger, source_id), known_versions(ledger, source_id))


def check_location(ledger: Ledger, corpus: CorpusRow, source: Source, options: Options) -> None:
    """A run mirrors its source, so another place under the same name would remove the first one's pages; and one that
    was forgotten is not even asked."""
    for out in list_forgotten(ledger, corpus.id):
        if out.key == forgotten_key(source.name):
            raise SourceError(f"source {source.name!r} of corpus {corpus.name!r} was {why_out(out)}")
    for row in list_sources(ledger, corpus.id):
        if row.name == source.name and row.location != source.location and not options.relocate:
            raise SourceError(
                f"source {row.name!r} of corpus {corpus.name!r} is {row.location}, not {source.location}; "
                "add --source-name NAME to keep both, or --relocate if it has moved"
            )


def peek(source: Source, options: Options, documents: Iterator[Item] | None = None) -> Iterator[Item]:
    """What the source lists (``documents``, where it was asked), once it is certain that there is a page in it, or that
    none is meant.

    A source that has lost all its pages is more often a disk that is not mounted than one that was emptied.
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
    found: list[str] = []
    unusable: list[tuple[str, str]] = []
    gone: list[tuple[str, str]] = []
    for item in seen:
        match item:
            case Skipped(counts):
                found.append(skipped_words(counts))
            case Reject(what, reason) | Unlisted(what, reason):
                unusable.append((what, reason))
            case Gone(uri, reason):
                gone.append((uri, reason))
    if unusable := unusable + gone:
        what, reason = unusable[0]
        many = f"{len(unusable)} not usable, the first is {what!r}: "
        found.append(reason if len(unusable) == 1 and what in source.location else many + reason)
    return "; ".join(found) or "it is empty"


def skipped_words(counts: Mapping[str, int]) -> str:
    """Files that were not read, by ending, most frequent first: "3 files not read: 2 .xlsx, 1 .zip"."""
    named = sorted(((count, ending) for ending, count in counts.items() if ending), key=lambda row: (-row[0], row[1]))
    words = [f"{count} {ending}" for count, ending in named[:_ENDINGS]]
    others = counts.get("", 0) + sum(count for count, _ in named[_ENDINGS:])
    total = sum(counts.values())
    kinds = ", ".join([*words, *([f"{others} other"] if others else [])])
    return f"{total} file{'' if total == 1 else 's'} not read: {kinds}"


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


@dataclass(slots=True)
class Changes:
    """What a run does to the pages of its source, each with the reason in ``why``.

    ``kept`` are missing or unusable now and stay as they were; ``left`` are beyond the limit of the run.
    """

    before: Before
    stays_out: StaysOut = lambda uri: None
    added: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    unchanged: set[str] = field(default_factory=set)
    why: dict[str, str] = field(default_factory=dict)
    rejects: list[Reject] = field(default_factory=list)
    skipped: dict[str, int] = field(default_factory=dict)
    same: dict[str, str] = field(default_factory=dict)
    fetched: dict[str, int] = field(default_factory=dict)
    unread: dict[str, str] = field(default_factory=dict)  # why a page that the corpus has could not be read
    _gone: dict[str, str] = field(default_factory=dict)
    _unlisted: set[str] = field(default_factory=set)
    _listed: set[str] = field(default_factory=set)

    def to_read(self, documents: Iterable[Item], extractor: str, options: Options) -> Iterator[tuple[Page, str]]:
        """Yield the pages to be read, with the reason, one after the other: a document may be large.

        All else that the source lists is noted here. Whoever takes a page calls ``take`` or ``refuse``.
        """
        taken = 0
        for listed in documents:
            item = self.stays_out(getattr(listed, "uri", getattr(listed, "what", ""))) or listed
            match item:
                case Reject():
                    self.rejects.append(item)
                case Unlisted(prefix, reason):
                    self._unlisted.add(prefix)
                    self.rejects.append(Reject(prefix, reason))
                case Skipped(counts):
                    self.skipped |= counts
                case Gone(uri, reason):
                    self._gone[uri] = reason
                case SameAs(address, uri, reason):
                    self.same[address] = f"{uri}: {reason}"
                    self._gone[address] = f"it is the page {uri}: {reason}"
                case Fetched(counts):
                    self.fetched |= counts
                case _ if item.uri in self._listed:
                    self.rejects.append(Reject(item.uri, _LISTED))
                case _:
                    self._listed.add(item.uri)
                    member, versions = self.before.members.get(item.uri), self.before.versions.get(item.uri, {})
                    why = page_reason(item, member, versions, extractor, force=options.force)
                    if not why:
                        self.unchanged.add(item.uri)
                    elif options.limit is not None and taken >= options.limit:
                        self.left.append(item.uri)
                        self.why[item.uri] = "beyond the limit of this run"
                    else:
                        taken += 1
                        yield item, why

    def take(self, uri: str, why: str, rejects: Iterable[Reject] = ()) -> None:
        """The page is done, for this reason."""
        (self.changed if uri in self.before.members else self.added).append(uri)
        self.why[uri] = why
        self.rejects += rejects

    def refuse(self, uri: str, rejects: tuple[Reject, ...]) -> None:
        """The page cannot be read: what the corpus has of it stays."""
        if uri in self.before.members:
            self.kept.append(uri)
            self.why[uri] = self.unread[uri] = rejects[-1].reason
        self.rejects += rejects

    def finish(self, options: Options) -> Changes:
        """Tell what is missing, now that everything was listed; what is unusable is kept as it is in the corpus."""
        unusable = {reject.what: reject.reason for reject in self.rejects}
        listed = self.unchanged.union(self.added, self.changed, self.left, self.kept)
        for uri in sorted(set(self.before.members) - listed):
            place = "" if uri in self._gone else uri if uri in unusable else self._unlisted_above(uri)
            if place or options.keep_missing:
                self.kept.append(uri)
                self.why[uri] = unusable.get(place, "gone from the source, kept (--keep-missing)")
            else:
                self.removed.append(uri)
        self.why |= {uri: self._gone.get(uri, "gone from the source") for uri in self.removed}
        return self

    def _unlisted_above(self, uri: str) -> str:
        """The shortest unlisted prefix, which ends with "/", that the uri has; empty without one."""
        ends = (place + 1 for place, character in enumerate(uri) if character == "/") if self._unlisted else ()
        return next((uri[:end] for end in ends if uri[:end] in self._unlisted), "")

    def part(self, *, dry_run: bool = False) -> RunReport:
        """What the report of a run says of them; pages that are left may be very many: a dry run alone names them."""
        untold = frozenset(() if dry_run else self.left)
        return RunReport(
            pages_added=self.added,
            pages_changed=self.changed,
            pages_removed=self.removed,
            pages_kept=self.kept,
            pages_unchanged=len(self.unchanged),
            pages_left=len(self.left),
            pages_why={uri: why for uri, why in self.why.items() if uri not in untold},
            rejects=self.rejects,
            skipped=self.skipped,
            pages_same=self.same,
            fetched=self.fetched,
        )


# --- why ------------------------------------------------------------------------------------------


def pipeline_of(content_type: str) -> str:
    """What determines the elements and chunks of documents of this type: reader (with its converter) and chunker."""
    return f"{_reader_of(content_type)}+{CHUNKER_FINGERPRINT}"


def _reader_of(content_type: str) -> str:
    return ".".join(filter(None, (READER_FINGERPRINT, conversion_fingerprint(content_type))))


def page_reason(
    document: Page, member: OpenMember | None, versions: Mapping[str, KnownVersion], extractor: str, *, force: bool
) -> str:
    """Why the page is to be done, empty when it is current. ``member`` is the page in the newest state, if it is there;
    ``versions`` are its stored ones by version key, ``extractor`` the fingerprint of this run's."""
    if member is None:
        return "moved back: the corpus had it before" if any(known.published for known in versions.values()) else "new"
    raw_hash = document.raw_hash if isinstance(document, StoredDocument) else raw_hash_of(document.raw)
    kind = document.content_type
    here = (raw_hash, kind, document.title or "", document.url or "", pipeline_of(kind))
    was = versions[member.version_key]
    found = []
    if here != _stored(was):
        earlier = any(known.published and here == _stored(known) for known in versions.values())
        found = _version_reasons(document, raw_hash, was, earlier)
    if extractor != member.extractor:
        found.append(f"{_OTHER_EXTRACTOR} (was {member.extractor})")
    if member.derivation != DERIVATION_FINGERPRINT:
        found.append("rows are derived in another way")
    return "; ".join(found) or (FORCED if force else "")


def _stored(known: KnownVersion) -> tuple[str, ...]:
    """What a document must have, in this order, for its reading to be this version."""
    return known.raw_hash, known.content_type, known.title or "", known.url or "", known.pipeline


def _version_reasons(document: Page, raw_hash: str, was: KnownVersion, earlier: bool) -> list[str]:
    """What makes the document another version than ``was``; ``earlier``: the corpus had that one too."""
    found = []
    if raw_hash != was.raw_hash:
        found.append("its bytes are again those of an earlier version" if earlier else _CHANGED)
    said = (("title", document.title, was.title), ("address", document.url, was.url))
    found += [f"its source gives another {name}" for name, now, then in said if (now or "") != (then or "")]
    if document.content_type != was.content_type:
        found.append(f"it is {document.content_type} now, not {was.content_type}")
    reader, _, chunker = was.pipeline.partition("+")
    if reader != _reader_of(document.content_type):
        found.append("other reader")
    if chunker != CHUNKER_FINGERPRINT:
        found.append("other chunker")
    return found or [_CHANGED]


def chunk_reason(content_hash: str, input_key: str, was: Mapping[str, str], same_extractor: bool) -> str:
    """Why a chunk of a changed page is to be extracted. ``was``: the page's chunks in the newest state, input key by
    content hash; ``same_extractor``: whether this run's has extracted these."""
    if content_hash not in was:
        return "new or changed text"
    if not same_extractor:
        return _OTHER_EXTRACTOR
    return "its title, headings or lead-in changed" if was[content_hash] != input_key else "no stored extraction"
