"""Pages that stay because nobody said that they are gone."""

import pytest

from clausegraph.core.errors import SourceError
from clausegraph.ingestion.reading.facts import MOST_LINKS
from tests.ingestion.web.test_lists import XML, listed_pages, urlset
from tests.ingestion.web.town import Town, fee, html

pytestmark = pytest.mark.integration
NAMES = ("a", "b", "c", "d", "e", "f")


def listed(town: Town) -> str:
    """The address of a sitemap that was followed once, with six pages."""
    listed_pages(town, *NAMES)
    town.site.page("/sitemap.xml", urlset(town, *(f"/{name}" for name in NAMES)), content_type=XML)
    town.run(town.site.url("/sitemap.xml"), mode="auto")
    return town.site.url("/sitemap.xml")


@pytest.mark.parametrize("mode", ["auto", "sitemap"])
def test_a_sitemap_that_answers_with_a_page_removes_nothing(town: Town, mode: str) -> None:
    location = listed(town)
    before = town.state()
    town.site.page("/sitemap.xml", html("Maintenance", fee("maintenance", 7)))
    with pytest.raises(SourceError, match=r"is no (list of addresses today|sitemap)"):
        town.run(location, mode=mode)
    assert town.state() == before


def test_a_site_that_is_taken_as_one_page_keeps_the_others(town: Town) -> None:
    town.pages(3)
    town.run()
    before = town.state()
    report = town.run(mode="auto")
    assert (report.pages_removed, town.state()) == ([], before)
    assert "taken as one page; the 3 other pages" in report.rejects[0].reason
    assert town.run().rejects == []


def test_one_page_that_moves_back_is_one_page(town: Town) -> None:
    town.page("/b", "B", fee("b", 2))
    town.site.moved("/a", "/b", 302)
    town.run(town.site.url("/a"), mode="auto")
    town.page("/a", "B", fee("b", 3))
    del town.site.answers["/b"]
    assert town.run(town.site.url("/a"), mode="auto").rejects == []
    assert len(town.uris()) == 1


def test_a_sitemap_that_was_cut_off_removes_nothing(town: Town) -> None:
    location = listed(town)
    before = town.state()
    body = urlset(town, *(f"/{name}" for name in NAMES))
    town.site.page("/sitemap.xml", body[: len(body) // 2], content_type=XML)
    report = town.run(location, mode="auto")
    assert (report.pages_removed, town.state()) == ([], before)
    assert "it is damaged, so it may name more than was read" in report.rejects[0].reason


@pytest.mark.parametrize("status", [301, 302])
def test_a_redirecting_address_that_fails_keeps_its_page(town: Town, status: int) -> None:
    listed_pages(town, "a", "b", "new")
    town.site.moved("/old", "/new", status)
    town.site.page("/sitemap.xml", urlset(town, "/a", "/b", "/old"), content_type=XML)
    location = town.site.url("/sitemap.xml")
    town.run(location, mode="sitemap")
    before = town.state()
    town.site.error("/old", 503)
    for _ in range(2):
        report = town.run(location, mode="sitemap")
        assert (report.epoch, report.pages_removed, town.state()) == (None, [], before)
    town.site.moved("/old", "/new", status)
    assert town.run(location, mode="sitemap").epoch is None
    town.site.error("/old", 404)
    assert town.paths(town.run(location, mode="sitemap").pages_removed) == ["/new"]


def test_a_robots_txt_that_fails_for_a_day_keeps_what_a_file_lists(town: Town) -> None:
    listed_pages(town, "a", "new")
    town.site.moved("/old", "/new")
    file = town.root / "pages.txt"
    file.write_text(f"{town.site.url('/a')}\n{town.site.url('/old')}\n", encoding="utf-8")
    town.run(str(file), mode="auto")
    before = town.state()
    town.site.error("/robots.txt", 503)
    assert (town.run(str(file), mode="auto").pages_removed, town.state()) == ([], before)


def test_a_wall_before_a_hub_hides_nothing_behind_it(town: Town) -> None:
    town.page("/", "Start", fee("town", 1), links=("/hub", "/a", "/b"))
    listed_pages(town, "a", "b", "h1")
    town.page("/hub", "Permits by kind", fee("hub", 2), links=("/h1",))
    town.run()
    before = town.state()
    town.page("/hub", "One moment", "Checking your browser before you may go on.")
    report = town.run()
    assert (report.epoch, report.pages_removed, town.state()) == (None, [], before)
    assert "a wall against robots" in report.rejects[0].reason and "stays" in report.rejects[0].reason
    town.page("/hub", "Permits by kind", fee("hub", 3), links=("/h1",))
    assert town.paths(town.run().pages_changed) == ["/hub"]


def test_a_hub_whose_links_are_not_all_known_loses_nothing(town: Town) -> None:
    town.page("/", "Start", fee("town", 1), links=("/hub", "/a", "/b"))
    listed_pages(town, "a", "b", "h1")
    town.page("/hub", "Permits by kind", fee("hub", 2), links=("/h1",))
    town.run()
    others = tuple(f"//other.test/{number}" for number in range(MOST_LINKS + 1))
    town.page("/hub", "Permits by kind", fee("hub", 3), links=(*others, "/h1"))
    report = town.run()
    assert (town.paths(report.pages_changed), report.pages_removed) == (["/hub"], [])
    assert f"not all of its links are known: it has more than {MOST_LINKS} links" in str(report.rejects)


def test_words_of_an_address_file_that_are_no_address_show_no_password(town: Town) -> None:
    listed_pages(town, "a")
    file = town.root / "pages.txt"
    file.write_text(f"{town.site.url('/a')}\nhttps://bob:SECRET/PW@host.example/x\n", encoding="utf-8")
    report = town.run(str(file), mode="auto")
    assert [one.what for one in report.rejects] == ["https://***@host.example/x"]


def test_a_host_that_is_none_ends_no_run(town: Town) -> None:
    listed_pages(town, "a")
    body = urlset(town, "/a").replace(b"</urlset>", b"<url><loc>http://xn--a/</loc></url></urlset>")
    town.site.page("/sitemap.xml", body, content_type=XML)
    assert len(town.run(town.site.url("/sitemap.xml"), mode="sitemap").pages_added) == 1
