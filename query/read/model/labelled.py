"""Labelled questions: the examples that a reader's prompt shows, chosen by likeness."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from clausegraph.core.language.normalise import content

_LONGEST = 1_500  # characters of an example's elements


@dataclass(frozen=True, slots=True)
class LabelledAnswer:
    """One right answer and the serialised elements under which it holds."""

    text: str
    conditions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LabelledQuestion:
    """A question with its right answers, none where the page does not say, and the elements that state them."""

    id: str
    page: str
    question: str
    scenario: str
    answers: tuple[LabelledAnswer, ...]
    elements: tuple[str, ...]

    @property
    def text_hash(self) -> str:
        """A hash of scenario and question, by which the same question is known under another id."""
        return text_hash(self.question, self.scenario)


def text_hash(question: str, scenario: str) -> str:
    """12 hex digits of the words of a question and its scenario, whatever their case and spaces."""
    words = " ".join(f"{scenario}\n{question}".lower().split())
    return hashlib.sha256(words.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def seen_among(saw: Mapping[str, str], questions: Iterable[tuple[str, str, str]]) -> tuple[str, str] | None:
    """The first question that was learned from, by its id or by its text: the id then, and the id now.

    Args:
        saw: id → text hash of what was learned from.
        questions: id, question, scenario.
    """
    hashes = {digest: seen for seen, digest in saw.items()}
    for name, question, scenario in questions:
        seen = name if name in saw else hashes.get(text_hash(question, scenario))
        if seen is not None:
            return seen, name
    return None


class Examples:
    """Labelled questions that are looked up by likeness: shared words, rare ones counting more."""

    def __init__(self, questions: Iterable[LabelledQuestion]) -> None:
        self._questions = [q for q in questions if sum(map(len, q.elements)) <= _LONGEST]
        self._words = [_words(q.question, q.scenario) for q in self._questions]
        spread = Counter(word for words in self._words for word in words)
        self._weight = {word: math.log(1 + len(self._questions) / count) for word, count in spread.items()}

    def without(self, questions: Sequence[LabelledQuestion]) -> Examples:
        """Those that share neither id, nor words, nor page with any of these."""
        ids, pages = {q.id for q in questions}, {q.page for q in questions}
        hashes = {q.text_hash for q in questions}
        return Examples(
            q for q in self._questions if q.id not in ids and q.page not in pages and q.text_hash not in hashes
        )

    def nearest(self, question: str, scenario: str, count: int) -> list[LabelledQuestion]:
        """The most like questions, at most one a page; never the question itself."""
        asked, own = _words(question, scenario), text_hash(question, scenario)
        order = sorted(range(len(self._questions)), key=lambda i: (-self._likeness(asked, self._words[i]), i))
        found: dict[str, LabelledQuestion] = {}
        for index in order:
            if len(found) == count:
                break
            if self._questions[index].text_hash != own:
                found.setdefault(self._questions[index].page, self._questions[index])
        return list(found.values())

    def _likeness(self, asked: frozenset[str], words: frozenset[str]) -> float:
        shared = sum(self._weight.get(word, 0.0) for word in asked & words)
        size = sum(self._weight.get(word, 0.0) for word in words)
        return shared / math.sqrt(size) if size else 0.0


def _words(question: str, scenario: str) -> frozenset[str]:
    """Words of the question count as such, those of the scenario apart: what is asked matters most."""
    asked = content(question)
    return frozenset(f"?{word}" for word in asked) | asked | content(scenario)


def shown_example(example: LabelledQuestion) -> str:
    """An example as a prompt shows it."""
    lines = [f"Scenario: {example.scenario}", f"Question: {example.question}", *_stated(example.elements)]
    for answer in example.answers:
        under = f" — if: {' '.join(answer.conditions)}" if answer.conditions else " — no open conditions"
        lines.append(f"Answer: {answer.text}{under}")
    return "\n".join([*lines, *([] if example.answers else ["Answer: none; the page does not say"])])


def _stated(elements: Sequence[str]) -> list[str]:
    return ["Page: " + " ".join(elements)] if elements else []
