"""Pages that have moved while the list, or the links, name their new addresses only."""

import pytest

from tests.ingestion.web.test_lists import XML, listed_pages, urlset
from tests.ingestion.web.town import Town, fee

pytestmark = pytest.mark.integration


def move(town: Town, old: str, new: str, amount: int = 2, *, status: int = 301) -> None:
    """A page moves, and its first page names the new address only."""
    town.site.moved(old, new, status)
    town.page(new, "A", fee("a", amount))
    town.page("/", "Start", fee("town", 1), links=(new, "/b", "/c", "/d"))


@pytest.fixture
def followed(town: Town) -> Town:
    town.page("/", "Start", fee("town", 1), links=("/a", "/b", "/c", "/d"))
    listed_pages(town, "a", "b", "c", "d")
    town.run()
    return town


def test_links_that_name_the_new_address(followed: Town) -> None:
    move(followed, "/a", "/new", 77)
    report = followed.run()
    assert (report.pages_added, report.pages_removed) == ([], [])
    assert followed.uris() == ["/", "/a", "/b", "/c", "/d"] and "77" in followed.text("/a")
    assert report.fetched["asked once more before they are called gone"] == 1
    assert followed.run().epoch is None and followed.site.counts()["/a"] == 0


def test_a_page_that_moves_again_and_again(followed: Town) -> None:
    """Also by a redirect to a redirect, and once the oldest address is forgotten."""
    move(followed, "/a", "/new")
    followed.run()
    followed.site.moved("/new", "/newer")
    move(followed, "/newer", "/newest")
    followed.run()
    del followed.site.answers["/a"]
    move(followed, "/newest", "/last", 99)
    report = followed.run()
    assert (report.pages_added, report.pages_removed) == ([], [])
    assert followed.uris() == ["/", "/a", "/b", "/c", "/d"] and "99" in followed.text("/a")


def test_all_pages_of_a_site_move(followed: Town) -> None:
    names = ("a", "b", "c", "d")
    for name in names:
        followed.site.moved(f"/{name}", f"/new-{name}")
        followed.page(f"/new-{name}", name.upper(), fee(f"{name} {name}", 3))
    followed.page("/", "Start", fee("town", 1), links=tuple(f"/new-{name}" for name in names))
    report = followed.run()
    assert (report.pages_added, report.pages_removed, report.rejects) == ([], [], [])
    assert followed.uris() == ["/", "/a", "/b", "/c", "/d"]


def test_a_sitemap_that_names_the_new_address(town: Town) -> None:
    listed_pages(town, "a", "b")
    location = town.site.url("/sitemap.xml")
    town.site.page("/sitemap.xml", urlset(town, "/a", "/b"), content_type=XML)
    town.run(location, mode="auto")
    move(town, "/a", "/new", status=308)
    town.site.page("/sitemap.xml", urlset(town, "/new", "/b"), content_type=XML)
    report = town.run(location, mode="auto")
    assert (report.pages_added, report.pages_removed, town.uris()) == ([], [], ["/a", "/b"])


@pytest.mark.parametrize("answer", ["as before", "to nowhere named", "for now", "403"])
def test_what_nothing_leads_to_and_did_not_move_is_gone(followed: Town, answer: str) -> None:
    followed.page("/", "Start", fee("town", 1), links=("/b", "/c", "/d"))
    followed.page("/other", "Other", fee("other", 3))
    match answer:
        case "to nowhere named":
            followed.site.moved("/a", "/other")
        case "for now":
            followed.site.moved("/a", "/b", 302)
        case "403":
            followed.site.error("/a", 403)
    report = followed.run()
    assert (followed.paths(report.pages_removed), report.pages_added, report.rejects) == (["/a"], [], [])
    assert "no page of the site leads to it any more" in str(report.pages_why)


def test_what_nothing_leads_to_and_fails_stays(followed: Town) -> None:
    followed.page("/", "Start", fee("town", 1), links=("/b", "/c", "/d"))
    followed.site.error("/a", 503)
    report = followed.run()
    assert report.pages_removed == [] and "503" in report.rejects[0].reason
    followed.site.error("/a", 410)
    report = followed.run()
    assert followed.paths(report.pages_removed) == ["/a"] and "410" in str(report.pages_why)


def test_asking_again_keeps_to_the_limit(followed: Town) -> None:
    """What it does not come to stays."""
    followed.page("/", "Start", fee("town", 1), links=("/c", "/d"))
    report = followed.run(addresses=4)
    assert report.pages_removed == [] and "limit of 4 addresses" in report.rejects[0].reason
    assert sum(followed.site.counts().values()) == 4
    assert followed.paths(followed.run(addresses=5).pages_removed) == ["/a", "/b"]
