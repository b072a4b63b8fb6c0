"""A retriever: the chunks that BM25 finds, newest page first. One class, and one line in ``RETRIEVERS``; for ``ask`` an
engine that reads what it finds."""

from __future__ import annotations

import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from clausegraph import Embedder, Inquiry, View, open_corpus
from clausegraph.app.cli.main import main
from clausegraph.query.engines.bank import ENGINES, Engine, EngineEntry, EngineOptions, make_engine
from clausegraph.query.retrieve.bank import RETRIEVERS, Hit, Ranker, RetrieverEntry, make_retriever


class Newest(Ranker):
    """What BM25 finds, by the date that each page states; the score says the rank."""

    def ranked(self, inquiry: Inquiry, most: int) -> list[Hit]:
        found = make_retriever("bm25", self.view, self.embedder).retrieve(inquiry, limit=most)
        found.sort(key=lambda hit: self.view.reading(hit.page).updated or "", reverse=True)
        return [replace(hit, score=1 / rank, parts={"rank": 1 / rank}) for rank, hit in enumerate(found, 1)]


def single_pass_over_newest(view: View, embedder: Embedder, options: EngineOptions) -> Engine:
    return make_engine(view, embedder, replace(options, retriever="newest"), engine="single-pass")


RETRIEVERS.add(RetrieverEntry("newest", "words in common, newest page first", Newest, "chunk", embeds=False))
ENGINES.add(EngineEntry("newest", "retrieve the newest, read once", single_pass_over_newest))

if sys.argv[1:]:
    main()  # try it: python examples/extending/retriever.py ask --engine newest 'help with heating'
with tempfile.TemporaryDirectory() as folder, open_corpus("lethmoor", home=folder) as corpus:
    for page in ("guides/heating-help.html", "heating-grant.html"):
        corpus.ingest(Path(__file__).parents[1] / "corpus" / page)
    for name in ("bm25", "newest"):
        nodes = corpus.retriever(name, limit=10).retrieve("help with heating")
        print(name, list(dict.fromkeys(node.metadata["title"] for node in nodes)))
