"""`epochs vacuum` and `corpora drop` say what remains, and fail where it should be gone."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import update

from clausegraph.indexes import files
from clausegraph.indexes.ledger.schema import FREEZING, epochs
from clausegraph.indexes.ledger.store import open_ledger
from clausegraph.indexes.views import open_view
from tests.app.cli.conftest import Cli, parsed
from tests.harness.writes import killed_at

NOW = ("--keep-epochs", "1", "--keep-days", "0")


@pytest.fixture
def home(cli: Cli, tmp_path: Path) -> Path:
    """Two epochs; the first has a page more."""
    pages = tmp_path / "pages"
    pages.mkdir()
    for name, text in (
        ("one", "The grant is £200."),
        ("two", "The Quillonby Office must reply within 10 working days."),
    ):
        (pages / f"{name}.html").write_text(f"<h1>{name}</h1><p>{text}</p>")
    assert cli("ingest", str(pages)).exit_code == 0
    (pages / "two.html").unlink()
    assert cli("ingest", str(pages)).exit_code == 0
    return tmp_path / "home"


def has_word(home: Path) -> bool:
    return any(b"quillonby" in path.read_bytes().lower() for path in home.rglob("*") if path.is_file())


def test_an_epoch_that_a_reader_holds(cli: Cli, home: Path) -> None:
    with open_ledger(home) as ledger, open_view(ledger, "default", 1):
        kept = cli("epochs", "vacuum", *NOW)
        assert kept.exit_code == 4
        assert (
            "NOT REMOVED: epoch 1 of corpus 'default' and what later ones do not show: a process reads" in kept.stdout
        )
        assert "run `clausegraph epochs vacuum` again then" in kept.stdout
        assert cli("epochs", "vacuum").exit_code == 0  # young: nothing was to go
    assert has_word(home)
    done = parsed(cli("epochs", "vacuum", *NOW, "--json"))
    assert (done["epochs"], done["remains"]) == (1, [])
    assert not has_word(home)


def test_a_reader_inside_a_transaction(cli: Cli, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "READERS_S", 0.05)
    with closing(sqlite3.connect(home / "ledger.db", isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM pages").fetchall()
        left = parsed(cli("epochs", "vacuum", *NOW, "--json"), code=4)
        assert left["remains"] == [f"{home / 'ledger.db'} and its log: a process is reading; wait for it or stop it"]
        assert parsed(cli("corpora", "drop", "default", "--yes", "--json"), code=4)["remains"] == left["remains"]
        again = cli("corpora", "drop", "default", "--yes")
        assert again.exit_code == 3 and "of what was dropped before remains" in again.stderr and has_word(home)
    assert "remains" not in cli("corpora", "drop", "default", "--yes").stderr  # which finishes it
    assert not has_word(home)


def test_what_a_killed_run_had_written(cli: Cli, home: Path, tmp_path: Path) -> None:
    """An epoch that is written to its end stays, which is said; one that is not is taken back, and its text goes."""
    (tmp_path / "pages" / "three.html").write_text("<h1>Three</h1><p>The Quillonby Office must pay the Roof Levy.</p>")
    with killed_at("open", home / "segments"):  # when all rows of epoch 3 are written
        cli("ingest", str(tmp_path / "pages"))
    said = cli("epochs", "vacuum", *NOW)
    assert said.exit_code == 0
    assert "kept: epoch 3 of a run that was killed; the next `clausegraph ingest` publishes it" in said.stdout
    assert has_word(home)
    with open_ledger(home) as ledger, ledger.write() as connection:
        connection.execute(update(epochs).where(epochs.c.number == 3).values(state=FREEZING))
    done = parsed(cli("epochs", "vacuum", *NOW, "--json"))
    assert (done["ready"], done["remains"], list(done["kept"])) == (None, [], ["2"])
    assert not has_word(home)
