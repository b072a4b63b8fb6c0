"""ConditionalQA's ``documents.json`` as a source: a list of pages, each a list of serialised elements."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from clausegraph.core.errors import SourceError
from clausegraph.core.extraction import Reject
from clausegraph.core.hashing import canonical_json
from clausegraph.core.pages.read import CONDITIONALQA, SourceDocument
from clausegraph.ingestion.sources.files import kind_of, local
from clausegraph.ingestion.sources.json_list import read_list, sound


class ConditionalQASource:
    """The pages of a ConditionalQA documents file; a page's uri is its url."""

    kind = "conditionalqa"

    def __init__(self, path: Path | str, name: str | None = None) -> None:
        """Open the file at ``path``.

        Raises:
            SourceError: nothing is there.
        """
        self._path = local(path)
        if kind_of(self._path) != "file":
            raise SourceError(f"source {path} is not a file; give the path of ConditionalQA's documents.json")
        self.name = name or self._path.stem
        self.location = str(self._path)

    def documents(self) -> Iterator[SourceDocument | Reject]:
        """Yield the pages in the order of their urls; see ``Source.documents``."""
        records = read_list(self._path, "records with title, url and contents")
        pages = [_page(record, self.location, index) for index, record in enumerate(records)]
        seen: dict[str, SourceDocument] = {}
        for page in sorted(pages, key=lambda page: page.uri):  # stable: the first of equal urls stays first
            kept = seen.setdefault(page.uri, page)
            if kept is page:
                yield page
            elif kept != page:
                yield Reject(page.uri, "a later record has the same url and other content; the first one is used")


def _page(record: Any, location: str, index: int) -> SourceDocument:
    """Check one record and turn it into a document.

    Raises:
        SourceError: a field is missing or of another type; the message names the record.
    """
    where = f"source {location}, record {index}"
    if not isinstance(record, dict):
        raise SourceError(f"{where}: expected an object with title, url and contents, got {type(record).__name__}")
    for field in ("title", "url"):
        if not isinstance(record.get(field), str) or not record[field].strip():
            raise SourceError(f"{where}: field {field!r} is missing or no text")
    contents = record.get("contents")
    if not isinstance(contents, list) or not all(isinstance(item, str) for item in contents):
        raise SourceError(f"{where} ({record['url']}): field 'contents' is missing or no list of texts")
    title, url = sound(record["title"]), sound(record["url"])
    raw = canonical_json({"title": title, "url": url, "contents": contents}).encode("utf-8", "replace")
    return SourceDocument(url, raw, CONDITIONALQA, title, url)
