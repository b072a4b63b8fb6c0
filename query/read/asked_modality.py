"""What a yes/no question asks about, and how far a statement of a modality answers it."""

from __future__ import annotations

import re

from clausegraph.core.types import Modality
from clausegraph.query.read.questions import QuestionForm

_ASKS = (
    (
        "duty",
        r"\b(?:have to|need to|must|required|obliged|obligated|necessary|need (?:a|an|any|my|the)|supposed to"
        r"|has to|needs to|need)\b",
    ),
    ("eligible", r"\b(?:eligible|entitled|qualify|eligibility)\b"),
    ("ability", r"\b(?:can|could|able|allowed|may|permitted|possible)\b"),
    ("should", r"\bshould\b"),
    ("will", r"\b(?:will|would)\b"),
    ("exists", r"\b(?:is|are) (?:there|they)\b"),
    ("is", r"^(?:is|are|am|was)\b"),
)
_ASKED = tuple((name, re.compile(pattern, re.I)) for name, pattern in _ASKS)


def asked_for(form: QuestionForm) -> str:
    """What the question asks about: a duty, eligibility, ability, ..."""
    return next((name for name, pattern in _ASKED if pattern.search(form.sentence)), "other")


_FITS = {
    "duty": {Modality.MUST: 1.0, Modality.NEED_NOT: 1.0, Modality.IS: 0.8, Modality.SHOULD: 0.8},
    "ability": {Modality.MAY: 1.0, Modality.CAN: 1.0, Modality.CANNOT: 1.0, Modality.IS: 0.8},
    "eligible": {Modality.MAY: 1.0, Modality.CAN: 1.0, Modality.CANNOT: 1.0, Modality.IS: 0.8},
}


def kind_fit(form: QuestionForm, modality: Modality) -> float:
    """How far a statement of that modality answers what is asked: "must" says little of "can I"."""
    fits = _FITS.get(asked_for(form))
    return 1.0 if fits is None else fits.get(modality, 0.6)
