"""Guides: conventions in words, with the base rates of the labelled questions that they were learned from."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from pydantic import TypeAdapter, ValidationError

from clausegraph.core.condition_trees import VERDICTS
from clausegraph.core.errors import InputError, UnusableReply
from clausegraph.core.models.json_text import read_json
from clausegraph.core.prompts import shipped_folder
from clausegraph.query.read.model.labelled import LabelledQuestion, seen_among, shown_example
from clausegraph.query.steps.model import StepModel

FEWEST = 20  # questions of a form: fewer say nothing
_SENTENCE, _CLAUSE, _WORD = re.compile(r"[.?!;:]\s|[?!.]$"), re.compile(r",\s"), re.compile(r"[a-z][a-z'’]*")
_ASKING = frozenset("what which who whom whose when where why how".split())  # noqa: SIM905
_VERBS = frozenset(
    "am are can could did do does had has have is may might must need ought shall should was were will would".split()  # noqa: SIM905
)
_BEFORE = frozenset("and at but by for from in of on or so then to under with".split())  # noqa: SIM905


@dataclass(frozen=True, slots=True)
class FormRates:
    """Of so many answered questions of a form: which share has several answers, and which has a condition."""

    questions: int
    several: float
    conditional: float


def rates_by_form(questions: Sequence[LabelledQuestion]) -> dict[str, FormRates]:
    """Form → its rates, of forms that at least ``FEWEST`` answered questions have; the most frequent first."""
    having: dict[str, list[LabelledQuestion]] = {}
    for question in questions:
        for form in forms_of(question.question) if question.answers else ():
            having.setdefault(form, []).append(question)
    kept = sorted(((form, asked) for form, asked in having.items() if len(asked) >= FEWEST), key=lambda f: -len(f[1]))
    return {form: _rates(asked) for form, asked in kept}


def _rates(asked: Sequence[LabelledQuestion]) -> FormRates:
    several = sum(len(question.answers) > 1 for question in asked)
    conditional = sum(map(_has_conditions, asked))
    return FormRates(len(asked), round(several / len(asked), 3), round(conditional / len(asked), 3))


def forms_of(question: str) -> tuple[str, ...]:
    """The forms of a question, the most exact first; none where nothing in it opens like a question."""
    for sentence in reversed(_SENTENCE.split(question.lower())):
        clauses = _CLAUSE.split(sentence)
        for clause in [*reversed(clauses[1:]), clauses[0]]:
            words = _WORD.findall(clause)
            while words and words[0] in _BEFORE:
                words = words[1:]
            if words and words[0] in _ASKING | _VERBS:
                return (" ".join(words[:2]), words[0]) if len(words) > 1 else (words[0],)
    return ()


def usual_answers(forms: Mapping[str, FormRates], question: str) -> str:
    """How questions like this one are usually answered, in a sentence; "" where too few ask alike."""
    form = next((form for form in forms_of(question) if form in forms), None)
    if form is None:
        return ""
    rates = forms[form]
    return (
        f'Of {rates.questions} labelled questions that ask "{form} …", {rates.several:.0%} have more than one answer '
        f"and {rates.conditional:.0%} any condition."
    )


MOST_WORDS = 900
FORM = 1  # of the file
BENCHMARK = "conditionalqa"


@dataclass(frozen=True)
class Guide:
    """Conventions for a reader's prompt.

    ``saw`` has id → text hash of every question that it was learned from; on those it refuses to be used.
    """

    name: str
    text: str
    form: int = FORM
    made_by: str = ""
    rates: Mapping[str, float] = field(default_factory=dict)
    forms: Mapping[str, FormRates] = field(default_factory=dict)  # how a question opens → what is usual then
    saw: Mapping[str, str] = field(default_factory=dict)
    held_back: Mapping[str, float] = field(default_factory=dict)  # what it was worth on questions it had not seen

    def check_unseen(self, questions: Iterable[tuple[str, str, str]]) -> None:
        """Refuse to be measured on what it was learned from.

        Args:
            questions: id, question, scenario.

        Raises:
            InputError: one of them was seen, by its id or by its text.
        """
        found = seen_among(self.saw, questions)
        if found is not None:
            raise InputError(
                f"guide {self.name!r} was learned from question {found[0]!r} (here {found[1]!r}); measure it on "
                "questions it has not seen, train it on others, or take another guide (CLAUSEGRAPH_READER_GUIDE)"
            )

    def as_json(self) -> str:
        """The file of the guide."""
        return _GUIDE.dump_json(self, indent=1).decode() + "\n"


_GUIDE = TypeAdapter(Guide)


def saw_of(questions: Iterable[LabelledQuestion]) -> dict[str, str]:
    """Id → text hash of questions."""
    return {question.id: question.text_hash for question in questions}


def read_guide(path: Path) -> Guide:
    """The guide of a file.

    Raises:
        InputError: it cannot be read, is none, is of another form, or has too many words.
    """
    try:
        value: Any = json.loads(path.read_text("utf-8"))
        guide = _GUIDE.validate_python(value)
    except (OSError, UnicodeDecodeError, ValueError, ValidationError) as error:
        said = str(error).splitlines()[0]
        raise InputError(f"guide {path} cannot be read: {said}; make one with `clausegraph train guide`") from error
    if guide.form != FORM:
        raise InputError(f"guide {path} has form {guide.form}, this version reads {FORM}; train it again")
    words = len(guide.text.split())
    if words > MOST_WORDS:
        raise InputError(f"guide {path} has {words:,} words; at most {MOST_WORDS} fit in a prompt; shorten its text")
    return guide


def benchmark_guide() -> Guide:
    """The conventions of ConditionalQA's annotators in general words, for evaluations; people get no guide."""
    return read_guide(shipped_folder() / "guides" / f"{BENCHMARK}.json")


_SAID = {
    "verdicts": "of the questions are answered yes or no",
    "unanswerable": "of the questions have no answer on the page",
    "verdicts_single": "of the yes/no questions have one answer",
    "verdicts_both": "of the yes/no questions have both yes and no",
    "verdicts_yes": "of the single yes/no answers are yes",
    "verdicts_conditional": "of the single yes/no answers have conditions",
    "asked_can_conditional": "of the single yes/no answers to questions with can, may, allowed, able or eligible do",
    "spans_single": "of the other questions have one answer",
    "spans_single_conditional": "of their single answers have conditions",
    "spans_several_conditional": "of their several answers, each counted, have conditions",
    "conditions_items": "of all conditions are list items",
    "conditions_lead_ins": "of all conditions are sentences that introduce a list",
    "conditions_single": "of the conditional answers have exactly one condition",
}
_WORDS = {
    "span_words_median": "words: the median of answers that are no yes or no",
    "span_words_ninth_decile": "words: nine of ten of them have no more",
    "several_median": "answers where there are several: the median",
    "conditions_median": "conditions of a conditional answer: the median",
}
_CAN = frozenset("can could may might allowed able eligible entitled qualify".split())  # noqa: SIM905


def is_verdict(question: LabelledQuestion) -> bool:
    """Whether a question is answered by yes or no."""
    return any(answer.text.lower() in VERDICTS for answer in question.answers)


def _has_conditions(question: LabelledQuestion) -> bool:
    return any(answer.conditions for answer in question.answers)


def rates_of(questions: Sequence[LabelledQuestion]) -> dict[str, float]:
    """Name → share, or number of words or answers; a rate of nothing is left out."""
    answered = [question for question in questions if question.answers]
    verdicts = [question for question in answered if is_verdict(question)]
    spans = [question for question in answered if not is_verdict(question)]
    alone, short = ([q for q in group if len(q.answers) == 1] for group in (verdicts, spans))
    several = [question for question in spans if len(question.answers) > 1]
    conditional = [answer for question in answered for answer in question.answers if answer.conditions]
    conditions = [condition for answer in conditional for condition in answer.conditions]
    words = [len(answer.text.split()) for question in spans for answer in question.answers]
    counted: dict[str, list[bool]] = {
        "verdicts": [is_verdict(q) for q in questions],
        "unanswerable": [not q.answers for q in questions],
        "verdicts_single": [len(q.answers) == 1 for q in verdicts],
        "verdicts_both": [{*VERDICTS} <= {a.text.lower() for a in q.answers} for q in verdicts],
        "verdicts_yes": [q.answers[0].text.lower() == "yes" for q in alone],
        "verdicts_conditional": [_has_conditions(q) for q in alone],
        "asked_can_conditional": [_has_conditions(q) for q in alone if _CAN & set(q.question.lower().split())],
        "spans_single": [len(q.answers) == 1 for q in spans],
        "spans_single_conditional": [_has_conditions(q) for q in short],
        "spans_several_conditional": [bool(answer.conditions) for q in several for answer in q.answers],
        "conditions_items": [condition.startswith("<li>") for condition in conditions],
        "conditions_lead_ins": [condition.endswith(":</p>") for condition in conditions],
        "conditions_single": [len(answer.conditions) == 1 for answer in conditional],
    }
    sizes = {
        "span_words_median": words,
        "several_median": [len(q.answers) for q in several],
        "conditions_median": [len(answer.conditions) for answer in conditional],
    }
    made = {name: sum(found) / len(found) for name, found in counted.items() if found}
    made |= {name: float(median(found)) for name, found in sizes.items() if found}
    made |= {"span_words_ninth_decile": quantiles(words, n=10)[-1]} if len(words) > 1 else {}
    return {name: round(value, 3) for name, value in made.items()}


def rates_in_words(rates: Mapping[str, float]) -> str:
    """The rates in words, a line each."""
    shares = [f"- {rates[name]:.0%} {said}" for name, said in _SAID.items() if name in rates]
    numbers = [f"- {rates[name]:g} {said}" for name, said in _WORDS.items() if name in rates]
    return "\n".join([*shares, *numbers])


PROMPT = "guide"
SCHEMA = (
    "guide",
    {
        "type": "object",
        "properties": {"guide": {"type": "string"}},
        "required": ["guide"],
        "additionalProperties": False,
    },
)
CASES = 72
_LONGEST = 2_400  # characters of a case
_HELD_SHARE = 5  # at most every fifth page is held back
_FEWEST_WORDS = 30

Kind = Callable[[LabelledQuestion], bool]


# What a sample must have, with its share of the cases
_KINDS: tuple[tuple[int, Kind], ...] = (
    (20, lambda q: is_verdict(q) and _has_conditions(q) and len(q.answers) == 1),
    (14, lambda q: is_verdict(q) and not _has_conditions(q)),
    (8, lambda q: is_verdict(q) and len(q.answers) > 1),
    (12, lambda q: bool(q.answers) and not is_verdict(q) and len(q.answers) == 1),
    (12, lambda q: not is_verdict(q) and len(q.answers) > 1),
    (6, lambda q: not q.answers),
)


def held_back(questions: Sequence[LabelledQuestion], count: int, seed: int) -> list[LabelledQuestion]:
    """Questions to test a guide on, one a page, of at most a fifth of the pages; nothing of these is learned from."""
    rng = random.Random(seed)
    pages = sorted({question.page for question in questions})
    rng.shuffle(pages)
    kept = pages[: max(1, len(pages) // _HELD_SHARE)]
    by_page = {page: [question for question in questions if question.page == page] for page in kept}
    return [rng.choice(by_page[page]) for page in kept[:count]]


def sample_cases(questions: Sequence[LabelledQuestion], seed: int) -> list[LabelledQuestion]:
    """Cases of every kind, by their shares."""
    rng = random.Random(seed)
    whole = sum(share for share, _ in _KINDS)
    found: dict[str, LabelledQuestion] = {}
    for share, is_kind in _KINDS:
        fitting = [q for q in questions if is_kind(q) and len(shown_example(q)) <= _LONGEST]
        for question in rng.sample(fitting, min(len(fitting), -(-CASES * share // whole))):
            found.setdefault(question.id, question)
    return list(found.values())


def learned_guide(model: StepModel, name: str, questions: Sequence[LabelledQuestion], seed: int) -> Guide:
    """A guide in the model's words, with the rates of all the questions.

    Raises:
        UnusableReply: the reply has no guide in it, or one that is too long for a prompt.
        ModelError: there is no reply.
    """
    rates = rates_of(questions)
    cases = "\n\n".join(shown_example(case) for case in sample_cases(questions, seed))
    inputs = {"rates": rates_in_words(rates), "cases": cases, "words": MOST_WORDS}
    said = model.ask(PROMPT, inputs, parse_guide, schema=SCHEMA)
    forms = rates_by_form(questions)
    return Guide(name, said.value, made_by=model.name, rates=rates, forms=forms, saw=saw_of(questions))


def parse_guide(text: str) -> str:
    """The guide in a reply.

    Raises:
        UnusableReply: there is none, or it is too short or too long.
    """
    value = read_json(text).value
    found = value.get("guide") if isinstance(value, dict) else None
    if not isinstance(found, str) or len(found.split()) < _FEWEST_WORDS:
        raise UnusableReply('the reply has no "guide" of any length')
    words = len(found.split())
    if words > MOST_WORDS:
        raise UnusableReply(f"the guide in the reply has {words:,} words; {MOST_WORDS} were asked for")
    return found.strip()
