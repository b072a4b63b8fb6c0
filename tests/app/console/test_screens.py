"""Every screen: reachable, accessible in light and dark, and no wider than a telephone; coming in and being out."""

from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from clausegraph.app.access.tokens import AccessRole, Tokens
from tests.app.console.conftest import Served, Watched
from tests.app.console.test_ask import ask

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
    "evaluations",
    "ask",
)
PHONE = {"width": 375, "height": 800}


def check(page: Page, *, every: bool = False) -> None:
    """No serious violation, or none at all, and nothing to scroll sideways for."""
    found = Axe().run(page).response["violations"]
    serious = [
        (one["id"], [node["target"] for node in one["nodes"]])
        for one in found
        if every or one["impact"] in ("serious", "critical")
    ]
    assert serious == [], page.url
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), page.url


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.long)])
def test_screens_are_accessible_and_fit_a_telephone(
    window: Callable[..., Watched], console: Served, scheme: str
) -> None:
    _, token = Tokens(console.home).add(f"adam-{scheme}", AccessRole.ADMIN)
    watched = window(Served(console.url, console.home, token), color_scheme=scheme, viewport=PHONE)
    watched.page.goto(f"{watched.url}/login")
    check(watched.page)
    page = watched.login()
    for screen in ("/admin", *(f"/c/default/{name}" for name in SCREENS)):
        page.goto(f"{watched.url}{screen}")
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        check(page)
    ask(page)
    page.locator(".card a").first.click()
    page.wait_for_selector("#beside #marked")
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
    page.fill("#question", "Why?")
    page.click("#ask button")
    page.wait_for_url("**/login")
    assert all("403" in text or "401" in text for text in watched.complaints), watched.complaints
    watched.complaints.clear()
