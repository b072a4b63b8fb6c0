"""Fit the two small linear models of spans in query/read on ConditionalQA's training questions, and print how they do.

    python -m benchmarks.fit_reader TRAIN_JSON query/read/weights.json

The pages of the training questions are not needed: the evidence elements of all questions about a page stand in
for it. Elements are ranked by MiniLM similarity to question and to scenario + question; 9 of 10 questions get their
own page first, as the hybrid retriever does. Both models are ridge regressions on token F1. The printed figures are of
the pages whose URL hash is below 0.3; the weights written are fitted on all pages, and hold no text of the questions.
Elements are fitted with the span weights that are installed in query/read: after a change there, run twice.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter, defaultdict
from hashlib import md5
from pathlib import Path
from typing import Any

import numpy as np
from sentence_transformers import SentenceTransformer
from sklearn.feature_extraction import DictVectorizer
from sklearn.linear_model import Ridge

from clausegraph.core.language.normalise import content
from clausegraph.core.tokens import packaged_model_path
from clausegraph.core.types import Element, PageKey, Reading
from clausegraph.eval.metrics import token_f1
from clausegraph.query.read.questions import QuestionKind, question_form
from clausegraph.query.read.spans import best_span, element_features, scaled_scores, span_candidates, span_features
from clausegraph.query.read.statements import Candidate, lead_in_text

ELEMENT = re.compile(r"<(\w+)>(.*)</\1>$", re.DOTALL)
Question = dict[str, Any]
Pages = dict[PageKey, Reading]
Ranked = list[list[Candidate]]
Weights = dict[str, float]
Rows = list[dict[str, float]]

Groups = list[tuple[Question, Rows, list[float]]]


def share(text: str) -> float:
    """A fixed number from 0 to 1 for a text."""
    return int(md5(text.encode(), usedforsecurity=False).hexdigest()[:6], 16) / 16**6


def held_out(question: Question) -> bool:
    return share(question["url"]) < 0.3


def is_yes_no(question: Question) -> bool:
    return any(text in ("yes", "no") for text, _ in question["answers"])


def pages_of(questions: list[Question]) -> Pages:
    """Evidence and condition elements by page; an item's lead-in is the paragraph it most often follows."""
    order: dict[str, dict[str, None]] = defaultdict(dict)
    leads: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for question in questions:
        last = None
        for html in question["evidences"]:
            if html.startswith("<p"):
                last = html
            elif last and html.startswith(("<li", "<tr")):
                leads[question["url"], html][last] += 1
        conditions = [html for _, found in question["answers"] for html in found]
        order[question["url"]] |= dict.fromkeys(h for h in [*question["evidences"], *conditions] if ELEMENT.match(h))
    return {PageKey("train", url): _reading(url, list(html), leads) for url, html in order.items()}


def _reading(url: str, order: list[str], leads: dict[tuple[str, str], Counter[str]]) -> Reading:
    anchors = {html: f"e{i}" for i, html in enumerate(order)}
    elements = []
    for html in order:
        match = ELEMENT.match(html)
        assert match is not None
        above = leads[url, html].most_common(1)
        lead = anchors.get(above[0][0]) if above else None
        elements.append(Element(anchors[html], match[1], html, " ".join(match[2].split()), lead_in=lead))
    return Reading(url.rpartition("/")[2].replace("-", " "), url, tuple(elements))


class Ranker:
    """Ranks the elements of the stand-in pages for a question."""

    def __init__(self, pages: Pages, questions: list[Question]) -> None:
        model = SentenceTransformer(str(packaged_model_path()), device="cpu")
        self._items = [(key, e) for key, reading in pages.items() for e in reading.elements]
        texts = [f"{pages[k].title}. {lead_in_text(e, pages[k])} {e.text}" for k, e in self._items]
        asked = [f"{q['scenario']} {q['question']}" for q in questions]
        self._elements = model.encode(texts, normalize_embeddings=True)
        self._questions = model.encode([q["question"] for q in questions], normalize_embeddings=True)
        self._scenarios = model.encode(asked, normalize_embeddings=True)

    def rank(self, index: int, question: Question, most: int) -> list[Candidate]:
        similarity = self._elements @ self._questions[index]
        score = 0.5 * similarity + 0.5 * (self._elements @ self._scenarios[index])
        if share(question["id"]) < 0.9:
            score = score + np.array([key.uri == question["url"] for key, _ in self._items])
        best = np.argsort(-score, kind="stable")[:most]
        return [Candidate(*self._items[i], float(score[i]), float(similarity[i])) for i in best]


def best_f1(text: str, question: Question) -> float:
    return max(token_f1(text, answer) for answer, _ in question["answers"])


def fit_spans(questions: list[Question], ranked: Ranked, pages: Pages) -> Weights:
    """On evidence elements in which some span has F1 of at least 0.5."""
    groups: Groups = []
    for question, found in zip(questions, ranked, strict=True):
        form, words = question_form(question["question"]), content(question["question"])
        for candidate in found:
            element = candidate.element
            cited = candidate.page.uri == question["url"] and element.html in question["evidences"]
            if is_yes_no(question) or not cited:
                continue
            spans, lead = span_candidates(element.text), lead_in_text(element, pages[candidate.page])
            scores = [best_f1(element.text[s.start : s.end], question) for s in spans]
            if max(scores, default=0.0) >= 0.5:
                rows = [span_features(form, element.tag, element.text, lead, s, words) for s in spans]
                groups.append((question, rows, scores))
    model, names = _span_model([group for group in groups if not held_out(group[0])])
    test = [group for group in groups if held_out(group[0])]
    got = [scores[int(np.argmax(model.predict(names.transform(rows))))] for _, rows, scores in test]
    print(f"span of the right element: F1 {np.mean(got):.3f}, best possible {np.mean([max(s) for *_, s in test]):.3f}")
    model, names = _span_model(groups)
    return weights_of(names, model.coef_)


def _span_model(groups: Groups) -> tuple[Ridge, DictVectorizer]:
    names = DictVectorizer()
    matrix = names.fit_transform([row for _, rows, _ in groups for row in rows])
    weight = [len(rows) ** -0.5 for _, rows, _ in groups for _ in rows]
    model = Ridge(alpha=3.0, fit_intercept=False, solver="sparse_cg", random_state=0)
    model.fit(matrix, [score for *_, scores in groups for score in scores], sample_weight=weight)
    return model, names


def fit_elements(questions: list[Question], ranked: Ranked, pages: Pages) -> Weights:
    """On the 25 best elements, with the spans that the weights in query/read choose: run after ``fit_spans``."""
    groups: Groups = []
    for question, found in zip(questions, ranked, strict=True):
        form, words = question_form(question["question"]), content(question["question"])
        if is_yes_no(question) or form.kind is not QuestionKind.SPAN:
            continue
        rows, scores = [], []
        for candidate, near in zip(found[:25], scaled_scores(found[:25]), strict=True):
            element = candidate.element
            lead = lead_in_text(element, pages[candidate.page])
            span = None if element.is_heading else best_span(form, words, element, lead)
            if span is not None:
                row = element_features(form, question["scenario"], words, candidate, near, lead)
                rows.append(row | {"span value": span[1]})
                scores.append(best_f1(element.text[span[0].start : span[0].end], question))
        if rows:
            groups.append((question, rows, scores))
    train, test = ([g for g in groups if held_out(g[0]) is held] for held in (False, True))
    model, names = _element_model(train)
    got = [scores[int(np.argmax(model.predict(names.transform(rows))))] for _, rows, scores in test]
    print(f"chosen element and span: F1 {np.mean(got):.3f}, first retrieved {np.mean([s[0] for *_, s in test]):.3f}")
    model, names = _element_model(groups)
    return weights_of(names, model.coef_)


def _element_model(groups: Groups) -> tuple[Ridge, DictVectorizer]:
    names = DictVectorizer()
    model = Ridge(alpha=10.0, fit_intercept=False)
    matrix = names.fit_transform([row for _, rows, _ in groups for row in rows])
    model.fit(matrix, [score for *_, scores in groups for score in scores])
    return model, names


def weights_of(names: DictVectorizer, values: Any) -> Weights:
    pairs = zip(names.get_feature_names_out(), values, strict=True)
    return {str(name): round(float(value), 4) for name, value in pairs if abs(value) >= 0.004}


def main() -> None:
    every = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    pages = pages_of(every)
    questions = [q for q in every if not q["not_answerable"]]
    ranker = Ranker(pages, questions)
    ranked = [ranker.rank(i, q, 60) for i, q in enumerate(questions)]
    path = Path(sys.argv[2])
    models = json.loads(path.read_text(encoding="utf-8"))
    models |= {name: fit(questions, ranked, pages) for name, fit in (("span", fit_spans), ("element", fit_elements))}
    path.write_text(json.dumps(models, indent=0, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
