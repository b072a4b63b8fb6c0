"""The law for a site: after any sequence of edits, moves, failures, removals and returns the published state is that
of a clean crawl of what its pages last were, each page under the name that it has had from the beginning."""

import random
from pathlib import Path

import pytest

from clausegraph.indexes.corpora import list_sources
from clausegraph.indexes.dump import dump_lines
from clausegraph.indexes.fetches import load_fetches
from clausegraph.indexes.views import open_view
from clausegraph.ingestion.pipeline import ingest
from tests.harness.site import Site
from tests.ingestion.web.town import CORPUS, Town, fee, html
from tests.law.world import new_ledger

pytestmark = pytest.mark.integration


class Model:
    """What the site is meant to have: pages by number, with where each is now, and whether its server fails.

    Whether its links name the addresses too that pages have left (``keeps_links``), or only where they are now.
    """

    def __init__(self, seed: int, count: int, *, keeps_links: bool = True) -> None:
        self.keeps_links = keeps_links
        self.moves = random.Random(seed)
        self.at = {number: f"/p/{number}" for number in range(count)}
        self.name = dict(self.at)  # what a page is called from its first day on, until it is gone
        self.amount = {number: 100 + number for number in self.at}
        self.old: dict[str, str] = {}  # addresses that redirect
        self.failing: set[int] = set()
        self.gone: set[int] = set()

    def step(self) -> None:
        """Something happens to a page or two."""
        for number in self.moves.sample(sorted(self.at), 2):
            match self.moves.choice(("edit", "edit", "move", "fail", "heal", "remove", "return")):
                case "edit" if number not in self.failing:
                    self.amount[number] += 1000
                case "move" if number not in self.failing | self.gone:
                    new = f"/m/{number}-{self.moves.randrange(10**6)}"
                    self.old = {old: new if to == self.at[number] else to for old, to in self.old.items()}
                    self.old[self.at[number]] = new
                    self.at[number] = new
                case "fail" if number not in self.gone:
                    self.failing.add(number)
                case "heal":
                    self.failing.discard(number)
                case "remove" if number not in self.failing and len(self.gone) < 2:
                    self.gone.add(number)
                case "return" if number in self.gone:
                    self.gone.discard(number)
                    self.name[number] = self.at[number]

    def serve(self, site: Site, *, sound: bool = False) -> None:
        """Let a site answer so; a ``sound`` one fails nowhere, and serves what pages last were."""
        site.answers.clear()
        links = (*(self.old if self.keeps_links else ()), *(self.at[number] for number in sorted(self.at)))
        site.page("/", html("Permits", fee("town", 11)).replace("<main>", _nav(links) + "<main>"))
        for number, path in self.at.items():
            if number in self.gone:
                site.error(path, 404)
            elif number in self.failing and not sound:
                site.error(path, 500)
            else:
                site.page(path, html(f"Permit {number}", fee(f"kind{number}", self.amount[number])))
        if not sound:
            for old, new in self.old.items():
                site.moved(old, new)


def _nav(links: tuple[str, ...]) -> str:
    return "<nav>" + "".join(f'<a href="{link}">x</a>' for link in links) + "</nav>"


def names(town: Town) -> dict[str, str]:
    """What each page is called, by the address where it is now."""
    source = list_sources(town.ledger, 1)[0]
    return {row.address: row.uri for row in load_fetches(town.ledger, source.id).values() if row.raw_hash}


def follow(town: Town, seed: int, pages: int, steps: int, *, keeps_links: bool) -> None:
    model = Model(seed, pages, keeps_links=keeps_links)
    model.serve(town.site)
    town.run()
    for step in range(steps):
        model.step()
        model.serve(town.site)
        town.run()
        clean = clean_lines(town, model, town.root / f"clean-{seed}-{step}")
        assert town.state() == clean, (seed, step)
        assert town.uris() == sorted(["/", *(name for page, name in model.name.items() if page not in model.gone)])


def clean_lines(town: Town, model: Model, home: Path) -> list[str]:
    """A crawl from nothing of the site as it last was, with the first page as readers have it."""
    called = names(town)
    with new_ledger(home) as ledger:
        first = town.site.answers["/"]
        model.serve(town.site, sound=True)
        town.site.answers["/"] = first
        links = [model.at[number] for number in sorted(model.at) if number not in model.gone]
        listed = home.parent / f"{home.name}.txt"
        listed.write_text("\n".join(town.site.url(path) for path in ("/", *links)), encoding="utf-8")
        ingest(town.tools(ledger), CORPUS, town.source(str(listed), mode="auto"))
        with open_view(ledger, CORPUS) as view:
            lines = dump_lines(view)
    moved = {address: uri for address, uri in called.items() if address != uri}
    renamed = []
    for line in lines:
        called_so = line
        for address, uri in moved.items():
            called_so = called_so.replace(f'"town:{address}"', f'"town:{uri}"')
        renamed.append(called_so.replace(f":{town.site.port}", ""))
    return sorted(renamed)


@pytest.mark.parametrize(("seed", "keeps_links"), [(2, False), pytest.param(1, True, marks=pytest.mark.long)])
def test_a_site_and_a_clean_crawl_of_it(town: Town, seed: int, keeps_links: bool) -> None:
    follow(town, seed, pages=6, steps=3, keeps_links=keeps_links)


@pytest.mark.long
@pytest.mark.parametrize("keeps_links", [True, False])
@pytest.mark.parametrize("seed", range(10, 25))
def test_a_site_over_a_long_time(town: Town, seed: int, keeps_links: bool) -> None:
    follow(town, seed, pages=10, steps=12, keeps_links=keeps_links)


def test_the_law_sees_a_difference(town: Town) -> None:
    """The control: a page that was not followed is seen."""
    model = Model(3, 4)
    model.serve(town.site)
    town.run()
    model.amount[2] += 1
    assert town.state() != clean_lines(town, model, town.root / "clean")
