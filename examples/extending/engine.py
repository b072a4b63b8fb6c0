"""An engine: asks again without the scenario when nothing was found with it. One maker, one line in ``ENGINES``."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

from clausegraph import Answer, AnswerStatus, Embedder, Inquiry, TraceStep, View, open_corpus
from clausegraph.query.engines.bank import ENGINES, EngineEntry, EngineOptions, Watch, make_engine


class SecondTry:
    """A single pass, and another one without the scenario where the first found nothing."""

    def __init__(self, view: View, embedder: Embedder, options: EngineOptions) -> None:
        self._once = make_engine(view, embedder, engine="single-pass", limit=options.limit)

    def ask(self, inquiry: Inquiry, watch: Watch | None = None) -> Answer:
        first = self._once.ask(inquiry, watch)
        if first.status is not AnswerStatus.NOT_ANSWERABLE or not inquiry.scenario:
            return first
        second = self._once.ask(replace(inquiry, scenario=""), watch)
        again = TraceStep("again", 0.0, {"because": first.status.value, "without": "scenario"})
        return replace(second, inquiry=inquiry, trace=(*first.trace, again, *second.trace))


ENGINES.add(EngineEntry("second-try", "asks again without the scenario", SecondTry))

with tempfile.TemporaryDirectory() as folder, open_corpus("lethmoor", home=folder) as corpus:
    corpus.ingest(Path(__file__).parents[1] / "corpus" / "appeal-a-decision.html")
    engine = make_engine(corpus.view, corpus.embedder, engine="second-try")
    answer = engine.ask(Inquiry("How long do I have to appeal to the Panel?", "My review was refused."))
    print(answer.alternatives[0].text, [step.name for step in answer.trace])
