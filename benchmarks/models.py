"""``models``: what the platform costs around a language model, against a fake server with known latencies.

Ten edited copies of every page, then the pages once; 16 calls at once, latencies uniform 200-400 ms, embeddings
free. From the first model call to the last stored result. In the same run LlamaIndex's ``PropertyGraphIndex`` with its
simple extractor on the same chunks of the pages once.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from sqlalchemy import func, select

from benchmarks.edits import copies
from benchmarks.history import CORPUS, History
from benchmarks.material import Record
from benchmarks.show import Check, print_checks, print_table
from benchmarks.workbench import EDITIONS, Workbench
from clausegraph.app.dev.fake_llm import FakeModelServer, FakeOptions
from clausegraph.core.extraction import Extracted, Extraction, ExtractionInput, PageInputs
from clausegraph.core.models.build import ModelOptions, make_llm
from clausegraph.core.prompts import library
from clausegraph.core.tokens import count_tokens
from clausegraph.indexes.ledger.metering import RunMeter
from clausegraph.indexes.ledger.schema import model_calls
from clausegraph.indexes.response_cache import FileResponseCache
from clausegraph.indexes.views import open_view
from clausegraph.ingestion.extract.llm.extractor import LLMExtractor, LLMOptions
from clausegraph.ingestion.pipeline import Tools, ingest

AT_ONCE = 16
LATENCY = (0.2, 0.4)
WALL, IN_FLIGHT, TOKENS, CPU_MS = 1.15, 14.0, 2.0, 10.0


def run(bench: Workbench) -> dict[str, Any]:
    """Measure and print."""
    records = bench.material.records
    with FakeModelServer(FakeOptions(replies="short", latency=LATENCY)) as fake:
        many = measure(copies(records, EDITIONS), bench.folder / "models-many", fake)
        fake.reset()
        once = measure(records, bench.folder / "models-once", fake)
        fake.reset()
        fake.set(replies="lines")
        theirs = measure_llama_index(bench.folder / "models-once", fake)
    names = ("pages", "chunks", "calls", "wall_s", "ideal_s", "wall_ratio", "in_flight", "tokens_ratio", "cpu_ms")
    rows = [(name, *(result[key] for result in (many, once, theirs))) for name, key in zip(names, names, strict=True)]
    title = (
        f"models: {AT_ONCE} at once, {LATENCY[0]:.1f}-{LATENCY[1]:.1f} s a call; ideal = sum of latencies / {AT_ONCE}"
    )
    print_table(title, [("", f"{EDITIONS} copies", "once", "LlamaIndex, once"), *rows])
    checks = [
        Check("wall time over ideal", many["wall_ratio"], WALL, "x", decides=False),
        Check(
            "calls that were not in flight", AT_ONCE - many["in_flight"], AT_ONCE - IN_FLIGHT, "of 16", decides=False
        ),
        Check("prompt tokens per corpus token", many["tokens_ratio"], TOKENS, "x"),
        Check("processor time per chunk", many["cpu_ms"], CPU_MS, "ms", decides=False),
    ]
    print_checks(checks)
    return {"many": many, "once": once, "llama_index": theirs, "checks": [check.as_dict() for check in checks]}


class _Timed:
    """The extractor, with the processor time used before it and the pages it was given."""

    def __init__(self, inner: LLMExtractor) -> None:
        self._inner = inner
        self.fingerprint = inner.fingerprint
        self.cpu = 0.0
        self.pages: list[PageInputs] = []

    def extract(self, chunk_input: ExtractionInput) -> Extraction:
        return self._inner.extract(chunk_input)

    def proposals(self, extractions: Iterable[Extraction]) -> dict[str, dict[str, int]]:
        return self._inner.proposals(extractions)

    def extract_pages(self, pages: Iterable[PageInputs]) -> Iterator[Extracted]:
        self.pages = list(pages)
        self.cpu = time.process_time()
        return self._inner.extract_pages(self.pages)


def measure(records: list[Record], home: Path, fake: FakeModelServer) -> dict[str, float]:
    """Ingest the pages through the fake server; figures of the extraction step."""
    history = History(records, home)
    meter = RunMeter(history.ledger)
    options = ModelOptions(provider="openai", model="fake-small", url=fake.url, concurrency=AT_ONCE)
    cache = FileResponseCache(home / "responses.db", 1_000_000_000)
    llm = make_llm(options, cache=cache, budget=meter, usage=meter)
    inner = LLMExtractor(llm, library(None).get("triplets-conditional"), LLMOptions(at_once=AT_ONCE))
    extractor = _Timed(inner)
    last = (0.0, 0.0)

    def progress(stage: str, _done: int, _total: int) -> None:
        nonlocal last
        if stage == "extract":
            last = (time.time(), time.process_time())

    report = ingest(Tools(history.ledger, history.embedder, extractor, progress, meter), CORPUS, history)
    if report.failures:
        raise RuntimeError(f"{len(report.failures)} chunks failed; the first: {report.failures[0]}")
    counters = fake.counters()
    with history.ledger.read() as connection:
        first = connection.execute(select(func.min(model_calls.c.at))).scalar_one()
    history.ledger.close()
    wall, cpu = last[0] - first, last[1] - extractor.cpu
    ideal = counters["latency_sum"] / AT_ONCE
    return {
        "pages": len(records), "chunks": report.chunks_extracted, "calls": counters["requests"], "wall_s": wall,
        "ideal_s": ideal, "wall_ratio": wall / ideal, "in_flight": counters["mean_in_flight"],
        "tokens_ratio": _prompt_tokens(inner, extractor.pages) / _corpus_tokens(extractor.pages),
        "cpu_ms": cpu * 1000 / report.chunks_extracted, "rejects": len(report.rejects),
    }  # fmt: skip


def _prompt_tokens(extractor: LLMExtractor, pages: list[PageInputs]) -> int:
    """Word pieces of every prompt, as it is sent."""
    requests = (extractor.request(job) for page in pages for job in extractor.jobs(page))
    return sum(count_tokens(message.content or "") for request in requests for message in request.messages)


def _corpus_tokens(pages: list[PageInputs]) -> int:
    """Word pieces of the elements' texts."""
    return sum(
        count_tokens(element.text)
        for page in pages
        for source in page.inputs
        for element in source.elements
        if element.is_own
    )


def measure_llama_index(home: Path, fake: FakeModelServer) -> dict[str, float]:
    """LlamaIndex's index over the chunks of the corpus in ``home``, with as many workers."""
    from llama_index.core import PropertyGraphIndex
    from llama_index.core.indices.property_graph import SimpleLLMPathExtractor
    from llama_index.core.schema import TextNode
    from llama_index.llms.openai_like import OpenAILike

    from clausegraph.indexes.ledger.store import open_ledger

    with open_ledger(home) as ledger, open_view(ledger, CORPUS) as view:
        readings = [view.reading(page) for page in view.page_keys()]
    nodes = [TextNode(text=chunk.text) for reading in readings for chunk in reading.chunks]
    corpus = sum(count_tokens(element.text) for reading in readings for element in reading.elements)
    llm = OpenAILike(
        model="fake-small", api_base=f"{fake.url}/v1", api_key="none", is_chat_model=True, max_retries=0,
        context_window=32768,
    )  # fmt: skip
    extractor = SimpleLLMPathExtractor(llm=llm, num_workers=AT_ONCE, max_paths_per_chunk=25)
    start = (time.perf_counter(), time.process_time())
    PropertyGraphIndex(nodes=nodes, kg_extractors=[extractor], embed_kg_nodes=False, llm=llm)
    wall, cpu = time.perf_counter() - start[0], time.process_time() - start[1]
    counters = fake.counters()
    template = extractor.extract_prompt
    prompts = (template.format(text=node.text, max_knowledge_triplets=25) for node in nodes)
    ideal = counters["latency_sum"] / AT_ONCE
    return {
        "pages": len(readings), "chunks": len(nodes), "calls": counters["requests"], "wall_s": wall,
        "ideal_s": ideal, "wall_ratio": wall / ideal, "in_flight": counters["mean_in_flight"],
        "tokens_ratio": sum(map(count_tokens, prompts)) / corpus, "cpu_ms": cpu * 1000 / len(nodes),
    }  # fmt: skip
