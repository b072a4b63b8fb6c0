"""Fit how sure the reader is, on questions whose answers are known, and say what it would assert.

    python -m benchmarks.fit_sureness TRAIN_JSON HOME OUT_FOLDER

Three models ("sure_polar" of a yes or no that follows from a rule, "sure_value" of a value, "sure_span" of other
spans): logistic regression on whether the answer is right. Questions: ConditionalQA's training questions on their
stand-in pages (``fit_reader``), 95 labelled questions on the sample corpus (``examples/questions.json``), and 174 in
plain words on it (``plain_questions.json``), which count more, since they are asked as people ask; the last two through
the real retriever. Right is an equal yes or no, an open condition where gold has one, a span with F1 of at least 0.6,
or the value that is wanted.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.feature_extraction import DictVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold

from benchmarks.fit_reader import Pages, Ranker, held_out, pages_of, weights_of
from benchmarks.material import REPOSITORY
from clausegraph.app.services.ingest import run_ingest
from clausegraph.app.workspace import Workspace
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.settings import Settings
from clausegraph.core.types import ConditionState, PageKey, Reading, Support
from clausegraph.eval.text_overlap import token_f1
from clausegraph.ingestion.pipeline import Options
from clausegraph.ingestion.sources import open_source
from clausegraph.query.engines.single_pass import ViewRules
from clausegraph.query.read.answers import ruled_on, values_for
from clausegraph.query.read.candidates import Candidate, candidates
from clausegraph.query.read.choose import read_spans
from clausegraph.query.read.confidence import Features, ruling_features, span_features, value_features
from clausegraph.query.read.extractive import ExtractiveReader
from clausegraph.query.read.protocol import Rules
from clausegraph.query.read.questions import QuestionKind
from clausegraph.query.retrieve.bank import make_retriever

MODELS = ("sure_polar", "sure_value", "sure_span")
WEIGHTS = {"train": 0.3, "held": 0.0, "labelled": 1.0, "plain": 2.0}
PLAIN = REPOSITORY / "benchmarks" / "plain_questions.json"
_LEVELS = (0.5, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9)


@dataclass(frozen=True, slots=True)
class Example:
    """The features of an answer by one of the models, and whether it is right."""

    model: str
    features: Features
    right: bool
    origin: str  # a key of WEIGHTS


@dataclass(frozen=True, slots=True)
class StandIns:
    """The training questions' pages, of which nothing was extracted."""

    pages: Pages

    def reading(self, page: PageKey) -> Reading:
        return self.pages[page]

    def supports_on(self, page: PageKey, anchors: object) -> tuple[Support, ...]:
        return ()


def example(question: dict[str, Any], found: list[Candidate], rules: Rules, origin: str) -> Example | None:
    """The answer to one question; None where there is nothing to read."""
    reader = ExtractiveReader(asserted=0.0)
    asked = reader.asked(Inquiry(question["question"], question["scenario"]), rules)
    if not found or not asked.form.sentence:
        return None
    if asked.form.kind is QuestionKind.YES_NO:
        ruled = ruled_on(asked, found[:8])
        if ruled is None:
            return None
        right = _right_verdict(question, ruled.ruling.text, ruled.ruling.state)
        return Example("sure_polar", ruling_features(asked, ruled), right, origin)
    values = values_for(asked, found)
    if values:
        return Example("sure_value", value_features(asked, values), _right_text(question, values[0].text), origin)
    spans = read_spans(asked.form, question["question"], question["scenario"], found[:20], rules.reading)
    if not spans:
        return None
    return Example("sure_span", span_features(asked, spans), _right_text(question, spans[0].text), origin)


def _right_verdict(question: dict[str, Any], text: str, state: ConditionState) -> bool:
    if "verdict" in question:
        wanted = question["verdict"]
        return state is ConditionState.UNKNOWN if wanted == "depends" else text == wanted
    gold = [answer for answer in question.get("answers", []) if answer[0] in ("yes", "no")]
    if gold and any(answer[1] for answer in gold) and state is ConditionState.UNKNOWN:
        return True
    return {answer[0] for answer in gold} == {text}


def _right_text(question: dict[str, Any], text: str) -> bool:
    if "answer" in question:
        return any(wanted.lower() in text.lower() for wanted in question["answer"])
    wanted = [answer[0] for answer in question.get("answers", [])]
    return any(token_f1(text, answer) >= 0.6 for answer in wanted)


def of_training(every: list[dict[str, Any]]) -> Iterator[Example]:
    """Examples of ConditionalQA's training questions; those of held-out pages have no weight."""
    pages = pages_of(every)
    questions = [question for question in every if not question["not_answerable"]]
    ranker = Ranker(pages, questions)
    for i, question in enumerate(questions):
        origin = "held" if held_out(question) else "train"
        found = example(question, ranker.rank(i, question, 25), StandIns(pages), origin)
        if found is not None:
            yield found


def of_sample(home: Path) -> Iterator[Example]:
    """Examples of the questions on the sample corpus, as they are retrieved from it."""
    files = {
        "labelled": REPOSITORY / "examples" / "questions.json",
        "plain": REPOSITORY / "benchmarks" / "plain_questions.json",
    }
    with Workspace(Settings(home=home, corpus="sample")) as workspace:
        workspace.make_ledger()
        run_ingest(workspace, "sample", open_source(str(REPOSITORY / "examples" / "corpus")), Options())
        with workspace.view() as view:
            retriever = make_retriever("hybrid", view, workspace.embedder)
            for origin, path in files.items():
                for question in json.loads(path.read_text(encoding="utf-8")):
                    hits = retriever.retrieve(Inquiry(question["question"], question["scenario"]), limit=60)
                    found = example(question, candidates(hits, view.reading), ViewRules(view), origin)
                    if found is not None:
                        yield found


def fit(name: str, examples: list[Example]) -> dict[str, float]:
    """The weights of a model; prints how many answers would be right among those asserted, held out and by folds."""
    rows = [one for one in examples if one.model == name]
    names = DictVectorizer()
    matrix = names.fit_transform([one.features for one in rows])
    right = np.array([one.right for one in rows])
    weight = np.array([WEIGHTS[one.origin] for one in rows])
    origin = np.array([one.origin for one in rows])
    guesses = np.zeros(len(rows))
    for train, test in KFold(5, shuffle=True, random_state=0).split(rows):
        guesses[test] = _model(matrix[train], right[train], weight[train]).predict_proba(matrix[test])[:, 1]
    for place in ("held", "labelled", "plain"):
        here = origin == place
        shown = [f"from {level}: {_share(right, here & (guesses >= level))}" for level in _LEVELS]
        print(f"{name}, {place}: {_share(right, here)}; asserted", ", ".join(shown))
    return weights_of(names, _model(matrix, right, weight).coef_[0])


def _share(right: Any, at: Any) -> str:
    return f"{int(right[at].sum())} of {int(at.sum())}"


def _model(matrix: Any, right: Any, weight: Any) -> LogisticRegression:
    model = LogisticRegression(C=0.3, max_iter=5000, fit_intercept=False)
    return model.fit(matrix, right, sample_weight=weight)


def main() -> None:
    """Fit all three and write their weights."""
    training, home, out = map(Path, sys.argv[1:4])
    examples = [*of_training(json.loads(training.read_text(encoding="utf-8"))), *of_sample(home)]
    for name in MODELS:
        text = json.dumps({"weights": fit(name, examples)}, indent=0, sort_keys=True)
        (out / f"{name}_weights.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
