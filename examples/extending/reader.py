"""A reader: quotes the sentence it was handed first, and judges nothing. One class, and one line in ``READERS``."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from clausegraph import Alternative, AnswerStatus, Embedder, Inquiry, open_corpus
from clausegraph.query.engines.bank import make_engine
from clausegraph.query.read.evidence import evidence_of
from clausegraph.query.read.protocol import READERS, ReaderEntry, ReadResult, Rules
from clausegraph.query.retrieve.bank import Hit


class FirstSentence:
    """The best hit that is no heading, word for word."""

    def __init__(self, embedder: Embedder) -> None:
        pass  # it needs none

    def read(self, inquiry: Inquiry, hits: Sequence[Hit], rules: Rules) -> ReadResult:
        for hit in hits:
            page = rules.reading(hit.page)
            element = page.element(hit.anchors[0])
            if element is not None and not element.is_heading:
                quoted = evidence_of(hit.page, page, element)
                return ReadResult(AnswerStatus.ANSWERED, (Alternative(quoted.quote, evidence=(quoted,)),))
        return ReadResult(AnswerStatus.NOT_ANSWERABLE, ())


READERS.add(ReaderEntry("first-sentence", "quotes the best hit", FirstSentence))

with tempfile.TemporaryDirectory() as folder, open_corpus("lethmoor", home=folder) as corpus:
    corpus.ingest(Path(__file__).parents[1] / "corpus" / "appeal-a-decision.html")
    engine = make_engine(corpus.view, corpus.embedder, reader="first-sentence")
    print(engine.ask(Inquiry("How long do I have to appeal to the Panel?")).alternatives[0].text)
