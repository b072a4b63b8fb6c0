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
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Column, Row, Select, Table, select

from clausegraph.core.serial import reading_from_bytes
from clausegraph.indexes.files import file_errors
from clausegraph.indexes.ledger.cells import decode
from clausegraph.indexes.ledger.schema import (
    blobs,
    chunk_words,
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
    pages,
    postings,
    sources,
    supports,
    vectors,
    watches,
)  # fmt: skip
from clausegraph.indexes.ledger.store import Ledger
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
_STORED = {blobs: page_versions.c.raw_hash, extractions: chunks.c.input_key, embeddings: vectors.c.text_hash}
_SHARED = (supports.c.fact_id, chunks.c.content_hash, *_STORED.values())
_OF_PAGES = {*_STORED, postings, chunk_words, entity_tokens, entity_names, decisions}  # and tables with a page_id

Numbers = NDArray[np.uint64]


@dataclass(slots=True)
class Own:
    """What no other page has: ids of rows, names, texts, hashes and parts of stored values (in hex).

    ``linked`` are names that other pages give as well, as where they link to one: only their contents may have it.
    ``stays``: how many facts, chunks and embeddings other pages state too, ``stated_by`` which.
    """

    pages: set[int] = field(default_factory=set)
    versions: set[int] = field(default_factory=set)
    vectors: set[int] = field(default_factory=set)
    names: set[str] = field(default_factory=set)
    linked: set[str] = field(default_factory=set)
    texts: set[str] = field(default_factory=set)
    parts: set[str] = field(default_factory=set)
    stays: dict[str, int] = field(default_factory=dict)
    stated_by: set[str] = field(default_factory=set)

    def as_json(self) -> dict[str, Any]:
        """JSON values."""
        return {name: sorted(value) if isinstance(value, set) else value for name, value in asdict(self).items()}

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> Own:
        """What :meth:`as_json` was given."""
        made: dict[str, Any] = {name: set(one) if isinstance(one, list) else one for name, one in values.items()}
        return cls(**made)

    def joined(self, other: Own) -> Own:
        """What either has."""
        both: dict[str, Any] = {
            name: getattr(self, name) | getattr(other, name) for name in (one.name for one in fields(self))
        }
        return Own(**both)


class Needles:
    """Byte strings, each of at least ``_START`` bytes, that are found in one pass over some data."""

    def __init__(self, own: Own, names: Collection[str], whole_cells: Collection[str] = ()) -> None:
        self.whole_cells = whole_cells  # names that are told alone, however short they are
        self._names = {form for name in names for form in _encoded(name)}
        needles = {form for text in own.texts for form in _encoded(text)} | {bytes.fromhex(part) for part in own.parts}
        needles |= self._names | {f'"{name}"'.encode() for name in names}
        self._by_start: dict[int, list[bytes]] = defaultdict(list)
        for needle in needles:
            if len(needle) >= _START:
                self._by_start[int.from_bytes(needle[:_START], "little")].append(needle)
        self._starts = np.array(list(self._by_start), dtype=np.uint64)
        self._likely = np.zeros(1 << _BITS, dtype=bool)  # so that few places are looked at closely
        self._likely[_hashes(self._starts)] = True

    def found_in(self, *parts: bytes) -> set[bytes]:
        """Those that are in the data; a name only where it is no part of a longer one."""
        found, data = set[bytes](), b"\0".join(parts)
        for offset in range(max(0, min(_START, len(data) - _START + 1))):
            numbers = np.frombuffer(data, "<u8", (len(data) - offset) // _START, offset)
            likely = np.flatnonzero(self._likely[_hashes(numbers)])
            for place in likely[np.isin(numbers[likely], self._starts)].tolist():
                at = offset + _START * place
                for needle in self._by_start[int(numbers[place])]:
                    if data.startswith(needle, at) and (needle not in self._names or _is_whole(data, at, needle)):
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


def _forms(cell: object) -> list[bytes]:
    """A cell or a file as bytes, and decompressed where it is compressed."""
    if isinstance(cell, str):
        return [cell.encode("utf-8", "surrogatepass")]
    found = [cell] if isinstance(cell, bytes) else []
    with suppress(zlib.error):
        found += [zlib.decompress(one) for one in found]
    return found


def _parts_of(ledger: Ledger, query: Select[Any]) -> Iterator[Sequence[Row[Any]]]:
    """The rows of a query, some at a time."""
    with ledger.read() as connection:
        yield from connection.execution_options(yield_per=_ROWS_AT_ONCE).execute(query).partitions()


# --- before ---------------------------------------------------------------------------------------


def note_own(ledger: Ledger, corpus_id: int, page_ids: Collection[int]) -> Own:
    """What these pages have and no other page of the ledger has."""
    own, shared = Own(pages=set(page_ids)), dict[str, dict[Any, set[int]]]()
    for column in _SHARED:
        shared[column.name] = _pages_with(ledger, column, corpus_id, own.pages)
    mine = {name: {value for value, those in found.items() if those <= own.pages} for name, found in shared.items()}
    for row in ledger.rows_of(select(page_versions), page_versions.c.page_id, own.pages):
        own.versions.add(row.id)
        own.names |= {row.url} if row.url else set()
        reading = decode(page_versions.c.reading, row.id, row.reading, reading_from_bytes)
        own.texts.update(*(_windows(text) for text in (reading.title, *(one.text for one in reading.elements))))
        own.parts |= _parts(row.reading)
    own.names |= _names(ledger, own.pages)
    own.vectors = {row.id for row in ledger.rows_of(select(vectors.c.id), vectors.c.page_id, own.pages)}
    for table, key in _STORED.items():
        own.parts |= {value.encode().hex() for value in mine[key.name]}
        stored = select(table.c.data).where(table.c.corpus_id == corpus_id)
        own.parts.update(*(_parts(row.data) for row in ledger.rows_of(stored, _key(table), mine[key.name])))
    _leave_out(ledger, corpus_id, own, mine)
    stating = set[int]()
    for what, name in (("facts", "fact_id"), ("chunks", "content_hash"), ("embeddings", "text_hash")):
        others = [those - own.pages for those in shared[name].values() if not those <= own.pages]
        own.stays[what] = len(others)
        stating.update(*others)
    keys = select(sources.c.name, pages.c.uri).join(pages, sources.c.id == pages.c.source_id)
    own.stated_by = {f"{row.name}:{row.uri}" for row in ledger.rows_of(keys, pages.c.id, stating)}
    return own


def _windows(text: str) -> set[str]:
    """The parts of a text by which it is told, with one at its end; none of one that is too short to tell anything."""
    starts = {*range(0, max(1, len(text) - _WINDOW + 1), _STEP), max(0, len(text) - _WINDOW)}
    return {part for start in starts if len(part := text[start : start + _WINDOW].strip()) >= _SHORTEST}


def _names(ledger: Ledger, ids: Collection[int]) -> set[str]:
    """Uris and addresses of pages."""
    named = select(sources.c.id, sources.c.name, pages.c.uri).join(pages, sources.c.id == pages.c.source_id)
    found = set[str]()
    for row in ledger.rows_of(named, pages.c.id, ids):
        of_page = select(fetches.c.address).where(fetches.c.source_id == row.id, fetches.c.uri == row.uri)
        found |= {*_called(row), *(one.address for one in ledger.rows(of_page))}
    return found


def _called(row: Row[Any]) -> tuple[str, str]:
    """What a page is called, alone and with its source."""
    return row.uri, f"{row.name}:{row.uri}"


def _pages_with(ledger: Ledger, column: Column[Any], corpus_id: int, ids: set[int]) -> dict[Any, set[int]]:
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


def _key(table: Table) -> Column[Any]:
    """The hash by which stored bytes are found."""
    return table.c.hash if table is blobs else table.c[_STORED[table].name]


def _leave_out(ledger: Ledger, corpus_id: int, own: Own, mine: Mapping[str, set[Any]]) -> None:
    """Take away what others have: texts of other pages or in questions, bytes of other stored values, and names."""
    needles, in_pages, seen = Needles(own, own.names), set[bytes](), set[bytes]()
    live = set[str]()
    for rows in _parts_of(ledger, select(page_versions)):
        for row in rows:
            if row.page_id not in own.pages:
                live.add(row.raw_hash)
                in_pages |= needles.found_in(*_forms(row.reading), *_forms(row.url), *_forms(row.title))
    for table in _STORED:
        for rows in _parts_of(ledger, select(table, _key(table).label("found_by"))):
            for row in rows:
                if row.corpus_id != corpus_id or row.found_by not in mine[_STORED[table].name]:
                    is_read = table is blobs and row.found_by in live
                    forms = _forms(row.data) if is_read else [row.data]
                    in_pages |= needles.found_in(row.found_by.encode(), *forms)
    for column in _QUESTIONS:
        seen |= needles.found_in(*(form for row in ledger.rows(select(column)) for form in _forms(row[0])))
    placed = select(pages.c.id, sources.c.name, pages.c.uri).join(sources, sources.c.id == pages.c.source_id)
    others = {name for row in ledger.rows(placed) if row.id not in own.pages for name in _called(row)}
    texts = {text for text in own.texts if not _encoded(text) & (in_pages | seen)}
    own.stays["texts"], own.texts = len(own.texts - texts), texts
    own.parts = {part for part in own.parts if bytes.fromhex(part) not in in_pages}
    own.names = {name for name in own.names - others if not {*_encoded(name), f'"{name}"'.encode()} & seen}
    own.linked = {name for name in own.names if {*_encoded(name), f'"{name}"'.encode()} & in_pages}


# --- after ----------------------------------------------------------------------------------------


def residue(
    ledger: Ledger, corpus_id: int, own: Own, folders: Iterable[Path], beside: Iterable[tuple[str, str]], skip: Path
) -> tuple[dict[str, int], list[str]]:
    """Look for what was the pages' own; returns how much was searched, and where something is, in words. Every file of
    ``folders`` is read, but not those of the folder ``skip``; ``beside`` is what other stores have, with its place."""
    searched, found = Counter[str](), list[str]()
    in_contents, elsewhere = Needles(own, own.names - own.linked), Needles(own, own.names, own.names)
    for table in metadata.sorted_tables:
        is_of_pages = "page_id" in table.c or table in _OF_PAGES
        for rows in _parts_of(ledger, select(table)):
            searched["rows"] += len(rows)
            found += _in_rows(table, rows, own, in_contents if is_of_pages else elsewhere)
    index = vector_index(ledger)
    for name in index.names(corpus_id):
        ids = set(index.ids(corpus_id, name).tolist())
        searched["vectors"] += len(ids)
        found += [f"vector segment {name}: {len(ids & own.vectors)} vectors"] if ids & own.vectors else []
    for where, text in beside:
        searched["nodes and relationships"] += 1
        found += [where] if in_contents.found_in(text.encode("utf-8", "surrogatepass")) else []
    for path in sorted(one for folder in folders for one in folder.rglob("*") if one.is_file() and one.parent != skip):
        searched["files"] += 1
        found += [str(path)] if _in_file(path, in_contents, searched) else []
    return dict(searched), list(dict.fromkeys(found))


def _in_rows(table: Table, rows: Sequence[Row[Any]], own: Own, needles: Needles) -> Iterator[str]:
    """The cells that have something; all are looked at as one first."""
    ids = {"page_id": own.pages, "version_id": own.versions, "page_version_id": own.versions}
    ids |= {vectors: {"id": own.vectors}, pages: {"id": own.pages}}.get(table, {})
    is_clean = not needles.found_in(*(form for row in rows for cell in row for form in _forms(cell)))
    for row in rows:
        for name, cell in row._mapping.items():
            is_own = cell in ids.get(name, ()) or (cell in needles.whole_cells)
            if is_own or (not is_clean and needles.found_in(*_forms(cell))):
                yield f"table {table.name}, column {name}, row {row[0]}"


def _in_file(path: Path, needles: Needles, searched: Counter[str]) -> bool:
    """Whether a file has something, as it lies there or decompressed; or its name."""
    kept, found = b"", needles.found_in(str(path).encode("utf-8", "surrogateescape"))
    with file_errors(path), path.open("rb") as file:
        while part := file.read(_BYTES_AT_ONCE):
            searched["bytes"] += len(part)
            found |= needles.found_in(kept + part, *_forms(part)[1:])
            kept = part[-_LONGEST:]
    return bool(found)
