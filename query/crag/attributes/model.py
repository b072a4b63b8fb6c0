"""Attributes by a language model in context: several samples, each with other examples; the majority says."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from enum import StrEnum
from typing import TypeVar

from clausegraph.core.errors import UnusableReply
from clausegraph.query.crag.attributes.labelled import AttributeLabels
from clausegraph.query.crag.types import Attributes, CragKind, CragQuestion, Domain, Dynamism
from clausegraph.query.steps.llm.reply import UNUSABLE, member, object_of, object_schema
from clausegraph.query.steps.model import StepModel

PROMPT = "crag-attributes"
SAMPLES = 3
TEMPERATURE = 0.7
_SHOWN = 5  # examples in a prompt, as ElectricSheep has them
E = TypeVar("E", bound=StrEnum)
SCHEMA = object_schema(
    "attributes",
    domain={"type": "string", "enum": [one.value for one in Domain]},
    kind={"type": "string", "enum": [one.value for one in CragKind]},
    dynamism={"type": "string", "enum": [one.value for one in Dynamism]},
)
Labels = tuple[Domain | None, CragKind | None, Dynamism | None]


def parse_attributes(text: str) -> Labels:
    """The labels of a reply; none for one that is not of the list.

    Raises:
        UnusableReply: it has none of them.
    """
    reply = object_of(text)
    found = (
        member(reply.get("domain"), Domain),
        member(reply.get("kind"), CragKind),
        member(reply.get("dynamism"), Dynamism),
    )
    if not any(found):
        raise UnusableReply("the reply has neither domain nor kind nor dynamism")
    return found


class ModelAttributes:
    """Asks a few times and takes what most samples say; the share of them is the confidence."""

    def __init__(self, model: StepModel, samples: int = SAMPLES, examples: Sequence[AttributeLabels] = ()) -> None:
        self._model, self._samples, self._examples = model, samples, examples

    def predict(self, question: CragQuestion) -> Attributes:
        """The majority's labels; none where no reply can be used."""
        with ThreadPoolExecutor(max_workers=self._samples) as workers:
            said = [one for one in workers.map(lambda n: self._sample(question, n), range(self._samples)) if one]
        domain, domain_share = _majority([one[0] for one in said], self._samples)
        kind, kind_share = _majority([one[1] for one in said], self._samples)
        dynamism, dynamism_share = _majority([one[2] for one in said], self._samples)
        shares = {"domain": domain_share, "kind": kind_share, "dynamism": dynamism_share}
        known = {name: share for name, share in shares.items() if share}
        return Attributes(domain, kind, dynamism, confidence=known, by=dict.fromkeys(known, "model"))

    def _sample(self, question: CragQuestion, number: int) -> Labels | None:
        drawn = random.Random(f"{number}{question.text}").sample(list(self._examples), min(_SHOWN, len(self._examples)))
        inputs: dict[str, object] = {
            "question": question.text,
            "examples": "\n".join(
                f"{one.question} -> {one.domain.value}; {one.kind.value}; {one.dynamism.value}" for one in drawn
            ),
            "attempt": str(number + 1),
        }
        try:
            return self._model.ask(PROMPT, inputs, parse_attributes, schema=SCHEMA, temperature=TEMPERATURE).value
        except UNUSABLE:
            return None


def _majority(votes: Sequence[E | None], samples: int) -> tuple[E | None, float]:
    counted = Counter(vote for vote in votes if vote is not None)
    if not counted:
        return None, 0.0
    best, count = counted.most_common(1)[0]
    return best, count / samples
