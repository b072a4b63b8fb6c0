"""Links between pages, and the page that an entity has of its own."""

import pytest

from clausegraph.core.types import Element, Link, PageKey, Reading
from clausegraph.indexes.graph.links import OwnPage, own_pages, page_links, title_names


def page(uri: str, title: str, *links: tuple[str, str], url: str | None = None) -> tuple[PageKey, Reading]:
    element = Element("p-1", "p", "", "", links=tuple(Link(href, text) for href, text in links))
    return PageKey("site", uri), Reading(title, url, (element,))


@pytest.mark.parametrize(
    ("href", "reached"),
    [
        ("rent.html", True),
        ("./rent.html#who", True),
        ("../guides/rent.html?x=1", True),
        ("/rent", True),
        ("https://www.site.example/rent/", True),
        ("http://site.example/rent#top", True),
        ("https://other.example/rent", False),
        ("#rent", False),
        ("mailto:rent@site.example", False),
        ("http://[", False),
        ("", False),
        ("own.html", False),
    ],
)
def test_where_a_link_leads(href: str, reached: bool) -> None:
    pages = dict(
        [
            page("guides/own.html", "Own", (href, "x"), url="https://www.site.example/own"),
            page("guides/rent.html", "Rent", url="https://www.site.example/rent"),
        ]
    )
    assert [link.target.uri for link in page_links(pages)] == ["guides/rent.html"] * reached


@pytest.mark.parametrize(
    ("title", "named"),
    [
        ("Carer Payment", "carer payment"),
        ("Carer Payment - Office for Resident Services", "carer payment"),
        ("Carer Payment: leaflet", "carer payment"),
        ("Get a rod fishing licence", "rod fishing licence"),
        ("Apply for the Study Grant | ORS", "study grant"),
    ],
)
def test_what_a_title_names(title: str, named: str) -> None:
    assert named in list(title_names(title))


def test_the_page_of_an_entity() -> None:
    found = own_pages(
        dict(
            [
                page("a.html", "Rent Supplement", ("b.html", "the change form"), ("c.html", "online")),
                page("b.html", "Report a change", ("a.html", "Rent Supplements"), ("a.html", "help with rent")),
                page("c.html", "Fees: parking", ("b.html", "change form")),
                page("d.html", "Fees: trading"),
            ]
        )
    )
    key = {name: PageKey("site", f"{name}.html") for name in "abcd"}
    assert found["rent supplement"] == OwnPage(key["a"], "title", 1)
    assert found["change form"] == OwnPage(key["b"], "links", 2)
    assert found["report change"] == OwnPage(key["b"], "title")
    assert found["help with rent"].page == key["a"]
    assert "online" not in found and "fee" not in found


def test_the_page_called_so_wins_over_one_of_which_a_part_is() -> None:
    found = own_pages(dict([page("a.html", "Carer Payment"), page("b.html", "Carer Payment: leaflet")]))
    assert found["carer payment"].page.uri == "a.html" and found["carer payment leaflet"].page.uri == "b.html"
