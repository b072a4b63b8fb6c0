"""kill -9 at any system call of a crawl: the next run completes, asks nothing again that was stored, and makes nothing
again that was paid for; what readers see is what an undisturbed crawl gives them."""

import random
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from sqlalchemy import func, select, update

from clausegraph.indexes.corpora import ensure_corpus, ensure_source, get_corpus, list_sources
from clausegraph.indexes.dump import dump_lines
from clausegraph.indexes.fetches import RESUMED_WITHIN_S, FetchRow, current_crawl, load_fetches
from clausegraph.indexes.ledger.schema import crawls, embeddings, extractions
from clausegraph.indexes.ledger.store import Ledger, open_ledger
from clausegraph.indexes.views import open_view
from clausegraph.ingestion.sources.shelf import LedgerShelf
from tests.harness.syscalls import Nursery, nursery
from tests.ingestion.web.town import CORPUS, FAST, Town, fee
from tests.ingestion.web.work import crawl

pytestmark = pytest.mark.integration
WORK = "tests.ingestion.web.work:crawl"


@pytest.fixture(scope="module")
def runner() -> Iterator[Nursery]:
    with nursery("tests.ingestion.web.work", "faiss") as made:
        yield made


@dataclass(frozen=True)
class Stored:
    """What a ledger holds of a site that changed: the state readers see, extractions and embeddings."""

    lines: list[str]
    extractions: int
    embeddings: int


def stored(ledger: Ledger) -> Stored:
    tables = [select(func.count()).select_from(table) for table in (extractions, embeddings)]
    with ledger.read() as connection:
        counts = [connection.execute(query).scalar_one() for query in tables]
    with open_view(ledger, CORPUS) as view:
        return Stored(dump_lines(view), *counts)


def asked_already(ledger: Ledger, town: Town) -> set[str]:
    """Paths that a killed crawl has stored; none where it had ended or never begun."""
    source = next(row for row in list_sources(ledger, get_corpus(ledger, CORPUS).id) if row.name == "town")
    number, goes_on = current_crawl(ledger, source.id)
    rows = load_fetches(ledger, source.id).values()
    found = [row for row in rows if row.crawl == number and row.outcome in ("page", "moved")]
    return {town.path(row.address) for row in found} if goes_on else set()


def change(town: Town, count: int) -> None:
    """One page in ten changes, others move, go, fail, or come; one is told twice."""
    for number in range(count):
        path = f"/permits/{number}.html"
        match number % 30:
            case 1 | 11 | 21:
                town.page(path, f"Permit {number}", fee(f"kind{number}", 900 + number), links=("/",))
            case 2:
                town.site.moved(path, f"/moved/{number}")
                town.page(f"/moved/{number}", f"Permit {number}", fee(f"kind{number}", 100 + number), links=("/",))
            case 3:
                town.site.error(path, 410)
            case 4:
                town.site.error(path, 500)
            case 5:
                town.page(path, f"Permit {number}", fee(f"kind{number}", 100 + number), links=("/new", "/new?utm_id=1"))
            case 6:
                town.site.moved(path, "/permits/0.html")
    town.page("/new", "New", fee("new", 17), links=("/new?print=1",))
    town.page("/new?print=1", "New", fee("new", 17), links=("/new?print=1",))


def sweep(town: Town, runner: Nursery, pages: int, kills: int, seed: int) -> None:
    limits = FAST | {"attempts": 1}
    arguments = {"location": town.site.url("/"), "limits": limits, "corpus": CORPUS}
    town.pages(pages)
    first = town.root / "first"
    crawl(str(first), **arguments)
    change(town, pages)
    undisturbed = town.root / "undisturbed"
    shutil.copytree(first, undisturbed)
    ended = runner.run(WORK, undisturbed, home=str(undisturbed), **arguments)
    assert not ended.error
    with open_ledger(undisturbed) as ledger:
        wanted = stored(ledger)
    moments = random.Random(seed)
    went_on = 0
    for kill in range(kills):
        home = town.root / f"killed-{kill}"
        shutil.copytree(first, home)
        at = moments.randint(1, len(ended.calls))
        died = runner.run(WORK, home, at, home=str(home), **arguments)
        assert not died.error, died.error
        with open_ledger(home) as ledger:
            before, known = stored(ledger), asked_already(ledger, town)
        town.site.asked.clear()
        report = crawl(str(home), **arguments)
        asked = set(town.site.counts())
        assert not asked & known, (at, sorted(asked & known)[:5])
        went_on += bool(known)
        with open_ledger(home) as ledger:
            after = stored(ledger)
        assert after == wanted, at
        assert before.extractions + report.chunks_extracted == after.extractions, at
        assert before.embeddings + report.texts_embedded == after.embeddings, at
        shutil.rmtree(home)
    assert went_on


def test_a_crawl_of_days_goes_on_after_its_last_reply(town: Town) -> None:
    """A day counts from there, not from the crawl's beginning."""
    corpus = ensure_corpus(town.ledger, CORPUS, {})
    source = ensure_source(town.ledger, corpus.id, "town", "web", "http://host.example/")

    def long_ago() -> None:
        with town.ledger.write() as connection:
            connection.execute(update(crawls).values(heard=time.time() - 2 * RESUMED_WITHIN_S))

    shelf = LedgerShelf.begun(town.ledger, corpus.id, source)
    long_ago()
    shelf.keep(FetchRow("http://host.example/", crawl=shelf.crawl, outcome="gone"))
    assert LedgerShelf.begun(town.ledger, corpus.id, source).crawl == shelf.crawl
    long_ago()
    aside = LedgerShelf(town.ledger, corpus.id, source)
    aside.keep(FetchRow("http://host.example/x", crawl=shelf.crawl, outcome="gone"))
    assert LedgerShelf.begun(town.ledger, corpus.id, source).crawl == shelf.crawl + 1


@pytest.mark.parametrize(("pages", "kills", "seed"), [(10, 2, 4), pytest.param(300, 100, 7, marks=pytest.mark.long)])
def test_a_crawl_that_is_killed(town: Town, runner: Nursery, pages: int, kills: int, seed: int) -> None:
    sweep(town, runner, pages, kills, seed)
