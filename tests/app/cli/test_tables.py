"""Published tables measured with the commands of the product, over the sample corpus, with a fake model."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from clausegraph.app.services.engine_tables import TABLES
from tests.harness.cli import made_app
from tests.harness.fake_llm import FakeModelServer, FakeOptions

pytestmark = pytest.mark.integration

EXAMPLES = Path(__file__).parents[3] / "examples"
PAGE = EXAMPLES / "corpus" / "appeal-a-decision.html"
Measured = Callable[..., dict[str, Any]]


@pytest.fixture(scope="module")
def fake() -> Iterator[FakeModelServer]:
    with FakeModelServer(FakeOptions()) as server:
        yield server


@pytest.fixture
def measured(fake: FakeModelServer, tmp_path: Path) -> Measured:
    """Measures rows of a table: ``measured(table, documents, *options)``; half of the questions are examples."""
    asked = json.loads((EXAMPLES / "questions.json").read_text("utf-8"))
    for name, some in (("train", asked[::2]), ("dev", asked[1::2])):
        (tmp_path / f"{name}.json").write_text(json.dumps(some), "utf-8")
    set_to = {
        "HOME": str(tmp_path / "home"), "EMBEDDING_MODEL": "hashing", "LLM": "openai:fake-small", "LLM_URL": fake.url,
        "LLM_KEY": "none", "EXTRACTOR": "rules",
    }  # fmt: skip
    runner = CliRunner(env={f"CLAUSEGRAPH_{name}": value for name, value in set_to.items()})

    def run(*arguments: str) -> dict[str, Any]:
        done = runner.invoke(made_app(), ["--json", *arguments])
        assert done.exit_code == 0, done.output
        return json.loads(done.stdout) if done.stdout else {}

    def measure(table: str, documents: Path, *options: str) -> dict[str, Any]:
        files = ("--questions", str(tmp_path / "dev.json"), "--shots-from", str(tmp_path / "train.json"))
        return run("eval", "table", table, *files, "--documents", str(documents), "--output", str(tmp_path / "runs"),
                   "--sample", "3", *options)  # fmt: skip

    return measure


def test_plain_triples_have_a_corpus_of_their_own(measured: Measured) -> None:
    names = ("v1-0-shots-kg-only", "v1-4-shots-hybridcontextqa")
    rows = measured("triplets", PAGE, *(part for name in names for part in ("--row", name)))["rows"]
    assert list(rows) == list(names)
    assert [row["questions"] for row in rows.values()] == [3, 3]
    assert all(row["told"] == ["kind of answer, and whether it has conditions"] for row in rows.values())


@pytest.mark.long
@pytest.mark.parametrize("table", TABLES)
def test_every_row_of_every_table_is_measured(table: str, measured: Measured) -> None:
    rows = measured(table, EXAMPLES / "corpus")["rows"]
    assert list(rows) == [row.name for row in TABLES[table].rows]
    for name, row in rows.items():
        assert (row["questions"], row["most_calls"] <= 14) == (3, True), name
        assert row["calls"] >= 1, name
