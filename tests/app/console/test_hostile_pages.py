"""Pages and files whose texts want to be more than text, in a browser."""

from collections.abc import Callable

import pytest

from clausegraph.app.access.tokens import AccessRole, Tokens
from clausegraph.core.settings import Settings
from tests.app.console.attempts import ATTEMPTS, assert_inert
from tests.app.console.conftest import Served, Watched, serving
from tests.app.console.test_ask import ask

pytestmark = [pytest.mark.integration, pytest.mark.browser]


def test_what_pages_and_file_names_say_stays_text(hostile: Settings, window: Callable[..., Watched]) -> None:
    _, token = Tokens(hostile.home).add(f"looker {ATTEMPTS[2]}", AccessRole.ADMIN)
    with serving(hostile) as url:
        watched = window(Served(url, hostile.home, token))
        page = watched.login()
        page.goto(f"{url}/c/default/pages")
        assert_inert(page.content())
        links = [one.get_attribute("href") for one in page.locator("tbody a").all()]
        assert len(links) == len(ATTEMPTS)
        for link in links[::6]:
            page.goto(f"{url}{link}")
            assert page.locator("article.document").count() == 1
        for screen in (links[0].replace("/page?", "/versions?"), "/c/default/curation", "/admin"):
            page.goto(f"{url}{screen}")
            assert_inert(page.content())
        page.goto(f"{url}/c/default/ask")
        ask(page, "Can I get the Grant 2?", "")
        page.locator(".card a, .leaf a").first.click()
        page.wait_for_selector("#beside .document")
        for screen in ("rules", "graph"):
            page.goto(f"{url}/c/default/{screen}")
            assert_inert(page.content())
            shown = [one.get_attribute("href") for one in page.locator("main li a").all()]
            page.goto(f"{url}{shown[0]}")
        while page.locator("#canvas").count() == 0:  # an entity that only rules name
            page.goto(f"{url}{shown.pop()}")
        page.wait_for_selector("#canvas[data-drawn]")
        assert page.evaluate("typeof hit") == "undefined"
        page.context.close()
