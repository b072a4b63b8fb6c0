"""The pinned floors: those that need no embedding model hold, and each file of them can be read."""

import tomllib
from pathlib import Path

import pytest

from clausegraph.app.services.evaluation import EngineTrial, measure_engine
from clausegraph.app.workspace import Workspace
from clausegraph.eval.conditionalqa.dataset import load_questions
from clausegraph.eval.conditionalqa.figures import engine_figures, missed, read_floors
from clausegraph.eval.conditionalqa.run import drawn
from clausegraph.ingestion.pipeline import no_progress

pytestmark = [pytest.mark.integration, pytest.mark.long]

REPOSITORY = Path(__file__).parents[2]
FLOORS = REPOSITORY / "eval" / "floors.toml"


@pytest.mark.parametrize("table", tomllib.loads(FLOORS.read_text("utf-8")))
def test_every_table_is_one_of_floors(table: str) -> None:
    assert {"questions", "failed", "f1"} <= read_floors(FLOORS, table).keys()
    runners = (REPOSITORY / "benchmarks" / "floors.py", Path(__file__))
    assert any(f'"{table}"' in one.read_text("utf-8") for one in runners), "nothing runs it"


def test_the_default_engine_holds_its_floors_on_the_sample_corpus(sample_workspace: Workspace) -> None:
    asked = drawn(load_questions(REPOSITORY / "examples" / "questions.json"), 15, 13)
    records = measure_engine(sample_workspace, None, asked, EngineTrial("loop"), None, 13, no_progress)
    figures = engine_figures(records)
    assert missed(figures, read_floors(FLOORS, "sample-loop-hashing")) == [], figures
