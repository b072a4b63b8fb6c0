"""What pages alone have, noted before they are removed, and the search for it afterwards in every table and file.

The search shares no code with the removal (``erase.py``). A text is looked for by windows of ``_WINDOW`` characters, a
stored value (which may be compressed, or a vector) by some of its bytes, a name as a whole. What another page has too,
or a question that people asked, is not the pages' own.
"""

from __future__ import annotations

import json
import zlib
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Column, Row, Select, Table, and_, select

from clausegraph.core.serial import reading_from_bytes
from clausegraph.indexes.files import file_errors
from clausegraph.indexes.forgotten import forgotten_key
from clausegraph.indexes.ledger.cells import decode
from clausegraph.indexes.ledger.schema import (
    blobs,
    chunks,
    decisions,
    embeddings,
    entity_names,
    entity_tokens,
    extractions,
    fetches,
    gates,
    judged_answers,
    metadata,
    page_versions,
    page_words,
    pages,
    postings,
    sources,
    supports,
    vectors,
    watches,
)  # fmt: skip
from clausegraph.indexes.ledger.store import Ledger
from clausegraph.indexes.postings import versions_of
from clausegraph.indexes.vectors.segments import vector_index

_WINDOW, _STEP, _SHORTEST = 32, 16, 12  # characters
_PART = 24  # bytes of a stored value
_START = 8  # bytes by which a place is found that may have what is looked for
_ROWS_AT_ONCE, _BYTES_AT_ONCE, _LONGEST = 500, 1 << 24, 1 << 12
_BITS = 22  # of a hash
_IN_A_NAME = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_/%-")
_QUESTIONS = (
    judged_answers.c.question, judged_answers.c.scenario, watches.c.question, watches.c.scenario, gates.c.questions,
)  # fmt: skip
_STORED = {  # stored values, by the hash that pages name them by
    blobs.c.hash: page_versions.c.raw_hash,
    extractions.c.input_key: chunks.c.input_key,
    embeddings.c.text_hash: vectors.c.text_hash,
}
_COUNTED = {"facts": supports.c.fact_id, "chunks": chunks.c.content_hash, "embeddings": vectors.c.text_hash}
_CONTENTS = {blobs, extractions, embeddings, postings, page_words, entity_tokens, entity_names, decisions}
_PLACED = select(pages.c.id, pages.c.source_id, sources.c.name, pages.c.uri).join(
    sources, sources.c.id == pages.c.source_id
)

Numbers = NDArray[np.uint64]


@dataclass(slots=True)
class Note:
    """What is to be forgotten: places (source and uri), whole sources, ids of rows, and what no other page has: names,
    windows of texts, and hashes and parts of stored values (in hex).

    ``stays``: how much of it other pages state too, ``stated_by`` which.
    """

    places: set[tuple[str, str]] = field(default_factory=set)
    sources: set[str] = field(default_factory=set)
    pages: set[int] = field(default_factory=set)
    versions: set[int] = field(default_factory=set)
    vectors: set[int] = field(default_factory=set)
    names: set[str] = field(default_factory=set)
    texts: set[str] = field(default_factory=set)
    values: set[str] = field(default_factory=set)
    stays: dict[str, int] = field(default_factory=dict)
    stated_by: set[str] = field(default_factory=set)

    @property
    def keys(self) -> dict[str, str]:
        """By the key of what is to be forgotten what that is."""
        made = {forgotten_key(*place): "a page" for place in self.places}
        return made | {forgotten_key(source): "a whole source" for source in self.sources}

    def joined(self, other: Note) -> Note:
        """What either has."""
        return Note(*(getattr(self, one.name) | getattr(other, one.name) for one in fields(self)))


class Needles:
    """What is looked for as byte strings, of at least ``_START`` bytes, that are found in one pass over some data."""

    def __init__(self, note: Note) -> None:
        self.names = {form for name in note.names for form in _encoded(name)}
        needles = self.names | {form for text in note.texts for form in _encoded(text)}
        self._by_start: dict[int, list[bytes]] = defaultdict(list)
        for needle in needles | set(map(bytes.fromhex, note.values)):
            if len(needle) >= _START:
                self._by_start[int.from_bytes(needle[:_START], "little")].append(needle)
        self._starts = np.array(list(self._by_start), dtype=np.uint64)
        self._likely = np.zeros(1 << _BITS, dtype=bool)  # so that few places are looked at closely
        self._likely[_hashes(self._starts)] = True

    def found_in(self, cells: Iterable[object]) -> set[bytes]:
        """Those that are in cells, decompressed too; a name only where it is no part of a longer one."""
        found, data = set[bytes](), b"\0".join(form for cell in cells for form in _forms(cell))
        for offset in range(max(0, min(_START, len(data) - _START + 1))):
            numbers = np.frombuffer(data, "<u8", (len(data) - offset) // _START, offset)
            likely = np.flatnonzero(self._likely[_hashes(numbers)])
            for place in likely[np.isin(numbers[likely], self._starts)].tolist():
                at = offset + _START * place
                for needle in self._by_start[int(numbers[place])]:
                    if data.startswith(needle, at) and (needle not in self.names or _is_whole(data, at, needle)):
                        found.add(needle)
        return found


def _hashes(numbers: Numbers) -> Numbers:
    """Of each number ``_BITS`` bits that all of its bytes change."""
    return (numbers * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(64 - _BITS)


def _is_whole(data: bytes, at: int, needle: bytes) -> bool:
    end = at + len(needle)
    return not (at and data[at - 1] in _IN_A_NAME) and not (end < len(data) and data[end] in _IN_A_NAME)


def _encoded(text: str) -> set[bytes]:
    """A text as it is written: plain, and within JSON with and without escapes."""
    forms = (text, json.dumps(text, ensure_ascii=False)[1:-1], json.dumps(text)[1:-1])
    return {form.encode("utf-8", "surrogatepass") for form in forms}


def _forms(cell: object) -> Iterator[bytes]:
    """A cell or a part of a file as bytes, and decompressed where it is compressed."""
    data = cell.encode("utf-8", "surrogatepass") if isinstance(cell, str) else cell
    if isinstance(data, bytes):
        yield data
        with suppress(zlib.error):
            yield zlib.decompress(data)


def _rows(ledger: Ledger, query: Select[Any]) -> Iterator[Sequence[Row[Any]]]:
    """The rows of a query, some at a time."""
    with ledger.read() as connection:
        yield from connection.execution_options(yield_per=_ROWS_AT_ONCE).execute(query).partitions()


# --- before ---------------------------------------------------------------------------------------


def note_pages(ledger: Ledger, corpus_id: int, page_ids: Collection[int]) -> Note:
    """What these pages have and no other page of the ledger has."""
    note = Note(pages=set(page_ids))
    if not note.pages:
        return note
    for row in ledger.rows_of(_PLACED, pages.c.id, note.pages):
        note.places.add((row.name, row.uri))
        of_page = select(fetches.c.address).where(fetches.c.source_id == row.source_id, fetches.c.uri == row.uri)
        note.names |= {*_called(row), *(one.address for one in ledger.rows(of_page))}
    for row in ledger.rows_of(select(page_versions), page_versions.c.page_id, note.pages):
        note.versions.add(row.id)
        note.names |= {row.url} if row.url else set()
        reading = decode(page_versions.c.reading, row.id, row.reading, reading_from_bytes)
        note.texts.update(*(_windows(text) for text in (reading.title, *(one.text for one in reading.elements))))
        note.values |= _parts(row.reading)
    note.vectors = {row.id for row in ledger.rows_of(select(vectors.c.id), vectors.c.page_id, note.pages)}
    hashes: dict[Column[Any], set[str]] = {}
    for key, column in _STORED.items():
        users = _users(ledger, column, corpus_id, note.pages)
        hashes[key] = {value for value, those in users.items() if those <= note.pages}
        note.values |= {value.encode().hex() for value in hashes[key]}
        stored = select(key.table.c.data).where(key.table.c.corpus_id == corpus_id)
        note.values.update(*(_parts(row.data) for row in ledger.rows_of(stored, key, hashes[key])))
    _leave_out(ledger, corpus_id, note, hashes)
    stating = set[int]()
    for what, column in _COUNTED.items():
        others = [those - note.pages for those in _users(ledger, column, corpus_id, note.pages).values()]
        note.stays[what] = sum(map(bool, others))
        stating.update(*others)
    note.stated_by = {_called(row)[1] for row in ledger.rows_of(_PLACED, pages.c.id, stating)}
    return note


def _windows(text: str) -> set[str]:
    """The parts of a text by which it is told, with one at its end; none of one that is too short to tell anything."""
    starts = {*range(0, max(1, len(text) - _WINDOW + 1), _STEP), max(0, len(text) - _WINDOW)}
    return {part for start in starts if len(part := text[start : start + _WINDOW].strip()) >= _SHORTEST}


def _called(row: Row[Any]) -> tuple[str, str]:
    """What a page is called, alone and with its source."""
    return row.uri, f"{row.name}:{row.uri}"


def _users(ledger: Ledger, column: Column[Any], corpus_id: int, ids: set[int]) -> dict[Any, set[int]]:
    """Which pages have each of the values that these pages have in a column; -1 for a row without a page."""
    table, found = column.table, defaultdict[Any, set[int]](set)
    mine = [row[0] for row in ledger.rows_of(select(column).distinct(), table.c.page_id, ids)]
    query = select(column, table.c.page_id).where(table.c.corpus_id == corpus_id).distinct()
    for row in ledger.rows_of(query, column, mine):
        found[row[0]].add(-1 if row.page_id is None else row.page_id)
    return found


def _parts(value: bytes) -> set[str]:
    """Some bytes of a stored value, in hex; none of zeros."""
    found = (value[start : start + _PART] for start in (len(value) // 4, len(value) // 2, 3 * len(value) // 4))
    return {part.hex() for part in found if len(part) == _PART and part.count(0) < _PART // 2}


def _leave_out(ledger: Ledger, corpus_id: int, note: Note, hashes: Mapping[Column[Any], set[str]]) -> None:
    """Take away what others have: other pages with their bytes, other stored values, and questions."""
    needles, in_pages, in_questions = Needles(note), set[bytes](), set[bytes]()
    raw = and_(blobs.c.corpus_id == page_versions.c.corpus_id, blobs.c.hash == page_versions.c.raw_hash)
    for rows in _rows(ledger, select(page_versions, blobs.c.data).outerjoin(blobs, raw)):
        in_pages |= needles.found_in(cell for row in rows if row.page_id not in note.pages for cell in row)
    for key in (extractions.c.input_key, embeddings.c.text_hash):
        for rows in _rows(ledger, select(key.table)):
            theirs = [row for row in rows if row.corpus_id != corpus_id or row._mapping[key] not in hashes[key]]
            in_pages |= needles.found_in(cell for row in theirs for cell in row)
    for column in _QUESTIONS:
        in_questions |= needles.found_in(row[0] for row in ledger.rows(select(column)))
    others = {name for row in ledger.rows(_PLACED) if row.id not in note.pages for name in _called(row)}
    texts = {text for text in note.texts if _encoded(text).isdisjoint(in_pages | in_questions)}
    note.stays["texts"], note.texts = len(note.texts - texts), texts
    note.values = {value for value in note.values if bytes.fromhex(value) not in in_pages}
    note.names = {name for name in note.names - others if _encoded(name).isdisjoint(in_questions)}


# --- after ----------------------------------------------------------------------------------------


def residue(
    ledger: Ledger, corpus_id: int, note: Note, folders: Iterable[Path], beside: Iterable[tuple[str, str]], skip: Path
) -> tuple[dict[str, int], list[str]]:
    """Look for what was the pages' own; returns how much was searched, and where something is, in words.

    Args:
        folders: of which every file is read, but not those of the folder ``skip``.
        beside: what other stores have, each with where it is.
    """
    needles, searched, found = Needles(note), Counter[str](), list[str]()
    linked = set[bytes]()  # names that contents of other pages have, as where they link to one
    for table in metadata.sorted_tables:
        is_content = "page_id" in table.c or table in _CONTENTS
        for rows in _rows(ledger, select(table)):
            searched["rows"] += len(rows)
            seen = needles.found_in(cell for row in rows for cell in row)
            linked |= seen & needles.names if is_content else set()
            found += _in_rows(table, rows, note, needles, needles.names if is_content else set(), bool(seen))
    index = vector_index(ledger)
    for name in index.names(corpus_id):
        ids = set(index.ids(corpus_id, name).tolist())
        searched["vectors"] += len(ids)
        found += [f"vector segment {name}: {len(ids & note.vectors)} vectors"] if ids & note.vectors else []
    for where, text in beside:
        searched["nodes and relationships"] += 1
        found += [where] if needles.found_in([text]) - linked else []
    for path in sorted(one for folder in folders for one in folder.rglob("*") if one.is_file() and one.parent != skip):
        searched["files"] += 1
        found += [str(path)] if _in_file(path, needles, searched) - linked else []
    return dict(searched), list(dict.fromkeys(found))


def _in_rows(
    table: Table, rows: Sequence[Row[Any]], note: Note, needles: Needles, allowed: set[bytes], is_likely: bool
) -> Iterator[str]:
    """The cells that have something but what is allowed."""
    ids = {"version_id": note.versions, "id" if table is pages else "page_id": note.pages}
    names = set[str]() if allowed else note.names  # alone in a cell, however short they are
    for row in rows:
        if table is postings and not note.versions.isdisjoint(versions_of(row)):
            yield f"table {table.name}, term {row.term}, block {row.block}"
        for name, cell in row._mapping.items():
            is_own = cell in ids.get(name, ()) or cell in names
            if is_own or (is_likely and needles.found_in([cell]) - allowed):
                yield f"table {table.name}, column {name}, row {row[0]}"


def _in_file(path: Path, needles: Needles, searched: Counter[str]) -> set[bytes]:
    """What a file has, as it lies there or decompressed, or its name."""
    kept, found = b"", needles.found_in([str(path)])
    with file_errors(path), path.open("rb") as file:
        while part := file.read(_BYTES_AT_ONCE):
            searched["bytes"] += len(part)
            found |= needles.found_in([part, kept + part[:_LONGEST]])
            kept = part[-_LONGEST:]
    return found
