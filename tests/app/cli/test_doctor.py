import sqlite3
from collections import namedtuple
from pathlib import Path

import pytest

from clausegraph.app.services import doctor
from tests.app.cli.conftest import Cli, parsed


def states(cli: Cli, code: int, *words: str) -> dict[str, str]:
    """The worst state of each check."""
    value = parsed(cli("doctor", *words, "--json"), code)
    assert value["sound"] == (code == 0)
    order = {"ok": 0, "warning": 1, "broken": 2}
    found: dict[str, str] = {}
    for one in value["findings"]:
        found[one["check"]] = max(found.get(one["check"], "ok"), one["state"], key=lambda state: order[state])
    return found


@pytest.mark.usefixtures("stocked")
def test_sound(cli: Cli) -> None:
    found = states(cli, 0)
    checks = ("ledger database", "ledger schema", "ledger rows", "vectors of default")
    assert {found[check] for check in checks} == {"ok"}
    assert cli("doctor").stdout.rstrip().endswith("all sound")


def test_nothing_ingested_yet_is_no_fault(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CLAUSEGRAPH_EMBEDDING_MODEL")
    found = states(cli, 0)
    assert found["ledger"] == "warning" and found["embedding model"] == "ok"
    assert not (tmp_path / "home").exists()


def test_damaged_and_missing_segments_are_found_and_rebuilt(cli: Cli, stocked: Path) -> None:
    first, second, *_ = sorted((stocked / "segments").rglob("*-0*"))
    first.write_bytes(b"damaged")
    second.unlink()
    assert states(cli, 1)["vectors of default"] == "broken"
    assert "`clausegraph audit --repair`" in cli("doctor").stdout
    assert cli("audit", "--repair").exit_code == 0
    assert states(cli, 0)["vectors of default"] == "ok"


def changed(home: Path, sql: str) -> None:
    with sqlite3.connect(home / "ledger.db") as connection:
        connection.execute(sql)
    connection.close()


def test_damaged_ledger(cli: Cli, stocked: Path) -> None:
    path = stocked / "ledger.db"
    data = bytearray(path.read_bytes())
    data[8192:200_000] = b"\xff" * (200_000 - 8192)
    path.write_bytes(data)
    assert states(cli, 1)["ledger database"] == "broken"


@pytest.mark.parametrize("version", ["0008", "9999"])
def test_a_ledger_of_another_version(cli: Cli, stocked: Path, version: str) -> None:
    changed(stocked, f"UPDATE alembic_version SET version_num = '{version}'")
    found = states(cli, 1)
    assert (found["ledger database"], found["ledger schema"]) == ("ok", "broken")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("UPDATE page_versions SET reading = x'00' WHERE id = 3", "table page_versions, row 3, column reading"),
        ("UPDATE embeddings SET data = x'0000807f'", "a number in it is infinite or none"),
        ("UPDATE runs SET started = 'yesterday'", "table runs, column started"),
    ],
)
def test_rows_that_cannot_be_read(cli: Cli, stocked: Path, change: str, said: str) -> None:
    changed(stocked, change)
    assert states(cli, 1)["ledger rows"] == "broken"
    details = {one["check"]: one["detail"] for one in parsed(cli("doctor", "--json"), 1)["findings"]}
    assert said in details["ledger rows"]


@pytest.mark.usefixtures("stocked")
@pytest.mark.parametrize(("free", "state", "code"), [(2 << 30, "ok", 0), (100 << 20, "warning", 0), (1, "broken", 1)])
def test_disk_space(cli: Cli, free: int, state: str, code: int, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(doctor.shutil, "disk_usage", lambda _: usage(1 << 40, 0, free))
    assert states(cli, code)["disk space"] == state


@pytest.mark.usefixtures("stocked")
def test_model_folder_lacks_files(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUSEGRAPH_EMBEDDING_MODEL", str(tmp_path))
    assert states(cli, 1)["embedding model"] == "broken"
    monkeypatch.setenv("CLAUSEGRAPH_EMBEDDING_MODEL", "some/hub-model")
    assert states(cli, 0)["embedding model"] == "warning"
