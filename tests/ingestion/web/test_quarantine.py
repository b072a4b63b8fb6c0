"""Broken crawls are held in quarantine, and ordinary large updates are not; what a person then decides."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from clausegraph.core.errors import InputError
from clausegraph.indexes.corpora import get_corpus, get_run
from clausegraph.indexes.ledger.leases import run_lease
from clausegraph.indexes.vacuum import vacuum
from clausegraph.indexes.work import held_runs
from clausegraph.ingestion import quarantine
from clausegraph.ingestion.report import RunReport
from tests.ingestion.web.town import CORPUS, Town, fee, html

pytestmark = pytest.mark.integration
COUNT = 12
TOPICS = ("dog", "fishing", "market stall", "taxi", "skip", "busking", "boat", "bonfire", "beehive", "allotment",
          "garage", "street party")  # fmt: skip
NAMES = tuple(f"/permits/{number}.html" for number in range(COUNT))
FRENCH = (
    "Vous devez payer une somme pour obtenir une autorisation de la mairie. Cette autorisation reste valable pendant "
    "plusieurs années. Vous pouvez la demander au guichet si vous habitez la commune depuis longtemps. Le guichet est "
    "ouvert chaque matin, sauf le dimanche et les jours fériés, et la réponse vous parvient par courrier sous peu."
)
LOGIN = html("Sign in", "Please sign in with your account and password to go on.")
Pages = dict[str, str]  # path → HTML


def page(number: int) -> str:
    topic = TOPICS[number]
    rules = f"We refuse a {topic} permit where neighbours of the {topic} object within {number + 10} days."
    proof = f"Bring proof of address, insurance for the {topic}, and two photographs taken this year."
    return html(f"{topic.capitalize()} permit", fee(topic, 100 + number), rules, proof, links=("/",))


def town_pages() -> Pages:
    return {"/": html("Permits of the town", fee("town", 11), links=NAMES)} | {
        path: page(number) for number, path in enumerate(NAMES)
    }


def each(change: Callable[[str], str], every: int = 1) -> Callable[[Pages], Pages]:
    """The change, made to every so-many-th page but the first one, which links to the others."""
    return lambda pages: {
        path: change(text) if path != "/" and number % every == 0 else text
        for number, (path, text) in enumerate(pages.items())
    }


def sub(pattern: str, by: str) -> Callable[[str], str]:
    return lambda text: re.sub(pattern, by, text, flags=re.DOTALL)


def body(text: str) -> Callable[[str], str]:
    """Another text in the main part of a page."""
    return sub("<main>.*</main>", f"<main><h1>Permits</h1><p>{text}</p></main>")


def without(count: int) -> Callable[[Pages], Pages]:
    """The site with so many pages less, and no link to them."""
    gone = NAMES[:count]

    def change(pages: Pages) -> Pages:
        left = {path: text for path, text in pages.items() if path not in gone}
        return left | {"/": html("Permits of the town", fee("town", 11), links=NAMES[count:])}

    return change


def french(text: str) -> str:
    """A page of its own in another language."""
    name = re.findall(r"<title>(\w+)", text)[0]
    return body(f"{FRENCH} {name} {name}.")(text)


BROKEN: dict[str, tuple[Callable[[Pages], Pages], str]] = {
    "half of it is missing": (without(6), "gone from the source"),
    "login wall": (each(lambda _: LOGIN), "asks to log in"),
    "cookie wall": (
        each(body("We use cookies. Accept all cookies to read on.")),
        "no main text",
    ),
    "error page with status 200": (each(body("Something went wrong. Try again later.")), "says that something went"),
    "another language": (each(french), "is in another language"),
    "the same text everywhere": (each(body(fee("general", 1) * 3)), "has the same text as others"),
    "the main text is lost": (each(sub("<p>.*</p>", "<p>Permits of the town.</p>")), "has"),
    "every page is empty": (each(sub("<p>.*</p>", "")), "has"),
}
ORDINARY: dict[str, Callable[[Pages], Pages]] = {
    "every amount rises": each(sub(r"\d+ EUR", "999 EUR")),
    "a banner about cookies on every page": each(sub("<main>", "<main><p>We use cookies. Accept or reject them.</p>")),
    "a sentence more on every page": each(sub("</main>", "<p>Permits are checked by wardens of the town.</p></main>")),
    "a fifth of the pages is gone": without(2),
    "every page is laid out anew": each(sub("<p>(.*?)</p>", r"<section><ul><li>\1</li></ul></section>")),
    "every title has the town's name": each(sub("<title>", "<title>Lethmoor: ")),
    "the order of paragraphs is turned": each(sub("(<p>.*?</p>)(<p>.*?</p>)", r"\2\1")),
    "a third of every page goes": each(sub("<p>Bring .*?</p>", "")),
    "words are changed on every page": each(sub("You can apply for", "Residents ask us for")),
    "a quarter of the pages is written anew": each(body(FRENCH), 4),
    "log in is named on every page": each(sub("</main>", "<p>Log in to your account to pay online.</p></main>")),
    "years are counted in months": each(sub("for (.) years", r"for \1 times twelve months")),
    "headings are added": each(sub("<p>We refuse", "<h2>When we say no</h2><p>We refuse")),
    "you is the applicant": each(sub("You", "The applicant")),
    "a notice that the page was moved": each(sub("<main>", "<main><p>This page moved here in May.</p>")),
    "two pages ask to log in": lambda pages: pages | dict.fromkeys(NAMES[:2], LOGIN),
    "as many pages again": lambda pages: (
        pages
        | {f"/more/{number}.html": page(number).replace("permit", "licence") for number in range(COUNT)}
        | {
            "/": html(
                "Permits of the town", fee("town", 11), links=(*NAMES, *(f"/more/{n}.html" for n in range(COUNT)))
            )
        }
    ),
    "every page is half as long again": each(sub("</main>", f"<p>{fee('new', 3)}</p></main>")),
    "dates are added": each(sub("<main>", "<main><p>Reviewed on 4 May 2026.</p>")),
    "tables take the place of a paragraph": each(
        sub("<p>Bring (.*?)</p>", r"<table><tr><th>Bring</th></tr><tr><td>\1</td></tr></table>")
    ),
}
_LONG = [pytest.param(name, marks=pytest.mark.long) for name in list(ORDINARY)[3:]]


def serve(town: Town, pages: Pages) -> None:
    for path, text in pages.items():
        town.site.page(path, text)
    for path in set(NAMES) - set(pages):
        town.site.error(path, 410)


def changed(town: Town, change: Callable[[Pages], Pages], **run: Any) -> RunReport:
    """A second run of the town, after a change of its site."""
    serve(town, town_pages())
    assert len(town.run().pages_added) == COUNT + 1
    serve(town, change(town_pages()))
    return town.run(run=run)


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_crawl_is_held(town: Town, name: str) -> None:
    change, reason = BROKEN[name]
    serve(town, town_pages())
    town.run()
    before = town.state()
    serve(town, change(town_pages()))
    report = town.run()
    assert town.state() == before and report.epoch is None
    assert any(one.reason.startswith(reason) for one in report.held), report
    assert get_run(town.ledger, get_corpus(town.ledger, CORPUS).id, report.run_id)["status"] == "quarantined"


@pytest.mark.parametrize("name", [*list(ORDINARY)[:3], *_LONG])
def test_an_ordinary_update_is_published(town: Town, name: str) -> None:
    report = changed(town, ORDINARY[name])
    assert (report.held, report.epoch) == ([], 2)


def test_who_expects_it_is_not_asked(town: Town) -> None:
    assert changed(town, without(6), hold_share=1).epoch == 2


def test_accepted_it_is_what_a_run_that_was_not_held_publishes(town: Town) -> None:
    report = changed(town, without(6))
    corpus = get_corpus(town.ledger, CORPUS)
    with run_lease(town.ledger, corpus.id, "vacuum") as lease:
        vacuum(town.ledger, corpus, lease, 1, 0)  # takes nothing of a run that waits
    assert held_runs(town.ledger, corpus.id) == [report.run_id]
    town.site.asked.clear()
    accepted = quarantine.accept(town.tools(), CORPUS, report.run_id, "Ana")
    assert town.site.asked == [] and (accepted.epoch, accepted.accepted_by) == (2, "Ana")
    assert len(accepted.pages_removed) == 6 and held_runs(town.ledger, corpus.id) == []
    published = town.state()
    again = town.run()
    assert (again.held, again.epoch, town.state()) == ([], None, published)
    with pytest.raises(InputError, match="not in quarantine: it is done"):
        quarantine.accept(town.tools(), CORPUS, report.run_id, "Ana")


def test_dropped_it_leaves_nothing(town: Town) -> None:
    report = changed(town, without(6))
    quarantine.drop(town.ledger, CORPUS, report.run_id)
    corpus = get_corpus(town.ledger, CORPUS)
    assert held_runs(town.ledger, corpus.id) == []
    assert get_run(town.ledger, corpus.id, report.run_id)["status"] == "dropped"
    assert town.run().held  # it is as broken as it was


def test_a_later_run_takes_its_place(town: Town) -> None:
    report = changed(town, without(6))
    serve(town, town_pages())
    again = town.run()
    corpus = get_corpus(town.ledger, CORPUS)
    assert (again.held, again.epoch, held_runs(town.ledger, corpus.id)) == ([], None, [])
    assert get_run(town.ledger, corpus.id, report.run_id)["status"] == "superseded"
    with pytest.raises(InputError, match="superseded"):
        quarantine.accept(town.tools(), CORPUS, report.run_id, "Ana")
