"""Minimal answer spans of an element: typed values and clauses between plain boundaries, scored by a linear model."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from clausegraph.core.language.clauses import sentence_spans
from clausegraph.core.language.conditions import parse_conditions
from clausegraph.core.language.normalise import content
from clausegraph.core.language.values import find_values
from clausegraph.query.read.probability import weighted_sum
from clausegraph.query.read.questions import AnswerType, QuestionForm

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
_VALUE_TYPES = {
    AnswerType.AMOUNT: ("amount", "percent", "number"),
    AnswerType.DURATION: ("duration", "date"),
    AnswerType.DATE: ("date", "duration"),
    AnswerType.AGE: ("age", "number"),
    AnswerType.NUMBER: ("number", "duration", "amount"),
}


@dataclass(frozen=True, slots=True)
class SpanCandidate:
    """``text[start:end]`` of an element, with how it was cut: the kinds of its two boundaries."""

    start: int
    end: int
    opens: str
    closes: str
    value: str = ""  # kind of the value the span is, when it is one


@lru_cache(maxsize=8192)
def span_candidates(text: str, limit: int = 160) -> tuple[SpanCandidate, ...]:
    """Candidate spans of a text, in reading order without repeats; every one an exact part of it."""
    found: dict[tuple[int, int], SpanCandidate] = {}
    cells = _cells(text)
    for start, end in cells or sentence_spans(text):
        for span in (*_value_spans(text, start, end), *_clause_spans(text, start, end)):
            if span.end > span.start:
                found.setdefault((span.start, span.end), span)
    if not cells:  # an answer never runs across the cells of a row
        whole = _trimmed(text, 0, len(text))
        found.setdefault(whole, SpanCandidate(*whole, "element", "element"))
    return tuple(list(found.values())[:limit])


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
    fits = span.value in _VALUE_TYPES.get(form.type, ()) or (form.type is AnswerType.FORM and span.value == "form")
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
    if _VALUE_TYPES.get(form.type):
        features[
            "fits"
            if fits
            else "has value"
            if any(v.kind in _VALUE_TYPES[form.type] for v in find_values(answer))
            else "no value"
        ] = 1.0
    first = answer.split(" ", 1)[0].lower()
    features[f"first {first}" if first.isalpha() and len(first) < 8 else "first other"] = 1.0
    return features


def span_value(features: dict[str, float]) -> float:
    """The expected token F1 of a span, by the weights."""
    return weighted_sum("span", features)
