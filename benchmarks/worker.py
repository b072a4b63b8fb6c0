"""What the benchmarks do in a process of its own: one ingest, or the bare model on the same texts.

Prints one JSON document. ``python -m benchmarks.worker ingest HOME DOCUMENTS MODEL TEXTS`` writes the texts it
embedded to TEXTS, which ``python -m benchmarks.worker embed TEXTS`` reads.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks.process import peak_memory
from clausegraph.core.models.embedding import Embedder

_OF_PIPELINE = {
    "clausegraph.indexes.derive": "project",
    "clausegraph.indexes.": "ledger",
    "clausegraph.core.extraction": "project",
}


def measure_ingest(home: Path, documents: Path, embedder: Embedder, texts: Path) -> dict[str, Any]:
    """Ingest into ``home``; seconds by label and the run's counts.

    Labels: embedding (inside the embedder), faiss (building and writing segments), ledger (every call into
    ``indexes`` but ``derive``), read, extract, project (Python), other (what is left).
    """
    import clausegraph.indexes.publish
    import clausegraph.indexes.vectors.segments
    import clausegraph.ingestion.reading.pages
    from benchmarks.stopwatch import Stopwatch, WatchedEmbedder, WatchedExtractor, watching
    from clausegraph.indexes.ledger.store import open_ledger
    from clausegraph.ingestion import pipeline
    from clausegraph.ingestion.extract.rules.extractor import RuleExtractor
    from clausegraph.ingestion.sources import open_source

    stopwatch = Stopwatch()
    processor = time.process_time()
    watched = WatchedEmbedder(embedder, stopwatch)
    with (
        open_ledger(home) as ledger,
        watching(stopwatch, pipeline, _OF_PIPELINE),
        watching(stopwatch, clausegraph.ingestion.reading.pages, {"clausegraph.ingestion.reading.page": "read"}),
        watching(stopwatch, clausegraph.indexes.publish, {"clausegraph.indexes.vectors.segments": "faiss"}),
        watching(stopwatch, clausegraph.indexes.vectors.segments, {"clausegraph.indexes.truth": "ledger"}),
        stopwatch.measuring("other"),
    ):
        tools = pipeline.Tools(ledger, watched, WatchedExtractor(RuleExtractor(), stopwatch))
        report = pipeline.ingest(tools, "default", open_source(str(documents)))
    texts.write_text(json.dumps(watched.texts), encoding="utf-8")
    return {
        "pages": len(report.pages_added),
        "chunks": report.rows["chunks"]["opened"],
        "supports": report.rows["supports"]["opened"],
        "vectors": report.rows["vectors"]["opened"],
        "texts": report.texts_embedded,
        "characters": sum(map(len, watched.texts)),
        "seconds": dict(stopwatch.seconds),
        "cpu": time.process_time() - processor,
        "stages": report.seconds,
        "peak_bytes": peak_memory(),
    }


def _ingest(home: str, documents: str, model: str, texts: str) -> dict[str, Any]:
    from clausegraph.app.models import make_embedder
    from clausegraph.core.settings import Settings

    start = time.perf_counter()
    embedder = make_embedder(Settings(home=Path(home), embedding_model=model))
    embedder.embed_texts(["The model is loaded before the clock starts."])
    loading = time.perf_counter() - start
    return {"loading": loading} | measure_ingest(Path(home), Path(documents), embedder, Path(texts))


def _embed(texts: str) -> dict[str, Any]:
    """sentence-transformers alone, one call, its own defaults."""
    import os

    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    start = time.perf_counter()
    from sentence_transformers import SentenceTransformer

    from clausegraph.core.tokens import packaged_model_path

    model = SentenceTransformer(str(packaged_model_path()), device="cpu")
    model.encode(["The model is loaded before the clock starts."], show_progress_bar=False)
    loading = time.perf_counter() - start
    loaded = json.loads(Path(texts).read_text(encoding="utf-8"))
    start, processor = time.perf_counter(), time.process_time()
    model.encode(loaded, show_progress_bar=False)
    seconds, cpu = time.perf_counter() - start, time.process_time() - processor
    return {"loading": loading, "seconds": seconds, "cpu": cpu, "peak_bytes": peak_memory()}


if __name__ == "__main__":
    print(json.dumps(_ingest(*sys.argv[2:]) if sys.argv[1] == "ingest" else _embed(*sys.argv[2:])))
