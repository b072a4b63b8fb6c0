"""Commands that read write nothing and wait for nobody: beside a writer, in a read-only home, on a full disk."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tests.app.reading.commands import NO_LEDGER, READING, WRITING, all_commands, failures
from tests.harness.cli import made_app

REPOSITORY = Path(__file__).resolve().parents[3]
SAMPLE = REPOSITORY / "examples" / "corpus"
PYTHON = f"{sys.executable} -m tests.app.reading.commands"


@pytest.fixture(scope="module")
def stocked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with two epochs, as a command leaves it that has ended."""
    folder = tmp_path_factory.mktemp("stocked")
    shutil.copytree(SAMPLE, folder / "pages")
    runner = CliRunner(env={"CLAUSEGRAPH_EMBEDDING_MODEL": "hashing", "CLAUSEGRAPH_HOME": str(folder / "home")})
    for _ in range(2):
        ended = runner.invoke(made_app(), ["ingest", str(folder / "pages"), "--quiet"])
        assert ended.exit_code == 0, ended.output
        (folder / "pages" / "street-trading-licence.html").unlink(missing_ok=True)
        (folder / "pages" / "new.html").write_text("<html><body><main><p>You may keep bees.</p></main></body></html>")
    return folder / "home"


@pytest.fixture
def home(stocked: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(stocked, tmp_path / "home"))


def state(home: Path) -> dict[str, tuple[int, int]]:
    """Every file with its size and time; SQLite's index of the log is made anew by whoever reads."""
    return {
        str(path.relative_to(home)): (path.stat().st_size, path.stat().st_mtime_ns)
        for path in home.rglob("*")
        if path.is_file() and not path.name.endswith(("-shm", "-wal"))
    }


def mounted(script: str, **places: Path) -> dict[str, Any]:
    """The JSON object that a shell which may mount says last; its mounts go with it."""
    names = {"HOME_FOLDER": str(places["home"]), "OUTPUT": str(places["output"])}
    for unshare in (["unshare", "--map-root-user", "--mount"], ["unshare", "--mount"]):
        command = [*unshare, "sh", "-ec", script]
        done = subprocess.run(
            command, check=False, env=os.environ | names, capture_output=True, text=True, cwd=REPOSITORY
        )
        if done.returncode == 0:
            return dict(json.loads(done.stdout.splitlines()[-1]))
    if "unshare" in done.stderr or "mount:" in done.stderr:
        pytest.skip(f"nothing can be mounted here: {done.stderr.strip()}")
    raise AssertionError(done.stderr)


def test_every_command_is_known_to_read_or_to_write() -> None:
    assert READING.keys() | WRITING | NO_LEDGER == all_commands()


def test_no_reading_command_waits_for_a_writer_or_changes_a_file(home: Path, tmp_path: Path) -> None:
    runner = CliRunner(env={"CLAUSEGRAPH_EMBEDDING_MODEL": "hashing", "CLAUSEGRAPH_HOME": str(home)})
    assert runner.invoke(made_app(), ["search", "bees"]).exit_code == 0  # keeps the index of words, which is a cache
    before = state(home)
    with closing(sqlite3.connect(home / "ledger.db", isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")  # all the time: whoever wants to write would fail after half a minute
        assert failures(home, tmp_path) == {}
        writer.execute("ROLLBACK")
    assert state(home) == before
    assert (tmp_path / "facts.jsonl").stat().st_size > 0


@pytest.mark.integration
@pytest.mark.parametrize("left", [pytest.param("nothing", marks=pytest.mark.long), "log"])
@pytest.mark.long  # that they write nothing is seen above, that they need no room below
def test_a_read_only_home_can_be_read(home: Path, tmp_path: Path, left: str) -> None:
    """As a command that has ended leaves it, or as one that was killed: with a log that no one has taken in."""
    if left == "log":
        saved = tmp_path / "saved"
        with closing(sqlite3.connect(home / "ledger.db")) as writer:
            writer.execute("UPDATE corpora SET published = 1")
            writer.commit()
            shutil.copytree(home, saved)
        shutil.rmtree(home)
        saved.rename(home)
        assert (home / "ledger.db-wal").stat().st_size > 0
    mount = 'mount --bind "$HOME_FOLDER" "$HOME_FOLDER"; mount -o remount,bind,ro "$HOME_FOLDER";'
    failed = mounted(
        f'{mount} if touch "$HOME_FOLDER/x" 2>/dev/null; then exit 1; fi; {PYTHON} "$HOME_FOLDER" "$OUTPUT"',
        home=home,
        output=tmp_path,
    )
    assert failed == {}
    lines = (tmp_path / "facts.jsonl").read_text(encoding="utf-8")
    assert ("bees" in lines) == (left == "nothing")  # the log says that readers get the first epoch


def filled(disk: Path, home: Path, spare: int) -> str:
    """What a shell does to have the home on a disk with so many bytes to spare, which a file then takes."""
    disk.mkdir()
    size = sum(path.stat().st_size for path in home.rglob("*") if path.is_file())
    mount = f'mount -t tmpfs -o size={size + spare} tmpfs "{disk}"; cp -r "$HOME_FOLDER" "{disk}/home"; '
    return f'{mount}cat /dev/zero > "{disk}/full" 2>/dev/null || true; '


@pytest.mark.integration
def test_a_home_on_a_full_disk_can_be_read(home: Path, tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    fill = filled(disk, home, 2_000_000)
    fill += f'if printf x 2>/dev/null > "{disk}/more" && test -s "{disk}/more"; then exit 1; fi; '
    failed = mounted(f'{fill} {PYTHON} "{disk}/home" "$OUTPUT"', home=home, output=tmp_path)
    assert failed == {} or set(failed) == {"doctor"}, failed
    assert failed == {} or "disk space" in failed["doctor"]


@pytest.mark.integration
@pytest.mark.long
def test_vacuum_makes_room_on_a_disk_with_a_megabyte(home: Path, tmp_path: Path) -> None:
    """What can be removed is, in small steps; what has no room to be done is said, with how much it wants."""
    disk = tmp_path / "disk"
    fill = filled(disk, home, 4_000_000) + f'truncate -s -1000000 "{disk}/full";'
    command = f'{sys.executable} -m clausegraph epochs vacuum --keep-epochs 1 --keep-days 0 --json --home "{disk}/home"'
    said = mounted(
        f'{fill} export CLAUSEGRAPH_EMBEDDING_MODEL=hashing; {command} > "$OUTPUT/said" || true; '
        f'{sys.executable} -c "import json, sys; print(json.dumps(json.load(open(sys.argv[1]))))" "$OUTPUT/said"',
        home=home,
        output=tmp_path,
    )
    assert said["epochs"] == 1 and said["rows"]["chunks"] > 0
    assert [what for what in said["remains"] if "is rewritten where there is room" in what and "free" in what]


VACUUM, DROP = "epochs vacuum --keep-epochs 1 --keep-days 0", "corpora drop default --yes"


@pytest.mark.integration
@pytest.mark.parametrize(
    ("command", "replies", "code", "says"),
    [
        (VACUUM, 0, 4, ["is full", "MB are needed for a while", "was removed first, 0 bytes"]),
        (VACUUM, 8_000_000, 0, ["epochs removed: 1"]),
        pytest.param(DROP, 0, 4, ["is full", "MB are needed for a while"], marks=pytest.mark.long),
        pytest.param(DROP, 8_000_000, 0, ["corpus 'default' is gone"], marks=pytest.mark.long),
    ],
)
def test_a_full_disk_is_told_and_freed_without_writing_first(
    home: Path, tmp_path: Path, command: str, replies: int, code: int, says: list[str]
) -> None:
    """The replies of models can be paid for again: their file goes first, and what it took is room to begin."""
    disk = tmp_path / "disk"
    if replies:
        (home / "responses.db").write_bytes(bytes(replies))
    fill = filled(disk, home, 100_000) + f'test "$(df --output=avail "{disk}" | tail -1)" -eq 0;'
    run = f'{sys.executable} -m clausegraph {command} --home "{disk}/home" > "$OUTPUT/said" 2>&1 && code=0 || code=$?'
    told = mounted(f'{fill} {run}; echo "{{\\"code\\": $code}}"', home=home, output=tmp_path)
    said = " ".join((tmp_path / "said").read_text(encoding="utf-8").split())
    assert told == {"code": code}, said
    assert [one for one in says if one not in said] == [], said
