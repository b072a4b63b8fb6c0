"""Guides: conventions in words, with what is usual of questions that open alike."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from clausegraph.core.errors import InputError
from clausegraph.core.prompts import shipped_folder
from clausegraph.query.read.model.labelled import seen_among

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
    forms: Mapping[str, FormRates] = field(default_factory=dict)  # how a question opens → what is usual then
    saw: Mapping[str, str] = field(default_factory=dict)

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
                "questions it has not seen, or take another guide (CLAUSEGRAPH_READER_GUIDE)"
            )


_GUIDE = TypeAdapter(Guide)


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
        raise InputError(f"guide {path} cannot be read: {said}; see docs/engines.md") from error
    if guide.form != FORM:
        raise InputError(f"guide {path} has form {guide.form}, this version reads {FORM}; write it anew")
    words = len(guide.text.split())
    if words > MOST_WORDS:
        raise InputError(f"guide {path} has {words:,} words; at most {MOST_WORDS} fit in a prompt; shorten its text")
    return guide


def benchmark_guide() -> Guide:
    """The conventions of ConditionalQA's annotators in general words, for evaluations; people get no guide."""
    return read_guide(shipped_folder() / "guides" / f"{BENCHMARK}.json")
