"""From a file of passages to ranked chunks: extraction, the network of a view, both modes, and the figures."""

import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from clausegraph.core.errors import InputError
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.models.embedding import HashingEmbedder
from clausegraph.eval.passages import BASELINE, ROWS, SYSTEM, evaluate, load_questions
from clausegraph.indexes.ledger.store import Ledger, open_ledger
from clausegraph.indexes.views import View, open_view
from clausegraph.ingestion.extract.llm.lines import GivenExtractor
from clausegraph.ingestion.pipeline import Tools, ingest
from clausegraph.ingestion.report import RunReport
from clausegraph.ingestion.sources import PassagesSource
from clausegraph.query.retrieve.bank import Place, make_retriever
from clausegraph.query.retrieve.pagerank import network_around, network_for
from tests.harness.cli import made_app
from tests.query.passages.conftest import PASSAGES, QUESTIONS, SUPPORT

Write = Callable[[str, Any], Path]


@pytest.fixture(scope="module")
def embedder() -> HashingEmbedder:
    return HashingEmbedder(256)


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with open_ledger(tmp_path / "home") as ledger:
        yield ledger


def publish(ledger: Ledger, embedder: HashingEmbedder, path: Path) -> RunReport:
    source = PassagesSource(path)
    return ingest(Tools(ledger, embedder, GivenExtractor(source.passages())), "chain", source)


@pytest.fixture
def view(ledger: Ledger, embedder: HashingEmbedder, write: Write) -> Iterator[View]:
    publish(ledger, embedder, write("passages.json", PASSAGES))
    with open_view(ledger, "chain") as view:
        yield view


def test_recorded_triples_become_facts_and_malformed_ones_rejects(
    ledger: Ledger, embedder: HashingEmbedder, write: Write
) -> None:
    report = publish(ledger, embedder, write("passages.json", PASSAGES))
    with open_view(ledger, "chain") as view:
        supports = view.graph.all_supports()
    total = sum(len(passage["triples"]) for passage in PASSAGES)
    assert len(supports) + len(report.rejects) == total
    (reject,) = report.rejects
    assert "Saltrey" in reject.what
    (trained,) = [support for support in supports if support.statement.relation == "trained at"]
    assert trained.page.uri == "orla-fenwick"
    assert trained.statement.subject.surface == "Orla Fenwick"


def test_other_triples_of_the_same_text_are_published(ledger: Ledger, embedder: HashingEmbedder, write: Write) -> None:
    publish(ledger, embedder, write("passages.json", PASSAGES))
    changed = [{**PASSAGES[0], "triples": PASSAGES[0]["triples"][:1]}, *PASSAGES[1:]]
    report = publish(ledger, embedder, write("passages.json", changed))
    assert report.epoch == 2
    assert report.texts_embedded == 0
    with open_view(ledger, "chain") as view:
        stated = [s.statement.relation for s in view.graph.all_supports() if s.page.uri == "orla-fenwick"]
    assert stated == ["trained at"]
    again = publish(ledger, embedder, write("passages.json", changed))
    assert (again.epoch, again.pages_changed, again.pages_unchanged) == (None, [], len(PASSAGES))


def test_a_walk_finds_the_second_hop(view: View, embedder: HashingEmbedder) -> None:
    inquiry = Inquiry("Orla Fenwick trained at")
    hits = make_retriever("pagerank", view, embedder).retrieve(inquiry, limit=3)
    titles = [view.reading(hit.page).title for hit in hits]
    assert titles[0] == "Orla Fenwick"
    assert "Brimholt Works" in titles


def test_what_the_walk_does_not_reach_comes_behind(view: View, embedder: HashingEmbedder) -> None:
    whole = make_retriever(SYSTEM, view, embedder).retrieve(Inquiry(QUESTIONS[0]["question"]), limit=10)
    assert {hit.page for hit in whole} == set(view.page_keys())


def test_a_neighbourhood_has_what_the_whole_graph_has_near_the_seeds(view: View) -> None:
    facts = {fact.id: 1.0 for fact in view.graph.facts([s.fact_id for s in view.graph.all_supports()])}
    page = next(page for page in view.page_keys() if page.uri == "glass-painting")
    near: dict[Place, float] = {(page, view.reading(page).chunks[0].key): 0.5}
    whole, around = network_for(view, facts, near), network_around(view, facts, near)
    assert set(around.entities) <= set(whole.entities)
    assert set(near) <= set(around.places)
    assert network_for(view, facts, near) is whole
    few = network_around(view, {}, near, 1)
    assert set(few.places) == set(near)
    assert "glass painting" in few.entities


def test_every_ranking_is_measured_on_the_same_questions(view: View, embedder: HashingEmbedder, write: Write) -> None:
    asked = [*QUESTIONS, {"question": "Where?", "supporting_titles_texts": [SUPPORT[2], ["Nowhere", "No such text."]]}]
    seen: list[tuple[str, int, int]] = []
    result = evaluate(
        view, embedder, load_questions(write("questions.json", asked)), progress=lambda *step: seen.append(step)
    )
    assert (result.questions, result.supporting, result.unmatched) == (3, 5, 1)
    assert list(result.figures) == list(ROWS)
    for name, figures in result.figures.items():
        recalls = [record.recall(name) for record in result.records]
        assert recalls[2] <= 0.5  # what is not in the corpus stays in the denominator
        assert figures.recall == pytest.approx(sum(recalls) / 3)
        assert 0 <= figures.complete <= figures.recall <= 1
    expected = result.figures[SYSTEM].recall - result.figures[BASELINE].recall
    assert result.recall_difference.mean == pytest.approx(expected)
    assert seen[-1] == ("retrieve", 3, 3)
    assert result.records[2].missing == (False, True)


@pytest.mark.parametrize(
    ("questions", "problem"),
    [
        ([], "has no question"),
        ({}, "questions.json"),
        ([{"question": "Where?"}], "supporting_titles_texts"),
        ([{"question": "Where?", "supporting_titles_texts": []}], "record 0 has an empty question or no supporting"),
        ([{"question": " ", "supporting_titles_texts": [["T", "x"]]}], "record 0 has an empty question"),
        ([{"question": "Where?", "supporting_titles_texts": [["T"]]}], "record 0"),
    ],
)
def test_wrong_question_files_are_refused(write: Write, questions: Any, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        load_questions(write("questions.json", questions))


def test_questions_of_another_corpus_are_refused(view: View, embedder: HashingEmbedder, write: Write) -> None:
    path = write("questions.json", [{"question": "Where?", "supporting_titles_texts": [["T", "x"]]}])
    with pytest.raises(InputError, match="none of the 1 supporting passages"):
        evaluate(view, embedder, load_questions(path))


def test_the_command_prints_the_table(tmp_path: Path, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUSEGRAPH_EMBEDDING_MODEL", "hashing")
    run = partial(CliRunner().invoke, made_app())
    passages, questions = str(write("passages.json", PASSAGES)), str(write("questions.json", QUESTIONS))
    begin = ["eval", "passages", "--home", str(tmp_path / "cli"), "--quiet"]
    words = [*begin, "--passages", passages, "--questions", questions]
    shown = run(words)
    assert shown.exit_code == 0, shown.output
    for word in (*ROWS, "recall@5", "bootstrap"):
        assert word in shown.output
    found = json.loads(run([*words, "--json"]).stdout)
    assert set(found["rankings"]) == set(ROWS)
    assert (found["questions"], found["unmatched"]) == (2, 0)
    wrong = run([*begin, "--passages", questions, "--questions", questions, "--json"])
    assert wrong.exit_code == 2
    assert "key 'title' is missing" in json.loads(wrong.stdout)["error"]["message"]
