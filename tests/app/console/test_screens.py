"""Every screen: reachable, accessible in light and dark, and no wider than a telephone; coming in and being out."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from clausegraph.app.access.tokens import AccessRole, Tokens
from tests.app.console.conftest import PHONE, Served, Watched, check, in_each_look, serving
from tests.app.console.test_ask import ask
from tests.harness.home import filled

pytestmark = [pytest.mark.integration, pytest.mark.browser]

VERSIONS = "versions?name=corpus%3Aheating-grant.html"
SCREENS = (
    "pages",
    "page?name=heating-grant.html&anchor=nowhere",
    "rules?topic=heating+grant&kind=exclusion",
    "graph?search=grant",
    "graph?name=winter+heating+grant",
    "graph?name=winter+heating+grant&to=rent+supplement",
    "runs",
    "changes",
    VERSIONS,
    "curation",
    "contradictions",
    "evaluations",
    "add",
    "manage",
    "ask",
)


@in_each_look
def test_screens_are_accessible_and_nothing_is_cut(
    window: Callable[..., Watched], console: Served, look: dict[str, Any]
) -> None:
    _, token = Tokens(console.home).add(f"adam-{look}", AccessRole.ADMIN)
    here = Served(console.url, console.home, token)
    watched = window(here, **look)
    watched.page.goto(f"{watched.url}/login")
    check(watched.page)
    page = watched.login()
    for screen in ("/corpora", "/admin", *(f"/c/default/{name}" for name in SCREENS)):
        page.goto(f"{watched.url}{screen}")
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        check(page)
    ask(page)
    page.locator(".card a").first.click()
    page.wait_for_selector("#beside #marked")
    check(page)
    page.keyboard.press("Escape")
    for details in page.locator("#answer > details > summary").all():
        details.click()
    check(page)


def test_a_page_is_found_by_the_keyboard_alone(window: Callable[..., Watched]) -> None:
    watched = window()
    page = watched.login()
    page.goto(f"{watched.url}/c/default/pages")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")  # past the head of the page
    page.keyboard.press("Tab")  # the table can be scrolled
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("article.document")).to_be_visible()


def test_a_wrong_token_is_told_and_a_session_that_is_over_leads_back(
    window: Callable[..., Watched], console: Served
) -> None:
    watched = window()
    page = watched.page
    page.goto(f"{watched.url}/c/default/pages?epoch=1")
    page.fill("#token", "cg_wrong_token")
    page.click("main button")
    expect(page.locator(".problem")).to_contain_text("unknown, revoked or expired")
    _, text = Tokens(console.home).add("leaving", AccessRole.READER)
    page.fill("#token", text)
    page.click("main button")
    page.wait_for_url("**/c/default/pages?epoch=1")
    page.goto(f"{watched.url}/c/default/ask")
    Tokens(console.home).revoke("leaving")
    page.fill("#question", "Who can get the Winter Heating Grant?")
    page.click("#ask button")
    page.wait_for_url("**/login?*")
    page.fill("#token", console.token)
    page.click("main button")
    expect(page.locator("#answer")).to_contain_text("£90")  # what was typed is asked
    assert all("403" in text or "401" in text for text in watched.complaints), watched.complaints
    watched.complaints.clear()


def test_a_source_opens_in_a_sheet_that_closes_on_a_telephone(window: Callable[..., Watched]) -> None:
    page = window(viewport=PHONE).login()
    ask(page)
    source = page.locator(".card a").first
    source.click()
    expect(page.locator("#beside #marked")).to_be_in_viewport()
    check(page)
    page.get_by_role("button", name="Close").click()
    expect(page.locator("#beside")).to_be_empty()
    expect(source).to_be_focused()
    source.press("Enter")
    page.wait_for_selector("#beside #marked")
    page.keyboard.press("Escape")
    expect(page.locator("#beside")).to_be_empty()


PRICES = """<title>Prices</title><main><h1>Prices</h1><p>The Pool Pass costs as follows.</p><table>
<tr><th rowspan="2">Who</th><th colspan="2">Weekday</th></tr><tr><th>Day</th><th>Year</th></tr>
<tr><td>Adult</td><td>£5</td><td>£50</td></tr>
<tr><td rowspan="2">Child</td><td>£2</td><td>£20</td></tr><tr><td>£1</td><td>£10</td></tr></table>
<table><tr><th>Where</th><th>Opens</th></tr><tr><td>North</td><td>7 am</td></tr></table></main>"""


def test_a_table_has_the_spans_of_the_page_and_a_row_is_marked_in_its_cells(
    window: Callable[..., Watched], tmp_path: Path
) -> None:
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "prices.html").write_text(f"<html><body>{PRICES}</body></html>", "utf-8")
    settings = filled(tmp_path / "home", tmp_path / "pages")
    _, token = Tokens(settings.home).add("adam", AccessRole.ADMIN)
    with serving(settings) as url:
        page = window(Served(url, settings.home, token)).login()
        page.goto(f"{url}/c/default/page?name=prices.html")
        tables = page.locator(".document table")
        assert tables.count() == 2
        spans = "cells => cells.map(one => [one.textContent.split('\\n')[0], one.colSpan, one.rowSpan])"
        assert tables.first.locator("th").evaluate_all(spans) == [
            ["Who", 1, 2], ["Weekday", 2, 1], ["Day", 1, 1], ["Year", 1, 1],
        ]  # fmt: skip
        over, price = tables.first.locator("th", has_text="Year"), tables.first.locator("td", has_text="£10")
        boxes = over.bounding_box(), price.bounding_box()
        assert boxes[0] and boxes[1] and abs(boxes[0]["x"] - boxes[1]["x"]) < 1  # the price stands under its header
        check(page)
        row = str(tables.first.locator("tr").nth(3).get_attribute("id")).removeprefix("e-")
        page.goto(f"{url}/c/default/page?name=prices.html&anchor={row}")
        assert page.locator("mark").all_inner_texts() == ["Child", "£2", "£20"]
        page.get_by_role("link", name="Admin").click()
        expect(page.get_by_role("navigation", name="Screens")).to_be_visible()  # of the corpus one was in
