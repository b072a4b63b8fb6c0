"""Minimal answer spans of retrieved elements, chosen by two linear models on named features.

Nothing of them is asserted but in evaluations: people get the pages' own words (``quoting.py``).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from clausegraph.core.language.clauses import sentence_spans
from clausegraph.core.language.conditions import parse_conditions
from clausegraph.core.language.normalise import content, overlap
from clausegraph.core.language.values import find_values
from clausegraph.core.types import Alternative, Element
from clausegraph.query.read.probability import UNFITTED, weighted_sum
from clausegraph.query.read.question_context import QuestionContext, conditioned
from clausegraph.query.read.questions import AnswerType, QuestionForm, QuestionKind
from clausegraph.query.read.statements import Candidate, lead_in_text

_STARTS = re.compile(
    r"\b(?P<to>to|can|must|should|may|might|also|will|either)\s+|\b(?P<copula>is|are|costs?|be|takes?|pay"
    r"|get|called|need|have|use|usually)\s+"
    r"|\b(?P<preposition>for|from|of|by|with|within|in|at|on|contact)\s+|(?P<value>(?<=\s)(?=[£$€\d]))"
    r"|(?P<bracket>[(|:,-]\s+)",
    re.IGNORECASE,
)
_ENDS = re.compile(
    r"\s(?P<if>if|unless|when|where|while|as long as|provided|because|so that|but|except)\b"
    r"|\s(?P<dash>[-–—|])\s|\s?(?P<bracket>\()|(?P<comma>,)"
    r"|(?P<example>,? (?:for example|such as|including|eg)\b)|\s(?P<to>to|for|of|from|on|in|with|by|at"
    r"|before|after|and|or|that|who|which|about|instead)\b",
    re.IGNORECASE,
)
_MODIFIER = re.compile(
    r"(?:(?:within|at least|at most|up to|no more than|more than|less than|over|under|after|before|by|for"
    r"|around|about|between|every|from|a maximum of|a minimum of|the|from)\s+){1,2}$",
    re.IGNORECASE,
)
_FORM = re.compile(r"(?:\bform\s+)?\b[A-Z]{1,6}\d+[A-Z0-9/]*\b(?:\s+form)?|\b[A-Z]\w*(?:\s\w+){0,3}\sform\b")
_SPAN_VALUES = {
    AnswerType.AMOUNT: ("amount", "percent", "number"),
    AnswerType.DURATION: ("duration", "date"),
    AnswerType.DATE: ("date", "duration"),
    AnswerType.AGE: ("age", "number"),
    AnswerType.NUMBER: ("number", "duration", "amount"),
}
_ELEMENT_VALUES = {
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
_ONE_VALUE = frozenset({AnswerType.AMOUNT, AnswerType.DURATION, AnswerType.AGE, AnswerType.NUMBER})
_SPAN_DEPTH, _MOST_SPANS, _MOST = 20, 160, 5  # places that are searched; spans of one; alternatives at most
_TENTH, _SCALE = 10, 0.6  # chosen on ConditionalQA's training questions, by folds of pages


@dataclass(frozen=True, slots=True)
class SpanCandidate:
    """``text[start:end]`` of an element, with how it was cut: the kinds of its two boundaries."""

    start: int
    end: int
    opens: str
    closes: str
    value: str = ""  # kind of the value the span is, when it is one


@lru_cache(maxsize=8192)
def span_candidates(text: str) -> tuple[SpanCandidate, ...]:
    """Candidate spans of a text, in reading order without repeats; every one an exact part of it."""
    found: dict[tuple[int, int], SpanCandidate] = {}
    cells = _cells(text)
    for start, end in cells or sentence_spans(text):
        for span in (*_value_spans(text, start, end), *_clause_spans(text, start, end)):
            found.setdefault((span.start, span.end), span)
    if not cells:  # an answer never runs across the cells of a row
        whole = _trimmed(text, 0, len(text))
        found.setdefault(whole, SpanCandidate(*whole, "element", "element"))
    return tuple(span for span in found.values() if span.end > span.start)[:_MOST_SPANS]


def _cells(text: str) -> list[tuple[int, int]]:
    """The cells of a table row, which are joined by " | "; none for other text."""
    bars = [match.start() for match in re.finditer(r" \| ", text)]
    starts, ends = [0, *(bar + 3 for bar in bars)], [*bars, len(text)]
    return [(start, end) for start, end in zip(starts, ends, strict=True) if end > start] if bars else []


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    while end > start and text[end - 1] in " .;,:":
        end -= 1
    while start < end and text[start] in " ,;:":
        start += 1
    return start, end


def _value_spans(text: str, start: int, end: int) -> Iterator[SpanCandidate]:
    for value in find_values(text[start:end]):
        left, right = _trimmed(text, start + value.start, start + value.end)
        yield SpanCandidate(left, right, "value", "value", value.kind)
        modifier = _MODIFIER.search(text, start, left)
        if modifier:
            yield SpanCandidate(modifier.start(), right, "modifier", "value", value.kind)
    for match in _FORM.finditer(text, start, end):
        yield SpanCandidate(match.start(), match.end(), "form", "form", "form")


def _clause_spans(text: str, start: int, end: int) -> Iterator[SpanCandidate]:
    parsed = parse_conditions(text, "", start, end)
    starts = [(start, "sentence" if start == 0 or text[start - 2 : start] != "| " else "cell")]
    if parsed.main[0] > start:
        starts.append((parsed.main[0], "main"))
    starts += [(m.end(), m.lastgroup or "") for m in _STARTS.finditer(text, start, end)]
    ends = [(end, "sentence")] + [(m.start(), m.lastgroup or "") for m in _ENDS.finditer(text, start, end)]
    if start < parsed.main[1] < end:
        ends.append((parsed.main[1], "main"))
    for left, opens in starts[:14]:
        for right, closes in [ends[0], *[e for e in ends[1:] if e[0] > left + 2][:4]]:
            yield SpanCandidate(*_trimmed(text, left, right), opens, closes)


def span_features(
    form: QuestionForm, tag: str, text: str, lead: str, span: SpanCandidate, question: frozenset[str]
) -> dict[str, float]:
    """Named features of a span as the answer to a question with the content words ``question``."""
    answer = text[span.start : span.end]
    words = len(answer.split())
    outside = content(f"{lead} {text[: span.start]} {text[span.end :]}")
    inside = content(answer)
    count = len(question) or 1
    kind = form.type.value
    block = "item" if tag == "li" else tag
    fits = span.value in _SPAN_VALUES.get(form.type, ()) or (form.type is AnswerType.FORM and span.value == "form")
    features = {
        "bias": 1.0,
        f"{block} {span.opens}": 1.0,
        f"{block} to {span.closes}": 1.0,
        f"{kind} {span.opens}": 1.0,
        f"{kind} value {span.value or 'none'}": 1.0,
        f"{block} {span.opens} to {span.closes}": 1.0,
        f"length {min(words, 16) // 2 if words < 8 else 4 + min(words - 8, 24) // 4}": 1.0,
        f"{kind} length {min(words, 15) // 3}": 1.0,
        "asked inside": len(question & inside) / count,
        "asked outside": len(question & outside) / count,
        "share new": len(inside - question) / (len(inside) or 1),
    }
    if form.type in _SPAN_VALUES:
        has = any(value.kind in _SPAN_VALUES[form.type] for value in find_values(answer))
        features["fits" if fits else "has value" if has else "no value"] = 1.0
    first = answer.split(" ", 1)[0].lower()
    features[f"first {first}" if first.isalpha() and len(first) < 8 else "first other"] = 1.0
    return features


def element_features(
    form: QuestionForm, scenario: str, question: frozenset[str], candidate: Candidate, near: float, lead: str
) -> dict[str, float]:
    """Named features of a candidate as the holder of the answer; ``near`` its scaled score."""
    element = candidate.element
    kind = form.type.value
    values = {value.kind for value in find_values(element.text)}
    wanted = _ELEMENT_VALUES.get(form.type)
    plural = form.type is AnswerType.LIST or bool(_PLURAL.search(form.sentence))
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
        "scenario": overlap(content(element.text), scenario),
        "lead-in of a list": float(element.text.rstrip().endswith(":")),
        "conditional lead": float(bool(re.search(r"\bif\b", lead))),
        "plural item": float(element.tag == "li" and plural),
    }
    if wanted:
        fits = "fits" if values & set(wanted) else "lacks"
        features |= {fits: 1.0, f"{kind} {fits}": 1.0}
    if form.type is AnswerType.FORM:
        features["form named"] = float(bool(re.search(r"\b[Ff]orm\b|\b[A-Z]{1,4}\d+", element.text)))
    return features


def best_span(
    form: QuestionForm, question: frozenset[str], element: Element, lead: str
) -> tuple[SpanCandidate, float] | None:
    """The span of highest expected F1, and that F1; the first one among equals; None where the element has no text."""
    spans = span_candidates(element.text)
    values = [
        weighted_sum("span", span_features(form, element.tag, element.text, lead, span, question)) for span in spans
    ]
    return max(zip(spans, values, strict=True), key=lambda one: one[1], default=None)


def spans_of(
    context: QuestionContext, ranked: Sequence[Candidate]
) -> tuple[tuple[Alternative, ...], dict[str, object]]:
    """The best span of the candidates, with the other items of its list, and why; none for a yes/no question."""
    if context.form.kind is QuestionKind.YES_NO:
        return (), {}
    ranked = ranked[:_SPAN_DEPTH]
    found: list[tuple[float, Candidate, SpanCandidate]] = []
    for candidate, near in zip(ranked, scaled_scores(ranked), strict=True):
        lead = lead_in_text(candidate.element, context.pages(candidate.page))
        best = best_span(context.form, context.words, candidate.element, lead)
        if best is not None and not candidate.element.is_heading:
            features = element_features(context.form, context.inquiry.scenario, context.words, candidate, near, lead)
            found.append((weighted_sum("element", features | {"span value": best[1]}), candidate, best[0]))
    if not found:
        return (), {}
    _, first, span = max(found, key=lambda one: one[0])
    items = [] if context.form.type in _ONE_VALUE else _sibling_items(context, first)
    kept: dict[str, Alternative] = {}
    granted: dict[str, None] = {}
    for candidate, place in [(first, span), *items][:_MOST]:
        text = candidate.element.text[place.start : place.end]
        if text.lower() not in kept:
            kept[text.lower()], taken = conditioned(context, text, candidate, (place.start, place.end), UNFITTED)
            granted |= dict.fromkeys(taken)
    why = "items of one list" if len(kept) > 1 else "one span"
    return tuple(kept.values()), {"alternatives_because": why, "conditions_taken_for_granted": list(granted)}


def _sibling_items(context: QuestionContext, first: Candidate) -> list[tuple[Candidate, SpanCandidate]]:
    """The other items under the same lead-in, in the order of the page, each with its best span."""
    element, reading = first.element, context.pages(first.page)
    if element.tag != "li" or element.lead_in is None:
        return []
    found = []
    for other in reading.elements:
        same = (other.tag, other.lead_in, other.parent) == ("li", element.lead_in, element.parent)
        if same and other.anchor != element.anchor:
            best = best_span(context.form, context.words, other, lead_in_text(element, reading))
            if best is not None:
                found.append((Candidate(first.page, other, first.score, first.similarity), best[0]))
    return found


def scaled_scores(ranked: Sequence[Candidate]) -> list[float]:
    """How near each candidate comes to the best, 1 to 0: by scores, since a rank tells ties apart as if they mattered.

    A score has no scale of its own, so it is measured by what lies between the best and the tenth.
    """
    scores = [candidate.score for candidate in ranked]
    scale = _SCALE * (scores[0] - scores[:_TENTH][-1]) if scores else 0.0
    return [math.exp((score - scores[0]) / scale) if scale > 0.0 else 1.0 for score in scores]
