"""How sure an answer is: the probability that it is right, by a linear model on named features.

Fitted by ``benchmarks/fit_reader.py`` on answers to training questions, right or wrong. Below ``ASSERTED`` nothing is
asserted: the pages are quoted instead.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from clausegraph.core.types import ConditionState, Modality, leaves
from clausegraph.query.read.answers import Asked, Ruled
from clausegraph.query.read.choose import VALUE_TYPES, ReadSpan
from clausegraph.query.read.conditions import settled
from clausegraph.query.read.polarity import asked_for
from clausegraph.query.read.questions import AnswerType
from clausegraph.query.read.statements import content, overlap
from clausegraph.query.read.typed import TypedValue
from clausegraph.query.read.weights import weighted_sum

ASSERTED = 0.86
"""An answer is asserted from this probability of being right."""

_ALL_WORDS, _TIED = 0.99, 0.08
Features = dict[str, float]
_FITS = {
    "duty": (Modality.MUST, Modality.NEED_NOT, Modality.SHOULD),
    "ability": (Modality.MAY, Modality.CAN, Modality.CANNOT),
    "eligible": (Modality.MAY, Modality.CAN, Modality.CANNOT),
}


def probability(name: str, features: Features) -> float:
    """What a model ("sure_polar", "sure_value", "sure_span") makes of features, between 0 and 1."""
    return 1.0 / (1.0 + math.exp(-weighted_sum(name, features)))


def ruling_features(asked: Asked, ruled: Ruled) -> Features:
    """Named features of a yes or no that follows from a rule."""
    ruling, rules, words = ruled.ruling, ruled.rules, ruled.words
    statement = ruling.rule.statement
    candidate = statement.candidate
    states = [leaf.state for leaf in leaves(settled(ruling.tree) if ruling.tree is not None else None)]
    kind = asked_for(asked.form)
    around = " ".join((asked.pages(candidate.page).title, *candidate.element.headings))
    other = max((rule.relevance for rule in rules if rule.positive != ruling.rule.positive), default=0.0)
    named = f"{statement.full} {around}"
    return {
        "bias": 1.0,
        "asked": overlap(asked.words, statement.full),
        "asked around": overlap(asked.words, named),
        "few words": 1.0 / (1.0 + len(asked.words)),
        "similarity": candidate.similarity or 0.0,
        "score": candidate.score,
        "relevance": ruling.rule.relevance,
        "against": other - ruling.rule.relevance,
        "agrees": words.sure if words.yes == ruling.yes else 1.0 - words.sure,
        "kind fits": float(statement.modality in _FITS.get(kind, ())),
        "kind differs": float(kind in _FITS and statement.modality not in _FITS[kind]),
        f"asks {kind}": 1.0,
        f"is {statement.modality.value}": 1.0,
        "no condition": float(not states),
        "settled": float(bool(states) and ruling.state is ConditionState.MET),
        "leaves met": sum(state is ConditionState.MET for state in states) / (len(states) or 1),
        "leaves unmet": sum(state is ConditionState.UNMET for state in states) / (len(states) or 1),
        "open": min(4, sum(state is ConditionState.UNKNOWN for state in states)) / 4,
        f"because {ruling.why}": 1.0,
        f"{'told' if asked.inquiry.scenario.strip() else 'asked'}, because {ruling.why}": 1.0,
        "ruled": float(bool(states) and ruling.state is ConditionState.MET) * (1.0 - words.sure),
        "told": float(bool(asked.inquiry.scenario.strip())),
        "told much": min(80, len(asked.inquiry.scenario.split())) / 80,
        "yes": float(ruling.yes),
    }


def sureness(asked: Asked, values: Sequence[TypedValue], spans: Sequence[ReadSpan]) -> float:
    """The probability that the first value, or without values the first span, is right."""
    if values:
        return probability("sure_value", value_features(asked, values))
    return probability("sure_span", span_features(asked, spans))


def value_features(asked: Asked, values: Sequence[TypedValue]) -> Features:
    """Named features of the best value: how much of the question is about it, and how far it is ahead of others."""
    best, kind = values[0], asked.form.type
    others = [value for value in values[1:] if value.text.lower() != best.text.lower()]
    beside = next((value for value in others if value.place == best.place), None)
    ahead = best.worth - max((value.worth for value in others), default=0.0)
    return {
        "bias": 1.0,
        "words": best.words,
        "all words": float(best.words >= _ALL_WORDS),
        "worth": best.worth,
        "ahead": min(1.0, ahead),
        "tied": float(ahead < _TIED),
        "one value": float(beside is None),
        "similarity": best.candidate.similarity or 0.0,
        "score": best.candidate.score,
        f"type {kind.value}": 1.0,
        f"in {best.candidate.element.tag}": 1.0,
        "few words": 1.0 / (1.0 + len(asked.words)),
        "told much": min(80, len(asked.inquiry.scenario.split())) / 80,
    }


def span_features(asked: Asked, spans: Sequence[ReadSpan]) -> Features:
    """Named features of a span answer: of the best span, and beside the next ones."""
    best = spans[0]
    element, kind = best.candidate.element, asked.form.type
    wanted = VALUE_TYPES.get(kind, ())
    around = " ".join((asked.pages(best.candidate.page).title, *element.headings, best.lead, element.text))
    rivals = [s for s in spans[1:6] if s.span.value == best.span.value and s.text.lower() != best.text.lower()]
    return {
        "bias": 1.0,
        "worth": best.worth,
        "value": best.value,
        "ahead": best.worth - max((s.worth for s in spans[1:]), default=0.0),
        "rival": best.worth - max((s.worth for s in rivals), default=0.0),
        "rivals": len(rivals) / 5,
        "similarity": best.candidate.similarity or 0.0,
        "score": best.candidate.score,
        "asked": overlap(asked.words, f"{best.lead} {element.text}"),
        "asked around": overlap(asked.words, around),
        "asked inside": overlap(content(best.text), asked.inquiry.question),
        f"type {kind.value}": 1.0,
        "typed": float(kind in VALUE_TYPES),
        "fits": float(bool(best.span.value) and best.span.value in wanted),
        "lacks": float(bool(wanted) and best.span.value not in wanted),
        "whole": float(best.span.opens == "element"),
        "words": min(30, len(best.text.split())) / 30,
        f"in {element.tag}": 1.0,
        "told": float(bool(asked.inquiry.scenario.strip())),
        "form named": float(kind is AnswerType.FORM and best.span.value == "form"),
    }
