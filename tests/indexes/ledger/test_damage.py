"""Damage to the ledger, at any byte and in any cell: what reads ends as it should or with an error of ours."""

import json
import random
import shutil
import sqlite3
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Column
from typer.testing import CliRunner, Result

from clausegraph.core.errors import StorageError
from clausegraph.indexes.ledger.schema import members, metadata
from tests.app.cli.conftest import SAMPLE
from tests.harness.cli import made_app

HASHING = {"CLAUSEGRAPH_EMBEDDING_MODEL": "hashing"}
GARBAGE: tuple[Any, ...] = (
    "", "garbage", "{}", "[]", "null", "0", '{"a": 1}', '[["a", [1]]]', "[" * 5000, b"", b"\xff\xfe\x00", b"bytes",
    zlib.compress(b"{}"), zlib.compress(b"[1]"), zlib.compress(b'{"title": 1, "elements": [[1]]}'), 0, -1, 7, 2**62,
    -(2**63), 1.5, 1e308, float("inf"), None,
)  # fmt: skip


def ask(*words: str) -> Callable[[Path], Result]:
    def run(home: Path) -> Result:
        return CliRunner(env=HASHING).invoke(made_app(), [*words, "--home", str(home)])

    return run


@pytest.fixture(scope="session")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with three epochs of a few pages, their runs and a decision; never written to."""
    folder = tmp_path_factory.mktemp("damage")
    pages, home = folder / "pages", folder / "home"
    pages.mkdir()
    found = sorted(SAMPLE.rglob("*.html"))[:3]
    for page in found:
        shutil.copy(page, pages)
    assert ask("ingest", str(pages))(home).exit_code == 0
    (pages / found[0].name).unlink()
    assert ask("ingest", str(pages))(home).exit_code == 0
    assert ask("entities", "review")(home).exit_code == 0
    with closing(sqlite3.connect(home / "ledger.db")) as connection:
        names = [
            row[0]
            for row in connection.execute(
                "SELECT DISTINCT subject FROM supports WHERE until = 9223372036854775807 ORDER BY subject LIMIT 2"
            )
        ]
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert ask("entities", "merge", *names)(home).exit_code == 0
    assert ask("entities", "apply")(home).exit_code == 0
    return home


@pytest.fixture(scope="session")
def readings(sound: Path) -> list[Callable[[Path], Result]]:
    """Every command that reads, each with something there is."""
    with closing(sqlite3.connect(sound / "ledger.db")) as connection:
        (run,) = connection.execute("SELECT id FROM runs ORDER BY started DESC LIMIT 1").fetchone()
        (fact,) = connection.execute(
            "SELECT fact_id FROM supports WHERE until = 9223372036854775807 ORDER BY fact_id LIMIT 1"
        ).fetchone()
        (page,) = connection.execute("SELECT uri FROM pages ORDER BY id DESC LIMIT 1").fetchone()
    out = str(sound.parent / "out")
    return [
        ask("status"), ask("corpora", "list"), ask("epochs", "list"), ask("entities", "list"), ask("doctor"),
        ask("show", run), ask("show", fact), ask("show", page), ask("show", "no such title"),
        ask("search", "heating grant"), ask("ask", "How much is the heating grant?", "--trace"),
        ask("export", "--output", f"{out}.jsonl", "--force"),
        ask("export", "--output", f"{out}.csv", "--force"),
        ask("export", "--output", f"{out}.graphml", "--force"),
    ]  # fmt: skip


def fails(home: Path, readings: list[Callable[[Path], Result]]) -> Iterator[str]:
    """What the reading commands do that they must not: raise anything but their exit."""
    for read in readings:
        result = read(home)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            yield f"{result.exception!r:.300}"
        elif "Traceback" in result.output or result.exit_code not in range(6):
            yield result.output[-300:]


def with_damage(sound: Path, folder: Path, damage: Callable[[Path], object]) -> Path:
    home = folder / "home"
    shutil.rmtree(home, ignore_errors=True)
    shutil.copytree(sound, home)
    damage(home / "ledger.db")
    return home


def flip(chance: random.Random) -> Callable[[Path], None]:
    """Another value at a few places, or the end cut off."""

    def damage(path: Path) -> None:
        data = bytearray(path.read_bytes())
        if chance.random() < 0.1:
            del data[chance.randrange(len(data)) :]
        for _ in range(chance.choice((1, 4, 64))):
            if data:
                data[chance.randrange(len(data))] = chance.randrange(256)
        path.write_bytes(data)

    return damage


def rewrite(column: Column[Any], value: Any) -> Callable[[Path], None]:
    """The value in every row of the column, as far as the database takes it: keys are left unique."""

    def damage(path: Path) -> None:
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.execute("PRAGMA ignore_check_constraints=ON")
            table = column.table.name
            for (row,) in connection.execute(f"SELECT rowid FROM {table} ORDER BY rowid").fetchall():
                try:
                    connection.execute(f"UPDATE {table} SET {column.name} = ? WHERE rowid = ?", (value, row))
                except sqlite3.IntegrityError:
                    continue

    return damage


def cells(chance: random.Random, count: int) -> list[tuple[Column[Any], Any]]:
    columns = [column for table in metadata.sorted_tables for column in table.columns]
    return [(chance.choice(columns), chance.choice(GARBAGE)) for _ in range(count)]


def hold(sound: Path, folder: Path, readings: list[Callable[[Path], Result]], damages: dict[str, Any]) -> None:
    found = {name: list(fails(with_damage(sound, folder, damage), readings)) for name, damage in damages.items()}
    assert {name: problems for name, problems in found.items() if problems} == {}


def bytes_at(seeds: range) -> dict[str, Any]:
    return {f"bytes {seed}": flip(random.Random(seed)) for seed in seeds}


def cells_of(seed: int, count: int) -> dict[str, Any]:
    drawn = cells(random.Random(seed), count)
    return {f"{column.table.name}.{column.name} = {value!r:.40}": rewrite(column, value) for column, value in drawn}


def test_a_sound_ledger_is_read(sound: Path, readings: list[Callable[[Path], Result]]) -> None:
    assert [read(sound).exit_code for read in readings] == [0] * 8 + [3] + [0] * 5


def test_damage_at_a_few_places(sound: Path, tmp_path: Path, readings: list[Callable[[Path], Result]]) -> None:
    hold(sound, tmp_path, readings[::3], bytes_at(range(2, 4)) | cells_of(1, 5))


@pytest.mark.long
@pytest.mark.parametrize("part", range(10))
def test_damage_at_many_places(
    sound: Path, tmp_path: Path, readings: list[Callable[[Path], Result]], part: int
) -> None:
    hold(sound, tmp_path, readings, bytes_at(range(15 * part, 15 * part + 15)))


@pytest.mark.long
@pytest.mark.parametrize("table", metadata.sorted_tables, ids=lambda table: str(table.name))
def test_garbage_in_every_table(
    sound: Path, tmp_path: Path, readings: list[Callable[[Path], Result]], table: Any
) -> None:
    chance = random.Random(table.name)
    drawn = [(c, value) for c in table.columns for value in GARBAGE]
    some = chance.sample(drawn, min(12, len(drawn)))
    every = {f"{c.name} = {value!r:.40}": rewrite(c, value) for c, value in some}
    hold(sound, tmp_path, readings, every)


@pytest.mark.parametrize(
    ("sql", "named"),
    [
        ("UPDATE corpora SET settings = '{'", "table corpora, row 1, column settings"),
        ("UPDATE corpora SET newest = 'x'", "table corpora, column newest: str 'x' in row 1"),
        ("UPDATE runs SET started = 1e300", "table runs, column started: float"),
        ("UPDATE runs SET report = '[]'", "table runs, row"),
        ("UPDATE epochs SET summary = '{\"a\": 1}' WHERE number = 2", "table epochs, row 2, column summary"),
        ("UPDATE page_versions SET reading = x'00ff'", "table page_versions, row"),
        ("UPDATE page_versions SET title = x'00ff'", "table page_versions, column title: bytes"),
        ("UPDATE segments SET file = '../../etc'", "table segments, column file: str '../../etc' in row 1"),
        ("DELETE FROM page_versions", "there is no such row"),
    ],
)
def test_the_error_names_table_and_row(sound: Path, tmp_path: Path, sql: str, named: str) -> None:
    def damage(path: Path) -> None:
        with closing(sqlite3.connect(path)) as connection:
            connection.execute(sql)
            connection.commit()

    home = with_damage(sound, tmp_path, damage)
    said = [
        read(home)
        for read in (
            ask("status", "--json"),
            ask("pages", "--json"),
            ask("epochs", "list", "--json"),
            ask("ask", "Can I?", "--json"),
        )
    ]
    errors = [json.loads(one.stdout)["error"] for one in said if one.exit_code]
    assert any(error["type"] == StorageError.__name__ and named in error["message"] for error in errors), errors
    assert all("restore it from a backup" in error["message"] for error in errors)


def test_a_statement_on_a_page_that_the_epoch_lacks_is_damage(sound: Path, tmp_path: Path) -> None:
    with closing(sqlite3.connect(sound / "ledger.db")) as connection:
        (fact,) = connection.execute("SELECT max(fact_id) FROM supports WHERE until = 9223372036854775807").fetchone()
    home = with_damage(sound, tmp_path, rewrite(members.c.since, 2**40))
    error = json.loads(ask("show", fact, "--json")(home).stdout)["error"]
    assert error["type"] == StorageError.__name__ and "which it does not have; restore it" in error["message"]
