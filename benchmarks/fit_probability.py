"""Fit the probability that a verdict or a value of the reader without a model is right, by folds of pages.

    python -m benchmarks.fit_probability HOME [--data DATA] [--write]

Questions as people type them: those of ``examples/typed_questions*.json``, ``development_questions.json`` and
``plain_questions.json``, each also with its page taken out. Logistic regression on the failed checks that the reader
names (``ReadResult.reasons``); the weights of ``value`` and ``verdict`` in ``query/read/weights.json`` are numbers per
named feature. ``answerable`` is fitted on which of the questions the pages answer. Prints how many are right of those
that models fitted on the pages of other folds would assert.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np
from sklearn.feature_extraction import DictVectorizer
from sklearn.linear_model import LogisticRegression

from benchmarks.material import REPOSITORY
from benchmarks.typed import CORPORA, DAY, REFUSED, Without, corpus_view
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.models.embedding import Embedder
from clausegraph.core.types import AnswerStatus, ConditionState, holds
from clausegraph.query.engines.answers import reader_of
from clausegraph.query.engines.bank import EngineOptions, make_engine
from clausegraph.query.engines.single_pass import SinglePass
from clausegraph.query.read.extractive import ExtractiveReader
from clausegraph.query.read.probability import ASSERTED, COUNTS, Features, reach, with_counts
from clausegraph.query.read.protocol import ReadResult, Rules
from clausegraph.query.read.question_context import AnswerCandidate
from clausegraph.query.retrieve.bank import Hit, make_retriever

LISTS = (
    *(f"examples/typed_questions{part}.json" for part in ("", "_2", "_3", "_4")),
    "benchmarks/development_questions.json",
    "benchmarks/plain_questions.json",
)
WEIGHTS = REPOSITORY / "query" / "read" / "weights.json"
_FOLDS, _STRENGTH, _LEAST = 10, 1.0, 0.01
_FIGURE = re.compile(r"\d[\d.,]*(?<=\d)")
_WORDS = {"one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "half": "50", "twenty": "20"}


class OfPage(Protocol):
    """What is fitted on: of one page."""

    @property
    def page(self) -> str:
        """The page's uri."""


T = TypeVar("T", bound=OfPage)


@dataclass(slots=True)
class Keeping:
    """A reader that keeps the best verdict or value, and asserts nothing."""

    embedder: Embedder
    found: AnswerCandidate | None = None
    reached: Features = field(default_factory=dict)

    def read(self, inquiry: Inquiry, hits: Iterable[Hit], rules: Rules) -> ReadResult:
        """Nothing; ``found`` has the candidate, ``reached`` how near the pages are."""
        hits = list(hits)
        self.reached = reach(inquiry.question, hits, rules.reading)
        always = ExtractiveReader(self.embedder, asserted=0.0)
        result = always.read(replace(inquiry, as_of=DAY), hits, rules)
        reasons: Any = result.reasons
        if "answer" in reasons:
            features = with_counts(dict.fromkeys(reasons["failed_checks"], 1.0), float(reasons["answerable"]))
            self.found = AnswerCandidate(result.alternatives[0], reasons["answer"], features)
        return ReadResult(AnswerStatus.UNKNOWN, ())


@dataclass(frozen=True, slots=True)
class Judged:
    """A candidate: its kind and features, whether it is right, the question's list and page."""

    kind: str
    features: Features
    right: bool
    file: str
    page: str
    blind: bool  # whether the page of the question was taken out


def is_right(question: dict[str, Any], found: AnswerCandidate) -> bool:
    """Whether an answer is the right one: an equal verdict, or figures of the right answer only."""
    if question.get("kind") in REFUSED:
        return False
    text, verdict = found.alternative.text, question.get("verdict")
    if verdict == "depends":
        return holds(found.alternative.condition) is ConditionState.UNKNOWN
    if verdict or found.kind == "verdict":
        return bool(text == verdict)
    if isinstance(question["answer"], list):  # plain questions: texts, one of which must be there
        return any(wanted.lower() in text.lower() for wanted in question["answer"])
    return bool(_figures(text)) and _figures(text) <= _figures(question["answer"])


def _figures(text: str) -> set[str]:
    words = {_WORDS[word] for word in re.findall(r"[a-z]+", text.lower()) if word in _WORDS}
    return words | set(_FIGURE.findall(text))


def judged(home: Path, data: Path) -> Iterator[Judged]:
    """The candidates of all questions that the pages are near to."""
    for name in CORPORA:
        with corpus_view(home, data, name) as (view, embedder):
            reader = Keeping(embedder)
            options = EngineOptions(reader=reader)
            engine, retriever = make_engine(view, embedder, options), make_retriever("hybrid", view, embedder)
            for file in LISTS:
                for question in json.loads((REPOSITORY / file).read_text(encoding="utf-8")):
                    if question.get("corpus", "sample") != name:
                        continue
                    page = question.get("page") or ""
                    without = Without(retriever, page)
                    blind = SinglePass(view, without, reader_of(embedder, options), options) if page else None
                    for asking in (engine, blind):
                        if asking is None:
                            continue
                        reader.found = None
                        asking.ask(Inquiry(question["question"], question.get("scenario") or ""))
                        refused = asking is blind or question.get("kind") in REFUSED
                        if question.get("kind") != "not_answerable" and "nearest passage" in reader.reached:
                            yield Judged("answerable", reader.reached, not refused, file, page, asking is blind)
                        if (found := reader.found) is not None:
                            right = asking is engine and is_right(question, found)
                            shown = page or str(found.alternative.evidence[0].page)
                            yield Judged(found.kind, found.features, right, file, shown, asking is blind)


def fitted_answerable(rows: list[Judged]) -> Features:
    """The weights of the probability that the pages answer; questions that they answer count as much as the others."""
    names = DictVectorizer()
    model = LogisticRegression(C=10.0, class_weight="balanced", max_iter=2000)
    model.fit(names.fit_transform([row.features for row in rows]), [row.right for row in rows])
    weights = dict(zip(map(str, names.get_feature_names_out()), map(float, model.coef_[0]), strict=True))
    return {name: round(weight, 3) for name, weight in (weights | {"bias": float(model.intercept_[0])}).items()}


def fitted(rows: list[Judged]) -> Features:
    """The weights of named features by logistic regression: a failed check never raises the probability."""
    signed = {"bias", *COUNTS}
    names, left_out = DictVectorizer(), frozenset[str]()
    while True:
        features = [{k: v for k, v in row.features.items() if k not in left_out} | {"bias": 1.0} for row in rows]
        matrix = names.fit_transform(features)
        model = LogisticRegression(C=_STRENGTH, max_iter=5000, fit_intercept=False)
        model.fit(matrix, [row.right for row in rows])
        weights = dict(zip(map(str, names.get_feature_names_out()), map(float, model.coef_[0]), strict=True))
        raising = frozenset(name for name, weight in weights.items() if weight > 0.0 and name not in signed)
        if not raising:
            return {name: round(weight, 3) for name, weight in weights.items() if abs(weight) >= _LEAST}
        left_out |= raising


def parted(rows: Sequence[T], folds: int) -> Iterator[tuple[list[T], list[T]]]:
    """The rows of the pages of each fold, behind those of all other pages."""
    of_page = {page: at % folds for at, page in enumerate(sorted({row.page for row in rows}))}
    for fold in range(folds):
        yield (
            [row for row in rows if of_page[row.page] != fold],
            [row for row in rows if of_page[row.page] == fold],
        )


def held_out(rows: list[Judged]) -> list[tuple[Judged, float]]:
    """Each row with the probability by a model that was fitted without the pages of its fold."""
    made = []
    for others, here in parted(rows, _FOLDS):
        weights = fitted(others)
        for row in here:
            total = sum(weights.get(name, 0.0) * value for name, value in {"bias": 1.0, **row.features}.items())
            made.append((row, float(1.0 / (1.0 + np.exp(-total)))))
    return made


def table(rows: list[Judged]) -> list[str]:
    """Lines: of each list, how many are asserted on held-out pages, and how many of those are right."""
    scored = [pair for kind in ("value", "verdict") for pair in held_out([row for row in rows if row.kind == kind])]
    lines = []
    for file in LISTS:
        here = [row for row, chance in scored if row.file == file and chance >= ASSERTED]
        blind = sum(row.blind for row in here)
        lines.append(
            f"{file:42} asserted {len(here) - blind:3}, right {sum(row.right for row in here):3}, blind {blind}"
        )
    for least in (0.9, 0.85, 0.8, 0.75, 0.7, 0.65, 0.6):
        here = [row for row, chance in scored if chance >= least]
        lines.append(f"from {least:.2f}: {sum(row.right for row in here):3} of {len(here):3} right")
    return lines


def fit(
    name: str,
    description: str | None,
    collect: Callable[[Path, Path], Iterable[T]],
    table_of: Callable[[list[T]], list[str]],
    fits: dict[str, Callable[[list[T]], Features]],
) -> None:
    """The command of a fit: print the table and the weights of each model, and write these where that is asked for."""
    parser = argparse.ArgumentParser(prog=f"python -m benchmarks.{name}", description=description)
    parser.add_argument("home", type=Path, help="where the pages are read into")
    parser.add_argument("--data", type=Path, default=REPOSITORY.parent / "shared" / "data")
    parser.add_argument("--write", action="store_true", help="write the weights into query/read/weights.json")
    options = parser.parse_args()
    rows = list(collect(options.home, options.data))
    print("\n".join(table_of(rows)))
    models: dict[str, Any] = json.loads(WEIGHTS.read_text(encoding="utf-8"))
    for model, fitted_of in fits.items():
        models[model] = fitted_of(rows)
        print(model, json.dumps(dict(sorted(models[model].items(), key=lambda pair: pair[1]))))
    if options.write:
        WEIGHTS.write_text(json.dumps(models, indent=0, sort_keys=True) + "\n", encoding="utf-8")


def _of_kind(kind: str, fitted_of: Callable[[list[Judged]], Features]) -> Callable[[list[Judged]], Features]:
    return lambda rows: fitted_of([row for row in rows if row.kind == kind])


if __name__ == "__main__":
    kinds = {"value": fitted, "verdict": fitted, "answerable": fitted_answerable}
    fit(
        "fit_probability",
        __doc__,
        judged,
        table,
        {kind: _of_kind(kind, fitted_of) for kind, fitted_of in kinds.items()},
    )
