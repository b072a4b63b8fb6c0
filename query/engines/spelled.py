"""An engine that is asked with the misspelt words of a question read as the corpus writes them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from clausegraph.core.inquiry import Inquiry
from clausegraph.core.types import Answer
from clausegraph.indexes.views import View
from clausegraph.query.engines.protocol import Engine, Watch
from clausegraph.query.retrieve.spelling import corrected


@dataclass(frozen=True, slots=True)
class Spelled:
    """Asks ``inner``; the answer has the inquiry as it was typed, and tells the words that were read as others."""

    inner: Engine
    view: View

    def ask(self, inquiry: Inquiry, watch: Watch | None = None) -> Answer:
        """As ``inner``."""
        question, words = corrected(self.view, inquiry.question)
        if not words:
            return self.inner.ask(inquiry, watch)
        answer = self.inner.ask(replace(inquiry, question=question), watch)
        return replace(answer, inquiry=inquiry, corrected=words)
