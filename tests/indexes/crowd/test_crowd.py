"""Reading processes beside one that publishes and vacuums, all of them stopped at random moments."""

import logging
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from clausegraph.indexes.corpora import get_corpus, list_epochs
from clausegraph.indexes.ledger.store import Ledger, open_ledger
from clausegraph.indexes.vectors.segments import listed_segments
from tests.indexes.crowd.processes import CORPUS, publish

log = logging.getLogger(__name__)

pytestmark = pytest.mark.integration
REPOSITORY = Path(__file__).resolve().parents[3]
LONGEST_STOP_S = 0.3


def started(*words: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.indexes.crowd.processes", *map(str, words)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(command, cwd=REPOSITORY, text=True, **pipes)


def crowd(home: Path, readers: int, publishes: int, vacuums: int, seed: int) -> list[int]:
    """Let them run until the writer has ended; returns how many views each reader looked at."""
    with open_ledger(home) as ledger:
        publish(ledger, home.parent / "pages", 1)
    draw = random.Random(seed)
    reading = [started("read", home, seed + number) for number in range(readers)]
    writer = started("write", home, seed, publishes, vacuums)
    everybody = [*reading, writer]
    try:
        while writer.poll() is None and not any(one.poll() for one in reading):
            stopped = draw.choice(everybody)
            stopped.send_signal(signal.SIGSTOP)
            time.sleep(draw.random() * LONGEST_STOP_S)
            stopped.send_signal(signal.SIGCONT)
            time.sleep(draw.random() * LONGEST_STOP_S / 3)
        said = [one.communicate("end\n" if one in reading else "") for one in everybody]
    finally:
        for one in everybody:
            one.kill()
            one.wait()
    assert [(one.returncode, errors) for one, (_, errors) in zip(everybody, said, strict=True)] == [(0, "")] * len(said)
    return [int(output) for output, _ in said[:readers]]


def unlisted(ledger: Ledger) -> set[str]:
    """Files of the home that no row of the ledger accounts for."""
    corpus = get_corpus(ledger, CORPUS)
    epochs = [epoch.number for epoch in list_epochs(ledger, corpus.id)]
    known = {f"segments/{corpus.id}/{row.file}" for row in listed_segments(ledger, corpus.id)}
    known |= {f"readers/{corpus.id}-{number}" for number in epochs}
    known |= {"ledger.db", "ledger.db-shm", "ledger.db-wal"}
    return {str(path.relative_to(ledger.home)) for path in ledger.home.rglob("*") if path.is_file()} - known


def check(home: Path, readers: int, publishes: int, vacuums: int, seed: int) -> None:
    looked = crowd(home, readers, publishes, vacuums, seed)
    assert min(looked) > 0
    with open_ledger(home) as ledger:
        assert get_corpus(ledger, CORPUS).published == publishes + 1
        assert unlisted(ledger) == set()
    logging.getLogger(__name__).info(
        "%s views while %s epochs were published, with %s vacuums", looked, publishes, vacuums
    )


def test_two_readers_beside_a_writer(tmp_path: Path) -> None:
    check(tmp_path / "home", readers=2, publishes=3, vacuums=2, seed=1)


@pytest.mark.long
@pytest.mark.parametrize("seed", [1, 2])
def test_eight_readers_beside_a_writer(tmp_path: Path, seed: int) -> None:
    check(tmp_path / "home", readers=8, publishes=100, vacuums=40, seed=seed)
