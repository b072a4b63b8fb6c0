"""Attributes by linear classifiers on sentence embeddings, trained by ``clausegraph train attributes``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import TypeAdapter, ValidationError

from clausegraph.core.errors import InputError, ModelMismatchError, require_extra
from clausegraph.core.models.embedding import Embedder
from clausegraph.query.crag.attributes import LABELS, AttributeLabels
from clausegraph.query.crag.types import Attributes, CragQuestion

FORM = 1
FEWEST = 50
FOLDS = 5
_BINS = 5
_KEPT = 5  # digits of a weight: more change no label


@dataclass(frozen=True)
class LinearClassifier:
    """One attribute: a row of weights and a bias for each label; ``sure`` has (margin from, share right) by margin."""

    labels: list[str]
    weights: list[list[float]]
    bias: list[float]
    sure: list[tuple[float, float]]
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
        """Take both."""
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
            confidence[name] = _confidence(part.sure, float(scores.max()))
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
    from sklearn.model_selection import StratifiedKFold, cross_val_predict
    from sklearn.svm import LinearSVC

    known = sorted(set(labels))
    scarce = [label for label in known if labels.count(label) < FOLDS]
    if scarce or len(known) < 3:
        raise InputError(f"each label needs {FOLDS} questions, and there are three labels or more; too few of {scarce}")
    make = LinearSVC(C=0.5, class_weight="balanced", random_state=seed)
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
    margins = cross_val_predict(make, vectors, labels, cv=folds, method="decision_function")
    right = np.asarray([known[at] for at in margins.argmax(axis=1)]) == np.asarray(labels)
    fitted = make.fit(vectors, labels)
    return LinearClassifier(
        labels=known,
        weights=np.round(fitted.coef_, _KEPT).tolist(),
        bias=np.round(fitted.intercept_, _KEPT).tolist(),
        sure=_by_margin(margins.max(axis=1), right),
        accuracy=float(right.mean()),
    )


def _by_margin(margins: Any, right: Any) -> list[tuple[float, float]]:
    """Share of right ones in equal parts by margin, lowest first; never falling, so that surer means surer."""
    order = np.argsort(margins)
    parts = np.array_split(order, _BINS)
    shares = np.maximum.accumulate([float(right[part].mean()) for part in parts])
    return [
        (round(float(margins[part[0]]), 3), round(float(share), 3)) for part, share in zip(parts, shares, strict=True)
    ]


def _confidence(sure: Sequence[tuple[float, float]], margin: float) -> float:
    below = [share for least, share in sure if margin >= least]
    return below[-1] if below else sure[0][1]


def accuracies(model: AttributeModel) -> Mapping[str, float]:
    """Cross-validated accuracy by attribute."""
    return {name: part.accuracy for name, part in model.attributes.items()}
