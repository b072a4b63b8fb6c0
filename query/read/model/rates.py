"""Base rates of labelled questions: how answers and their conditions usually are. Pure counting."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import median, quantiles
from typing import TypeVar

from clausegraph.query.read.model.check import VERDICTS
from clausegraph.query.read.model.labelled import LabelledAnswer, LabelledQuestion

T = TypeVar("T")

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


def rates_of(questions: Sequence[LabelledQuestion]) -> dict[str, float]:
    """Name → share, or number of words or answers; a rate of nothing is left out."""
    answered = [question for question in questions if question.answers]
    verdicts = [question for question in answered if is_verdict(question)]
    spans = [question for question in answered if not is_verdict(question)]
    alone, short = ([q for q in group if len(q.answers) == 1] for group in (verdicts, spans))
    several = [question for question in spans if len(question.answers) > 1]
    conditional = [answer for question in answered for answer in question.answers if answer.conditions]
    conditions = [condition for answer in conditional for condition in answer.conditions]
    can = [question for question in alone if _CAN & set(question.question.lower().split())]
    made = {
        "verdicts": _part(len(verdicts), len(questions)),
        "unanswerable": _part(len(questions) - len(answered), len(questions)),
        "verdicts_single": _part(len(alone), len(verdicts)),
        "verdicts_both": _share(verdicts, lambda q: {*VERDICTS} <= {a.text.lower() for a in q.answers}),
        "verdicts_yes": _share(alone, lambda q: q.answers[0].text.lower() == "yes"),
        "verdicts_conditional": _share(alone, _has_conditions),
        "asked_can_conditional": _share(can, _has_conditions),
        "spans_single": _part(len(short), len(spans)),
        "spans_single_conditional": _share(short, _has_conditions),
        "spans_several_conditional": _share([a for q in several for a in q.answers], lambda a: bool(a.conditions)),
        "conditions_items": _share(conditions, lambda c: c.startswith("<li>")),
        "conditions_lead_ins": _share(conditions, lambda c: c.endswith(":</p>")),
        "conditions_single": _share(conditional, lambda a: len(a.conditions) == 1),
        **_sizes([len(a.text.split()) for q in spans for a in q.answers], several, conditional),
    }
    return {name: round(value, 3) for name, value in made.items() if value is not None}


def is_verdict(question: LabelledQuestion) -> bool:
    """Whether a question is answered by yes or no."""
    return any(answer.text.lower() in VERDICTS for answer in question.answers)


def _has_conditions(question: LabelledQuestion) -> bool:
    return any(answer.conditions for answer in question.answers)


def _part(some: int, every: int) -> float | None:
    return some / every if every else None


def _share(items: Iterable[T], holds: Callable[[T], bool]) -> float | None:
    found = [holds(item) for item in items]
    return _part(sum(found), len(found))


def _sizes(
    words: Sequence[int], several: Sequence[LabelledQuestion], conditional: Sequence[LabelledAnswer]
) -> dict[str, float | None]:
    return {
        "span_words_median": median(words) if words else None,
        "span_words_ninth_decile": quantiles(words, n=10)[-1] if len(words) > 1 else None,
        "several_median": median(len(q.answers) for q in several) if several else None,
        "conditions_median": median(len(a.conditions) for a in conditional) if conditional else None,
    }


def told_rates(rates: Mapping[str, float]) -> str:
    """The rates in words, a line each."""
    shares = [f"- {rates[name]:.0%} {said}" for name, said in _SAID.items() if name in rates]
    numbers = [f"- {rates[name]:g} {said}" for name, said in _WORDS.items() if name in rates]
    return "\n".join([*shares, *numbers])
