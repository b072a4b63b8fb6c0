"""Large pages are read in a process with limits: what it may take, how it ends, and what it is told."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psutil
import pytest

from benchmarks.pages import FAMILIES, measure
from clausegraph.core.pages.read import PAGE_READERS, SourceDocument
from clausegraph.core.types import Reading
from clausegraph.ingestion.reading.page import ReadingLimits, read_page
from clausegraph.ingestion.reading.process import SMALL_PAGE, ReadingProcess, page_reading
from tests.harness.wait import until
from tests.ingestion.reading.pages import fat, large, page, slow

pytestmark = pytest.mark.integration

TIGHT = ReadingLimits(seconds=1, megabytes=100)


def children() -> list[psutil.Process]:
    """The reading processes of this one."""
    return [child for child in psutil.Process().children() if "clausegraph.ingestion.reading.child" in child.cmdline()]


@pytest.fixture(scope="module")
def reading() -> Iterator[ReadingProcess]:
    with closing(ReadingProcess(TIGHT)) as process:
        yield process
    assert not children()


def test_over_a_limit_a_page_is_a_reject_and_the_next_one_is_read(reading: ReadingProcess) -> None:
    usual = large()
    expected = read_page(usual)
    assert len(usual.raw) > SMALL_PAGE
    assert reading.read(usual, rules=False) == expected
    assert [reject.reason.partition(" (")[0] for reject in reading.read(slow(), rules=False)[1]] == [
        "reading it took more than 1 s of processor time"
    ]
    nothing, rejects = reading.read(fat(), rules=False)
    assert nothing == Reading("fat.html", None, ())
    assert rejects[0].what == "fat.html" and rejects[0].reason.startswith("reading it took more than 100 MB of memory")
    assert reading.read(usual, rules=False) == expected


def test_a_process_that_somebody_ended_is_started_again(reading: ReadingProcess) -> None:
    assert reading.read(large(), rules=False)[0].elements
    (child,) = children()
    child.kill()
    assert reading.read(large(), rules=False)[0].elements


def test_it_is_told_no_secret(reading: ReadingProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    reading.close()
    monkeypatch.setenv("CLAUSEGRAPH_LLM_KEY", "secret-of-a-test")
    reading.read(large(), rules=False)
    (child,) = children()
    assert "secret-of-a-test" not in " ".join(child.environ().values())


@pytest.mark.parametrize("how", [signal.SIGKILL, pytest.param(signal.SIGINT, marks=pytest.mark.long)])
def test_it_ends_with_the_run(how: signal.Signals, tmp_path: Path) -> None:
    """Also in the middle of a page: killed, or interrupted."""
    (tmp_path / "slow.html").write_bytes(slow().raw)
    program = (
        "import signal, sys\n"
        "from pathlib import Path\n"
        "from clausegraph.core.pages.read import SourceDocument\n"
        "from clausegraph.ingestion.reading.page import ReadingLimits\n"
        "from clausegraph.ingestion.reading.process import page_reading\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a job of a shell ignores it
        "with page_reading(ReadingLimits(seconds=600)) as read:\n"
        "    read(SourceDocument('slow.html', Path(sys.argv[1]).read_bytes()))\n"
    )
    words = [sys.executable, "-c", program, str(tmp_path / "slow.html")]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with subprocess.Popen(words, env=environment, stderr=subprocess.DEVNULL) as run:
        try:
            mine = psutil.Process(run.pid)
            until(mine.children)
            (child,) = mine.children()
            until(lambda: sum(child.cpu_times()[:2]) > 2)  # it has begun to read
            run.send_signal(how)
            until(lambda: run.poll() is not None)
            until(lambda: not child.is_running() or child.status() == psutil.STATUS_ZOMBIE)
        finally:
            left = mine.children(recursive=True) if run.poll() is None else []
            run.kill()
            for process in left:
                process.kill()


def test_small_pages_and_formats_of_yours_need_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    def read_mine(document: SourceDocument) -> tuple[Reading, tuple[()]]:
        return Reading(document.uri, None, ()), ()

    monkeypatch.setitem(PAGE_READERS, "text/mine", read_mine)
    mine = SourceDocument("mine", b"x" * (SMALL_PAGE + 1), "text/mine")
    before = children()
    with page_reading(TIGHT) as read:
        assert read(page("<p>You must pay.</p>"))[0].elements
        assert read(mine) == (Reading("mine", None, ()), ())
        assert children() == before


def test_a_page_of_too_many_bytes_is_not_read() -> None:
    with page_reading(ReadingLimits(page_bytes=1000)) as read:
        nothing, rejects = read(large())
    assert not nothing.elements
    assert rejects[0].reason.startswith("the page has 0.1 MB; the limit is 0.001 MB")


@pytest.mark.long
@pytest.mark.parametrize("size", [300_000, 1_000_000, 3_000_000])
@pytest.mark.parametrize("family", FAMILIES)
def test_hostile_pages_are_read_or_rejected(family: str, size: int) -> None:
    """Within the product's own limits: the process that reads them has no others."""
    limits = ReadingLimits()
    found = measure(family, size, limits)
    if found.rejected:
        assert found.rejected in ("rejected: time", "rejected: memory", "rejected: size")
    else:
        assert found.elements
        assert found.seconds <= limits.seconds + 1 and found.megabytes <= limits.megabytes


@pytest.mark.parametrize(
    "family", ["brackets", *(pytest.param(name, marks=pytest.mark.long) for name in FAMILIES if name != "brackets")]
)
def test_small_hostile_pages_are_read_far_below_the_limits(family: str) -> None:
    """Which is why they need no process: a fifth of the memory is enough for each."""
    found = measure(family, SMALL_PAGE, ReadingLimits(megabytes=100))
    assert found.elements and not found.rejected
