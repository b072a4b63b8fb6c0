"""What is said where an extra is missing: at each place that needs one."""

import re
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr
from typer.testing import CliRunner

from clausegraph.app.models import make_server
from clausegraph.app.servers.airflow import start_airflow
from clausegraph.app.services.doctor import _PACKAGES
from clausegraph.app.services.evaluation import measure_engine
from clausegraph.app.services.llamaindex import write_folder, write_neo4j
from clausegraph.app.workspace import Workspace
from clausegraph.core.errors import EXTRAS, ClauseGraphError, InputError, ModelError, SettingsError
from clausegraph.core.models.embedding import TransformersEncoder
from clausegraph.core.models.reranking import CrossEncoderReranker
from clausegraph.core.settings import Settings, load_settings
from clausegraph.core.telemetry.spans import start_telemetry
from clausegraph.eval.metrics import best_pairs
from clausegraph.indexes.ledger.store import open_database
from clausegraph.ingestion.rendering.process import PageRenderer
from clausegraph.query.retrieve.pagerank import build_network
from tests.harness.cli import made_app

ROOT = Path(__file__).parents[2]
NONE: Any = None  # what is never looked at
PLACES: list[tuple[str, type[ClauseGraphError], Callable[[Path, Settings], object]]] = [
    ("airflow", InputError, lambda home, _: start_airflow(home)),
    ("browser", SettingsError, lambda _home, _: PageRenderer(sys.executable, NONE, seconds=1, most=1)),
    ("llamaindex", InputError, lambda home, _: write_folder(NONE, home / "out")),
    ("llamaindex", InputError, lambda _home, settings: write_neo4j(NONE, "bolt://127.0.0.1:1", settings)),
    ("neo4j", SettingsError, lambda _home, settings: make_server(settings)),
    ("sentence-transformers", ModelError, lambda home, _: TransformersEncoder(home, None)),
    ("sentence-transformers", ModelError, lambda home, _: CrossEncoderReranker(str(home))),
    ("telemetry", SettingsError, lambda _home, _: start_telemetry("otlp")),
    ("eval", InputError, lambda home, settings: measure_engine(Workspace(settings), None, (), NONE, None, None, NONE)),
    ("eval", InputError, lambda _home, _: best_pairs([[1.0]])),
    ("postgres", SettingsError, lambda home, _: open_database(home, "postgresql://there/database")),
    ("pagerank", InputError, lambda _home, _: build_network([], [])),
]
COMMANDS = [
    ("neo4j", "cypher RETURN"),
    ("neo4j", "server neo4j --folder folder"),
    ("server", "serve"),
    ("server", "mcp"),
    ("eval", "eval conditionalqa --questions q.json"),
    ("eval", "eval passages --passages p.json --questions q.json"),
    ("pagerank", "eval passages --passages p.json --questions q.json"),
]


def hide(monkeypatch: pytest.MonkeyPatch, module: str) -> None:
    """Let this process find no such module."""
    monkeypatch.setitem(sys.modules, module, None)


@pytest.mark.parametrize(("extra", "error", "use"), PLACES)
def test_the_error_names_the_extra(
    extra: str,
    error: type[ClauseGraphError],
    use: Callable[[Path, Settings], object],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    settings = load_settings(home=tmp_path).model_copy(update={"neo4j_password": SecretStr("p")})
    hide(monkeypatch, EXTRAS[extra][-1])
    with pytest.raises(error, match=rf"{EXTRAS[extra][-1]}, not installed here: pip install 'clausegraph\[{extra}\]'"):
        use(tmp_path, settings)


@pytest.mark.parametrize(("extra", "words"), COMMANDS)
def test_the_command_names_the_extra_before_it_does_anything(
    extra: str, words: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    hide(monkeypatch, EXTRAS[extra][0])
    done = CliRunner().invoke(made_app(), ["--home", str(home), *words.split()])
    assert done.exit_code == InputError.exit_code
    assert f"pip install 'clausegraph[{extra}]'" in " ".join(done.output.split())
    assert not home.exists()


def test_extras_are_those_of_the_project() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    assert set(EXTRAS) == set(extras) - {"dev", "docs", "celery", "kubernetes"}  # of a checkout, and of Airflow itself
    (all_of_them,) = [line for line in extras["dev"] if line.startswith("clausegraph[")]
    assert set(re.findall(r"[\w-]+", all_of_them.partition("[")[2])) == set(EXTRAS) - {"airflow"}
    asked_for = {extra for extra, *_ in PLACES} | {extra for extra, *_ in COMMANDS}
    assert asked_for == set(EXTRAS)


def test_doctor_asks_for_what_is_always_installed() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    required = {re.match(r"[\w-]+", line).group().lower() for line in project["dependencies"]}  # type: ignore[union-attr]
    assert {name.lower() for name in _PACKAGES} <= required
