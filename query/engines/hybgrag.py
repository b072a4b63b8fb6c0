"""HybGRAG (Lee et al. 2024): the loop with a model in every step, and the documents of the last round in one prompt.

Its four rounds are cut to the calls that a question may make.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from clausegraph.core.inquiry import Inquiry
from clausegraph.core.models.embedding import Embedder
from clausegraph.indexes.views import View
from clausegraph.query.engines.bank import EngineOptions
from clausegraph.query.engines.loop import Loop
from clausegraph.query.engines.preset import model_of
from clausegraph.query.engines.prompt import form_by_question, of_hits, summarise
from clausegraph.query.read.protocol import ReadResult, Rules
from clausegraph.query.retrieve.bank import Hit
from clausegraph.query.steps.model import StepModel

DOCUMENTS = 20  # elements that are read: about as much as five chunks


@dataclass(frozen=True, slots=True)
class DocumentReader:
    """Reads the first hits in one prompt; made for one question."""

    options: EngineOptions
    model: StepModel

    def read(self, inquiry: Inquiry, hits: Sequence[Hit], rules: Rules) -> ReadResult:
        """The answer of one call."""
        form = (self.options.form or form_by_question)(inquiry)
        context = of_hits(rules.reading, hits[:DOCUMENTS])
        return summarise(rules.reading, self.model, inquiry, context, form, self.options.shots.get(form, ""))


def make(view: View, embedder: Embedder, options: EngineOptions) -> Loop:
    """The engine on a view; errors as of ``Loop``."""
    model_of("hybgrag", options)

    def reader(_: Embedder, model: StepModel) -> DocumentReader:
        return DocumentReader(options, model)

    steps = dict.fromkeys(("route", "validate", "comment"), "llm") | dict(options.steps)
    return Loop(view, embedder, replace(options, retriever="vector-elements", reader=reader, steps=steps, commits=True))
