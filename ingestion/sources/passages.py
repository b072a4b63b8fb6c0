"""A JSON list of passages, each with title, text and the triples recorded for it, as a source.

The form in which benchmarks of multi-hop retrieval hand over a corpus together with what an information
extractor made of it: ``[{"title": …, "text": …, "triples": [[subject, relation, object], …]}, …]``.
"""

from __future__ import annotations

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
from clausegraph.ingestion.sources.files import kind_of, local
from clausegraph.ingestion.sources.json_list import read_list, sound

_HEAD = 1024 * 1024  # bytes looked at to tell passages from other JSON
_SLUG = 80  # characters of a title that its uri keeps
_INVISIBLE = str.maketrans("", "", "\u200b\u2060\u00ad\ufeff")  # what reading a page drops
_GAPS = re.compile(r"\W+")
_ADVICE = 'give a list of objects like {"title": "…", "text": "…", "triples": [["subject", "relation", "object"]]}'


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


class PassagesSource:
    """The passages of a JSON file, each a page of one paragraph.

    A page's uri is its title as a slug, with ``~2``, ``~3`` … for later passages of the same slug in file
    order: a passage of another title never changes it. Passages of equal title and text are one page, with the
    triples of all of them.
    """

    kind = "passages"

    def __init__(self, path: Path | str, name: str | None = None) -> None:
        """Open the file at ``path``.

        Raises:
            SourceError: nothing is there.
        """
        self._path = local(path)
        if kind_of(self._path) != "file":
            raise SourceError(f"source {path} is not a file; give the path of a JSON file of passages")
        self.name = name or self._path.stem
        self.location = str(self._path)

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
            found.append(_document(passage, slug if numbers[slug] == 1 else f"{slug}~{numbers[slug]}"))
        yield from sorted(found, key=lambda document: document.uri)

    def passages(self) -> list[TripledPassage]:
        """The different passages in file order.

        Raises:
            SourceError: the file cannot be read, or a record is of another form; the message names the record by its
                index, and the key.
        """
        merged: dict[tuple[str, str], TripledPassage] = {}
        for index, record in enumerate(read_list(self._path, f"passages: {_ADVICE}")):
            passage = _passage(record, f"source {self.location}, record {index}")
            before = merged.get(passage.key)
            merged[passage.key] = passage if before is None else _joined(before, passage)
        return list(merged.values())


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
    return " ".join(sound(text).translate(_INVISIBLE).split())


def _passage(record: Any, where: str) -> TripledPassage:
    """Check one record.

    Raises:
        SourceError: a key is missing or its value of another type.
    """
    if not isinstance(record, dict):
        raise SourceError(f"{where}: expected an object, got {type(record).__name__}; {_ADVICE}")
    for key in ("title", "text"):
        if not isinstance(record.get(key), str) or not record[key].strip():
            raise SourceError(f"{where}: key {key!r} is missing or no text; {_ADVICE}")
    if not isinstance(record.get("triples"), list):
        raise SourceError(f"{where} ({record['title']}): key 'triples' is missing or no list; {_ADVICE}")
    return TripledPassage(record["title"], record["text"], tuple(record["triples"]))


def _joined(first: TripledPassage, second: TripledPassage) -> TripledPassage:
    """The first passage with the triples of both, each once."""
    by_form = {canonical_json(triple): triple for triple in (*first.triples, *second.triples)}
    return TripledPassage(first.title, first.text, tuple(by_form.values()))


def _document(passage: TripledPassage, uri: str) -> SourceDocument:
    title, text = passage.key
    page = {"title": title, "url": None, "contents": [f"<p>{escape(text, quote=False)}</p>"]}
    raw = canonical_json(page | {"triples": passage.triples}).encode("utf-8", "replace")
    return SourceDocument(uri, raw, CONDITIONALQA, title)
