"""``python -m benchmarks.scale``: what grows with the corpus, from tens of pages to a million chunks; see README.md.

Pages are copies of the material with a title of their own (``material.copies``), embedded by hashing in MiniLM's 384
dimensions, which costs nothing: what is measured is everything else. Commands are processes of their own. The corpus
of ``--chunks`` has the material's pages, read as usual, and beside them chunks whose rows are made directly, as
reading that many adds nothing: copies of its pages with words, readings and chunk vectors of their own, but without
elements' vectors, facts and rules. A run then reads the material's pages in a corpus of that size.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import sqlite3
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import psutil

from benchmarks.costs import Workbench, database_of, postgres, run_measured
from benchmarks.material import (
    REPOSITORY,
    Material,
    copies,
    edit_one,
    editable,
    find_material,
    machine,
    percentile,
    print_table,
)
from clausegraph.app.engines import make_engine
from clausegraph.app.workspace import Workspace
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.models.embedding import Vectors, normalised
from clausegraph.core.settings import Settings
from clausegraph.indexes.ledger.store import open_ledger
from clausegraph.indexes.postings import gather_words
from clausegraph.indexes.vectors.protocol import products
from clausegraph.indexes.vectors.segments import listed_segments, vector_index, write_listed
from clausegraph.indexes.views import View
from clausegraph.query.retrieve.bank import Retriever, make_retriever
from clausegraph.query.retrieve.nearest import embed

MODEL = "hashing:384"
PAGES, CHUNKS = (59, 590, 5900), 1_000_000
QUESTIONS, LIMIT, NEAREST = 40, 60, 150  # hits of a retrieval, as the engine's; chunks that it looks at
_AT_ONCE = 50_000


def main() -> int:
    """Measure every size, print the table, write the figures."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale", description="What grows with the corpus.")
    parser.add_argument("--data", type=Path, help="folder with documents.json and dev.json")
    parser.add_argument("--pages", type=int, nargs="*", default=PAGES, help="sizes in pages")
    parser.add_argument("--chunks", type=int, default=CHUNKS, help="made directly; 0: none")
    parser.add_argument("--postgres", action="store_true", help="in a PostgreSQL of its own, pages alone")
    parser.add_argument("--folder", type=Path, help="keep the homes here, and use those that are there")
    parser.add_argument("--output", type=Path, help="write every figure to this JSON file")
    parser.add_argument("--read", type=Path, help=argparse.SUPPRESS)  # the process that reads: a home of this module
    options = parser.parse_args()
    material = find_material(options.data)
    if options.read:
        records = json.loads((options.read / "documents.json").read_text(encoding="utf-8"))
        address = os.environ.get("CLAUSEGRAPH_DATABASE", "")
        print(json.dumps(read(Workbench(options.read, replace(material, records=records), MODEL, address))))
        return 0
    with ExitStack() as stack:
        folder = options.folder or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="clausegraph-scale-")))
        server = stack.enter_context(postgres(folder / "postgres")) if options.postgres else ""
        results = run(folder, material, options.pages, 0 if server else options.chunks, options.data, server)
    if options.output:
        options.output.write_text(json.dumps(results, indent=1), encoding="utf-8")
    return 0


def run(
    folder: Path, material: Material, pages: Sequence[int], chunks: int, data: Path | None, server: str = ""
) -> dict[str, Any]:
    """Measure each number of pages, then the corpus with chunks that are made, and print."""
    print(f"pages: {material.origin}; {machine()}", flush=True)
    sizes: dict[str, Any] = {}
    for count in pages:
        address = database_of(server, f"pages_{count}") if server else ""
        bench = Workbench(folder / str(count), sized(material, count), MODEL, address)
        sizes[f"{count:,} pages"] = measure(bench, data)
    if chunks:
        bench = Workbench(folder / f"chunks-{chunks}", material, MODEL)
        sizes[f"{chunks:,} chunks"] = measure(bench, data, chunks)
    names = dict.fromkeys(name for figures in sizes.values() for name in figures)
    rows = [(name, *(figures.get(name, "") for figures in sizes.values())) for name in names]
    print_table("scale: seconds of processes, (wall, processor), and MB", [("", *sizes), *rows])
    return {"sizes": sizes, "origin": material.origin, "machine": machine()}


def sized(material: Material, count: int) -> Material:
    """As many pages: the material's, or edited copies of them."""
    editions = -(-count // len(material.records))
    records = material.records if editions == 1 else copies(material.records, editions)
    return replace(material, records=records[:count])


def measure(bench: Workbench, data: Path | None, chunks: int = 0) -> dict[str, Any]:
    """The figures of a size, by name; a home that is there keeps its first ingest."""
    kept = bench.folder / "first.json"
    if not kept.exists():
        first = bench.ingest()
        if chunks:
            start = time.perf_counter()
            made = make_chunks(bench.settings, chunks)
            print(f"  {made:,} chunks made in {time.perf_counter() - start:.0f} s", flush=True)
        kept.write_text(json.dumps(first), encoding="utf-8")
    first = json.loads(kept.read_text(encoding="utf-8"))
    figures: dict[str, Any] = {}
    if not chunks:
        figures["first ingest, s"] = pair(first["process"], first["processor"])
        figures["first ingest, ms a page"] = 1000 * first["processor"] / first["pages"]
    figures["first ingest, peak MB"] = first["peak_mb"]
    bench.ingest()  # back to the material, where an earlier measurement left an edit
    for name in ("unchanged ingest", "one edit"):
        if name == "one edit":
            write_edit(bench, time.time())
        found = bench.ingest()
        figures |= {f"{name}, s": pair(found["process"], found["processor"]), f"{name}, peak MB": found["peak_mb"]}
    question, scenario = bench.material.questions[0]
    ask = ("ask", question, "--scenario", scenario)
    for name, words in (("first question after a publish", ask), ("cold question", ask), ("status", ("status",))):
        seconds, processor, megabytes, _ = bench.clausegraph(*words)
        figures |= {f"{name}, s": pair(seconds, processor), f"{name}, peak MB": megabytes}
    command = [sys.executable, "-m", "benchmarks.scale", "--read", str(bench.folder)]
    command += ["--data", str(data)] if data else []
    figures |= json.loads(run_measured(command, bench.variables, REPOSITORY)[3])
    home = bench.settings.home
    segments = sum(path.stat().st_size for path in (home / "segments").rglob("*") if path.is_file())
    with Workspace(bench.settings) as workspace:
        figures["ledger, MB"] = workspace.ledger.database.size() / 1e6
    figures["segments, MB"] = segments / 1e6
    print(json.dumps(figures), flush=True)
    return figures


def pair(seconds: float, processor: float) -> str:
    """Wall and processor seconds as they are printed."""
    return f"{seconds:.2f} ({processor:.2f})"


def write_edit(bench: Workbench, seed: float) -> None:
    """Let one element of one page be another one."""
    records = json.loads(bench.documents.read_text(encoding="utf-8"))
    place = next(number for number, record in enumerate(records) if editable(record["contents"]))
    bench.write([*records[:place], edit_one(records[place], random.Random(seed)), *records[place + 1 :]])


# --- the process that reads -------------------------------------------------------------------------


def read(bench: Workbench) -> dict[str, Any]:
    """Warm retrieval, recall against exhaustive search, and the first question after a publish in a living process."""
    inquiries = [Inquiry(*one) for one in bench.material.questions[:QUESTIONS]]
    with Workspace(bench.settings) as workspace:
        with workspace.view() as view:
            retriever = make_retriever("hybrid", view, workspace.embedder)
            vectors = [embed(one, workspace.embedder) for one in inquiries]
            figures: dict[str, Any] = {}
            for name in ("retrieval, new words", "warm retrieval"):  # the first time a process meets them, and after
                times = [timed(retriever, inquiry) for inquiry in inquiries]
                for share in (50, 95):
                    wall, processor = (percentile(one, share / 100) for one in zip(*times, strict=True))
                    figures[f"{name} p{share}, ms"] = f"{wall:.0f} ({processor:.0f})"
            figures["reading process, peak MB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
            memory = psutil.Process().memory_info()  # pages of segments that the system can take back are shared
            figures["the same without files that are mapped, MB"] = (memory.rss - getattr(memory, "shared", 0)) / 1e6
            figures[f"recall of {NEAREST} chunks"] = recall(view, vectors)
        write_edit(bench, time.time())
        bench.ingest()
        start, used = time.perf_counter(), time.process_time()
        with workspace.view() as view:
            make_engine(view, workspace.embedder, bench.settings).ask(inquiries[0])
        seconds, processor = time.perf_counter() - start, time.process_time() - used
        return figures | {"first question after a publish, process lives, s": pair(seconds, processor)}


def timed(retriever: Retriever, inquiry: Inquiry) -> tuple[float, float]:
    """Wall and processor milliseconds of a retrieval; to embed by hashing is a fraction of one."""
    start, used = time.perf_counter(), time.process_time()
    retriever.retrieve(inquiry, limit=LIMIT)
    return 1000 * (time.perf_counter() - start), 1000 * (time.process_time() - used)


def recall(view: View, vectors: Sequence[Vectors]) -> float:
    """The mean share of the nearest chunks, by their scores, that a search finds."""
    _, matrix = view.vectors("chunk")
    shares = []
    for vector in vectors:
        near = matrix @ vector
        at = np.argpartition(-near, min(NEAREST, len(near)) - 1)[:NEAREST]
        least = np.sort(products(matrix[at], vector))[0]
        found = [hit.score for hit in view.search("chunk", vector, NEAREST)]
        shares.append(sum(score >= least for score in found) / len(at))
    return float(np.mean(shares))


# --- rows that are made -----------------------------------------------------------------------------

_COPIES = """
INSERT INTO pages (id, corpus_id, source_id, uri)
    SELECT :step * n + id, corpus_id, :source, uri || '?made=' || n FROM numbers, pages WHERE id < :step;
INSERT INTO page_versions (id, corpus_id, page_id, version_key, raw_hash, content_type, title, title_key, url, pipeline,
        fetched, reading)
    SELECT :step * n + id, corpus_id, :step * n + page_id, printf('%08d', n) || substr(version_key, 9), raw_hash,
        content_type, title, title_key, url, pipeline, fetched, reading FROM numbers, page_versions WHERE id < :step;
INSERT INTO members (corpus_id, page_id, page_version_id, extractor, projection, since, until)
    SELECT corpus_id, :step * n + page_id, :step * n + page_version_id, extractor, projection, since, until
    FROM numbers, members WHERE page_id < :step;
INSERT INTO chunks (corpus_id, page_id, key, content_hash, input_key, since, until)
    SELECT corpus_id, :step * n + page_id, key, content_hash, input_key, since, until
    FROM numbers, chunks WHERE page_id < :step;
INSERT INTO page_words SELECT :step * n + version_id, corpus_id, chunk_keys, words
    FROM numbers, page_words WHERE version_id < :step;
INSERT INTO vectors (corpus_id, kind, page_id, ref, text_hash, model, since, until)
    SELECT corpus_id, kind, :step * n + page_id, ref, printf('%08d', n) || substr(text_hash, 9), model, since, until
    FROM numbers, vectors WHERE kind = 'chunk' AND page_id < :step;
"""


def make_chunks(settings: Settings, count: int) -> int:
    """Copy the pages of a corpus within its ledger until it has ``count`` chunks more, or a few above; how many."""
    with closing(sqlite3.connect(settings.home / "ledger.db", isolation_level=None)) as database:
        real = database.execute("SELECT count(*) FROM chunks").fetchone()[0]
        step = 1 + max(
            database.execute(f"SELECT max(id) FROM {name}").fetchone()[0] for name in ("pages", "page_versions")
        )
        database.execute("PRAGMA synchronous=OFF")
        database.execute("BEGIN")
        made = "INSERT INTO sources (corpus_id, name, kind, location) SELECT id, 'made', 'made', 'made' FROM corpora"
        values = {"source": database.execute(made).lastrowid, "step": step}
        database.execute("CREATE TEMP TABLE numbers (n INTEGER PRIMARY KEY)")
        numbers = ((number,) for number in range(1, 1 + -(-count // real)))
        database.executemany("INSERT INTO numbers VALUES (?)", numbers)
        for statement in _COPIES.split(";\n")[:-1]:
            database.execute(statement, {name: values[name] for name in values if f":{name}" in statement})
        database.execute("COMMIT")
        wanted = "SELECT id, text_hash, model FROM vectors WHERE kind = 'chunk' AND page_id > ? ORDER BY id"
        rows = database.execute(wanted, (step,)).fetchall()
        found = "SELECT data FROM embeddings WHERE text_hash IN (SELECT text_hash FROM vectors WHERE kind = 'chunk')"
        real = np.stack([np.frombuffer(data, "<f4") for (data,) in database.execute(found)])
        matrix = np.concatenate(list(made_vectors(real, len(rows))))
        database.execute("BEGIN")
        stored = ((1, key, model, vector.tobytes(), 0.0) for (_, key, model), vector in zip(rows, matrix, strict=True))
        database.executemany("INSERT OR IGNORE INTO embeddings VALUES (?, ?, ?, ?, ?)", stored)
        database.execute("COMMIT")
        with open_ledger(settings.home) as ledger:
            index, model = vector_index(ledger), rows[0][2]
            there = [index.ids(1, row.file) for row in listed_segments(ledger, 1, model, "chunk")]
            files = [(row["file"], row["checksum"]) for row in write_listed(ledger, 1, model, "chunk", there)]
            gather_words(ledger, 1)
        columns = "corpus_id, model, kind, since, file, checksum"
        listed = f"INSERT INTO segments ({columns}) VALUES (1, '{model}', 'chunk', 1, ?, ?)"
        database.executemany(listed, files)
    return len(rows)


def made_vectors(real: Vectors, count: int) -> Iterator[Vectors]:
    """Unit vectors, each between two real ones with some noise: neither all apart nor copies."""
    draw = np.random.default_rng(1)
    for start in range(0, count, _AT_ONCE):
        size = min(_AT_ONCE, count - start)
        noise = draw.standard_normal((size, real.shape[1]), dtype=np.float32) / np.sqrt(real.shape[1])
        first, second = draw.integers(len(real), size=(2, size))
        yield normalised(real[first] + 0.5 * real[second] + 0.4 * noise)


if __name__ == "__main__":
    sys.exit(main())
