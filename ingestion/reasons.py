"""Why a run does a page or a chunk again, in words: pure functions of what there is and what was there."""

from __future__ import annotations

from collections.abc import Mapping

from clausegraph.core.pages.chunks import CHUNKER_FINGERPRINT
from clausegraph.core.pages.read import READER_FINGERPRINT
from clausegraph.indexes.derive import DERIVATION_FINGERPRINT
from clausegraph.indexes.truth import KnownVersion, OpenMember, raw_hash_of
from clausegraph.ingestion.formats.formats import conversion_fingerprint
from clausegraph.ingestion.sources.source import Page, StoredDocument

NEW = "new"
BACK = "moved back: the corpus had it before"
FORCED = "forced (--force)"
CHANGED = "its bytes changed"
AS_BEFORE = "its bytes are again those of an earlier version"
OTHER_READER = "other reader"
OTHER_CHUNKER = "other chunker"
OTHER_ROWS = "rows are derived in another way"
GONE = "gone from the source"
KEPT = "gone from the source, kept (--keep-missing)"
LEFT = "beyond the limit of this run"

_ENDINGS = 5  # of files that were not read, named

NEW_TEXT = "new or changed text"
NEW_CONTEXT = "its title, headings or lead-in changed"
OTHER_EXTRACTOR = "other extractor"
NOT_STORED = "no stored extraction"


def pipeline_of(content_type: str) -> str:
    """What determines the elements and chunks of documents of this type: reader (with its converter) and chunker."""
    return f"{_reader_of(content_type)}+{CHUNKER_FINGERPRINT}"


def _reader_of(content_type: str) -> str:
    return ".".join(filter(None, (READER_FINGERPRINT, conversion_fingerprint(content_type))))


def skipped_words(counts: Mapping[str, int]) -> str:
    """Files that were not read, by ending, most frequent first: "3 files not read: 2 .xlsx, 1 .zip"."""
    named = sorted(((count, ending) for ending, count in counts.items() if ending), key=lambda row: (-row[0], row[1]))
    words = [f"{count} {ending}" for count, ending in named[:_ENDINGS]]
    others = counts.get("", 0) + sum(count for count, _ in named[_ENDINGS:])
    total = sum(counts.values())
    kinds = ", ".join([*words, *([f"{others} other"] if others else [])])
    return f"{total} file{'' if total == 1 else 's'} not read: {kinds}"


def _is_version(document: Page, raw_hash: str, known: KnownVersion) -> bool:
    """Whether reading the document now would make this version."""
    kind = document.content_type
    here = (raw_hash, kind, document.title or "", document.url or "", pipeline_of(kind))
    return here == (known.raw_hash, known.content_type, known.title or "", known.url or "", known.pipeline)


def page_reason(
    document: Page,
    member: OpenMember | None,
    versions: Mapping[str, KnownVersion],
    extractor: str,
    *,
    force: bool,
) -> str:
    """Why the page is to be done, empty when it is current.

    Args:
        member: the page in the newest state, None when it is not there.
        versions: the page's stored versions by version key.
        extractor: fingerprint of the extractor of this run.
    """
    if member is None:
        return BACK if any(known.published for known in versions.values()) else NEW
    raw_hash = document.raw_hash if isinstance(document, StoredDocument) else raw_hash_of(document.raw)
    earlier = any(known.published and _is_version(document, raw_hash, known) for known in versions.values())
    was = versions[member.version_key]
    found = [] if _is_version(document, raw_hash, was) else _version_reasons(document, raw_hash, was, earlier)
    if extractor != member.extractor:
        found.append(f"{OTHER_EXTRACTOR} (was {member.extractor})")
    if member.derivation != DERIVATION_FINGERPRINT:
        found.append(OTHER_ROWS)
    return "; ".join(found) or (FORCED if force else "")


def _version_reasons(document: Page, raw_hash: str, was: KnownVersion, earlier: bool) -> list[str]:
    """What makes the document another version than ``was``; ``earlier``: the corpus had that one too."""
    found = []
    if raw_hash != was.raw_hash:
        found.append(AS_BEFORE if earlier else CHANGED)
    said = (("title", document.title, was.title), ("address", document.url, was.url))
    found += [f"its source gives another {name}" for name, now, then in said if (now or "") != (then or "")]
    if document.content_type != was.content_type:
        found.append(f"it is {document.content_type} now, not {was.content_type}")
    reader, _, chunker = was.pipeline.partition("+")
    if reader != _reader_of(document.content_type):
        found.append(OTHER_READER)
    if chunker != CHUNKER_FINGERPRINT:
        found.append(OTHER_CHUNKER)
    return found or [CHANGED]


def chunk_reason(content_hash: str, input_key: str, was: Mapping[str, str], same_extractor: bool) -> str:
    """Why a chunk of a changed page is to be extracted.

    Args:
        was: the page's chunks in the newest state, input key by content hash.
        same_extractor: whether the page was extracted by the extractor of this run.
    """
    if content_hash not in was:
        return NEW_TEXT
    if not same_extractor:
        return OTHER_EXTRACTOR
    return NEW_CONTEXT if was[content_hash] != input_key else NOT_STORED
