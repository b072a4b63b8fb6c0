"""Questions that a strong model read once are read again from its recorded replies, to the same figures."""

import json
import random
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import pytest

from clausegraph.app.engines import labelled
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.models.calls import ModelOptions
from clausegraph.core.models.guard import make_llm
from clausegraph.core.models.replay import Cassette
from clausegraph.core.pages.read import read_document
from clausegraph.core.prompts import library
from clausegraph.core.types import PageKey
from clausegraph.eval.conditionalqa.dataset import ConditionalAnswer, Question, load_questions
from clausegraph.eval.conditionalqa.figures import answer_table
from clausegraph.eval.conditionalqa.records import make_record
from clausegraph.eval.conditionalqa.run import MOST_ANSWERS
from clausegraph.ingestion.sources import SourceDocument, open_source
from clausegraph.query.read.model.guide import read_guide
from clausegraph.query.read.model.labelled import Examples
from clausegraph.query.read.model.reader import ModelReader, ReadOptions
from clausegraph.query.read.protocol import ReadResult
from clausegraph.query.retrieve.bank import Hit
from clausegraph.query.steps.model import ModelSteps, QuestionLimits, QuestionMeter, QuestionUsage
from tests.harness.shared_data import SHARED
from tests.query.read.conftest import Pages

pytestmark = pytest.mark.integration

RECORDED = Path(__file__).parent / "recorded"
FIGURES = {  # F1, F1 with conditions
    "total": (0.8753, 0.8611), "yesno": (0.9628, 0.9294), "extractive": (0.8401, 0.8401),
    "conditional": (0.7874, 0.7374), "not_answerable": (0.5, 0.5),
}  # fmt: skip
PROMPT, PROMPT_TOKENS = "read.v5", 5500  # median, characters by four
Read = tuple[Question, ReadResult, QuestionUsage]


@dataclass(frozen=True)
class Material:
    questions: list[Question]
    examples: Examples
    pages: Pages
    hits: dict[str, list[Hit]]


@pytest.fixture(scope="module")
def material() -> Material:
    """Questions, examples, pages and hits of the run."""
    folder = SHARED / "conditionalqa"
    if not (folder / "documents.json").is_file():
        pytest.skip(f"no ConditionalQA data at {folder}; set CLAUSEGRAPH_SHARED_DATA to its parent")
    found = json.loads((RECORDED / "hits.json").read_text("utf-8"))
    uris = {uri for runs in found.values() for uri, *_ in runs}
    documents = (d for d in open_source(str(folder / "documents.json")).documents() if isinstance(d, SourceDocument))
    readings = {PageKey("cqa", d.uri): read_document(d)[0] for d in documents if d.uri in uris}
    hits = {
        name: [
            Hit.of_element(PageKey("cqa", uri), readings[PageKey("cqa", uri)].elements[number], score, {})
            for uri, numbers, scores in runs
            for number, score in zip(numbers, scores, strict=True)
        ]
        for name, runs in found.items()
    }
    drawn = random.Random(13).sample(list(load_questions(folder / "dev.json")), 40)
    questions = [question for question in drawn if question.id in hits]
    return Material(questions, Examples(map(labelled, load_questions(folder / "train.json"))), Pages(readings), hits)


@pytest.fixture(scope="module")
def read(material: Material) -> list[Read]:
    """Every question, read from its recorded reply."""
    options = ReadOptions(PROMPT, guide=read_guide(RECORDED / "guide.json"), examples=material.examples, dated=False)
    options = options.measured_on([labelled(question) for question in material.questions])
    model = ModelOptions("openai", "by-hand", "http://127.0.0.1:9/v1", "none")
    made = []
    with make_llm(model, cassette=Cassette(RECORDED / "replies.jsonl")) as llm:
        steps = ModelSteps(llm, library())
        for question in material.questions:
            meter = QuestionMeter(QuestionLimits(calls=1))  # one call: repairs are not recorded
            reader = ModelReader(None, steps.question(meter), options)
            inquiry = Inquiry(question.question, question.scenario)
            made.append((question, reader.read(inquiry, material.hits[question.id], material.pages), meter.usage()))
    return made


def test_recorded_replies_give_the_figures_that_were_measured(read: list[Read]) -> None:
    records = [
        make_record(
            question, tuple(ConditionalAnswer(a.text, a.open_conditions) for a in result.alternatives[:MOST_ANSWERS])
        )
        for question, result, _ in read
    ]
    table = answer_table(records)
    made = {group: (row["f1"], row["f1_with_conditions"]) for group, row in table.items() if row["questions"]}
    assert made == {group: pytest.approx(pair, abs=0.0005) for group, pair in FIGURES.items()}
    assert median(usage.prompt_tokens for *_, usage in read) == PROMPT_TOKENS
    assert all(usage.calls == 1 and not result.reasons["repaired"] for _, result, usage in read)


def test_every_citation_of_the_recorded_answers_stands_on_its_page(material: Material, read: list[Read]) -> None:
    for _, result, _ in read:
        for alternative in result.alternatives:
            assert alternative.evidence
            for evidence in alternative.evidence:
                elements = {e.anchor: e for e in material.pages.reading(evidence.page).elements}
                assert evidence.quote in elements[evidence.span.anchor].text


def test_sentences_of_the_recorded_answers_cite_what_stands_on_a_page(material: Material, read: list[Read]) -> None:
    for _, result, _ in read:
        assert result.sentences or not result.alternatives
        for evidence in (one for sentence in result.sentences for one in sentence.evidence):
            elements = {e.anchor: e for e in material.pages.reading(evidence.page).elements}
            assert evidence.quote in elements[evidence.span.anchor].text
            assert not elements[evidence.span.anchor].is_heading
