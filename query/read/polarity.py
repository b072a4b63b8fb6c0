"""Yes or no: a linear model over what the best statements say, and how the question asks.

Features are plain counts that a reader can name; their weights are in ``polarity_weights.json``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from clausegraph.core.language.terms import content, overlap
from clausegraph.core.types import Modality
from clausegraph.query.read.figures import compare
from clausegraph.query.read.questions import QuestionForm
from clausegraph.query.read.statements import ReadStatement
from clausegraph.query.read.weights import weights

Features = dict[str, float]

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
_NEGATIVE = re.compile(
    r"\b(?:not|no|never|without|refuse|lose|stop|cannot|illegal|against|deny|affected|affect)\b|n't\b", re.I
)
_WORDS = (
    "still",
    "even",
    "any",
    "only",
    "already",
    "again",
    "instead",
    "without",
    "automatically",
    "all",
    "claim",
    "pay",
    "tax",
    "work",
    "legal",
    "get",
    "money",
    "help",
    "appeal",
    "refuse",
    "affect",
    "too late",
    "considered",
    "enough",
    "extend",
    "change",
)
_CUES = (
    ("only", r"\bonly\b"),
    ("unless", r"\bunless\b|\bexcept\b"),
    ("cannot", r"\bcannot\b|\bcan't\b|\bmust not\b|\bnot allowed\b"),
    ("not", r"\bnot\b|n't\b|\bno longer\b"),
    ("no need", r"\b(?:do|does|will|did)(?: not|n't)(?: usually| normally)? (?:need|have to|have)\b"),
    ("must", r"\b(?:must|need to|have to|required)\b"),
    ("can", r"\b(?:can|may|could|might|able to)\b"),
    ("will", r"\bwill\b"),
    ("if", r"\bif\b"),
    ("against", r"\b(?:illegal|offence|against the law|fined|prosecuted|refused|stop|stops|lose)\b"),
    ("exempt", r"\b(?:exempt|free|do(?:es)? not (?:pay|apply)|not count)\b"),
)
_CUED = tuple((name, re.compile(pattern, re.I)) for name, pattern in _CUES)


@dataclass(frozen=True, slots=True)
class Polarity:
    """The verdict, the probability of "yes", and the features that moved it most."""

    yes: bool
    probability: float
    because: tuple[str, ...]

    @property
    def sure(self) -> float:
        """The probability of the verdict."""
        return max(self.probability, 1.0 - self.probability)


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


def polarity_features(
    form: QuestionForm, question: str, scenario: str, statements: Sequence[ReadStatement]
) -> Features:
    """Named features; ``statements`` best first, each with its weight by rank."""
    kind = asked_for(form)
    features: Features = {"bias": 1.0, f"asks {kind}": 1.0}
    if _NEGATIVE.search(form.sentence):
        features["question negative"] = 1.0
    lowered = form.sentence.lower()
    features |= {f"question {word}": 1.0 for word in _WORDS if f" {word} " in f" {lowered.strip('?')} "}
    if _NEGATIVE.search(scenario):
        features["scenario negative"] = 1.0
    needles = content(question)
    total = sum(_weight(rank, needles, s) for rank, s in enumerate(statements)) or 1.0
    for rank, statement in enumerate(statements):
        share = _weight(rank, needles, statement) / total
        for name, value in _statement_features(kind, scenario, statement).items():
            features[name] = features.get(name, 0.0) + share * value
        if rank == 0:
            features |= {
                f"top {name}": v
                for name, v in _statement_features(kind, scenario, statement).items()
                if not name.startswith(kind)
            }
    return features


def _weight(rank: int, needles: frozenset[str], statement: ReadStatement) -> float:
    return (0.2 + overlap(needles, statement.full)) / (1.0 + 0.3 * rank)


def _statement_features(kind: str, scenario: str, statement: ReadStatement) -> Features:
    sign = "+" if statement.polarity and statement.modality is not Modality.CANNOT else "-"
    mode = f"{statement.modality.value}{sign}"
    found: Features = {mode: 1.0, f"{kind} x {mode}": 1.0, f"{kind} x {sign}": 1.0}
    for name, pattern in _CUED:
        if pattern.search(statement.text):
            found[f"cue {name}"] = 1.0
            found[f"{kind} x cue {name}"] = 1.0
    comparison = compare(statement.text, scenario)
    if comparison is not None:
        found[f"figure {'within' if comparison.holds else 'outside'} {sign}"] = 1.0
    if statement.exceptions:
        met = max(overlap(content(text), scenario) for text in statement.exceptions)
        found[f"exception met {sign}"] = met
    said = overlap(content(statement.text), scenario)
    found[f"said {sign}"] = said
    if statement.candidate.element.tag == "li":
        found[f"item {sign}"] = 1.0
        found[f"item said {sign}"] = said
    return found


def decide_polarity(features: Features) -> Polarity:
    """Apply the weights; "yes" from a probability of one half."""
    known = weights("polarity")
    moved = {name: known.get(name, 0.0) * value for name, value in features.items()}
    probability = 1.0 / (1.0 + math.exp(-sum(moved.values())))
    because = sorted(moved, key=lambda name: (-abs(moved[name]), name))[:4]
    return Polarity(probability >= 0.5, probability, tuple(f"{name} {moved[name]:+.2f}" for name in because))
