"""A retriever: the chunks that BM25 finds, newest page first. One class, and one line in ``RETRIEVERS``."""

from __future__ import annotations

import tempfile
from pathlib import Path

from clausegraph import Embedder, Inquiry, View, open_corpus
from clausegraph.query.retrieve.bank import RETRIEVERS, Hit, RetrieverEntry, make_retriever


class Newest:
    """What BM25 finds, by the date that each page states."""

    def __init__(self, view: View, embedder: Embedder) -> None:
        self._view = view
        self._found_by = make_retriever("bm25", view, embedder)

    def retrieve(self, inquiry: Inquiry, *, limit: int | None = None, budget: int | None = None) -> list[Hit]:
        found = self._found_by.retrieve(inquiry, limit=limit, budget=budget)
        return sorted(found, key=lambda hit: self._view.reading(hit.page).updated or "", reverse=True)


RETRIEVERS.add(RetrieverEntry("newest", "words in common, newest page first", Newest, "chunk", embeds=False))

with tempfile.TemporaryDirectory() as folder, open_corpus("lethmoor", home=folder) as corpus:
    for page in ("guides/heating-help.html", "heating-grant.html"):
        corpus.ingest(Path(__file__).parents[1] / "corpus" / page)
    for name in ("bm25", "newest"):
        nodes = corpus.retriever(name, limit=10).retrieve("help with heating")
        print(name, list(dict.fromkeys(node.metadata["title"] for node in nodes)))
