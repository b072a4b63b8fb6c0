"""What an engine is, and what one is made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from clausegraph.core.inquiry import Inquiry
from clausegraph.core.types import Answer
from clausegraph.query.read.protocol import Reader


class Engine(Protocol):
    """Answers inquiries from one view; meters its own question and keeps nothing of it."""

    def ask(self, inquiry: Inquiry) -> Answer:
        """The answer with its trace. No alternatives means "searched, and the corpus does not say".

        Raises:
            QuestionError: the inquiry has a date or assumptions that this engine cannot use.
        """


@dataclass(frozen=True, slots=True)
class EngineOptions:
    """What an engine works with; one that decides for itself leaves out what it does not need.

    Args:
        retriever: a name of the bank (``query/retrieve/bank.py``).
        reader: a name of ``query/read/bank.py``, or a reader that somebody made.
        limit: hits handed to the reader.
    """

    retriever: str = "hybrid"
    reader: str | Reader = "extractive"
    limit: int = 60
