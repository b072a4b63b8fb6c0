"""What predictors say of labelled open questions: rules, and a model that is shown examples from the others."""

from __future__ import annotations

import random
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from clausegraph.app.crag import ATTRIBUTE_SAMPLES
from clausegraph.app.services.crag_evaluation import CragTrial, trial_model
from clausegraph.app.wiring import engine_options
from clausegraph.core.errors import InputError, SettingsError

if TYPE_CHECKING:
    from clausegraph.app.workspace import Workspace
    from clausegraph.query.crag.attributes.labelled import AttributeLabels
    from clausegraph.query.crag.types import Attributes


@dataclass(frozen=True, slots=True)
class AttributesMeasured:
    """Of how many questions; right ones by predictor and attribute, and "dynamic", static or not, beside them."""

    questions: int
    right: Mapping[str, Mapping[str, int]]


def measure_attributes(
    workspace: Workspace, questions: Path, sample: int, seed: int, trial: CragTrial
) -> AttributesMeasured:
    """A sample is asked about; the examples that the model is shown are of the others.

    Raises:
        InputError: the file cannot be read, or has fewer questions than the sample.
        SettingsError: no model is set.
    """
    from clausegraph.query.crag.attributes.labelled import read_labels
    from clausegraph.query.crag.attributes.model import ModelAttributes
    from clausegraph.query.crag.attributes.rules import AttributeRules
    from clausegraph.query.crag.attributes.together import AttributesTogether
    from clausegraph.query.crag.types import CragQuestion
    from clausegraph.query.steps.meter import QuestionMeter

    settings, known = workspace.settings, read_labels(questions)
    if settings.llm is None:
        raise SettingsError("the predictor in context asks a language model, and none is set; set CLAUSEGRAPH_LLM")
    if sample > len(known):
        raise InputError(f"{questions} has {len(known)} questions, fewer than --sample {sample}")
    chosen = set(random.Random(seed).sample(range(len(known)), sample))
    asked = [one for number, one in enumerate(known) if number in chosen]
    others = [one for number, one in enumerate(known) if number not in chosen]
    at = trial.at or datetime.now(UTC)
    with trial_model(settings, trial) as llm:
        options = engine_options(settings, llm)
        assert options.model is not None
        steps = options.model

        def predicted(one: AttributeLabels) -> dict[str, Attributes]:
            model = ModelAttributes(steps.question(QuestionMeter()), ATTRIBUTE_SAMPLES, others)
            question = CragQuestion(one.question, at)
            said = model.predict(question)
            rules = AttributeRules()
            return {"model": said, "rules and model": AttributesTogether([rules, _Said(said)]).predict(question)}

        with ThreadPoolExecutor(max_workers=trial.at_once) as workers:
            found = list(workers.map(predicted, asked))
    right = {name: _right(asked, [one[name] for one in found]) for name in ("model", "rules and model")}
    return AttributesMeasured(sample, right)


class _Said:
    """A predictor that says what was predicted already."""

    def __init__(self, said: Attributes) -> None:
        self._said = said

    def predict(self, question: object) -> Attributes:
        return self._said


def _right(asked: list[AttributeLabels], said: list[Attributes]) -> dict[str, int]:
    from clausegraph.query.crag.attributes.labelled import ATTRIBUTES

    pairs = list(zip(asked, said, strict=True))
    counted = {name: sum(getattr(got, name) == getattr(one, name) for one, got in pairs) for name in ATTRIBUTES}
    dynamic = sum(got.dynamism is not None and got.dynamism.is_dynamic == one.dynamism.is_dynamic for one, got in pairs)
    return counted | {"dynamic": dynamic}
