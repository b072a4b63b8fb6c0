"""Sitemaps, feeds and files of addresses."""

import gzip
import zlib

import pytest

from clausegraph.core.errors import SourceError
from clausegraph.ingestion.sources import open_source
from tests.ingestion.web.town import Town, fee

pytestmark = pytest.mark.integration
XML = "application/xml"


def urlset(town: Town, *paths: str, lastmod: str = "2026-01-01") -> bytes:
    rows = "".join(f"<url><loc>{town.site.url(path)}</loc><lastmod>{lastmod}</lastmod></url>" for path in paths)
    space = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
    return f'<?xml version="1.0" encoding="UTF-8"?><urlset {space}>{rows}</urlset>'.encode()


def index(town: Town, *paths: str) -> bytes:
    rows = "".join(f"<sitemap><loc>{town.site.url(path)}</loc></sitemap>" for path in paths)
    return f'<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{rows}</sitemapindex>'.encode()


def listed_pages(town: Town, *names: str) -> None:
    for name in names:
        town.page(f"/{name}", f"Permit {name}", fee(name, len(name) + ord(name[0])))


def test_a_sitemap_with_an_index_and_gzip(town: Town) -> None:
    listed_pages(town, "a", "b", "c", "unlisted")
    town.site.page("/sitemap.xml", index(town, "/one.xml", "/two.xml.gz"), content_type=XML)
    town.site.page("/one.xml", urlset(town, "/a", "/b"), content_type=XML)
    town.site.page("/two.xml.gz", gzip.compress(urlset(town, "/c")), content_type="application/gzip")
    report = town.run(town.site.url("/sitemap.xml"), mode="auto")
    assert town.uris() == ["/a", "/b", "/c"] and report.rejects == []
    town.site.page("/one.xml", urlset(town, "/a"), content_type=XML)
    report = town.run(town.site.url("/sitemap.xml"), mode="auto")
    assert town.paths(report.pages_removed) == ["/b"]
    assert set(report.pages_why.values()) == {"it is not listed any more"}


def test_a_part_of_a_sitemap_that_fails_removes_nothing(town: Town) -> None:
    listed_pages(town, "a", "b")
    town.site.page("/sitemap.xml", index(town, "/one.xml", "/two.xml"), content_type=XML)
    town.site.page("/one.xml", urlset(town, "/a"), content_type=XML)
    town.site.page("/two.xml", urlset(town, "/b"), content_type=XML)
    town.run(town.site.url("/sitemap.xml"), mode="sitemap")
    town.site.error("/two.xml", 500)
    report = town.run(town.site.url("/sitemap.xml"), mode="sitemap")
    assert (report.pages_removed, report.pages_unchanged) == ([], 2)
    assert "500" in {town.path(one.what): one.reason for one in report.rejects}["/two.xml"]
    town.site.error("/sitemap.xml", 500)
    with pytest.raises(SourceError, match="cannot be read: it answers 500"):
        town.run(town.site.url("/sitemap.xml"), mode="sitemap")
    assert town.uris() == ["/a", "/b"]


def test_sitemap_bombs(town: Town) -> None:
    listed_pages(town, "a")
    entities = "".join(f'<!ENTITY e{n + 1} "{f"&e{n};" * 10}">' for n in range(12))
    laughs = f'<!DOCTYPE urlset [<!ENTITY e0 "x">{entities}]><urlset><url><loc>&e12;</loc></url></urlset>'
    outside = '<!DOCTYPE urlset [<!ENTITY f SYSTEM "file:///etc/passwd">]><urlset><url><loc>&f;</loc></url></urlset>'
    town.site.page("/laughs.xml", laughs, content_type=XML)
    town.site.page("/outside.xml", outside, content_type=XML)
    town.site.page(
        "/bomb.xml.gz", zlib.compress(b"<urlset>" + b" " * 60_000_000, wbits=31), content_type="application/gzip"
    )
    town.site.page("/self.xml", index(town, "/self.xml", "/sitemap.xml"), content_type=XML)
    town.site.page("/good.xml", urlset(town, "/a"), content_type=XML)
    town.site.page("/page.xml", "<p>no sitemap</p>")
    parts = ("/laughs.xml", "/outside.xml", "/bomb.xml.gz", "/self.xml", "/good.xml", "/page.xml")
    town.site.page("/sitemap.xml", index(town, *parts), content_type=XML)
    report = town.run(town.site.url("/sitemap.xml"), mode="sitemap")
    found = {town.path(one.what): one.reason for one in report.rejects}
    assert town.uris() == ["/a"]
    assert "times its size" in found["/bomb.xml.gz"] or "more than 20 MB" in found["/bomb.xml.gz"]
    assert found["/page.xml"] == "it is no sitemap"
    assert max(town.site.counts().values()) == 1


def test_a_sitemap_may_be_larger_than_a_page(town: Town) -> None:
    listed_pages(town, "a")
    town.limits = {"body_bytes": 2000}
    town.site.page("/sitemap.xml", urlset(town, "/a") + b"<!--" + b" " * 5000 + b"-->", content_type=XML)
    report = town.run(town.site.url("/sitemap.xml"), mode="sitemap")
    assert (town.uris(), report.rejects) == (["/a"], [])


def test_a_sitemap_with_too_much_is_cut_and_told(town: Town) -> None:
    listed_pages(town, "a", "b", "c")
    town.site.page("/sitemap.xml", urlset(town, "/a", "/b", "/c"), content_type=XML)
    town.run(town.site.url("/sitemap.xml"), mode="sitemap")
    report = town.run(town.site.url("/sitemap.xml"), mode="sitemap", addresses=2)
    assert report.pages_removed == []
    assert "lists more than 2 addresses" in report.rejects[0].reason


def test_addresses_of_other_sites_are_not_asked(town: Town) -> None:
    listed_pages(town, "a")
    body = urlset(town, "/a").replace(b"</urlset>", b"<url><loc>http://127.0.0.2:9/x</loc></url></urlset>")
    town.site.page("/sitemap.xml", body, content_type=XML)
    assert town.run(town.site.url("/sitemap.xml"), mode="sitemap").fetched["on other sites"] == 1


def test_a_sitemap_that_moved_to_another_name_lists_its_own_pages(town: Town) -> None:
    listed_pages(town, "a")
    town.site.page("/new.xml", urlset(town, "/a"), content_type=XML)
    town.site.moved("/sitemap.xml", town.site.url("/new.xml"))
    town.run(town.site.url("/sitemap.xml", name="127.0.0.1"), mode="sitemap")
    assert town.uris() == ["/a"]
    with pytest.raises(SourceError, match=r"lists only addresses of other sites \(1\)"):
        town.run(town.site.url("/new.xml", name="127.0.0.1"), mode="sitemap", name="other")


def atom(town: Town, **updated: str) -> str:
    rows = "".join(
        f'<entry><title>{name}</title><link href="{town.site.url("/" + name)}"/><updated>{when}</updated></entry>'
        for name, when in updated.items()
    )
    return f'<feed xmlns="http://www.w3.org/2005/Atom"><title>News</title>{rows}</feed>'


def test_a_feed_lists_what_has_changed(town: Town) -> None:
    listed_pages(town, "a", "b", "c")
    location = town.site.url("/feed")
    old, new = "2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z"
    town.site.page("/feed", atom(town, a=old, b=old), content_type="application/atom+xml")
    town.run(location, mode="auto")
    assert town.uris() == ["/a", "/b"]
    town.page("/b", "Permit b", fee("b", 500))
    town.site.page("/feed", atom(town, c=new, b=new), content_type="application/atom+xml")
    report = town.run(location, mode="auto")
    assert (town.paths(report.pages_added), town.paths(report.pages_changed)) == (["/c"], ["/b"])
    assert town.uris() == ["/a", "/b", "/c"]  # what a feed no longer lists is not gone
    assert "/a" not in town.site.counts()
    assert set(town.run(location, mode="auto").fetched) == {"requests"}
    assert set(town.site.counts()) == {"/feed"}


def test_an_rss_feed(town: Town) -> None:
    listed_pages(town, "a")
    item = f"<item><link>{town.site.url('/a')}</link><pubDate>Thu, 01 Jan 2026 00:00:00 GMT</pubDate></item>"
    town.site.page(
        "/news.rss", f'<rss version="2.0"><channel>{item}</channel></rss>', content_type="application/rss+xml"
    )
    town.run(town.site.url("/news.rss"), mode="feed")
    assert town.uris() == ["/a"]


def test_one_address(town: Town) -> None:
    town.page("/a", "A", fee("a", 1), links=("/b",))
    town.page("/b", "B", fee("b", 2))
    town.run(town.site.url("/a?utm_source=mail#part"), mode="auto")
    assert town.uris() == ["/a"] and town.site.counts() == {"/a": 1}
    with pytest.raises(SourceError, match="is no sitemap"):
        town.run(town.site.url("/a"), mode="sitemap")


def test_locations_that_are_no_address() -> None:
    with pytest.raises(SourceError, match=r"//\*\*\*@example\.org/' is no address of a page"):
        open_source("https://user:word@example.org/")
    with pytest.raises(SourceError, match="is no address of a page"):
        open_source("http://")
    assert open_source("https://example.org/guide/fees/").name == "example.org_guide_fees"
