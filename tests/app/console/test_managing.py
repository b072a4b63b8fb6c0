"""Administration with a browser by the keyboard alone: back to an old epoch, a vacuum, a token, an evaluation, the end
of a corpus."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Page, expect

from clausegraph.app.access.rules import AuditLog
from clausegraph.eval.conditionalqa.dataset import ConditionalAnswer, Question, write_questions
from tests.app.api.conftest import make_stand
from tests.app.console.conftest import Served, Watched, check, in_each_look, press, reach, serving, write

pytestmark = [pytest.mark.integration, pytest.mark.browser]


@in_each_look
def test_an_administrator_needs_no_command_line(
    window: Callable[..., Watched], tmp_path: Path, look: dict[str, Any]
) -> None:
    stand = make_stand(tmp_path)
    settings = stand.settings()
    asked = Question("q", "https://a.example/a", "", "What is it?", False, (ConditionalAnswer("£140"),), ())
    write_questions(tmp_path / "own.json", [asked])
    with serving(settings) as url:
        here = Served(url, settings.home, stand.tokens["admin", False])
        watched = window(here, **look)
        page = watched.login()
        expect(page.get_by_role("heading", level=1)).to_have_text("Corpora")
        check(page)
        press(page, page.get_by_role("link", name="other", exact=True))
        press(page, page.get_by_role("link", name="Manage"))
        expect(page.get_by_role("heading", level=1)).to_contain_text("Manage")
        check(page)
        reach(page, page.get_by_role("radio", checked=True))
        page.keyboard.press("ArrowDown")
        write(page, page.locator("#why-rollback"), "the new age is wrong")
        page.keyboard.press("Enter")
        expect(page.locator("label", has_text="readers get it")).to_contain_text("version 1 readers get it")
        press(page, page.get_by_role("link", name="Changes"))
        expect(page.get_by_role("heading", level=1)).to_have_text("Changes from version 1 to 2")
        page.go_back()
        reach(page, page.get_by_role("radio", checked=True))
        page.keyboard.press("ArrowUp")
        press(page, page.get_by_role("button", name="Let readers get this version"))
        expect(page.locator("label", has_text="readers get it")).to_contain_text("version 2 readers get it")
        write(page, page.locator("#keep-epochs"), "1")
        write(page, page.locator("#keep-days"), "0")
        page.keyboard.press("Enter")
        expect(page.locator(".outcome")).to_have_text("1 version removed with what only they show, 1 kept.")
        check(page)
        token_made_used_and_revoked(page, watched)
        evaluated(page, watched, tmp_path)
        page.goto(f"{url}/c/other/manage")
        write(page, page.locator("#name"), "othr")
        page.keyboard.press("Enter")
        expect(page.locator(".problem")).to_contain_text("corpus 'other' stays: the name typed was 'othr'")
        check(page)
        write(page, page.locator("#name"), "other")
        write(page, page.locator("#why-drop"), "moved")
        press(page, page.get_by_role("button", name="Remove other"))
        expect(page.get_by_role("heading", level=1)).to_have_text("Corpora")
        expect(page.get_by_role("link", name="other", exact=True)).to_have_count(0)
        page.goto(f"{url}/c/default/contradictions")
        check(page)
        assert all("400" in one for one in watched.complaints), watched.complaints
        watched.complaints.clear()
    deeds = AuditLog(settings.home).last(20)
    why = {one["why"]: (one["who"], one["outcome"]) for one in deeds if one["why"]}
    assert why == dict.fromkeys(("the new age is wrong", "the help desk", "moved"), ("admin-False", "done"))


def token_made_used_and_revoked(page: Page, watched: Watched) -> None:
    press(page, page.get_by_role("link", name="Admin"))
    expect(page.get_by_role("heading", level=1)).to_have_text("Admin")
    screens = page.get_by_role("navigation", name="Screens")  # of the corpus one was in, whatever is done here
    press(page, page.locator("summary", has_text="Make a token"))
    check(page)
    write(page, page.locator("#token-name"), "ann")
    write(page, page.locator("#why-token"), "the help desk")
    page.keyboard.press("Enter")
    text = page.locator("#made").input_value()
    expect(screens).to_be_visible()
    check(page)
    with httpx.Client(base_url=watched.url, headers={"Authorization": f"Bearer {text}"}) as client:
        assert client.get("/v1/me").json()["name"] == "ann"
        revoke = page.locator("button", has_text="Revoke: ann")
        press(page, revoke)
        expect(revoke).to_have_count(0)
        expect(screens).to_be_visible()
        assert client.get("/v1/me").status_code == 401
    assert text not in page.content()


def evaluated(page: Page, watched: Watched, tmp_path: Path) -> None:
    """A question file is sent, two engines are measured on it, and compared."""
    for engine in ("loop", "single-pass"):
        page.goto(f"{watched.url}/c/default/evaluations")
        if engine == "loop":
            page.set_input_files("#file", tmp_path / "own.json")
            press(page, page.get_by_role("button", name="Send", exact=True))
        expect(page.locator("#questions option", has_text="own.json")).to_have_count(1)
        check(page)
        reach(page, page.locator("#questions"))
        page.keyboard.type("own.json")
        reach(page, page.locator("#engine"))
        page.keyboard.type(engine)
        press(page, page.get_by_role("button", name="Start"))
        expect(page.locator(".outcome")).to_have_text(f"{engine} was measured on 1 question.", timeout=60_000)
    press(page, page.get_by_role("link", name="Its figures"))
    reach(page, page.locator("#with"))
    page.keyboard.press("ArrowDown")
    press(page, page.get_by_role("button", name="Compare"))
    expect(page.get_by_label("Both runs")).to_be_visible()
    check(page)
