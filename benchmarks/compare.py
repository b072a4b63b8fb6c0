"""``python -m benchmarks.compare``: one edit and one query, beside LlamaIndex's ``VectorStoreIndex`` over FAISS.

Both read the same pages (``scale.sized``) with the same embedder, the hashing one, so that what is compared is the
rest. LlamaIndex is used as its documentation has it: an ``IngestionPipeline`` with a splitter and a docstore,
which runs again over all pages and passes on those that are new, an index over ``FaissVectorStore``, both persisted.
Each step is a process of its own.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.costs import Workbench, run_measured
from benchmarks.material import REPOSITORY, find_material, machine, percentile, print_table
from benchmarks.scale import LIMIT, MODEL, QUESTIONS, sized, write_edit
from clausegraph.app.models import make_embedder
from clausegraph.app.workspace import Workspace
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.settings import Settings
from clausegraph.query.retrieve.bank import make_retriever

if TYPE_CHECKING:
    from llama_index.core import Document, VectorStoreIndex
    from llama_index.core.ingestion import IngestionPipeline

PAGES = (59, 590)
_STEPS = ("first ingest", "unchanged", "one edit", "query")
_CHUNK = 256  # tokens, as ours


def main() -> int:
    """Measure both at each size and print; with ``--step`` one step, for the process that does it."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.compare", description="Beside LlamaIndex over FAISS.")
    parser.add_argument("--data", type=Path, help="folder with documents.json and dev.json")
    parser.add_argument("--pages", type=int, nargs="*", default=PAGES)
    parser.add_argument("--step", nargs=2, help=argparse.SUPPRESS)  # who, and which
    parser.add_argument("--folder", type=Path, help="keep the homes here, and use those that are there")
    options = parser.parse_args()
    if options.step:
        who, step = options.step
        questions = find_material(options.data).questions[:QUESTIONS]
        asked = [Inquiry(*one) for one in questions]
        print(json.dumps(_STEP_OF[who, step](options.folder, asked)))
        return 0
    material = find_material(options.data)
    print(f"pages: {material.origin}; {machine()}", flush=True)
    with tempfile.TemporaryDirectory(prefix="clausegraph-compare-") as made:
        for count in options.pages:
            bench = Workbench((options.folder or Path(made)) / str(count), sized(material, count), MODEL)
            print_table(f"compare: {count:,} pages; seconds, wall (processor)", compared(bench, options.data))
            sys.stdout.flush()
    return 0


def compared(bench: Workbench, data: Path | None) -> list[tuple[object, ...]]:
    """The rows of one size: each step of both, with the most memory of its process in MB."""
    rows: list[tuple[object, ...]] = [("", "ClauseGraph", "MB", "LlamaIndex", "MB")]
    told: dict[str, dict[str, Any]] = {}
    for step in _STEPS:
        if step == "one edit":
            write_edit(bench, 1.0)
        row: list[object] = [step]
        for who in ("ours", "theirs"):
            if who == "ours" and step != "query":
                found = bench.ingest()
                wall, processor, most = found["process"], found["processor"], found["peak_mb"]
            else:
                command = [sys.executable, "-m", "benchmarks.compare", "--step", who, step]
                command += ["--folder", str(bench.folder), *(["--data", str(data)] if data else [])]
                wall, processor, most, output = run_measured(command, bench.variables, REPOSITORY)
                told[who] = json.loads(output)
            row += [f"{wall:.2f} ({processor:.2f})", round(most)]
        rows.append(tuple(row))
    for name in told["ours"]:
        rows.append((name, told["ours"][name], "", told["theirs"].get(name, ""), ""))
    return [*rows, *((name, "", "", value, "") for name, value in told["theirs"].items() if name not in told["ours"])]


def timed(retrieve: Callable[[Inquiry], object], asked: list[Inquiry]) -> dict[str, str]:
    """Milliseconds of the first retrieval of a process, and the median of all questions when they are asked again."""
    times = []
    for inquiry in [*asked, *asked]:
        start, used = time.perf_counter(), time.process_time()
        retrieve(inquiry)
        times.append((1000 * (time.perf_counter() - start), 1000 * (time.process_time() - used)))
    first, warm = times[0], [percentile(part, 0.5) for part in zip(*times[len(asked) :], strict=True)]
    return {
        "first retrieval, ms": f"{first[0]:.0f} ({first[1]:.0f})",
        f"warm retrieval of {LIMIT}, p50, ms": f"{warm[0]:.1f} ({warm[1]:.1f})",
    }


def ours_query(folder: Path, asked: list[Inquiry]) -> dict[str, str]:
    """The nearest chunks, as LlamaIndex has them; then words, facts and rules as well, as ``ask`` has them."""
    with Workspace(Settings(home=folder / "home", embedding_model=MODEL)) as workspace, workspace.view() as view:
        nearest = make_retriever("vector-chunks", view, workspace.embedder)
        found = timed(lambda inquiry: nearest.retrieve(inquiry, limit=LIMIT), asked)
        hybrid = make_retriever("hybrid", view, workspace.embedder)
        both = timed(lambda inquiry: hybrid.retrieve(inquiry, limit=LIMIT), asked)
        return found | {f"{name}, hybrid": value for name, value in both.items()}


# --- LlamaIndex -------------------------------------------------------------------------------------


def _documents(folder: Path) -> list[Document]:
    from llama_index.core import Document

    records = json.loads((folder / "documents.json").read_text(encoding="utf-8"))
    return [
        Document(text="\n".join([one["title"], *one["contents"]]), id_=one["url"], metadata={"title": one["title"]})
        for one in records
    ]


def _pipeline(kept: Path) -> IngestionPipeline:
    from llama_index.core.ingestion import DocstoreStrategy, IngestionPipeline
    from llama_index.core.node_parser import TokenTextSplitter
    from llama_index.core.storage.docstore import SimpleDocumentStore

    made = IngestionPipeline(
        transformations=[TokenTextSplitter(chunk_size=_CHUNK, chunk_overlap=0), _model()],
        docstore=SimpleDocumentStore(),
        docstore_strategy=DocstoreStrategy.DUPLICATES_ONLY,  # an upsert deletes, which FaissVectorStore cannot
        disable_cache=True,
    )
    if kept.exists():
        made.load(str(kept))
    return made


def _model() -> Any:
    from clausegraph.query.stores.llamaindex import EmbedderModel

    return EmbedderModel(make_embedder(Settings(embedding_model=MODEL)))


def _index(kept: Path) -> VectorStoreIndex:
    import faiss
    from llama_index.core import StorageContext, VectorStoreIndex, load_index_from_storage
    from llama_index.vector_stores.faiss import FaissVectorStore

    if kept.exists():
        stored = StorageContext.from_defaults(
            vector_store=FaissVectorStore.from_persist_dir(str(kept)), persist_dir=str(kept)
        )
        loaded: Any = load_index_from_storage(stored, embed_model=_model())
        return loaded  # type: ignore[no-any-return]
    store = FaissVectorStore(faiss_index=faiss.IndexFlatIP(int(MODEL.partition(":")[2])))
    context = StorageContext.from_defaults(vector_store=store)
    return VectorStoreIndex([], storage_context=context, embed_model=_model())


def theirs_ingest(folder: Path, _asked: list[Inquiry]) -> dict[str, str]:
    """Run the pipeline over all pages, add what it passes on to the index, persist both."""
    kept = folder / "llamaindex"
    pipeline, index = _pipeline(kept / "pipeline"), _index(kept / "index")
    index.insert_nodes(pipeline.run(documents=_documents(folder)))
    pipeline.persist(str(kept / "pipeline"))
    index.storage_context.persist(str(kept / "index"))
    return {}


def theirs_query(folder: Path, asked: list[Inquiry]) -> dict[str, Any]:
    """The nearest nodes, and how many nodes are of pages that were replaced."""
    index = _index(folder / "llamaindex" / "index")
    retriever = index.as_retriever(similarity_top_k=LIMIT)
    words = [f"{one.question} {one.scenario}".strip() for one in asked]
    said = dict(zip(asked, words, strict=True))
    found: dict[str, Any] = timed(lambda inquiry: retriever.retrieve(said[inquiry]), asked)
    texts = {one.metadata["title"]: one.text for one in _documents(folder)}
    nodes = index.docstore.docs.values()
    stale = sum(node.get_content() not in texts[node.metadata["title"]] for node in nodes)
    return found | {"nodes; of them of text that is no more": f"{len(nodes)}; {stale}"}


_STEP_OF = {("ours", "query"): ours_query, ("theirs", "query"): theirs_query} | {
    ("theirs", step): theirs_ingest for step in _STEPS[:3]
}


if __name__ == "__main__":
    sys.exit(main())
