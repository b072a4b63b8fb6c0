"""Steps that know the gold evidence, and what rounds find: over the sample corpus, without a model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from clausegraph.app.services.engine_tables import TABLES, TableRow, check_rows, chosen_rows, measure_rows
from clausegraph.app.services.evaluation import EngineTrial, check_used, measure_engine
from clausegraph.app.workspace import Workspace
from clausegraph.core.errors import InputError
from clausegraph.core.inquiry import Inquiry
from clausegraph.eval.conditionalqa.dataset import ConditionalAnswer, Question, load_questions
from clausegraph.eval.conditionalqa.oracles import (
    GoldEvidence,
    OracleCommentor,
    OracleModule,
    evidence_by_round,
    helps,
)
from clausegraph.eval.conditionalqa.records import QUESTION_RECORD, QuestionRecord, RoundEvidence, make_record
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


def test_each_round_says_what_it_found(sample_workspace: Workspace, tmp_path: Path) -> None:
    trial = EngineTrial("loop", steps=(("validate", "oracle"), ("comment", "oracle")))
    assert trial.told == ("validate=oracle", "comment=oracle")
    records = measure_engine(sample_workspace, None, QUESTIONS[:6], trial, tmp_path / "run", None, no_progress)
    told = [record for record in records if record.rounds]
    assert {record.id for record in told} == {one.id for one in QUESTIONS[:6] if one.evidences}
    for record in told:
        assert 1 <= len(record.rounds) <= 4
        assert all(one.found < 1 for one in record.rounds[:-1])  # the oracle accepts what is complete, at once
    shares = evidence_by_round(records)
    assert [found for found, _ in shares] == sorted(found for found, _ in shares)
    with pytest.raises(InputError, match="there is no step 'read'"):
        measure_engine(
            sample_workspace, None, QUESTIONS[:1], EngineTrial("loop", steps=(("read", "x"),)), None, None, no_progress
        )
    with pytest.raises(InputError, match="there is no validator 'orakel'"):
        trial = EngineTrial("loop", steps=(("validate", "orakel"),))
        measure_engine(sample_workspace, None, QUESTIONS[:1], trial, None, None, no_progress)


def test_a_question_that_ended_keeps_what_its_last_round_had() -> None:
    def record(name: str, *found: float) -> QuestionRecord:
        made = make_record(replace(QUESTIONS[0], id=name), (ConditionalAnswer("x"),))
        return replace(made, rounds=tuple(RoundEvidence("text", one, 0.0) for one in found))

    assert evidence_by_round([record("a", 1.0), record("b", 0.5, 0.5, 1.0), record("c")]) == [
        (0.5, 0),
        (0.5, 0),
        (1, 0),
    ]
    assert evidence_by_round([record("c")]) == []


def test_tables_have_rows_that_go_on_and_are_shown_again(tmp_path: Path) -> None:
    assert set(TABLES) == {"systems", "triplets", "critics", "ablations", "facts", "steps"}
    for table in TABLES.values():
        assert len({row.name for row in table.rows}) == len(table.rows)
        for row in table.rows:
            check_used(row.trial)  # no row has what its engine would not look at
    rows = chosen_rows("ablations", ["oracle-critic", "rounds-2"])
    assert [row.name for row in rows] == ["rounds-2", "oracle-critic"]
    asked: list[Any] = []

    def ask(row: TableRow, place: Path) -> tuple[QuestionRecord, ...]:
        asked.append((row.trial.cassette, row.trial.record, place.name))
        return (make_record(QUESTIONS[0], QUESTIONS[0].answers),)

    found = measure_rows(rows, tmp_path, None, ask, record=True)
    assert list(found) == ["rounds-2", "oracle-critic"]
    assert asked == [(tmp_path / name / "cassette.jsonl", True, name) for name in found]
    with pytest.raises(InputError, match="has the run of no row"):
        measure_rows(rows, tmp_path, None, None)
    line = QUESTION_RECORD.dump_json(make_record(QUESTIONS[0], QUESTIONS[0].answers)).decode() + "\n"
    for name in found:
        (tmp_path / name).mkdir(exist_ok=True)
        (tmp_path / name / "answers.jsonl").write_text(line)
        (tmp_path / name / "engine.json").write_text('{"questions": 1, "seed": 1, "llm": "m"}')
    assert list(measure_rows(rows, tmp_path, None, None)) == list(found)
    other = tmp_path / "oracle-critic" / "engine.json"
    other.write_text('{"questions": 1, "seed": 2, "llm": "m"}')
    with pytest.raises(InputError, match="'oracle-critic' was measured with seed 2, row 'rounds-2' with 1"):
        measure_rows(rows, tmp_path, None, None)
    other.write_text('{"questions": 2, "seed": 1, "llm": "m"}')
    with pytest.raises(InputError, match="'oracle-critic' has 1 of 2 questions"):
        measure_rows(rows, tmp_path, None, None)
    with pytest.raises(InputError, match="row 'code-prompt' has 4 examples"):
        check_rows(TABLES["systems"].rows, None)
    with pytest.raises(InputError, match="has no row 'nine'"):
        chosen_rows("steps", ["nine"])
    with pytest.raises(InputError, match="there is no table 'nine'"):
        chosen_rows("nine", [])
