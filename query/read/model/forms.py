"""How often questions that ask alike have several answers, or conditions. Pure counting.

The form of a question is how it opens: "how much", "what documents", "can i"; where too few ask just so,
"how" or "can".
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from clausegraph.query.read.model.labelled import LabelledQuestion

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
    conditional = sum(any(answer.conditions for answer in question.answers) for question in asked)
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


def told_form(forms: Mapping[str, FormRates], question: str) -> str:
    """How questions like this one are usually answered, in a sentence; "" where too few ask alike."""
    form = next((form for form in forms_of(question) if form in forms), None)
    if form is None:
        return ""
    rates = forms[form]
    return (
        f'Of {rates.questions} labelled questions that ask "{form} …", {rates.several:.0%} have more than one answer '
        f"and {rates.conditional:.0%} any condition."
    )
