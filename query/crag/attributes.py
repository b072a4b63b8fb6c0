"""What a question is like (domain, kind, dynamism), by what most samples of a model say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from enum import StrEnum
from typing import Any

from clausegraph.core.errors import UnusableReply
from clausegraph.query.crag.types import Attributes, CragKind, CragQuestion, Domain, Dynamism
from clausegraph.query.steps.model import StepModel
from clausegraph.query.steps.reply import UNUSABLE, member, object_of, object_schema

LABELS: Mapping[str, type[StrEnum]] = {"domain": Domain, "kind": CragKind, "dynamism": Dynamism}
SAMPLES = 3
TEMPERATURE = 0.7
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
    """Asks a few times and takes what most samples say."""

    def __init__(self, model: StepModel, samples: int = SAMPLES) -> None:
        self._model, self._samples = model, samples

    def predict(self, question: CragQuestion) -> Attributes:
        """The majority's labels; none where no reply can be used."""
        with ThreadPoolExecutor(max_workers=self._samples) as workers:
            said = list(workers.map(lambda number: self._sample(question, number), range(self._samples)))
        labels: dict[str, Any] = {}
        for name in LABELS:
            if votes := Counter(one[name] for one in said if name in one):
                labels[name] = votes.most_common(1)[0][0]
        return Attributes(**labels)

    def _sample(self, question: CragQuestion, number: int) -> dict[str, StrEnum]:
        inputs: dict[str, object] = {"question": question.text, "examples": "", "attempt": str(number + 1)}
        try:
            ask = self._model.ask
            return ask("crag-attributes", inputs, parse_attributes, schema=SCHEMA, temperature=TEMPERATURE).value
        except UNUSABLE:
            return {}
