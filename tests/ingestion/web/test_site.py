"""A section of a site followed over its changes."""

import pytest

from clausegraph.core.errors import SourceError
from tests.harness.site import Answer, local_site
from tests.ingestion.web.town import Town, fee, html

pytestmark = pytest.mark.integration


def why(town: Town, report: object, path: str) -> str:
    return report.pages_why[town.site.url(path)]  # type: ignore[attr-defined,no-any-return]


def rejected(town: Town, report: object) -> dict[str, str]:
    return {town.path(one.what): one.reason for one in report.rejects}  # type: ignore[attr-defined]


def test_a_site_is_followed(town: Town) -> None:
    town.pages(4)
    report = town.run()
    assert len(report.pages_added) == 5 and report.rejects == []
    assert report.fetched == {"requests": 6, "received": 5}
    assert max(town.site.counts().values()) == 1

    again = town.run()
    assert (again.epoch, again.pages_unchanged) == (None, 5)
    assert again.fetched == {"requests": 6, "not modified": 5}
    assert set(town.site.counts(status=304).values()) == {1}

    town.page("/permits/2.html", "Permit 2", fee("kind2", 999))
    changed = town.run()
    assert town.paths(changed.pages_changed) == ["/permits/2.html"] and changed.pages_unchanged == 4
    assert "999 EUR" in town.text("/permits/2.html")


@pytest.mark.parametrize("status", [410, pytest.param(404, marks=pytest.mark.long)])
def test_what_a_server_calls_gone_is_gone(town: Town, status: int) -> None:
    town.pages(2)
    town.run()
    town.site.error("/permits/1.html", status)
    report = town.run()
    assert town.paths(report.pages_removed) == ["/permits/1.html"]
    assert str(status) in why(town, report, "/permits/1.html")
    assert town.uris() == ["/", "/permits/0.html"]
    assert town.run().epoch is None  # still linked, and no longer told


@pytest.mark.parametrize("status", [500, *(pytest.param(one, marks=pytest.mark.long) for one in (503, 403, 429))])
def test_what_only_fails_stays_as_it_was(town: Town, status: int) -> None:
    town.pages(2)
    town.run()
    before = town.state()
    town.site.error("/permits/1.html", status)
    report = town.run()
    assert (report.epoch, report.pages_removed, report.pages_unchanged) == (None, [], 3)
    assert str(status) in rejected(town, report)["/permits/1.html"]
    assert "the version of 20" in rejected(town, report)["/permits/1.html"]
    assert town.state() == before
    town.page("/permits/1.html", "Permit 1", fee("kind1", 555))
    assert town.paths(town.run().pages_changed) == ["/permits/1.html"]


def test_a_first_page_that_fails_loses_nothing(town: Town) -> None:
    town.pages(3)
    town.run()
    town.site.error("/", 500)
    report = town.run()  # its links are those it had
    assert (report.epoch, report.pages_unchanged) == (None, 4)
    town.site.error("/robots.txt", 500)
    report = town.run()
    assert (report.epoch, report.pages_unchanged) == (None, 4)
    assert "robots.txt cannot be read" in rejected(town, report)["/"]
    assert town.site.counts() == {}


def test_a_site_that_was_never_there_is_an_error(town: Town) -> None:
    with pytest.raises(SourceError, match=r"no usable page: it answers 404"):
        town.run()


@pytest.mark.parametrize("status", [500, 404])
def test_a_site_that_came_up_late_is_asked_again(town: Town, status: int) -> None:
    """The run before ended with an error, and its crawl goes on: with what it has, not with what it lacked."""
    town.pages(2)
    town.site.error("/", status)
    with pytest.raises(SourceError, match=str(status)):
        town.run()
    town.pages(2)
    assert len(town.run().pages_added) == 3


def test_a_page_that_no_link_leads_to_is_gone(town: Town) -> None:
    town.pages(3)
    town.run()
    town.page("/", "Permits of the town", fee("town", 11), links=("/permits/0.html", "/permits/1.html"))
    report = town.run()
    assert town.paths(report.pages_removed) == ["/permits/2.html"]
    assert why(town, report, "/permits/2.html") == "no page of the site leads to it any more"


def test_a_crawl_that_was_cut_takes_nothing_for_gone(town: Town) -> None:
    town.pages(6)
    town.run()
    report = town.run(addresses=3)
    assert (report.pages_removed, report.pages_unchanged) == ([], 7)
    assert "the crawl ended at its limit of 3 addresses" in rejected(town, report)["/"]


# --- moving ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [301, pytest.param(308, marks=pytest.mark.long)])
def test_a_moved_page_keeps_its_identity(town: Town, status: int) -> None:
    town.pages(2)
    town.run()
    town.site.moved("/permits/1.html", "/new/one", status)
    town.page("/new/one", "Permit 1", fee("kind1", 101))
    report = town.run()
    assert (report.pages_added, report.pages_removed) == ([], [])
    assert town.paths(report.pages_changed) == ["/permits/1.html"]
    assert report.pages_same == {
        town.site.url("/new/one"): f"{town.site.url('/permits/1.html')}: the page has moved here"
    }
    assert town.run().epoch is None
    # the old address is forgotten by the site: the page is still the same
    town.page("/", "Permits of the town", fee("town", 11), links=("/permits/0.html", "/new/one"))
    town.site.error("/permits/1.html", 404)
    report = town.run()
    assert (report.pages_added, report.pages_removed) == ([], [])
    assert town.uris() == ["/", "/permits/0.html", "/permits/1.html"]
    town.page("/new/one", "Permit 1", fee("kind1", 777))
    assert town.paths(town.run().pages_changed) == ["/permits/1.html"]
    assert "777" in town.text("/permits/1.html")


def test_a_page_that_moved_to_where_nothing_is_keeps_its_last_version(town: Town) -> None:
    town.pages(2)
    town.run()
    before = town.state()
    town.site.moved("/permits/1.html", "/new/one")
    town.site.error("/new/one", 500)
    report = town.run()
    assert report.epoch is None and town.state() == before
    town.site.error("/new/one", 410)
    assert town.paths(town.run().pages_removed) == ["/permits/1.html"]


def test_a_page_that_moved_onto_another_is_that_page(town: Town) -> None:
    town.pages(3)
    town.run()
    town.site.moved("/permits/1.html", "/permits/2.html")
    report = town.run()
    assert town.paths(report.pages_removed) == ["/permits/1.html"]
    assert "redirects to" in why(town, report, "/permits/1.html")
    town.page("/permits/1.html", "Permit 1", fee("kind1", 101))  # and back
    assert town.paths(town.run().pages_added) == ["/permits/1.html"]


def test_a_redirect_for_now_changes_nothing(town: Town) -> None:
    town.pages(2)
    town.run()
    for path in ("/permits/0.html", "/permits/1.html"):
        town.site.moved(path, "/maintenance", 302)
    town.page("/maintenance", "We are working", fee("repair", 5))
    report = town.run()
    assert (report.epoch, report.pages_unchanged) == (None, 3)
    assert "for now; the version of" in rejected(town, report)["/permits/0.html"]


def test_redirects_in_a_circle_and_out_of_the_section(town: Town) -> None:
    town.pages(1)
    town.page("/", "Permits of the town", fee("town", 11), links=("/permits/0.html", "/a", "/off", "/in", "/long0"))
    town.site.moved("/a", "/b")
    town.site.moved("/b", "/a", 302)
    town.site.moved("/off", "http://other.test/")
    town.site.moved("/in", "/accounts/login?next=/in", 302)
    for number in range(15):
        town.site.moved(f"/long{number}", f"/long{number + 1}")
    report = town.run()
    found = rejected(town, report)
    assert found["/b"] == "it redirects in a circle"
    assert "another site" in found["/off"]
    assert "asks to log in" in found["/in"]
    assert "in a circle" in found["/long10"]
    assert town.uris() == ["/", "/permits/0.html"]
    assert town.run().epoch is None


def test_a_redirect_to_a_private_address_is_not_followed(town: Town) -> None:
    with local_site("127.0.0.2") as inner:
        inner.page("/", "<p>secret</p>")
        listed = town.root / "pages.txt"
        listed.write_text(f"# ours\n{town.site.url('/a')}\n{town.site.url('/b')}\nno address\n", encoding="utf-8")
        town.page("/a", "A", fee("a", 1))
        town.site.moved("/b", inner.url("/", "127.0.0.2"))
        report = town.run(str(listed))
        assert inner.asked == []
        found = {one.what: one.reason for one in report.rejects}
        assert "no public address" in found[inner.url("/", "127.0.0.2")]
        assert found["no address"] == "it is no address of a page"
        town.limits = {"allow": ("127.0.0.0/8",)}  # the control: it hears where it may be asked
        town.run(str(listed))
        assert [one.path for one in inner.asked] == ["/robots.txt", "/"]


# --- what a site may do to a crawl ----------------------------------------------------------------


def test_a_calendar_without_end_ends(town: Town) -> None:
    town.pages(2)

    def month(path: str) -> Answer | None:
        if not path.startswith("/calendar?month="):
            return None
        number = int(path.partition("=")[2])
        text = (
            f"Month {number} of the town has {number % 9} meetings and {number % 7} markets that everybody may visit."
        )
        return Answer(html(f"Month {number}", text, links=(f"/calendar?month={number + 1}",)).encode())

    town.site.fallback = month
    town.page("/", "Permits", fee("town", 11), links=("/permits/0.html", "/permits/1.html", "/calendar?month=1"))
    report = town.run(depth=500, alike=9)
    assert report.fetched["not asked: there are more than 9 like /calendar?month"] == 1
    assert len(report.pages_added) == 12
    assert town.run(depth=500, alike=9).pages_removed == []
    report = town.run(depth=5)
    assert report.fetched["not asked: it is 6 links away"] == 1


def test_paths_that_grow_without_end_end(town: Town) -> None:
    town.site.fallback = lambda path: Answer(
        html("Deeper", fee(f"x{len(path)}", len(path)), links=(path + "a/",)).encode()
    )
    report = town.run()
    assert len(report.pages_added) == 4
    assert report.fetched["not asked: its path repeats itself"] == 1


def test_links_without_end_end_the_crawl_and_no_page(town: Town) -> None:
    town.pages(6)
    town.run()
    before = town.uris()
    town.page("/", "Permits", fee("town", 12), links=tuple(f"/new/{number}x" for number in range(20)))
    report = town.run(links=10)
    assert (report.pages_removed, town.uris()) == ([], before)
    assert "the crawl ended when it had seen 10 different links" in rejected(town, report)["/"]


def test_a_folder_without_its_slash_is_one(town: Town) -> None:
    town.page("/guide", "Guide", fee("guide", 1), links=("/guide/a", "/news"))
    town.page("/guide/a", "A", fee("first", 2), links=("/guide/index.html", "/guidelines"))
    town.page("/guide/index.html", "Index", fee("index", 3), links=("/guide/b",))
    town.page("/guide/b", "B", fee("second", 4))
    for other in ("/news", "/guidelines"):
        town.page(other, other, fee(other.strip("/"), 5))
    town.run(town.site.url("/guide"))
    assert town.uris() == ["/guide", "/guide/a", "/guide/b", "/guide/index.html"]
    town.run(town.site.url("/guide/index.html"), name="index")
    assert {"/guide/b", "/guide/index.html"} <= set(town.uris()) and "/news" not in town.uris()


def test_what_is_no_page_is_counted(town: Town) -> None:
    town.page(
        "/", "Permits", fee("town", 11), links=("/a.pdf", "/b.pdf", "/c.zip", "/d", "/dead", "https://else.test/")
    )
    town.site.page("/d", b"\x89PNG", content_type="image/png")
    report = town.run()
    assert report.skipped == {".pdf": 2, ".zip": 1}
    assert rejected(town, report) == {"/d": "it is image/png, which is not read"}
    assert report.fetched == {"requests": 4, "gone": 1, "received": 1, "refused": 1}


def test_patterns(town: Town) -> None:
    town.page(
        "/guide/", "Guide", fee("guide", 1), links=("/guide/a", "/guide/b", "/guide/old/c", "/news", "/guide/p?print=1")
    )
    for path in ("/guide/a", "/guide/b", "/guide/old/c", "/news", "/guide/p?print=1"):
        town.page(path, path, fee(path.strip("/").replace("/", ""), 3))
    start = town.site.url("/guide/")
    town.run(start, exclude=("*/old/*", "*print=*"))
    assert town.uris() == ["/guide/", "/guide/a", "/guide/b"]
    town.run(start, include=("/guide/b",))
    assert town.uris() == ["/guide/", "/guide/b"]


def test_robots_txt_keeps_what_the_corpus_has(town: Town) -> None:
    town.pages(3)
    town.run()
    town.site.page("/robots.txt", "User-agent: *\nDisallow: /permits/2", content_type="text/plain")
    report = town.run()
    assert report.pages_unchanged == 4
    assert "robots.txt forbids it; the version of" in rejected(town, report)["/permits/2.html"]
    assert "/permits/2.html" not in town.site.counts()


def test_charsets(town: Town) -> None:
    """The server's word, where the bytes are not what a page without a word would be."""
    text = html("Взнос", "Вы должны заплатить 120 евро за разрешение, если вы живёте в городе.", links=("/sj", "/lie"))
    town.site.page("/", text.encode("windows-1251"), content_type="text/html; charset=windows-1251")
    japanese = html("料金", "この許可証の料金は百二十ユーロです。市内に住んでいる場合は申請できます。")
    town.site.page("/sj", japanese.encode("shift_jis"), content_type="text/html;charset=Shift_JIS")
    town.site.page(
        "/lie", html("Gebühr", "Die Gebühr beträgt 7 Euro für alle.").encode(), content_type="text/html; charset=latin1"
    )
    town.run()
    assert "Вы должны заплатить" in town.text("/")
    assert "許可証の料金" in town.text("/sj")
    assert "Gebühr beträgt" in town.text("/lie")
    assert town.run().epoch is None


def test_a_dry_run_names_the_pages_and_writes_nothing(town: Town) -> None:
    town.pages(2)
    report = town.run(run={"dry_run": True})
    assert len(report.pages_added) == 3 and report.pages_why[town.site.url("/")] == "new"
    assert not (town.ledger.home / "ledger.db").read_bytes().count(b"permits")
    town.run()
    town.page("/permits/1.html", "Permit 1", fee("kind1", 999))
    town.site.error("/permits/0.html", 404)
    report = town.run(run={"dry_run": True})
    assert town.paths(report.pages_changed) == ["/permits/1.html"]
    assert town.paths(report.pages_removed) == ["/permits/0.html"]
    assert town.paths(town.run().pages_changed) == ["/permits/1.html"]
