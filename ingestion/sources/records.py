"""JSON files of pages as sources: ConditionalQA's ``documents.json``, and passages with recorded triples."""

from __future__ import annotations

import heapq
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from clausegraph.core.errors import SourceError
from clausegraph.core.extraction import Reject
from clausegraph.core.hashing import canonical_json
from clausegraph.core.pages.read import CONDITIONALQA, SourceDocument
from clausegraph.ingestion.sources.folder import FolderSource, kind_of, local, read_regular
from clausegraph.ingestion.sources.source import Item

_MAX_BYTES = 200 * 1024 * 1024
_HEAD = 1024 * 1024  # bytes looked at to tell passages from other JSON
_SLUG = 80  # characters of a title that its uri keeps
_INVISIBLE = str.maketrans("", "", "\u200b\u2060\u00ad\ufeff")  # what reading a page drops
_GAPS = re.compile(r"\W+")
_ADVICE = 'give a list of objects like {"title": "…", "text": "…", "triples": [["subject", "relation", "object"]]}'


def _read_list(path: Path, of_what: str) -> list[Any]:
    """The list in a JSON file; ``of_what`` says what it should be of."""
    raw = read_regular(path, _MAX_BYTES)
    if isinstance(raw, str):
        raise SourceError(f"source {path} cannot be used: {raw}")
    try:
        found = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise SourceError(f"source {path} is not valid JSON: {error}") from error
    if not isinstance(found, list):
        raise SourceError(f"source {path}: expected a list of {of_what}; got {type(found).__name__}")
    return found


def _sound(text: str) -> str:
    """The text with each lone surrogate, which JSON can write and no database can store, shown as "?"."""
    return text.encode("utf-8", "replace").decode("utf-8")


class _RecordsSource:
    """One JSON file; ``advice`` says which to give where there is none."""

    advice = ""

    def __init__(self, path: Path | str, name: str | None = None) -> None:
        """Open the file at ``path``; raise ``SourceError`` where there is none."""
        self._path = local(path)
        if kind_of(self._path) != "file":
            raise SourceError(f"source {path} is not a file; give the path of {self.advice}")
        self.name = name or self._path.stem
        self.location = str(self._path)


class ConditionalQASource(_RecordsSource):
    """The pages of a ConditionalQA documents file; a page's uri is its url."""

    kind = "conditionalqa"
    advice = "ConditionalQA's documents.json"

    def documents(self) -> Iterator[SourceDocument | Reject]:
        """Yield the pages in the order of their urls; see ``Source.documents``."""
        records = _read_list(self._path, "records with title, url and contents")
        pages = [_page(record, f"source {self.location}, record {index}") for index, record in enumerate(records)]
        seen: dict[str, SourceDocument] = {}
        for page in sorted(pages, key=lambda page: page.uri):  # stable: the first of equal urls stays first
            kept = seen.setdefault(page.uri, page)
            if kept is page:
                yield page
            elif kept != page:
                yield Reject(page.uri, "a later record has the same url and other content; the first one is used")


def _page(record: Any, where: str) -> SourceDocument:
    if not isinstance(record, dict):
        raise SourceError(f"{where}: expected an object with title, url and contents, got {type(record).__name__}")
    for field in ("title", "url"):
        if not isinstance(record.get(field), str) or not record[field].strip():
            raise SourceError(f"{where}: field {field!r} is missing or no text")
    contents = record.get("contents")
    if not isinstance(contents, list) or not all(isinstance(item, str) for item in contents):
        raise SourceError(f"{where} ({record['url']}): field 'contents' is missing or no list of texts")
    title, url = _sound(record["title"]), _sound(record["url"])
    raw = canonical_json({"title": title, "url": url, "contents": contents}).encode("utf-8", "replace")
    return SourceDocument(url, raw, CONDITIONALQA, title, url)


class RecordsFolderSource:
    """The pages of a folder's documents file and of the other files below it.

    A page of the documents file has its url as uri, one of a file its path: they do not meet. Where they do, the file
    is a reject. It is named and located as the documents file alone: a folder in which other files turn up stays the
    same source.
    """

    kind = ConditionalQASource.kind

    def __init__(self, folder: Path, records: str, name: str | None = None) -> None:
        """Open ``folder`` with the documents file ``records`` in it; raise ``SourceError`` where one is not there."""
        self._records = ConditionalQASource(folder / records, name or folder.name)
        self._files = FolderSource(folder, name, except_for=frozenset({records}))
        self.name = self._records.name
        self.location = self._records.location

    def documents(self) -> Iterator[Item]:
        """Yield the pages of both in the order of their uris; see ``Source.documents``."""
        before = None
        for item in heapq.merge(self._records.documents(), self._files.documents(), key=_place):
            if not isinstance(item, SourceDocument):
                yield item
            elif item.uri == before:
                yield Reject(item.uri, "a page of the documents file beside it has the same uri; that one is used")
            else:
                before = item.uri
                yield item


def _place(item: Item) -> str:
    """Where an item stands among others; what is neither a page nor a reject is yielded before the files."""
    return item.uri if isinstance(item, SourceDocument) else item.what if isinstance(item, Reject) else ""


# --- passages ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TripledPassage:
    """One passage; ``triples`` are as recorded: any JSON values, malformed ones too."""

    title: str
    text: str
    triples: tuple[Any, ...]

    @property
    def key(self) -> tuple[str, str]:
        """What makes a passage the same passage: title and text, apart from white space and invisible characters."""
        return squeezed(self.title), squeezed(self.text)


class PassagesSource(_RecordsSource):
    """The passages of a JSON file, ``[{"title": …, "text": …, "triples": [[subject, relation, object], …]}, …]``: the
    form in which benchmarks of multi-hop retrieval hand over a corpus. Each is a page of one paragraph.

    A page's uri is its title as a slug, with ``~2``, ``~3`` … for later passages of the same slug in file
    order: a passage of another title never changes it. Passages of equal title and text are one page, with the
    triples of all of them.
    """

    kind = "passages"
    advice = "a JSON file of passages"

    def documents(self) -> Iterator[SourceDocument | Reject]:
        """Yield the passages in the order of their uris; see ``Source.documents``.

        ``raw`` is the canonical JSON of a ConditionalQA page with the passage's triples beside it, so that
        other triples make another version of the page.
        """
        numbers: dict[str, int] = {}
        found: list[SourceDocument] = []
        for passage in self.passages():
            slug = slug_of(passage.title)
            numbers[slug] = numbers.get(slug, 0) + 1
            title, text = passage.key
            page = {"title": title, "url": None, "contents": [f"<p>{escape(text, quote=False)}</p>"]}
            raw = canonical_json(page | {"triples": passage.triples}).encode("utf-8", "replace")
            uri = slug if numbers[slug] == 1 else f"{slug}~{numbers[slug]}"
            found.append(SourceDocument(uri, raw, CONDITIONALQA, title))
        yield from sorted(found, key=lambda document: document.uri)

    def passages(self) -> list[TripledPassage]:
        """The different passages in file order."""
        merged: dict[tuple[str, str], TripledPassage] = {}
        for index, record in enumerate(_read_list(self._path, f"passages: {_ADVICE}")):
            passage = _passage(record, f"source {self.location}, record {index}")
            if before := merged.get(passage.key):
                by_form = {canonical_json(triple): triple for triple in (*before.triples, *passage.triples)}
                passage = TripledPassage(before.title, before.text, tuple(by_form.values()))
            merged[passage.key] = passage
        return list(merged.values())


def _passage(record: Any, where: str) -> TripledPassage:
    if not isinstance(record, dict):
        raise SourceError(f"{where}: expected an object, got {type(record).__name__}; {_ADVICE}")
    for key in ("title", "text"):
        if not isinstance(record.get(key), str) or not record[key].strip():
            raise SourceError(f"{where}: key {key!r} is missing or no text; {_ADVICE}")
    if not isinstance(record.get("triples"), list):
        raise SourceError(f"{where} ({record['title']}): key 'triples' is missing or no list; {_ADVICE}")
    return TripledPassage(record["title"], record["text"], tuple(record["triples"]))


def holds_passages(path: Path) -> bool:
    """Whether the first record of a JSON file is a passage: an object with text or triples, but no contents."""
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD).decode("utf-8-sig", "ignore").lstrip()
        if not head.startswith("["):
            return False
        first, _ = json.JSONDecoder().raw_decode(head[1:].lstrip())
    except (OSError, ValueError, RecursionError):
        return False  # too long, or no JSON: for the one who reads it all to say
    return isinstance(first, dict) and "contents" not in first and ("text" in first or "triples" in first)


def slug_of(title: str) -> str:
    """A title as a short uri: its letters and digits in lower case, of any script, joined by hyphens."""
    return _GAPS.sub("-", title.lower()).strip("-_")[:_SLUG].rstrip("-_") or "passage"


def squeezed(text: str) -> str:
    """A text as reading a page leaves it: single spaces, nothing invisible, a lone surrogate as a question mark."""
    return " ".join(_sound(text).translate(_INVISIBLE).split())
