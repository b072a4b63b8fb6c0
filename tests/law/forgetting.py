"""A home of thirty pages with much that quotes them, and a scan of it that uses no code of the product's own search."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
from sqlalchemy import insert, select

from clausegraph.app.access.rules import AuditLog, Deed
from clausegraph.app.services import ask, entities, questions, statements
from clausegraph.app.services.ingest import run_ingest
from clausegraph.app.services.kept import KeptAnswers
from clausegraph.app.workspace import Workspace
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.models.embedding import Vectors
from clausegraph.core.serial import answer_to_json, pack
from clausegraph.core.settings import Settings
from clausegraph.indexes.corpora import get_corpus, list_runs
from clausegraph.indexes.derive import DEFINITIONS, statement_id
from clausegraph.indexes.kept_answers import answers_of
from clausegraph.indexes.ledger.schema import backups, embeddings, model_calls, pages, vectors, watch_changes, watches
from clausegraph.indexes.reply_rows import RowResponseCache
from clausegraph.indexes.response_cache import RESPONSES, FileResponseCache
from clausegraph.ingestion.pipeline import Options
from clausegraph.ingestion.report import RunReport
from clausegraph.ingestion.sources import open_source
from tests.law.world import page_html

CORPUS = "law"
PLACES = [f"{first}{second}onby" for first in ("Quil", "Mard", "Sten", "Torv", "Wexl", "Plin") for second in "lrkdv"]
_ZLIB = 0x78  # how what it has compressed begins
SHARED = "The Winter Card costs £35 a year."


def page(place: str) -> str:
    return f"{place.lower()}.html"


def text_of(place: str) -> list[str]:
    """What a page says: what no other page says, and, on every third one, what others say as well."""
    number = PLACES.index(place)
    own = [
        f"You can get the {place} Grant if you live in {place} and are over {30 + number}.",
        f"The {place} Panel must reply within {number + 2} working days of a hearing in {place}.",
    ]
    return [*own, SHARED] if number % 3 == 0 else own


def write_pages(folder: Path, places: Iterable[str] = PLACES) -> Path:
    """The pages as files; the first one links to the sixth."""
    folder.mkdir(exist_ok=True)
    for place in places:
        more = [f'See <a href="{page(PLACES[5])}">another page</a>.'] if place == PLACES[0] else []
        (folder / page(place)).write_text(page_html(f"Page {place}", [*text_of(place), *more]))
    return folder


def ingest(workspace: Workspace, folder: Path, **options: Any) -> RunReport:
    return run_ingest(workspace, CORPUS, open_source(str(folder)), Options(**options))


def plant(workspace: Workspace, place: str) -> None:
    """Let much quote a page: answers that are kept, judged, watched; decisions, calls, replies, the audit log."""
    ledger, home, uri = workspace.ledger_to_change(), workspace.settings.home, page(place)
    corpus = get_corpus(ledger, CORPUS)
    found = ask.answer(workspace, CORPUS, Inquiry(f"Can I get the {place} Grant?"))
    assert place in json.dumps(answer_to_json(found))
    kept = KeptAnswers(answers_of(ledger), lambda: ledger)
    kept.keep(kept.begin("token", CORPUS, found.inquiry, found.epoch, {}), found)
    questions.judge(workspace, found, "right", "", "tester")
    with workspace.view(CORPUS) as view:
        stated = next(one for one in view.graph.all_supports() if one.page.uri == uri and one.extractor != DEFINITIONS)
    statements.hide(workspace, CORPUS, statement_id(stated), "wrong", "tester")
    entities.merge(workspace, CORPUS, f"{place} Grant", f"{place} Panel", "tester")
    packed, mine = pack({"answer": answer_to_json(found)}), {"corpus_id": corpus.id, "created": 1.0}
    approved = {"approved": packed, "approved_by": "tester", "approved_epoch": 99}
    watched = {"key": str(PLACES.index(place)), "question": "May I?", "scenario": "", "added_by": "tester", "epoch": 99}
    run = str(list_runs(ledger, corpus.id, 1)[0]["id"])
    with ledger.write() as connection:
        watch = insert(watches).values(**mine, **watched, answer=packed, **approved)
        number = connection.execute(watch.returning(watches.c.id)).scalar_one()
        connection.execute(
            insert(watch_changes).values(**mine, watch_id=number, since=99, epoch=99, change=packed, unsent="[]")
        )
        connection.execute(insert(model_calls).values(
            corpus_id=corpus.id, run_id=run, task="t", prompt="t.v1", pages=json.dumps([f"pages:{uri}", "pages:other"]),
            model="m", outcome="ok", money=0.0, seconds=0.0, at=1.0,
        ))  # fmt: skip
        connection.execute(insert(backups).values(**mine, place="/mnt/backups", epoch=1))
    AuditLog(home, workspace.shared).record(Deed("tester", "statements hide", f"a statement of {uri}", "done", CORPUS))
    shared = workspace.shared
    cache = FileResponseCache(home / RESPONSES, 10**6) if shared is None else RowResponseCache(shared, 10**6)
    cache.put(f"a prompt about {place}", f"{place} {place}".encode())
    cache.close()


def own_vectors(workspace: Workspace, places: Iterable[str]) -> list[bytes]:
    """The vectors that only these pages have, as they are stored."""
    ledger, uris = workspace.ledger, set(map(page, places))
    with ledger.read() as connection:
        rows = connection.execute(
            select(vectors.c.text_hash, vectors.c.model, pages.c.uri).join(pages, pages.c.id == vectors.c.page_id)
        ).all()
        stored = {(row.text_hash, row.model): bytes(row.data) for row in connection.execute(select(embeddings))}
    theirs = {stored[row.text_hash, row.model] for row in rows if row.uri not in uris}
    return sorted({stored[row.text_hash, row.model] for row in rows if row.uri in uris} - theirs)


def left(home: Path, texts: Iterable[str], vectors: list[bytes], address: str = "") -> list[str]:
    """Where a text, in any case, or one of the vectors is: in files and cells of databases, decompressed too."""
    words = [text.lower().encode() for text in texts]
    found = []
    for where, data in [*_files(home), *_cells(home), *(_server(address) if address else ())]:
        for form in _forms(data):
            found += [f"{where} has {word!r}" for word in words if word in form.lower()]
            found += [f"{where} has a vector" for one in vectors if one in form]
    return found


def _forms(data: bytes) -> Iterator[bytes]:
    yield data
    for start in [at for at in range(len(data)) if data[at] == _ZLIB]:
        try:
            yield zlib.decompressobj().decompress(data[start:])
        except zlib.error:
            continue


def _files(home: Path) -> Iterator[tuple[str, bytes]]:
    return ((str(path), str(path).encode() + path.read_bytes()) for path in home.rglob("*") if path.is_file())


def _cells(home: Path) -> Iterator[tuple[str, bytes]]:
    for path in home.glob("*.db"):
        with closing(sqlite3.connect(path)) as connection:
            for (table,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
                for row in connection.execute(f'SELECT * FROM "{table}"'):
                    yield from ((f"{path.name}, {table}", _bytes(cell)) for cell in row)


def _server(address: str) -> Iterator[tuple[str, bytes]]:
    """Every cell of every table of the schema, as ``pg_dump`` writes them; vectors as the ledger stores them."""
    with psycopg.connect(address) as connection:
        named = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = current_schema()").fetchall()
        for (table,) in named:
            for row in connection.execute(f'SELECT * FROM "{table}"').fetchall():
                yield from ((table, _bytes(cell)) for cell in row)


def _bytes(cell: Any) -> bytes:
    if isinstance(cell, str) and cell.startswith("["):
        try:
            numbers: Vectors = np.array(json.loads(cell), dtype="<f4")
            return cell.encode() + numbers.tobytes()
        except (ValueError, TypeError):
            return cell.encode()
    return bytes(cell) if isinstance(cell, bytes | memoryview) else str(cell).encode()


def settings_of(home: Path, **more: Any) -> Settings:
    return Settings(home=home, corpus=CORPUS, embedding_model="hashing", extractor="rules", **more)
