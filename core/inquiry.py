"""What is asked: one value that travels from the way in to the trace of the answer."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime

from clausegraph.core.errors import QuestionError
from clausegraph.core.text import is_text

MAX_CHARACTERS = 10_000  # question, scenario and assumptions together


@dataclass(frozen=True, slots=True)
class Inquiry:
    """A question, who asks it (``scenario``), at which date, and what is to be taken for granted.

    An engine that cannot use ``as_of`` or ``assumptions`` refuses them (:meth:`require_plain`). A retriever searches
    with question and scenario; dates and assumptions are the engine's to honour.

    Raises:
        QuestionError: the question or an assumption is empty, the texts are longer than the limit in all or no valid
            Unicode, ``as_of`` is no plain date, or ``assumptions`` is no tuple of texts.
    """

    question: str
    scenario: str = ""
    as_of: date | None = None
    assumptions: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.question.strip():
            raise QuestionError("the question is empty; ask one")
        if not isinstance(self.assumptions, tuple) or not all(text.strip() for text in self.assumptions):
            raise QuestionError(f"assumptions {self.assumptions!r} are no tuple of texts; give ('I rent.', …) or ()")
        if self.as_of is not None and (not isinstance(self.as_of, date) or isinstance(self.as_of, datetime)):
            raise QuestionError(f"as_of {self.as_of!r} is no date; give datetime.date(2026, 1, 31) or None")
        if not all(map(is_text, (self.question, self.scenario, *self.assumptions))):
            raise QuestionError("question or scenario is not valid UTF-8; give it as UTF-8 text")
        length = sum(map(len, (self.question, self.scenario, *self.assumptions)))
        if length > MAX_CHARACTERS:
            raise QuestionError(
                f"question and scenario have {length:,} characters, the limit is {MAX_CHARACTERS:,}; shorten them"
            )

    @property
    def text(self) -> str:
        """Scenario and question in one line."""
        return " ".join(f"{self.scenario} {self.question}".split())

    def require_plain(self, engine: str) -> None:
        """Refuse what only other engines can use, rather than ignore it.

        Raises:
            QuestionError: there is a date or an assumption.
        """
        given = [name for name, value in (("as_of", self.as_of), ("assumptions", self.assumptions)) if value]
        if given:
            raise QuestionError(f"engine {engine!r} cannot use {' and '.join(given)} yet; leave it out")
