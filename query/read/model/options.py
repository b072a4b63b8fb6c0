"""How a model is asked to read: what all questions share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

from clausegraph.core.inquiry import Inquiry
from clausegraph.query.read.model.forms import told_form
from clausegraph.query.read.model.guide import Guide
from clausegraph.query.read.model.labelled import Examples, LabelledQuestion, shown_example
from clausegraph.query.read.model.schema import DIRECT_SCHEMA, READ_SCHEMA
from clausegraph.query.read.model.shown import Shown
from clausegraph.query.steps.model import Schema

RULE_FIRST, DIRECT = "read", "read-direct"  # prompts
BUDGET = 2_000  # word pieces of elements: with guide and examples about 4,500 tokens of prompt
HITS = 120  # retrieved elements that are enough to fill it


@dataclass(frozen=True)
class ReadOptions:
    """Prompt, guide and examples of a reader with a model.

    Args:
        prompt: ``RULE_FIRST``, ``DIRECT`` (answers at once), or one of the user's own in the form of the first.
        guide: conventions that the outcomes follow, for evaluations and for a house's own; none for people.
        examples: labelled questions of the user; the ``shots`` most like are shown.
        budget: word pieces of elements that are shown.
        dated: whether the day of the question is told (today, unless the inquiry has one); benchmarks have none.
    """

    prompt: str = RULE_FIRST
    guide: Guide | None = None
    examples: Examples | None = None
    shots: int = 5
    budget: int = BUDGET
    dated: bool = True

    @property
    def schema(self) -> Schema:
        """Name and JSON schema of a reply."""
        direct = self.prompt.partition(".")[0] == DIRECT
        return ("answers", DIRECT_SCHEMA) if direct else ("reading", READ_SCHEMA)

    def measured_on(self, questions: Sequence[LabelledQuestion]) -> ReadOptions:
        """For measuring on these questions: none of them, and nothing of their pages, is among the examples.

        Raises:
            InputError: the guide was learned from one of them.
        """
        if self.guide is not None:
            self.guide.check_unseen((q.id, q.question, q.scenario) for q in questions)
        return replace(self, examples=self.examples.without(questions) if self.examples else None)

    def inputs(self, inquiry: Inquiry, shown: Shown) -> dict[str, object]:
        """Every input that a prompt of a reader may declare.

        Raises:
            InputError: the guide was learned from this very question.
        """
        if self.guide is not None:
            self.guide.check_unseen([("as asked", inquiry.question, inquiry.scenario)])
        return {
            "question": inquiry.question,
            "scenario": inquiry.scenario,
            "taken": "; ".join(inquiry.assumptions),
            "date": (inquiry.as_of or date.today()).isoformat() if self.dated else "",
            "pages": shown.text,
            "guide": self.guide.text if self.guide else "",
            "usual": told_form(self.guide.forms, inquiry.question) if self.guide else "",
            "examples": "\n\n".join(self._examples(inquiry)),
        }

    def _examples(self, inquiry: Inquiry) -> Sequence[str]:
        if self.examples is None:
            return ()
        return [shown_example(e) for e in self.examples.nearest(inquiry.question, inquiry.scenario, self.shots)]
