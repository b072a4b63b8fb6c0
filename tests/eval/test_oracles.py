"""Steps that know the gold evidence: over the sample corpus, without a model."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from clausegraph.app.services.evaluation import EngineTrial, measure_engine
from clausegraph.app.workspace import Workspace
from clausegraph.core.errors import InputError
from clausegraph.core.inquiry import Inquiry
from clausegraph.eval.conditionalqa.dataset import Question, load_questions
from clausegraph.eval.conditionalqa.oracles import (
    GoldEvidence,
    OracleCommentor,
    OracleModule,
    helps,
)
from clausegraph.ingestion.pipeline import no_progress
from clausegraph.query.retrieve.bank import make_retriever
from clausegraph.query.retrieve.graph import Offer, Topic
from clausegraph.query.steps.protocol import Acceptance, AskedKind, LookedUp, Module, Route, StepParts
from clausegraph.query.steps.rules import Lookup

pytestmark = [pytest.mark.integration, pytest.mark.long]

EXAMPLES = Path(__file__).parents[2] / "examples"
QUESTIONS = load_questions(EXAMPLES / "questions.json")
MISROUTED = Route(AskedKind.FACT, Module.GRAPH, (Topic("fishing licence", "topic"),))


@pytest.fixture(scope="module")
def parts(sample_workspace: Workspace) -> Iterator[StepParts]:
    with sample_workspace.view() as view:
        text = make_retriever("hybrid", view, sample_workspace.embedder)
        yield StepParts(view, sample_workspace.embedder, Lookup(view, sample_workspace.embedder, text, 60))


@pytest.fixture(scope="module")
def gold(parts: StepParts) -> GoldEvidence:
    return GoldEvidence.of(parts.view, QUESTIONS)


def inquiry_of(question: Question) -> Inquiry:
    return Inquiry(question.question, question.scenario)


def test_the_oracles_feedback_leads_to_the_evidence(parts: StepParts, gold: GoldEvidence) -> None:
    commentor, mended = OracleCommentor(parts, gold), 0
    for question in QUESTIONS[:12]:
        inquiry = inquiry_of(question)
        offer = Offer(parts.view, parts.embedder, inquiry)
        feedback = commentor.comment(inquiry, offer, MISROUTED, LookedUp(()), Acceptance(False, ""))
        if parts.notes.pop("oracle", None) is None:
            mended += 1
            assert helps(feedback, MISROUTED, inquiry, offer, parts.lookup, gold)
    assert mended


def test_the_oracle_chooses_the_module_that_finds_most(parts: StepParts, gold: GoldEvidence) -> None:
    router = OracleModule(parts, gold, "rules")
    routed = 0
    for question in QUESTIONS[:12]:
        inquiry = inquiry_of(question)
        route = router.route(inquiry, Offer(parts.view, parts.embedder, inquiry), [])
        if route is None or not route.topics or gold.question(inquiry) is None:
            continue
        routed += 1
        recalls = [
            gold.recall(inquiry, parts.lookup.find(inquiry, replace(route, module=module)).hits) or 0.0
            for module in Module
        ]
        assert gold.recall(inquiry, parts.lookup.find(inquiry, route).hits) == max(recalls)
    assert routed


def test_oracles_are_named_and_take_their_steps(sample_workspace: Workspace, tmp_path: Path) -> None:
    trial = EngineTrial("loop", steps=(("validate", "oracle"), ("comment", "oracle")))
    assert trial.told == ("validate=oracle", "comment=oracle")
    records = measure_engine(sample_workspace, None, QUESTIONS[:6], trial, tmp_path / "run", None, no_progress)
    assert [record.error for record in records] == [None] * 6
    with pytest.raises(InputError, match="there is no step 'read'"):
        measure_engine(
            sample_workspace, None, QUESTIONS[:1], EngineTrial("loop", steps=(("read", "x"),)), None, None, no_progress
        )
    with pytest.raises(InputError, match="there is no validator 'orakel'"):
        trial = EngineTrial("loop", steps=(("validate", "orakel"),))
        measure_engine(sample_workspace, None, QUESTIONS[:1], trial, None, None, no_progress)
