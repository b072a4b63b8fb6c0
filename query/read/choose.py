"""Which retrieved elements hold the answer, and whether a list gives several: linear models on named features."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from clausegraph.core.language.normalise import content, overlap
from clausegraph.core.language.values import find_values
from clausegraph.core.types import Element, Reading
from clausegraph.query.read.candidates import Candidate, nearness
from clausegraph.query.read.probability import weighted_sum
from clausegraph.query.read.protocol import Pages
from clausegraph.query.read.questions import AnswerType, QuestionForm
from clausegraph.query.read.spans import SpanCandidate, span_candidates, span_features, span_value
from clausegraph.query.read.statements import lead_in_text

VALUE_TYPES = {
    AnswerType.AMOUNT: ("amount", "percent"),
    AnswerType.DURATION: ("duration",),
    AnswerType.DATE: ("date", "duration"),
    AnswerType.AGE: ("age",),
    AnswerType.NUMBER: ("number", "duration"),
}
_PLURAL = re.compile(
    r"\b(?:documents|requirements|criteria|conditions|options|steps|ways|things|benefits|reasons|rules"
    r"|alternatives|types|items|details|forms|rights"
    r"|responsibilities|circumstances|consequences|expenses|exceptions|restrictions|information|evidence"
    r"|else|are the|kinds|factors|what do|penalties|costs)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class ReadSpan:
    """The best span of a candidate, the worth of span and element, and the text of its lead-in."""

    candidate: Candidate
    span: SpanCandidate
    value: float  # expected F1 of the span if the element holds the answer
    worth: float  # expected F1 of answering with it
    lead: str

    @property
    def text(self) -> str:
        return self.candidate.element.text[self.span.start : self.span.end]


def is_plural(form: QuestionForm) -> bool:
    """Whether the question asks for several things."""
    return form.type is AnswerType.LIST or bool(_PLURAL.search(form.sentence))


def best_span(
    form: QuestionForm, question: frozenset[str], element: Element, lead: str
) -> tuple[SpanCandidate, float] | None:
    """The span of highest expected F1; the first one among equals."""
    best: tuple[SpanCandidate, float] | None = None
    for span in span_candidates(element.text):
        if span.end <= span.start:
            continue
        value = span_value(span_features(form, element.tag, element.text, lead, span, question))
        if best is None or value > best[1]:
            best = span, value
    return best


def element_features(
    form: QuestionForm, scenario: str, question: frozenset[str], candidate: Candidate, near: float, lead: str
) -> dict[str, float]:
    """Named features of a candidate as the holder of the answer; ``near`` is its ``nearness``."""
    element = candidate.element
    kind = form.type.value
    values = {value.kind for value in find_values(element.text)}
    wanted = VALUE_TYPES.get(form.type)
    words = len(element.text.split())
    features = {
        "bias": 1.0,
        "similarity": candidate.similarity or 0.0,
        "near": near,
        f"{kind} {element.tag}": 1.0,
        f"{element.tag}": 1.0,
        f"words {min(words, 60) // 8}": 1.0,
        "asked in text": overlap(question, element.text),
        "asked in lead": overlap(question, lead),
        "asked in either": overlap(question, f"{lead} {element.text}"),
        "asked in heading": overlap(question, " ".join(element.headings[-1:])),
        "scenario": overlap(content(element.text), scenario),
        "lead-in of a list": float(element.text.rstrip().endswith(":")),
        "conditional lead": float(bool(re.search(r"\bif\b", lead))),
        "plural item": float(element.tag == "li" and is_plural(form)),
        "plural paragraph": float(element.tag == "p" and is_plural(form)),
    }
    if wanted:
        features["fits" if values & set(wanted) else "lacks"] = 1.0
        features[f"{kind} {'fits' if values & set(wanted) else 'lacks'}"] = 1.0
    if form.type is AnswerType.FORM:
        features["form named"] = float(bool(re.search(r"\b[Ff]orm\b|\b[A-Z]{1,4}\d+", element.text)))
    return features


def read_spans(
    form: QuestionForm, question: str, scenario: str, ranked: Sequence[Candidate], pages: Pages
) -> list[ReadSpan]:
    """The best span of each candidate that is no heading, by worth; ties by rank."""
    words = content(question)
    found: list[ReadSpan] = []
    for candidate, near in zip(ranked, nearness(ranked), strict=True):
        element = candidate.element
        if element.is_heading or not element.text.strip():
            continue
        lead = _lead(element, pages(candidate.page))
        features = element_features(form, scenario, words, candidate, near, lead)
        best = best_span(form, words, element, lead)
        if best is not None:
            features["span value"] = best[1]
            worth = weighted_sum("element", features)
            found.append(ReadSpan(candidate, best[0], best[1], worth, lead))
    return sorted(found, key=lambda s: -s.worth)


def _lead(element: Element, reading: Reading) -> str:
    return lead_in_text(element, reading) if element.tag in ("li", "tr") else ""
