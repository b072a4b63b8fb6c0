"""``python -m benchmarks.compare``: one edit and one query, beside LlamaIndex's ``VectorStoreIndex`` over FAISS.

Both read the same pages with the same embedder, by hashing, so that what is compared is the rest. LlamaIndex is used as
its documentation has it: an ``IngestionPipeline`` with a splitter and a docstore, which runs again over all pages and
passes on those that are new, and an index over ``FaissVectorStore``, both persisted. Each step is a process.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.costs import Workbench, run_measured
from benchmarks.material import REPOSITORY, find_material, machine, percentile, print_table
from benchmarks.scale import LIMIT, MODEL, QUESTIONS, pair, sized, write_edit
from clausegraph.app.models import make_embedder
from clausegraph.app.workspace import Workspace
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.settings import Settings
from clausegraph.query.retrieve.bank import make_retriever

PAGES = (59, 590)
_STEPS = ("first ingest", "unchanged", "one edit", "query")
_CHUNK = 256  # tokens, as ours


def main() -> int:
    """Measure both at each size and print; with ``--step`` one step, for the process that does it."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.compare", description="Beside LlamaIndex over FAISS.")
    parser.add_argument("--data", type=Path, help="folder with documents.json and dev.json")
    parser.add_argument("--pages", type=int, nargs="*", default=PAGES)
    parser.add_argument("--step", choices=list(_STEP_OF), help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    material = find_material(options.data)
    if options.step:
        asked = [Inquiry(*one) for one in material.questions[:QUESTIONS]]
        print(json.dumps(_STEP_OF[options.step](options.folder, asked)))
        return 0
    print(f"pages: {material.origin}; {machine()}", flush=True)
    with tempfile.TemporaryDirectory(prefix="clausegraph-compare-") as made:
        for count in options.pages:
            bench = Workbench(Path(made) / str(count), sized(material, count), MODEL)
            print_table(f"compare: {count:,} pages; seconds, wall (processor)", compared(bench, options.data))
            sys.stdout.flush()
    return 0


def compared(bench: Workbench, data: Path | None) -> list[tuple[object, ...]]:
    """The rows of one size: each step of both, with the most memory of its process in MB."""
    rows: list[tuple[object, ...]] = [("", "ClauseGraph", "MB", "LlamaIndex", "MB")]
    for step in _STEPS:
        if step == "one edit":
            write_edit(bench, 1.0)
        theirs = _process(bench, data, "query, theirs" if step == "query" else "ingest, theirs")
        if step == "query":
            ours = _process(bench, data, "query, ours")
        else:
            found = bench.ingest()
            ours = found["process"], found["processor"], found["peak_mb"], {}
        rows.append((step, pair(*ours[:2]), round(ours[2]), pair(*theirs[:2]), round(theirs[2])))
        names = dict.fromkeys([*ours[3], *theirs[3]])
        rows += [(name, ours[3].get(name, ""), "", theirs[3].get(name, ""), "") for name in names]
    return rows


def _process(bench: Workbench, data: Path | None, step: str) -> tuple[float, float, float, dict[str, str]]:
    command = [sys.executable, "-m", "benchmarks.compare", "--step", step, "--folder", str(bench.folder)]
    command += ["--data", str(data)] if data else []
    wall, processor, most, output = run_measured(command, bench.variables, REPOSITORY)
    return wall, processor, most, json.loads(output)


def timed(retrieve: Callable[[Inquiry], object], asked: list[Inquiry], of: str = "chunks") -> dict[str, str]:
    """Milliseconds of the first retrieval of a process, and the median of all questions when they are asked again."""
    times = []
    for inquiry in [*asked, *asked]:
        start, used = time.perf_counter(), time.process_time()
        retrieve(inquiry)
        times.append((1000 * (time.perf_counter() - start), 1000 * (time.process_time() - used)))
    warm = [percentile(part, 0.5) for part in zip(*times[len(asked) :], strict=True)]
    return {f"first retrieval, {of}, ms": pair(*times[0]), f"warm, {LIMIT} {of}, p50, ms": pair(*warm)}


def query_ours(folder: Path, asked: list[Inquiry]) -> dict[str, str]:
    """The nearest chunks, as LlamaIndex has them; then elements by words, facts and rules too, as ``ask`` has them."""
    found = {}
    with Workspace(Settings(home=folder / "home", embedding_model=MODEL)) as workspace, workspace.view() as view:
        for name, of in (("vector-chunks", "chunks"), ("hybrid", "of hybrid")):
            retriever = make_retriever(name, view, workspace.embedder)
            found |= timed(lambda inquiry, made=retriever: made.retrieve(inquiry, limit=LIMIT), asked, of)  # type: ignore[misc]
    return found


# --- LlamaIndex -------------------------------------------------------------------------------------


def _theirs(folder: Path) -> tuple[list[Any], Any, Any]:
    """The pages as documents, the pipeline and the index, as they were persisted."""
    import faiss
    from llama_index.core import Document, StorageContext, VectorStoreIndex, load_index_from_storage
    from llama_index.core.ingestion import DocstoreStrategy, IngestionPipeline
    from llama_index.core.node_parser import TokenTextSplitter
    from llama_index.core.storage.docstore import SimpleDocumentStore
    from llama_index.vector_stores.faiss import FaissVectorStore

    from clausegraph.query.stores.llamaindex import EmbedderModel

    records = json.loads((folder / "documents.json").read_text(encoding="utf-8"))
    documents = [Document(text="\n".join([one["title"], *one["contents"]]), id_=one["url"]) for one in records]
    model, kept = EmbedderModel(make_embedder(Settings(embedding_model=MODEL))), str(folder / "llamaindex")
    pipeline = IngestionPipeline(
        transformations=[TokenTextSplitter(chunk_size=_CHUNK, chunk_overlap=0), model],
        docstore=SimpleDocumentStore(),
        docstore_strategy=DocstoreStrategy.DUPLICATES_ONLY,  # an upsert deletes, which FaissVectorStore cannot
        disable_cache=True,
    )
    if not Path(kept).exists():
        store = FaissVectorStore(faiss_index=faiss.IndexFlatIP(int(MODEL.partition(":")[2])))
        context = StorageContext.from_defaults(vector_store=store)
        return documents, pipeline, VectorStoreIndex([], storage_context=context, embed_model=model)
    pipeline.load(f"{kept}/pipeline")
    stored = FaissVectorStore.from_persist_dir(f"{kept}/index")
    context = StorageContext.from_defaults(vector_store=stored, persist_dir=f"{kept}/index")
    return documents, pipeline, load_index_from_storage(context, embed_model=model)


def ingest_theirs(folder: Path, _asked: list[Inquiry]) -> dict[str, str]:
    """Run the pipeline over all pages, add what it passes on to the index, persist both."""
    documents, pipeline, index = _theirs(folder)
    index.insert_nodes(pipeline.run(documents=documents))
    pipeline.persist(str(folder / "llamaindex" / "pipeline"))
    index.storage_context.persist(str(folder / "llamaindex" / "index"))
    return {}


def query_theirs(folder: Path, asked: list[Inquiry]) -> dict[str, str]:
    """The nearest nodes, and how many nodes are of pages that were replaced."""
    documents, _, index = _theirs(folder)
    retriever, texts = index.as_retriever(similarity_top_k=LIMIT), {one.id_: one.text for one in documents}
    found = timed(lambda one: retriever.retrieve(f"{one.question} {one.scenario}".strip()), asked)
    nodes = index.docstore.docs.values()
    stale = sum(node.get_content() not in texts[node.ref_doc_id] for node in nodes)
    return found | {"nodes; of them of text that is no more": f"{len(nodes)}; {stale}"}


_STEP_OF = {"query, ours": query_ours, "ingest, theirs": ingest_theirs, "query, theirs": query_theirs}


if __name__ == "__main__":
    sys.exit(main())
