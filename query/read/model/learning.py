"""Learning a guide: which questions are held back, which cases are shown, and what the model words of them."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from clausegraph.core.errors import UnusableReply
from clausegraph.core.models.json_text import read_json
from clausegraph.query.read.model.forms import rates_by_form
from clausegraph.query.read.model.guide import MOST_WORDS, Guide, saw_of
from clausegraph.query.read.model.labelled import LabelledQuestion, shown_example
from clausegraph.query.read.model.rates import is_verdict, rates_of, told_rates
from clausegraph.query.steps.model import StepModel

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


def _conditional(question: LabelledQuestion) -> bool:
    return any(answer.conditions for answer in question.answers)


# What a sample must have, with its share of the cases
_KINDS: tuple[tuple[int, Kind], ...] = (
    (20, lambda q: is_verdict(q) and _conditional(q) and len(q.answers) == 1),
    (14, lambda q: is_verdict(q) and not _conditional(q)),
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


def sampled(questions: Sequence[LabelledQuestion], seed: int, most: int = CASES) -> list[LabelledQuestion]:
    """Cases of every kind, by their shares."""
    rng = random.Random(seed)
    whole = sum(share for share, _ in _KINDS)
    found: dict[str, LabelledQuestion] = {}
    for share, is_kind in _KINDS:
        fitting = [q for q in questions if is_kind(q) and len(shown_example(q)) <= _LONGEST]
        for question in rng.sample(fitting, min(len(fitting), -(-most * share // whole))):
            found.setdefault(question.id, question)
    return list(found.values())


def worded(model: StepModel, name: str, questions: Sequence[LabelledQuestion], seed: int) -> Guide:
    """A guide in the model's words, with the rates of all the questions.

    Raises:
        UnusableReply: the reply has no guide in it, or one that is too long for a prompt.
        ModelError: there is no reply.
    """
    rates = rates_of(questions)
    cases = "\n\n".join(shown_example(case) for case in sampled(questions, seed))
    inputs = {"rates": told_rates(rates), "cases": cases, "words": MOST_WORDS}
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
