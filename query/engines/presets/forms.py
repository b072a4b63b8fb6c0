"""The four forms of an answer that HybridContextQA's prompts ask for."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

from clausegraph.core.inquiry import Inquiry
from clausegraph.query.read.questions import QuestionKind, question_form


class AnswerForm(StrEnum):
    """Yes or no, or words of the pages; alone, or with the conditions under which it holds. The value is a prompt."""

    YES_NO = "answer-yes-no"
    SPAN = "answer-span"
    YES_NO_CONDITIONS = "answer-yes-no-conditions"
    SPAN_CONDITIONS = "answer-span-conditions"

    @property
    def is_yes_no(self) -> bool:
        return self in (AnswerForm.YES_NO, AnswerForm.YES_NO_CONDITIONS)

    @property
    def has_conditions(self) -> bool:
        return self in (AnswerForm.YES_NO_CONDITIONS, AnswerForm.SPAN_CONDITIONS)

    @property
    def alone(self) -> AnswerForm:
        """The same without conditions."""
        return AnswerForm.YES_NO if self.is_yes_no else AnswerForm.SPAN


FormOf = Callable[[Inquiry], AnswerForm]


def form_by_question(inquiry: Inquiry) -> AnswerForm:
    """The form by the words of the question; conditions are always asked for. The published system is told the form
    of the gold answer (``--oracle-type``), which no user can know."""
    yes_no = question_form(inquiry.question).kind is QuestionKind.YES_NO
    return AnswerForm.YES_NO_CONDITIONS if yes_no else AnswerForm.SPAN_CONDITIONS
