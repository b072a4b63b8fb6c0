"""``model``: one call by default, whose reply is a draft; code checks it, evaluates it, and asks once to repair it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import partial

from clausegraph.core.errors import BudgetExceeded, UnusableReply
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.language.normalise import content
from clausegraph.core.models.embedding import Embedder
from clausegraph.core.types import AnswerStatus
from clausegraph.query.read.model.check import Checked, alternative_of, decided
from clausegraph.query.read.model.guide import Guide, usual_answers
from clausegraph.query.read.model.labelled import Examples, LabelledQuestion, shown_example
from clausegraph.query.read.model.partial import sentence_watch
from clausegraph.query.read.model.schema import DIRECT_SCHEMA, READ_SCHEMA, Draft, parse_draft
from clausegraph.query.read.model.sentences import advice_of, check_reply, missing_part, shown_sentences
from clausegraph.query.read.model.shown import Shown, shown_of
from clausegraph.query.read.protocol import Pages, ReadResult, Rules
from clausegraph.query.retrieve.bank import Hit
from clausegraph.query.steps.model import Said, Schema, StepModel

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
            "usual": usual_answers(self.guide.forms, inquiry.question) if self.guide else "",
            "examples": "\n\n".join(self._examples(inquiry)),
        }

    def _examples(self, inquiry: Inquiry) -> Sequence[str]:
        if self.examples is None:
            return ()
        return [shown_example(e) for e in self.examples.nearest(inquiry.question, inquiry.scenario, self.shots)]


REPAIR = "read-repair"
_MOST_TOLD = 12  # problems or notes
_MOST_NEARBY = 3
_TITLE_TERMS = 2  # that a title shares with what is asked, where it has so many
Reasons = dict[str, object]
Check = Callable[[Draft], Checked]


@dataclass(frozen=True, slots=True)
class Attempt:
    """What was made of a reply: a draft that was checked, or the reason why there is none."""

    draft: Draft | None
    checked: Checked

    @property
    def problems(self) -> list[str]:
        return self.checked.problems[:_MOST_TOLD]

    @property
    def is_usable(self) -> bool:
        """Whether it says something: answers that stand, or that there are none."""
        answered = bool(self.checked.answers) or bool(shown_sentences(self.checked.sentences))
        return answered or (self.draft is not None and self.draft.is_refusal)


class ModelReader:
    """Reads with a language model on the account of one question. It is asked once, and once more to repair."""

    def __init__(self, embedder: Embedder | None, model: StepModel, options: ReadOptions | None = None) -> None:
        self._model = model
        self._options = options or ReadOptions()

    def read(self, inquiry: Inquiry, hits: Sequence[Hit], rules: Rules) -> ReadResult:
        """The answers that were checked, with the conditions that the scenario leaves open.

        Raises:
            ModelError: there is no reply.
        """
        shown = shown_of(hits, rules.reading, self._options.budget)
        if not shown.elements:
            return ReadResult(AnswerStatus.NOT_ANSWERABLE, (), {"status_because": "nothing to read"})
        inputs = self._options.inputs(inquiry, shown)

        def check(draft: Draft) -> Checked:
            return check_reply(draft, shown, inquiry, rules.reading)

        attempt, repaired = ask_for_draft(self._model, self._options.prompt, inputs, self._options.schema, check)
        reasons: Reasons = {"read_by": self.name, "shown": len(shown.elements), "repaired": repaired}
        result = result_of(attempt, shown, rules.reading, reasons)
        missing = missing_part(attempt.draft, inquiry) if attempt.draft else ""
        about = "" if attempt.draft and attempt.draft.kind == "greeting" else inquiry.text
        return replace(result, missing=missing, nearby=nearby_titles(shown, about), shown=frozenset(shown.labels))

    @property
    def name(self) -> str:
        """Model, prompt and guide."""
        guide = f", guide {self._options.guide.name}" if self._options.guide else ""
        return f"{self._model.name}, prompt {self._options.prompt}{guide}"


def ask_for_draft(
    model: StepModel, prompt: str, inputs: Mapping[str, object], schema: Schema, check: Check
) -> tuple[Attempt, bool]:
    """The draft that a prompt gets, repaired at most once where it has problems; and whether it was repaired.

    Raises:
        ModelError: there is no reply.
    """
    listen = sentence_watch(model.watch)
    first = model.ask(prompt, inputs, partial(attempt_of, check=check), schema=schema, listen=listen)
    if not first.value.problems or not model.meter.calls_left:
        return first.value, False
    second = _repaired(model, first, schema, check, listen)
    if second is None or not second.is_usable:
        return first.value, False
    if first.value.is_usable and len(second.checked.problems) >= len(first.value.checked.problems):
        return first.value, False
    return second, True


def _repaired(
    model: StepModel, first: Said[Attempt], schema: Schema, check: Check, listen: Callable[[str], None] | None
) -> Attempt | None:
    """What a second call makes of the problems; none where the question has no room for one."""
    inputs = {"problems": "\n".join(f"- {problem}" for problem in first.value.problems)}
    try:
        parse = partial(attempt_of, check=check)
        return model.ask(REPAIR, inputs, parse, schema=schema, before=first.chat, listen=listen).value
    except BudgetExceeded:
        return None


def attempt_of(text: str, check: Check) -> Attempt:
    """A reply that cannot be read is a problem like others: the model is told, and the reply is kept with its chat."""
    try:
        draft = parse_draft(text)
    except UnusableReply as problem:
        return Attempt(None, Checked(problems=[str(problem)]))
    return Attempt(draft, check(draft))


def nearby_titles(shown: Shown, about: str) -> tuple[str, ...]:
    """Titles of the pages that were shown, best first; where there is a text, those that share two terms with it."""
    titles = dict.fromkeys(title.partition(" (updated ")[0] for title in shown.titles.values())
    near = [title for title in titles if not about or _is_near(content(title), content(about))]
    return tuple(near[:_MOST_NEARBY])


def _is_near(title: frozenset[str], about: frozenset[str]) -> bool:
    return bool(title) and len(title & about) >= min(_TITLE_TERMS, len(title))


def result_of(attempt: Attempt, shown: Shown, pages: Pages, reasons: Reasons) -> ReadResult:
    """The result of an attempt; what was left out of it is among the reasons."""
    draft, checked = attempt.draft, attempt.checked
    notes = list(checked.notes)
    answers = decided(checked.answers, draft.kind if draft else "", notes)
    sentences = shown_sentences(checked.sentences)
    reasons = reasons | {"problems": attempt.problems, "notes": notes[:_MOST_TOLD]}
    if sentences:
        reasons |= {"sentences": len(sentences), "quoted": sum(one.quoted for one in sentences)}
    if draft is not None:
        reasons |= {
            "kind": draft.kind,
            "analysis": draft.analysis,
            "rules": [shown.by_label[label].element.text for label in draft.rules if label in shown.by_label],
            "questions": {c.id: c.ask for c in draft.conditions.values() if c.state == "open" and c.ask},
        }
    if answers or sentences:
        alternatives = tuple(alternative_of(a, pages) for a in answers)
        return ReadResult(AnswerStatus.ANSWERED, alternatives, reasons, sentences=sentences)
    if draft is not None and draft.is_refusal:
        reasons |= {"status_because": "nothing shown answers it"}
        return ReadResult(AnswerStatus.NOT_ANSWERABLE, (), reasons, sentences=advice_of(checked.sentences))
    return ReadResult(AnswerStatus.UNKNOWN, (), reasons | {"status_because": "no answer could be verified"})
