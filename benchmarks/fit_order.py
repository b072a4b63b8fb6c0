"""Fit the order in which the reader without a model quotes places, by folds of pages.

    python -m benchmarks.fit_order HOME [--data DATA] [--write]

The answerable questions of the lists of ``benchmarks.fit_probability``, with their deciding elements. The weights of
``order`` in ``query/read/weights.json`` are those of a conditional logit: the probability that the softmax gives to
the deciding elements is as great as can be. Prints how often a deciding element comes first, on pages of other folds.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import minimize

from benchmarks.fit_probability import LISTS, fit, parted
from benchmarks.material import REPOSITORY
from benchmarks.typed import CORPORA, DAY, REFUSED, corpus_view, known_as
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.types import AnswerStatus
from clausegraph.query.engines.bank import EngineOptions, make_engine
from clausegraph.query.read.protocol import ReadResult, Rules
from clausegraph.query.read.question_context import QuestionContext
from clausegraph.query.read.questions import question_form
from clausegraph.query.read.ranking import features, rankable
from clausegraph.query.read.statements import candidates
from clausegraph.query.retrieve.bank import Hit

_FOLDS, _STRENGTH, _LEAST = 8, 0.01, 0.01
Weights = dict[str, float]


@dataclass(frozen=True, slots=True)
class Places:
    """The ranked places of a question: their features, and which of them decide."""

    file: str
    page: str
    features: list[dict[str, float]]
    decides: list[bool]


@dataclass(slots=True)
class Collecting:
    """A reader that keeps the features of what it is handed, and asserts nothing."""

    evidence: set[str] = field(default_factory=set)
    found: tuple[list[dict[str, float]], list[bool]] | None = None

    def read(self, inquiry: Inquiry, hits: Iterable[Hit], rules: Rules) -> ReadResult:
        """Nothing; ``found`` has the features, and which places decide: of an item, also what introduces it."""
        context = QuestionContext(question_form(inquiry.question), replace(inquiry, as_of=DAY), rules)
        places = rankable(candidates(list(hits), rules.reading))
        decides = []
        for one in places:
            lead = rules.reading(one.page).element(one.element.lead_in) if one.element.tag == "li" else None
            shown = (one.element, lead) if lead is not None else (one.element,)
            decides.append(any(known_as(element.text) in self.evidence for element in shown))
        self.found = list(features(context, places)), decides
        return ReadResult(AnswerStatus.UNKNOWN, ())


def collected(home: Path, data: Path) -> Iterator[Places]:
    """The places of all answerable questions of which one decides."""
    for name in CORPORA:
        with corpus_view(home, data, name) as (view, embedder):
            reader = Collecting()
            engine = make_engine(view, embedder, EngineOptions(reader=reader))
            for file in LISTS:
                for question in json.loads((REPOSITORY / file).read_text(encoding="utf-8")):
                    if question.get("corpus") != name or question["kind"] in REFUSED:
                        continue
                    reader.evidence, reader.found = set(question["evidence"]), None
                    engine.ask(Inquiry(question["question"], question.get("scenario") or ""))
                    if reader.found is not None and any(reader.found[1]):
                        yield Places(file, question["page"], *reader.found)


def fitted(rows: Sequence[Places]) -> Weights:
    """The weights of named features: a feature of spread 1 is held near 0 as strongly as every other."""
    names = sorted(rows[0].features[0])
    tables = [np.array([[one[name] for name in names] for one in row.features]) for row in rows]
    spread = np.vstack(tables).std(axis=0) + 1e-9
    pairs = [(table / spread, np.array(row.decides)) for table, row in zip(tables, rows, strict=True)]

    def loss(weights: Any) -> tuple[float, Any]:
        total, slope = 0.0, np.zeros_like(weights)
        for table, decides in pairs:
            scores = table @ weights
            chances = np.exp(scores - scores.max())
            chances /= chances.sum()
            right = float(chances[decides].sum()) + 1e-12
            total -= np.log(right)
            slope -= table.T @ (chances * decides / right - chances)
        held = _STRENGTH * weights
        return total / len(pairs) + float(held @ weights) / 2, slope / len(pairs) + held

    found = minimize(loss, np.zeros(len(names)), jac=True, method="L-BFGS-B").x / spread
    return {name: round(float(weight), 3) for name, weight in zip(names, found, strict=True) if abs(weight) >= _LEAST}


def score(weights: Weights, row: Places) -> list[float]:
    """The score of each place."""
    return [sum(weights.get(name, 0.0) * value for name, value in one.items()) for one in row.features]


def table(rows: Sequence[Places]) -> list[str]:
    """Lines: of each list, how often a deciding place is the first, and among the first three, on held-out pages."""
    counted: dict[str, list[tuple[bool, bool, bool]]] = {}
    for others, here in parted(rows, _FOLDS):
        weights = fitted(others)
        for row in here:
            scores = score(weights, row)
            order = sorted(range(len(scores)), key=lambda at, scores=scores: -scores[at])  # type: ignore[misc]
            first = row.decides[order[0]], any(row.decides[at] for at in order[:3]), row.decides[0]
            counted.setdefault(row.file, []).append(first)
    counted["all"] = [one for found in counted.values() for one in found]
    return [
        f"{file:42} of {len(found):3}: first {sum(one[0] for one in found):3}, among three"
        f" {sum(one[1] for one in found):3}; by the search first {sum(one[2] for one in found):3}"
        for file, found in counted.items()
    ]


if __name__ == "__main__":
    fit("fit_order", __doc__, collected, table, {"order": fitted})
