"""Training the classifiers of open questions, and what the rules say of the same questions."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from clausegraph.app.workspace import Workspace
from clausegraph.core.output_files import check_output
from clausegraph.eval.files import write_text
from clausegraph.query.crag.attributes.labelled import ATTRIBUTES, AttributeLabels, read_labels
from clausegraph.query.crag.attributes.rules import AttributeRules
from clausegraph.query.crag.attributes.svm import accuracies, train_attribute_model
from clausegraph.query.crag.types import CragQuestion


@dataclass(frozen=True, slots=True)
class AttributesTrained:
    """What was learned from how many questions, in how many seconds.

    Args:
        accuracy: by attribute, cross-validated.
        rules: by attribute, of how many questions the rules say something, and how often they are right.
    """

    questions: int
    accuracy: Mapping[str, float]
    rules: Mapping[str, tuple[int, int]]
    seconds: float


def train_attributes(
    workspace: Workspace, questions: Path, output: Path, *, seed: int = 13, replace_file: bool = False
) -> AttributesTrained:
    """Train on a file of labelled questions and write the model.

    Raises:
        InputError: a file cannot be used, there are too few questions of a label, or scikit-learn is missing.
    """
    check_output(output, home=workspace.settings.home, replace=replace_file)
    known = read_labels(questions)
    embedder = workspace.embedder
    began = time.perf_counter()
    model = train_attribute_model(known, embedder, seed)
    seconds = time.perf_counter() - began
    write_text(output, model.as_json())
    return AttributesTrained(len(known), accuracies(model), _by_rules(known), seconds)


def _by_rules(known: Sequence[AttributeLabels]) -> dict[str, tuple[int, int]]:
    rules, at = AttributeRules(), datetime.now(UTC)
    found = [(one, rules.predict(CragQuestion(one.question, at))) for one in known]
    said = {name: [(one.label(name), getattr(got, name)) for one, got in found] for name in ATTRIBUTES}
    return {
        name: (
            sum(got is not None for _, got in pairs),
            sum(got is not None and got.value == is_ for is_, got in pairs),
        )
        for name, pairs in said.items()
    }
