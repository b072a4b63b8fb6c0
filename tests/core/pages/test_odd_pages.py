"""Odd pages of real sites: thin ones that speak like walls, late titles, ragged tables, hidden text."""

import pytest

from clausegraph.core.pages.read import SourceDocument, read_document


def read(body: str, title: str = "") -> list[str]:
    head = f"<head><title>{title}</title></head>" if title else ""
    reading, _ = read_document(SourceDocument("x.html", f"<html>{head}<body>{body}</body></html>".encode()))
    return [f"{element.tag} {element.text}" for element in reading.elements]


@pytest.mark.parametrize(
    "text",
    [
        "You can appeal within 28 days. If a document is not available when you appeal, send it later. You must say "
        "why it is late. The tribunal decides whether to wait. You do not need a solicitor.",
        "If the content of the certificate cannot be found in the register, you can ask for a free search. It covers "
        "five years and you get the result by post within ten working days.",
        "This document is no longer available online. Call 0300 123 4567 to have it sent by post; you must give your "
        "name, your address and the number of your case.",
        "The booking site asks you to prove that you are not a robot. You can book a test up to 24 weeks ahead. You "
        "must give three days' notice to cancel it and have the fee back.",
        "Sign in to view your State Pension forecast. You need a Government Gateway user ID, and you must be under "
        "State Pension age.",
    ],
)
def test_a_thin_page_that_speaks_of_what_walls_say_is_a_page(text: str) -> None:
    assert read(f"<main><h1>Guide</h1><p>{text}</p></main>") == ["h1 Guide", f"p {text}"]


@pytest.mark.parametrize(
    "wall",
    [
        "<h1>Page not found</h1><p>If you typed the address, check it is correct. If you pasted it, check you copied "
        "the whole of it. If it is correct, tell us what you were looking for.</p>",
        "<h1>office.example</h1><p>Access denied</p><p>Ray ID 7f3c</p>",
        "<p>Sorry, the page you asked for cannot be found. It may have moved.</p>",
        "<p>Please sign in to continue.</p>",
        "<p>Loading...</p>",
    ],
)
def test_a_wall_is_none(wall: str) -> None:
    assert read(f"<main>{wall}</main>") == []


def test_an_h1_below_the_text_takes_nothing_above_it_away() -> None:
    above = (
        "<h2>Who can apply</h2><ul><li>tenants over 18</li><li>owners of a house</li></ul>"
        "<table><tr><th>Kind</th><th>Fee</th></tr><tr><td>Tenant</td><td>£10</td></tr></table><p>You pay once.</p>"
    )
    below = "<h1>Contact</h1><p>Write to the office at the quay, or call it in the morning.</p>"
    expected = ["h2 Who can apply", "li tenants over 18", "li owners of a house", "tr Kind | Fee", "tr Tenant | £10"]
    assert read(f"<main>{above}{below}</main>")[:6] == [*expected, "p You pay once."]
    much = below + "<p>The office opens at nine in the morning and closes when the last visitor has left.</p>" * 12
    assert read(f"<main><p>Harbour Town</p>{above}{much}</main>")[:6] == [*expected, "p You pay once."]


def test_an_only_h1_in_the_site_header_is_the_title_of_a_page_without_one() -> None:
    text = "<p>You need a permit to park on your street in the old harbour.</p>"
    assert read(f"<header><h1>Parking permits</h1></header><main>{text}</main>")[0] == "h1 Parking permits"


@pytest.mark.parametrize(
    "hidden",
    [
        "<div hidden=true><p>Secret old version.</p></div>",
        "<div style='visibility: hidden'><p>Secret old version.</p></div>",
        "<div hidden><main><p>Secret old version.</p></main></div>",
        "<button>Menu<div hidden><main><p>Secret old version.</p></main></div></button>",
    ],
)
def test_what_no_browser_shows_is_no_text(hidden: str) -> None:
    assert read(f"<h1>Fees</h1><p>You pay a fee.</p>{hidden}") == ["h1 Fees", "p You pay a fee."]


@pytest.mark.parametrize("doctype", ["", "<!doctype html>"])
def test_a_page_without_head_and_body_tags_has_its_text(doctype: str) -> None:
    """libxml2 takes its main for a part of the head; what is hidden there stays hidden."""
    page = f"{doctype}<title>Fees</title>{{}}<main><h1>Fees</h1><p>You pay a fee.</p></main>"
    hidden = "<noscript><main><p>Secret old version.</p></main></noscript>"
    for raw in (page.format(""), page.format(hidden)):
        found = read_document(SourceDocument("x.html", raw.encode()))[0].elements
        assert [one.text for one in found] == ["Fees", "You pay a fee."]
