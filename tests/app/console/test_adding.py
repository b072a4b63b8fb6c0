"""Bringing pages in with a browser: the first visit on an empty home, to the first answer; stopped; by keyboard."""

import re
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from clausegraph.app.access.tokens import AccessRole, Tokens
from clausegraph.app.workspace import Workspace
from clausegraph.core.settings import Settings
from tests.app.console.conftest import SAMPLE, Served, Watched, check, in_each_look, press, serving, write
from tests.harness.site import NAME, Answer, local_site

pytestmark = [pytest.mark.integration, pytest.mark.browser]
DROPPED = """() => {
    const held = new DataTransfer();
    held.items.add(new File(["<main><h1>Fees</h1><p>You must pay a fee of 20 pounds.</p></main>"], "fees.html"));
    return held;
}"""


def begun(tmp_path: Path, **more: Any) -> tuple[Settings, str]:
    """A home with a ledger of no corpus, as `serve` makes it, and a curator's token."""
    settings = Settings(home=tmp_path / "home", embedding_model="hashing", extractor="rules", **more)
    with Workspace(settings) as workspace:
        workspace.make_ledger()
    return settings, Tokens(settings.home).add("cora", AccessRole.CURATOR)[1]


@in_each_look
def test_a_first_visit_ends_with_an_answer_from_files_of_ones_own_by_the_keyboard_alone(
    window: Callable[..., Watched], tmp_path: Path, look: dict[str, Any]
) -> None:
    settings, token = begun(tmp_path)
    start = time.monotonic()
    with serving(settings) as url:
        page = window(Served(url, settings.home, token), **look).login()
        press(page, page.get_by_role("link", name="Add pages"))
        expect(page.get_by_role("button", name="Add the sample corpus")).to_be_visible()
        check(page)
        with page.expect_file_chooser() as chooser:
            press(page, page.locator("#files"))
        chooser.value.set_files([SAMPLE / "heating-grant.html", SAMPLE / "carer-payment.html", Path(__file__)])
        expect(page.locator("#chosen")).to_contain_text("3 files")
        press(page, page.locator("#send").get_by_role("button", name="Forecast first"))
        expect(page.locator("main")).to_contain_text("test_adding.py: a file of this kind is not read")
        check(page)
        press(page, page.get_by_label("Files that were sent").get_by_role("button", name="Forecast first"))
        expect(page.locator(".outcome")).to_contain_text("nothing was written")
        check(page)
        press(page, page.get_by_role("button", name="Start this run"))
        expect(page.locator(".outcome")).to_have_text("Version 1 was published.")
        check(page)
        press(page, page.get_by_role("link", name="Ask a question"))
        write(page, page.locator("#question"), "Who can get the Winter Heating Grant?")
        press(page, page.get_by_role("button", name="Ask", exact=True))
        expect(page.locator("#answer")).to_contain_text("£90")
        check(page)
        assert time.monotonic() - start < 180
        press(page, page.get_by_role("link", name="Add pages"))
        press(page, page.get_by_role("button", name="Run now"))
        expect(page.locator(".outcome")).to_have_text("Nothing had changed.")


@in_each_look
def test_a_run_is_watched_cancelled_and_resumed_and_a_file_is_dropped(
    window: Callable[..., Watched], tmp_path: Path, look: dict[str, Any]
) -> None:
    go = threading.Event()

    def slow(path: str) -> Answer:
        assert go.wait(60)
        return Answer(b"<main><h1>Visa</h1><p>A visa costs 20 pounds.</p></main>")

    with local_site() as site:
        site.page("/", '<main><h1>Guides</h1><p>You must apply.</p><a href="visa">Visa</a></main>')
        site.answers["/visa"] = slow
        settings, token = begun(tmp_path, web_allow=(f"{NAME}=127.0.0.1",), web_interval=0.0)
        with serving(settings) as url:
            page = window(Served(url, settings.home, token), **look).login()
            page.goto(f"{url}/c/default/add")
            page.fill("#where", site.url("/"))
            page.get_by_role("button", name="Preview").click()
            expect(page.get_by_label("Preview")).to_contain_text("One page.")
            page.select_option("#mode", "site")
            page.get_by_label("An address").get_by_role("button", name="Start").click()
            expect(page.get_by_label("Progress")).to_contain_text("At work: fetch")
            check(page)
            page.get_by_role("button", name="Cancel this run").click()
            expect(page.get_by_label("Progress")).to_contain_text("It is cancelled")
            go.set()
            expect(page.locator(".outcome")).to_have_text(re.compile("cancelled by cora.*nothing of it was published"))
            page.get_by_role("button", name="Run it again").click()
            expect(page.locator(".outcome")).to_have_text("Version 1 was published.")
            page.get_by_role("link", name="Add pages").click()
            expect(page.get_by_role("button", name="Run now")).to_be_visible()
            check(page)
            held = page.evaluate_handle(DROPPED)
            page.dispatch_event("#drop", "drop", {"dataTransfer": held})
            expect(page.locator("#chosen")).to_contain_text("fees.html")
            page.locator("#send").get_by_role("button", name="Start").click()
            expect(page.locator(".outcome")).to_have_text("Version 2 was published.")
