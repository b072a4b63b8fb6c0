"""The command as its own process: what it loads, how it stops, and two at once."""

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from tests.app.cli.conftest import REPOSITORY, SAMPLE, Cli
from tests.harness.wait import PATIENCE_S, until

pytestmark = pytest.mark.integration

SIGNALS = pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), pytest.param(signal.SIGTERM, 143, marks=pytest.mark.long)]
)
FRONT_DOOR = REPOSITORY / "clausegraph.py"
MODELS = {"torch", "sentence_transformers", "llama_index", "transformers"}
PROBE = """
import json, sys
from clausegraph import main
codes = []
for words in json.loads(sys.argv[1]):
    sys.argv = ["clausegraph", *words]
    try:
        main()
    except SystemExit as stop:
        codes.append(stop.code or 0)
ours = {name for name in sys.modules if name.startswith("clausegraph.")}
print("LOADED", *sorted({name.partition(".")[0] for name in sys.modules} | ours))
print(*codes)
"""


def environment(**more: str) -> dict[str, str]:
    return os.environ | {"PYTHONIOENCODING": "utf-8"} | more


def finished(command: list[str], **more: str) -> subprocess.CompletedProcess[str]:
    """A process run to its end, with its output as UTF-8."""
    pipes = {"capture_output": True, "text": True, "encoding": "utf-8", "timeout": PATIENCE_S}
    return subprocess.run(command, check=False, env=environment(**more), **pipes)  # type: ignore[call-overload,no-any-return]


def run(*words: str, **more: str) -> subprocess.CompletedProcess[str]:
    return finished([sys.executable, str(FRONT_DOOR), *words], **more)


def loaded(*commands: list[str], codes: tuple[int, ...] = (0,)) -> set[str]:
    """The top-level modules, and all of ours, that commands load, one after the other."""
    done = finished([sys.executable, "-c", PROBE, json.dumps(commands)])
    *_, names, ended = done.stdout.splitlines()
    assert ended.split() == [str(code) for code in codes], done.stderr
    return set(names.split()[1:])


@pytest.mark.usefixtures("stocked")
def test_looking_up_and_getting_it_wrong_load_no_model() -> None:
    lists = ["status"], ["show", "heating-grant.html"], ["corpora", "list"], ["epochs", "list"]
    found = loaded(*lists, ["ingest", "nowhere"], ["ask", ""], codes=(0, 0, 0, 0, 2, 2))
    assert not found & MODELS and "faiss" not in found
    assert not loaded(["ask", "Can I?", "--corpus", "nope"], codes=(3,)) & MODELS  # a view knows FAISS


def test_help_loads_next_to_nothing_and_a_command_its_own_module_alone() -> None:
    found = loaded(["--help"], ["ask", "--help"], codes=(0, 0))
    assert not found & {*MODELS, "faiss", "sqlalchemy", "numpy", "lxml", "pydantic_settings"}
    here = "clausegraph.app.cli."
    ours = {name.removeprefix(here) for name in loaded(["ask", "--help"]) if name.startswith(here)}
    assert ours == {"main", "session", "output", "ask"}


HOLD = """
import sys
from pathlib import Path
from clausegraph.indexes.corpora import get_corpus
from clausegraph.indexes.ledger.leases import run_lease
from clausegraph.indexes.ledger.store import open_ledger
with open_ledger(Path(sys.argv[1])) as ledger:
    with run_lease(ledger, get_corpus(ledger, "default").id, "the-other-run"):
        print("held", flush=True)
        sys.stdin.read()
"""


def test_two_runs_at_once(stocked: Path, cli: Cli) -> None:
    command = [sys.executable, "-c", HOLD, str(stocked)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, env=environment(), **pipes) as holder:  # type: ignore[call-overload]
        assert holder.stdout.readline() == "held\n"
        refused = cli("ingest", str(SAMPLE), "--force")
        assert refused.exit_code == 4
        assert "the-other-run" in refused.stderr and str(holder.pid) in refused.stderr
        assert "the-other-run" in cli("status").stdout
        holder.communicate()
    assert cli("ingest", str(SAMPLE)).exit_code == 0


@SIGNALS
def test_interrupted_ingest_goes_on(tmp_path: Path, cli: Cli, number: int, code: int) -> None:
    pages = tmp_path / "pages"
    for copy in range(2):
        shutil.copytree(SAMPLE, pages / str(copy))
        for page in (pages / str(copy)).rglob("*.html"):
            page.write_bytes(page.read_bytes().replace(b"the ", b"the %d " % copy))  # no text twice
    ledger = tmp_path / "home" / "ledger.db"
    starter = "import signal, clausegraph; signal.signal(signal.SIGINT, signal.default_int_handler); clausegraph.main()"
    command = [sys.executable, "-c", starter, "ingest", str(pages)]  # a shell may start jobs that ignore SIGINT
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen(command, env=environment(), **pipes)  # type: ignore[call-overload]
    wait_for_run(ledger)
    process.send_signal(number)
    _, error = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == code, error
    assert "stored work is kept" in error and "Traceback" not in error
    assert " interrupted " in cli("status").stdout
    again = cli("ingest", str(pages))
    assert again.exit_code == 0 and "published epoch 1" in again.stdout, again.stderr
    assert "36 pages" in cli("status").stdout


def wait_for_run(ledger: Path) -> None:
    """Until a run has begun and stored its first pages."""
    until(lambda: ledger.exists() and count(ledger, "page_versions") > 0, every=0.02)


def count(ledger: Path, table: str) -> int:
    connection = sqlite3.connect(f"{ledger.as_uri()}?mode=ro", uri=True, timeout=5)
    try:
        return int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])
    except sqlite3.OperationalError:  # not made yet
        return 0
    finally:
        connection.close()


PRESSED = """
import os, signal, sys, clausegraph
signal.signal(signal.SIGINT, signal.default_int_handler)
class Pressed:
    def read(self): os.kill(os.getpid(), int(os.environ["SIGNAL"]))
sys.stdin = Pressed()
clausegraph.main()
"""


@pytest.mark.usefixtures("stocked")
@SIGNALS
def test_an_interrupted_look_says_nothing_of_stored_work(number: int, code: int) -> None:
    done = finished([sys.executable, "-c", PRESSED, "cypher", "-"], SIGNAL=str(int(number)))
    assert (done.returncode, done.stderr) == (code, "Error: stopped\n")


@pytest.mark.usefixtures("stocked")
@pytest.mark.parametrize(
    "words",
    [
        ["export", "-o", "out.csv"],
        pytest.param(["show", "heating-grant.html"], marks=pytest.mark.long),
        pytest.param(["status", "--json"], marks=pytest.mark.long),
    ],
)
def test_a_reader_that_has_enough(words: list[str]) -> None:
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "wb") as pipe:
        command = [sys.executable, str(FRONT_DOOR), *words]
        done = subprocess.run(command, check=False, env=environment(), stdout=pipe, stderr=subprocess.PIPE)
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.usefixtures("stocked")
def test_terminal_of_another_encoding() -> None:
    done = run("show", "heating-grant.html", PYTHONIOENCODING="ascii")
    assert done.returncode == 0 and "Winter Heating Grant" in done.stdout
