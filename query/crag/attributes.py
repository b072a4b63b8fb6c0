"""What a question is like (domain, kind, dynamism): by its words, a model's samples, classifiers, or several together.

Classifiers are linear, on sentence embeddings; ``clausegraph train attributes`` trains them.
"""

from __future__ import annotations

import json
import random
import re
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import TypeAdapter, ValidationError

from clausegraph.core.errors import InputError, ModelMismatchError, UnusableReply, require_extra
from clausegraph.core.models.embedding import Embedder
from clausegraph.query.crag.kg.names import nba_teams
from clausegraph.query.crag.types import AttributePredictor, Attributes, CragKind, CragQuestion, Domain, Dynamism
from clausegraph.query.steps.model import StepModel
from clausegraph.query.steps.reply import UNUSABLE, member, object_of, object_schema

LABELS: Mapping[str, type[StrEnum]] = {"domain": Domain, "kind": CragKind, "dynamism": Dynamism}
ATTRIBUTES = tuple(LABELS)
_SURE = 0.95  # measured on the shipped questions: see tests/query/crag/test_attributes.py
SAMPLES = 3
TEMPERATURE = 0.7
_SHOWN = 5  # examples in a prompt, as ElectricSheep has them


@dataclass(frozen=True, slots=True)
class AttributeLabels:
    """A question and what it is like."""

    question: str
    domain: Domain
    kind: CragKind
    dynamism: Dynamism

    def label(self, attribute: str) -> str:
        """The label of one attribute, as files write it."""
        return str(getattr(self, attribute).value)


def read_labels(path: Path) -> list[AttributeLabels]:
    """The labelled questions of a file."""
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"labelled questions {path} cannot be read: {error}") from error
    found = []
    for number, line in enumerate(lines, 1):
        try:
            given = json.loads(line)
            labels = Domain(given["domain"]), CragKind(given["kind"]), Dynamism(given["dynamism"])
            found.append(AttributeLabels(str(given["question"]), *labels))
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(
                f"{path}, line {number} is no labelled question ({error}); a line has question, domain, kind, dynamism"
            ) from error
    return found


_SHOWS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
_PAST_YEAR = re.compile(r"\b(?:in|of|on|by|at|during|since)?\s*(?:the )?(1[5-9]\d\d|20\d\d)s?\b")


class AttributeRules:
    """Says what the words say surely, and nothing else."""

    def predict(self, question: CragQuestion) -> Attributes:
        """The attributes that the words show, each with the same confidence."""
        text = " ".join(question.text.lower().split())
        domain, kind, dynamism = _domain(text), _kind(text), _dynamism(text, question.time.year)
        said = [name for name, value in zip(LABELS, (domain, kind, dynamism), strict=True) if value is not None]
        confidence, by = dict.fromkeys(said, _SURE), dict.fromkeys(said, "rules")
        return Attributes(domain, kind, dynamism, confidence=confidence, by=by)


def _domain(text: str) -> Domain | None:
    """The one domain whose words stand there; none where two have some, or none has."""
    named = [Domain(name) for name, words in _SHOWS["domains"].items() if _has(text, words)]
    if nba_teams(text) and Domain.SPORTS not in named:
        named.append(Domain.SPORTS)
    return named[0] if len(named) == 1 else None


def _kind(text: str) -> CragKind | None:
    """No rule says that a question is simple, or that its premise is false: that shows in what is found."""
    kinds = (CragKind(name) for name, patterns in _SHOWS["kinds"].items() if re.search("|".join(patterns), text))
    return next(kinds, None)


def _dynamism(text: str, this_year: int) -> Dynamism | None:
    years = [int(match[1]) for match in _PAST_YEAR.finditer(text)]
    shown = {name for name, words in _SHOWS["dynamism"].items() if _has(text, words)}
    if "real_time" in shown:
        return Dynamism.REAL_TIME
    if "fast" in shown:
        return None if years else Dynamism.FAST
    if years and max(years) < this_year - 1 and not re.search(r"\bsince\b", text):
        return Dynamism.STATIC
    return Dynamism.STATIC if "fixed" in shown and "changing" not in shown else None


def _has(text: str, words: Sequence[str]) -> bool:
    return re.search(rf"\b({'|'.join(words)})\b", text) is not None


SCHEMA = object_schema(
    "attributes", **{name: {"type": "string", "enum": [one.value for one in kind]} for name, kind in LABELS.items()}
)


def parse_attributes(text: str) -> dict[str, StrEnum]:
    """The labels of a reply by attribute, without those that are not of the list."""
    reply = object_of(text)
    found = {name: member(reply.get(name), kind) for name, kind in LABELS.items()}
    if not any(found.values()):
        raise UnusableReply("the reply has neither domain nor kind nor dynamism")
    return {name: label for name, label in found.items() if label is not None}


class ModelAttributes:
    """Asks a few times and takes what most samples say; the share of them is the confidence."""

    def __init__(self, model: StepModel, samples: int = SAMPLES, examples: Sequence[AttributeLabels] = ()) -> None:
        self._model, self._samples, self._examples = model, samples, examples

    def predict(self, question: CragQuestion) -> Attributes:
        """The majority's labels; none where no reply can be used."""
        with ThreadPoolExecutor(max_workers=self._samples) as workers:
            said = list(workers.map(lambda number: self._sample(question, number), range(self._samples)))
        labels: dict[str, Any] = {}
        shares: dict[str, float] = {}
        for name in LABELS:
            votes = Counter(one[name] for one in said if name in one)
            if votes:
                labels[name], count = votes.most_common(1)[0]
                shares[name] = count / self._samples
        return Attributes(**labels, confidence=shares, by=dict.fromkeys(shares, "model"))

    def _sample(self, question: CragQuestion, number: int) -> dict[str, StrEnum]:
        drawn = random.Random(f"{number}{question.text}").sample(list(self._examples), min(_SHOWN, len(self._examples)))
        lines = (f"{one.question} -> {one.domain.value}; {one.kind.value}; {one.dynamism.value}" for one in drawn)
        inputs: dict[str, object] = {
            "question": question.text,
            "examples": "\n".join(lines),
            "attempt": str(number + 1),
        }
        try:
            ask = self._model.ask
            return ask("crag-attributes", inputs, parse_attributes, schema=SCHEMA, temperature=TEMPERATURE).value
        except UNUSABLE:
            return {}


class AttributesTogether:
    """Asks all."""

    def __init__(self, predictors: Sequence[AttributePredictor]) -> None:
        self._predictors = predictors

    def predict(self, question: CragQuestion) -> Attributes:
        """The surest labels of all."""
        return surest([predictor.predict(question) for predictor in self._predictors])


def surest(said: Sequence[Attributes]) -> Attributes:
    """The label with the highest confidence, the first of equals, and who agrees with it."""
    labels: dict[str, Any] = {}
    confidence: dict[str, float] = {}
    by: dict[str, str] = {}
    for name in ATTRIBUTES:
        known = [one for one in said if getattr(one, name) is not None]
        if known:
            best = max(known, key=lambda one: one.confidence.get(name, 0.0))
            labels[name], confidence[name] = getattr(best, name), best.confidence.get(name, 0.0)
            agree = [one for one in known if getattr(one, name) == labels[name]]
            by[name] = "+".join(one.by.get(name, "?") for one in agree)
    return Attributes(**labels, confidence=confidence, by=by)


# --- classifiers ------------------------------------------------------------------------------------

FORM = 2
FEWEST = 50
FOLDS = 5
_KEPT = 5  # digits of a weight: more change no label


@dataclass(frozen=True)
class LinearClassifier:
    """One attribute: a row of weights and a bias for each label, and the cross-validated share of right ones."""

    labels: list[str]
    weights: list[list[float]]
    bias: list[float]
    accuracy: float


@dataclass(frozen=True)
class AttributeModel:
    """What a file of ``train attributes`` holds."""

    form: int
    embedder: str
    questions: int
    attributes: dict[str, LinearClassifier]

    def as_json(self) -> str:
        """The file."""
        return _MODEL.dump_json(self).decode() + "\n"


_MODEL = TypeAdapter(AttributeModel)


def read_attribute_model(path: Path) -> AttributeModel:
    """The model of a file."""
    try:
        found = _MODEL.validate_json(path.read_bytes())
    except (OSError, ValidationError) as error:
        said = str(error).splitlines()[0]
        raise InputError(
            f"{path} is no attribute model: {said}; make one with `clausegraph train attributes`"
        ) from error
    if found.form != FORM or not set(LABELS) <= set(found.attributes):
        raise InputError(f"attribute model {path} has form {found.form}, this version reads {FORM}; train it again")
    return found


class AttributeSvm:
    """Predicts all three attributes of a question by its embedding."""

    def __init__(self, model: AttributeModel, embedder: Embedder) -> None:
        if model.embedder != embedder.fingerprint:
            raise ModelMismatchError(
                f"the attribute model was trained on embeddings of {model.embedder}, and the settings have "
                f"{embedder.fingerprint}; train it again"
            )
        self._embedder = embedder
        self._parts = {
            name: (one, np.asarray(one.weights), np.asarray(one.bias)) for name, one in model.attributes.items()
        }

    def predict(self, question: CragQuestion) -> Attributes:
        """The nearest labels."""
        vector = np.asarray(self._embedder.embed_texts([question.text])[0], dtype=float)
        labels: dict[str, Any] = {}
        confidence: dict[str, float] = {}
        for name, (part, weights, bias) in self._parts.items():
            scores = weights @ vector + bias
            labels[name] = LABELS[name](part.labels[int(scores.argmax())])
            confidence[name] = round(part.accuracy, 3)
        return Attributes(**labels, confidence=confidence, by=dict.fromkeys(LABELS, "svm"))


def train_attribute_model(questions: Sequence[AttributeLabels], embedder: Embedder, seed: int = 13) -> AttributeModel:
    """Linear classifiers of the questions' embeddings, with their cross-validated accuracy."""
    require_extra("train", "training")
    if len(questions) < FEWEST:
        raise InputError(f"there are {len(questions)} labelled questions; at least {FEWEST} are needed")
    vectors = np.asarray(embedder.embed_texts([one.question for one in questions]), dtype=float)
    parts = {name: _trained(vectors, [one.label(name) for one in questions], seed) for name in LABELS}
    return AttributeModel(FORM, embedder.fingerprint, len(questions), parts)


def _trained(vectors: Any, labels: list[str], seed: int) -> LinearClassifier:
    from sklearn.model_selection import StratifiedKFold, cross_val_score
    from sklearn.svm import LinearSVC

    known = sorted(set(labels))
    scarce = [label for label in known if labels.count(label) < FOLDS]
    if scarce or len(known) < 3:
        raise InputError(f"each label needs {FOLDS} questions, and there are three labels or more; too few of {scarce}")
    make = LinearSVC(C=0.5, class_weight="balanced", random_state=seed)
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
    right = cross_val_score(make, vectors, labels, cv=folds)
    fitted = make.fit(vectors, labels)
    return LinearClassifier(
        labels=known,
        weights=np.round(fitted.coef_, _KEPT).tolist(),
        bias=np.round(fitted.intercept_, _KEPT).tolist(),
        accuracy=float(right.mean()),
    )


def accuracies(model: AttributeModel) -> Mapping[str, float]:
    """Cross-validated accuracy by attribute."""
    return {name: part.accuracy for name, part in model.attributes.items()}
