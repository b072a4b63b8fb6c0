"""What metrics are made of: equal page elements, token F1 of two texts, best assignment, and bootstrap intervals.

An element is one string such as ``<li>be over 18</li>``. ConditionalQA writes text unescaped (``B&B``) and table cells
joined by ``|``; pages we read ourselves may be escaped and hold inline tags. ``element_key`` sees through both.
"""

from __future__ import annotations

import html
import re
import string
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from clausegraph.core.errors import InputError, require_extra

RESAMPLES, SEED, CONFIDENCE = 10_000, 0, 0.95
_RESAMPLES_AT_ONCE = 500  # bounds memory at 500 x questions indices
_OUTER = re.compile(r"\s*<([a-zA-Z][\w-]*)[^>]*>(.*)</\1\s*>\s*", re.DOTALL)
_NEXT_CELL = re.compile(r"</t[dh]\s*>\s*<t[dh]\b[^>]*>", re.IGNORECASE)
# Blocks part words; inline tags (a, b, em ...) may stand in the middle of one.
_PARTING = re.compile(r"</?(?:td|th|tr|li|ul|ol|p|div|br|h[1-6])\b[^>]*>", re.IGNORECASE)
_INLINE = re.compile(r"</?[a-zA-Z][^<>]*>")
_ARTICLE = re.compile(r"\b(?:a|an|the)\b")
_DROP_PUNCTUATION = str.maketrans("", "", string.punctuation)


def element_text(element: str) -> str:
    """The text between the tags: entities resolved, whitespace runs made one space, table cells joined by ``|``."""
    match = _OUTER.fullmatch(element)
    bare = _INLINE.sub("", _PARTING.sub(" ", _NEXT_CELL.sub(" | ", match[2] if match else element)))
    return " ".join(html.unescape(bare).split())


def element_key(element: str) -> tuple[str, str]:
    """Tag and text, which two strings share if and only if they count as the same element.

    The tag is empty for text without one. An element without text is told apart by its whole string.
    """
    match = _OUTER.fullmatch(element)
    return match[1].lower() if match else "", element_text(element) or element


def normalise_answer(text: str) -> str:
    """Lower the case, drop ASCII punctuation, then English articles, then extra whitespace.

    The order matters: ``a-n`` becomes ``an`` and is then dropped.
    """
    return " ".join(_ARTICLE.sub(" ", text.lower().translate(_DROP_PUNCTUATION)).split())


def token_f1(first: str, second: str) -> float:
    """F1 of the two bags of tokens of the normalised texts, 0 to 1; symmetric.

    Where a text has no token left, the score is 1 if both have none and 0 otherwise.
    Source: Rajpurkar et al., "SQuAD: 100,000+ Questions for Machine Comprehension of Text", 2016.
    """
    ours = Counter(normalise_answer(first).split())
    theirs = Counter(normalise_answer(second).split())
    if not ours or not theirs:
        return float(ours == theirs)
    return 2.0 * (ours & theirs).total() / (ours.total() + theirs.total())


def best_pairs(values: Sequence[Sequence[float]]) -> list[tuple[int, int]]:
    """The (row, column) pairs of the one-to-one assignment with the greatest total value.

    ``values`` has one row per item of the first list, one column per item of the second; the shorter list is assigned
    completely. Deterministic, O(n^3) (Crouse 2016, the modified Jonker-Volgenant algorithm of SciPy).
    """
    if not values or not values[0]:
        return []
    require_extra("eval", "scoring answers")
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(values, maximize=True)
    return [(int(row), int(column)) for row, column in zip(rows, columns, strict=True)]


@dataclass(frozen=True)
class ConfidenceInterval:
    """A mean over questions with its bootstrap interval.

    The interval speaks of questions like these; it does not cover other pages or a model's mood.
    """

    questions: int
    mean: float
    low: float
    high: float
    confidence: float

    @property
    def excludes_zero(self) -> bool:
        """Whether zero lies outside; of a paired difference: whether one system is better."""
        return self.low > 0 or self.high < 0


def mean_interval(values: Mapping[str, float], *, confidence: float = CONFIDENCE) -> ConfidenceInterval:
    """Mean of a value per question id, such as evidence recall or F1.

    Percentile bootstrap over questions (Efron and Tibshirani 1993, chapter 13): questions are drawn with
    replacement. The same input gives the same interval, in whatever order the mapping is.
    """
    ids = sorted(values)
    if not ids:
        raise InputError("there is no question to draw from; give the values of at least one")
    if not 0 < confidence < 1:
        raise InputError(f"confidence={confidence}; use a number between 0 and 1")
    numbers = np.array([values[name] for name in ids], dtype=np.float64)
    if not np.isfinite(numbers).all():
        name = ids[int(np.flatnonzero(~np.isfinite(numbers))[0])]
        raise InputError(f"question {name!r} has a value that is not finite; leave it out or mend it")
    rng = np.random.default_rng(SEED)
    means = np.concatenate(
        [
            rng.choice(numbers, size=(_RESAMPLES_AT_ONCE, len(ids))).mean(axis=1)
            for start in range(0, RESAMPLES, _RESAMPLES_AT_ONCE)
        ]
    )
    tail = (1 - confidence) / 2
    low, high = np.quantile(means, [tail, 1 - tail])
    return ConfidenceInterval(len(ids), float(numbers.mean()), float(low), float(high), confidence)


def paired_difference(
    first: Mapping[str, float], second: Mapping[str, float], *, confidence: float = CONFIDENCE
) -> ConfidenceInterval:
    """Mean of second minus first over the same questions, both systems' values drawn together."""
    if not first or first.keys() != second.keys():
        odd = sorted(first.keys() ^ second.keys())
        raise InputError(
            f"cannot pair {len(first)} with {len(second)} questions (in one only: {odd[:3]}); "
            "give both systems' values for the same, at least one question"
        )
    return mean_interval({name: second[name] - first[name] for name in first}, confidence=confidence)
