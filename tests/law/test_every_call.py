"""Deleted is gone: vacuum, drop, rollback and publish are killed at each system call that changes a file, run again,
and then nothing is left of what was removed, in no byte of any file, and what stays is lawful."""

import json
import shutil
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from clausegraph.indexes.corpora import get_corpus, list_corpora
from clausegraph.indexes.dump import dump_lines
from clausegraph.indexes.ledger.store import open_ledger
from clausegraph.indexes.response_cache import RESPONSES, FileResponseCache
from clausegraph.indexes.views import open_view
from tests.harness.syscalls import Nursery, nursery
from tests.law.gone import left_in, traces, unlisted
from tests.law.world import page_html

pytestmark = pytest.mark.integration

WORD = "quillonby"  # of the page that goes: in its name, its text, its vectors, and a reply that quotes it
PAGES = {
    "a": ["You can get the grant if you are over 65 and live in Lethmoor.", "The grant is £200 a year."],
    WORD: [f"You can get the {WORD} grant if you live in {WORD.title()}.", f"The office of {WORD} must reply."],
    "c": ["You must apply before 31 March 2026, except if you are in hospital."],
}
REMOVED = {name: PAGES[name] for name in ("a", "c")}  # adds no vector: the segments of epoch 1 stay as they are
EDITED = REMOVED | {"c": [*PAGES["c"], "You must be either a resident or a student."]}
OF_LAW = ["Lethmoor", "lethmoor", "hospital", WORD, WORD.title()]
WORK = "tests.law.commands:{}"


@dataclass(frozen=True)
class Stock:
    """Homes to begin from, and how those look that never had what is removed."""

    first: Path  # epoch 1, with the page
    second: Path  # epoch 2, without it
    edited: Path  # pages without it, and with a change
    first_lines: list[str]
    second_lines: list[str]  # of a clean build, as the law wants them
    edited_lines: list[str]
    page: dict[bytes, str]  # traces of the page
    corpus: dict[bytes, str]  # traces of the whole corpus


@pytest.fixture(scope="module")
def runner() -> Iterator[Nursery]:
    with nursery("tests.law.commands", "faiss") as made:
        yield made


@pytest.fixture(scope="module")
def stock(runner: Nursery, tmp_path_factory: pytest.TempPathFactory) -> Stock:
    root = tmp_path_factory.mktemp("every-call")
    first, second, clean, other, anew = (root / name for name in ("first", "second", "clean", "other", "anew"))
    pages, beside = root / "pages", root / "beside"
    write(pages, PAGES)
    write(beside, {"d": ["The fee of the library is £5."]})
    work(runner, "ingest", other, pages=str(beside), corpus="beside")
    for home in (first, clean, anew):
        shutil.copytree(other, home)
    work(runner, "ingest", first, pages=str(pages), corpus="law")
    plant_replies(first)
    shutil.copytree(first, second)
    write(pages, REMOVED)
    work(runner, "ingest", second, pages=str(pages), corpus="law")
    (second / "segments" / "2" / "chunk-00000009.1.tmp").write_bytes(WORD.encode())
    work(runner, "ingest", clean, pages=str(pages), corpus="law")
    write(pages, EDITED)  # the same folder, as the corpus knows it by its place
    work(runner, "ingest", anew, pages=str(pages), corpus="law")
    return Stock(
        first, second, pages, lines_of(first), lines_of(clean), lines_of(anew),
        traces(second, [WORD, WORD.title()], clean), traces(second, OF_LAW, other),
    )  # fmt: skip


def write(folder: Path, pages: dict[str, list[str]]) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name, paragraphs in pages.items():
        (folder / f"{name}.html").write_text(page_html(f"Page {name}", paragraphs), encoding="utf-8")


def plant_replies(home: Path) -> None:
    cache = FileResponseCache(home / RESPONSES, 10_000_000)
    for number in range(40):
        cache.put(f"key {number} of {WORD}", json.dumps({"text": f"{WORD} {number} " * 9}).encode())
    cache.close()


def lines_of(home: Path, corpus: str = "law") -> list[str]:
    with open_ledger(home) as ledger, open_view(ledger, corpus) as view:
        return dump_lines(view)


def work(runner: Nursery, name: str, home: Path, at: int = 0, **arguments: object) -> list[str]:
    """Run to its end, or until the call at which it is killed; the calls."""
    ended = runner.run(WORK.format(name), home, at, home=str(home), **arguments)
    assert ended.error == ""
    assert ended.killed == (at > 0)
    return ended.calls


def check_vacuumed(stock: Stock, home: Path, lines: list[str]) -> None:
    assert lines_of(home) == lines
    assert unlisted(home) == []
    assert left_in(home, stock.page) == []


def again_vacuum(runner: Nursery, stock: Stock, home: Path) -> None:
    work(runner, "vacuum", home, corpus="law")
    check_vacuumed(stock, home, stock.second_lines)


def again_drop(runner: Nursery, stock: Stock, home: Path) -> None:
    """The command that is run again may find the corpus gone; it finishes what the killed one began."""
    ended = runner.run(WORK.format("drop"), home, home=str(home), corpus="law")
    assert ended.error == "" or "no corpus named 'law'" in ended.error
    with open_ledger(home) as ledger:
        assert [corpus.name for corpus in list_corpora(ledger)] == ["beside"]
    assert unlisted(home) == []
    assert left_in(home, stock.corpus) == []


def again_rollback(runner: Nursery, stock: Stock, home: Path) -> None:
    with open_ledger(home) as ledger:
        assert get_corpus(ledger, "law").published in (1, 2)
    work(runner, "rollback", home, corpus="law", number=1)
    assert lines_of(home) == stock.first_lines
    work(runner, "rollback", home, corpus="law", number=2)
    again_vacuum(runner, stock, home)


def again_ingest(runner: Nursery, stock: Stock, home: Path) -> None:
    assert lines_of(home) in (stock.first_lines, stock.edited_lines)
    work(runner, "ingest", home, pages=str(stock.edited), corpus="law")
    work(runner, "vacuum", home, corpus="law")
    check_vacuumed(stock, home, stock.edited_lines)


def again_forget(runner: Nursery, stock: Stock, home: Path) -> None:
    """Readers get all of the page or nothing of it; the command that is run again may find nothing left to do."""
    assert lines_of(home) in (stock.first_lines, stock.second_lines)
    ended = runner.run(WORK.format("forget"), home, home=str(home), page=f"{WORD}.html")
    assert ended.error == "" or "it was forgotten on" in ended.error
    assert lines_of(home) == stock.second_lines
    assert unlisted(home) == []
    assert left_in(home, stock.page) == []


AGAIN = {
    "vacuum": again_vacuum, "drop": again_drop, "rollback": again_rollback, "ingest": again_ingest,
    "forget": again_forget,
}  # fmt: skip


def kill_and_run_again(runner: Nursery, stock: Stock, name: str, root: Path, step: int) -> Counter[str]:
    """At each ``step``-th call; returns the calls by name."""
    begun = stock.first if name in ("ingest", "forget") else stock.second
    more = {"rollback": {"number": 1}, "ingest": {"pages": str(stock.edited)}, "forget": {"page": f"{WORD}.html"}}
    arguments = ({} if name == "forget" else {"corpus": "law"}) | more.get(name, {})
    home = root / "whole"
    shutil.copytree(begun, home)
    calls = work(runner, name, home, **arguments)
    AGAIN[name](runner, stock, home)
    for at in range(1, len(calls) + 1, step):
        home = root / "home"
        shutil.copytree(begun, home)
        try:
            done = work(runner, name, home, at, **arguments)
            AGAIN[name](runner, stock, home)
        except AssertionError as error:
            error.add_note(f"killed at call {at} of {len(calls)}: {done[-1]}")
            raise
        shutil.rmtree(home)
    return Counter(call.split()[0] for call in calls[::step])


@pytest.mark.parametrize(
    ("name", "step"), [("vacuum", 300), ("forget", 180), pytest.param("drop", 230, marks=pytest.mark.long)]
)
def test_some_calls(runner: Nursery, stock: Stock, tmp_path: Path, name: str, step: int) -> None:
    kill_and_run_again(runner, stock, name, tmp_path, step)


@pytest.mark.long
@pytest.mark.parametrize("name", AGAIN)
def test_every_call(
    runner: Nursery, stock: Stock, tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    killed = kill_and_run_again(runner, stock, name, tmp_path, 1)
    with capsys.disabled():
        sys.stdout.write(f"\n{name}: killed at {killed.total()} calls: {dict(killed)}\n")
