"""What a command says can be pasted; what was misspelt, kept or refused is said."""

import time
from pathlib import Path

import pytest
from sqlalchemy import update

from clausegraph.app.cli.session import Hints
from clausegraph.indexes.ledger.schema import epochs
from clausegraph.indexes.ledger.store import open_ledger
from clausegraph.indexes.views import open_view
from tests.app.cli.conftest import Cli, parsed


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    folder = tmp_path / "pages"
    folder.mkdir()
    return folder


def edit(pages: Path, edition: int) -> None:
    (pages / "one.html").write_text(f"<h1>One</h1><p>You can get the grant if you are over {edition}.</p>")


def test_hints_of_commands(cli: Cli, pages: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    edit(pages, 1)
    home = tmp_path / "else where"
    cli("ingest", str(pages), "--corpus", "mine", "--home", str(home))
    command = ["entities", "list", "--corpus", "mine", "--home", str(home)]
    assert f"`clausegraph entities review --corpus mine --home '{home}'`" in cli(*command).stdout
    missing = cli("ask", "Can I?", "--corpus", "yours", "--home", str(home)).stderr
    assert "ingest" not in missing and "give --corpus mine" in missing
    monkeypatch.setenv("CLAUSEGRAPH_HOME", str(home))  # what the environment says need not be said again
    monkeypatch.setenv("CLAUSEGRAPH_CORPUS", "mine")
    assert "`clausegraph entities review`" in cli("entities", "list").stdout
    assert "`clausegraph entities review`" in cli(*command).stdout


@pytest.mark.parametrize(
    "words", [["corpora", "list"], ["prompts", "list"], ["server", "stop"], ["dags", "stop"], ["status", "--json"]]
)
def test_every_command_says_what_is_misspelt(cli: Cli, words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUSEGRAPH_KEEP_DAY", "3")
    said = "Warning: not a setting: CLAUSEGRAPH_KEEP_DAY (did you mean CLAUSEGRAPH_KEEP_DAYS?)"
    assert [line for line in cli(*words).stderr.splitlines() if line.startswith(said)]
    assert said not in cli(*words, "--quiet").stderr


def test_vacuum_says_what_stays_and_why(cli: Cli, pages: Path, tmp_path: Path) -> None:
    for edition in range(1, 6):
        edit(pages, edition)
        assert cli("ingest", str(pages)).exit_code == 0
    assert cli("epochs", "rollback", "4").exit_code == 0
    with open_ledger(tmp_path / "home") as ledger, open_view(ledger, "default", 2):
        with ledger.write() as connection:
            old = time.time() - 40 * 86400
            connection.execute(update(epochs).where(epochs.c.number <= 3).values(created=old))
        said = cli("epochs", "vacuum", "--keep-epochs", "1").stdout.splitlines()
        assert said[:5] == [
            "epochs removed: 1, kept: 4",
            "  epoch 2: a reader holds it",
            "  epoch 3: an older one stays",
            "  epoch 4: readers get it, younger than 30 days (--keep-days 0)",
            "  epoch 5: younger than 30 days (--keep-days 0), the newest",
        ]
    again = parsed(cli("epochs", "vacuum", "--keep-epochs", "2", "--keep-days", "0", "--json"))
    assert again["kept"] == {"4": ["published", "newest"], "5": ["newest"]} and again["epochs"] == 2


@pytest.mark.usefixtures("stocked")
@pytest.mark.parametrize(
    ("name", "start"), [("out.csv", b"fact,subject"), ("out.GraphML", b"<?xml"), ("out.jsonl", b"{"), ("out", b"{")]
)
def test_a_file_is_what_its_name_ends_with(cli: Cli, tmp_path: Path, name: str, start: bytes) -> None:
    assert cli("export", "-o", str(tmp_path / name)).exit_code == 0
    assert (tmp_path / name).read_bytes().startswith(start)


@pytest.mark.parametrize(
    ("said", "completed"),
    [
        ("run `clausegraph entities apply`", "run `clausegraph entities apply --corpus 'my pages' --home /h`"),
        ("`clausegraph ingest X --corpus other`", "`clausegraph ingest X --corpus other --home /h`"),
        ("`clausegraph corpora list`", "`clausegraph corpora list --home /h`"),
        ("`clausegraph dags serve`, `make stop`", "`clausegraph dags serve`, `make stop`"),
    ],
)
def test_hints_name_corpus_and_home_where_they_matter(said: str, completed: str) -> None:
    assert Hints("my pages", Path("/h")).complete(said) == completed
    assert Hints().complete(said) == said
