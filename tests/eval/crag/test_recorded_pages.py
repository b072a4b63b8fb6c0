"""Ten questions over their pages that a strong model answered once, answered again from its recorded replies."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from clausegraph.app.models import make_embedder
from clausegraph.core.models.calls import ModelOptions
from clausegraph.core.models.embedding import Embedder
from clausegraph.core.models.guard import make_llm
from clausegraph.core.models.replay import Cassette
from clausegraph.core.pages.read import SourceDocument, read_document
from clausegraph.core.prompts import shipped_prompts
from clausegraph.core.settings import Settings
from clausegraph.eval.crag.dataset import CragCase, read_cases
from clausegraph.eval.crag.judge import CragJudge
from clausegraph.eval.crag.run import CragRecord, crag_figures, run_cases
from clausegraph.query.crag.engine import CragEngine
from clausegraph.query.crag.text import CragPage, PagesText
from clausegraph.query.crag.types import CragAnswer, CragOptions, CragSwitches, SentPage
from clausegraph.query.steps.model import ModelSteps
from tests.harness.shared_data import SHARED

pytestmark = [pytest.mark.integration, pytest.mark.long]

CASSETTE = Path(__file__).parent / "recorded" / "pages.jsonl"
FIGURES = (0.2, 0.1, 0.7)  # accuracy, hallucination, missing


@pytest.fixture(scope="module")
def cases() -> list[CragCase]:
    path = SHARED / "crag" / "crag_example.jsonl.bz2"
    if not path.is_file():
        pytest.skip(f"no questions with pages at {path}; set CLAUSEGRAPH_SHARED_DATA to the parent of crag/")
    return read_cases(path)


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return make_embedder(Settings())


@pytest.fixture
def steps() -> Iterator[ModelSteps]:
    options = ModelOptions("openai", "by-hand", "http://127.0.0.1:9/v1", "none", max_output=8192, json_mode="schema")
    with make_llm(options, cassette=Cassette(CASSETTE)) as llm:
        yield ModelSteps(llm, shipped_prompts())


def read(page: SentPage) -> CragPage:
    raw = page.html.encode("utf-8", "surrogatepass")
    reading, _ = read_document(SourceDocument(page.url, raw, title=page.name or None, url=page.url))
    return CragPage(page.url, reading, page.name, page.snippet, page.modified)


def replayed(cases: list[CragCase], embedder: Embedder, steps: ModelSteps) -> list[CragRecord]:
    engine = CragEngine(CragOptions(CragSwitches(seconds=0)), steps)

    def ask(case: CragCase) -> CragAnswer:
        return engine.answer(case.question, PagesText([read(page) for page in case.pages], embedder))

    return run_cases(cases, ask, CragJudge(steps), seconds=0)


def test_the_score_is_what_it_was(cases: list[CragCase], embedder: Embedder, steps: ModelSteps) -> None:
    records = replayed(cases, embedder, steps)
    assert not [one.failed for one in records if one.failed]
    found = crag_figures(records)
    assert (found.accuracy, found.hallucination, found.missing) == FIGURES
