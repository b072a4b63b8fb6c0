"""Extraction, answers, judges and every prompt of an engine with a real, very small model.

What it says is mostly wrong, and nothing unfounded may come through. Minutes on a busy machine.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from clausegraph.app.services.ask import answer
from clausegraph.app.workspace import Workspace
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.prompts import library
from clausegraph.core.settings import Settings
from clausegraph.core.types import Answer, AnswerStatus
from clausegraph.eval.crag.judge import CragJudge
from clausegraph.indexes.ledger.store import open_ledger
from clausegraph.indexes.views import open_view
from clausegraph.query.steps.model import ModelSteps
from tests.harness.cli import made_app
from tests.harness.home import run
from tests.harness.real_model import needs_model, real_model

pytestmark = [pytest.mark.long, pytest.mark.integration, needs_model]
GUIDE = Path(__file__).parents[2] / "prompts" / "guides" / "conditionalqa.json"
PAGE = (
    "<html><head><title>Winter Grant</title></head><body><main><h1>Winter Grant</h1><h2>Who can get it</h2>"
    "<p>You can get the winter grant if you are over 65.</p><h2>How much</h2>"
    "<p>The winter grant pays {} a year to every household.</p></main></body></html>"
)


@pytest.fixture(scope="module")
def served() -> Iterator[dict[str, str]]:
    with real_model() as settings:
        yield settings


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "pages"
    made.mkdir()
    (made / "grant.html").write_text(PAGE.format("£210"), encoding="utf-8")
    return made


def settings_for(home: Path, served: dict[str, str], **more: Any) -> Settings:
    made: dict[str, Any] = {"home": home, "embedding_model": "hashing", "llm_attempts": 1, **served}
    return Settings(**(made | {"llm_max_output": 200} | more))


def test_what_it_states_of_a_page_is_on_the_page_or_refused(
    tmp_path: Path, folder: Path, served: dict[str, str]
) -> None:
    settings = settings_for(tmp_path / "home", served)
    report = run(settings, folder)
    assert all(one.reason for one in (*report.failures, *report.rejects))
    assert report.usage["rules"]["failed"] == 0 and report.usage["rules"]["output_tokens"] > 0
    assert report.failures or report.rejects or report.epoch
    if report.epoch:
        with open_ledger(settings.home) as ledger, open_view(ledger, "default") as view:
            for rule in view.graph.all_rules():
                says = {one.anchor: one.text for one in view.reading(rule.page).elements}
                assert all(span.text in says[span.anchor] for span in rule.rule.spans)


def founded(found: Answer) -> None:
    """An answer quotes the page, and has no number that neither the page nor the question has."""
    assert found.status in AnswerStatus
    for one in found.alternatives:
        assert one.evidence and all(place.quote in PAGE.format("£210") for place in one.evidence)
        digits = {word for word in one.text.split() if any(map(str.isdigit, word))}
        assert digits <= set(f"{PAGE.format('£210')} {found.inquiry.text}".replace("<", " ").split())


@pytest.mark.parametrize(
    ("engine", "more"),
    [("single-pass", {}), ("single-pass", {"reader_guide": GUIDE}), ("loop", {}), ("hybgrag", {}), ("plain-rag", {})],
)
def test_an_answer_is_founded_or_there_is_none(
    tmp_path: Path, folder: Path, served: dict[str, str], engine: str, more: dict[str, Any]
) -> None:
    settings = settings_for(tmp_path / "home", served, extractor="rules", **more)
    run(settings, folder)
    with Workspace(settings) as workspace:
        inquiry = Inquiry("How much does the winter grant pay?", "I am 70 and I rent.")
        found = answer(workspace, "default", inquiry, engine=engine)
    if engine in ("single-pass", "loop"):  # the published systems show the model's reply as it is
        founded(found)
        assert served["llm"] in str([step.detail for step in found.trace])
    assert "<<<" not in str(found.alternatives)


def test_judges_say_what_code_can_read_or_that_they_did_not(
    tmp_path: Path, folder: Path, served: dict[str, str]
) -> None:
    settings = settings_for(tmp_path / "home", served, extractor="rules")
    run(settings, folder)
    (folder / "grant.html").write_text(PAGE.format("£210").replace("if you are over", "from the age of"), "utf-8")
    run(settings, folder)
    environment = {f"CLAUSEGRAPH_{name.upper()}": str(value) for name, value in served.items()}
    environment |= {"CLAUSEGRAPH_HOME": str(settings.home), "CLAUSEGRAPH_EMBEDDING_MODEL": "hashing"}
    for command in (["diff", "--ask", "--json"], ["contradictions", "--ask", "--json"]):
        result = CliRunner(env=environment | {"CLAUSEGRAPH_LLM_MAX_OUTPUT": "100"}).invoke(made_app(), command)
        assert result.exit_code in (0, 5), result.output
    with Workspace(settings) as workspace:
        judge = CragJudge(ModelSteps(workspace.model, library(None)))
        graded = judge.grade("Who pays the grant?", ["the Winter Office"], "It is paid by the office for winter.")
    assert graded.by in ("judge", "unjudged") and graded.why
