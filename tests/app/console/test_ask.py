"""Asking in a browser: steps, the answer, its leaves, the page beside it, the link to it."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.app.console.conftest import Watched

pytestmark = [pytest.mark.integration, pytest.mark.browser]

QUESTION = "Could she get the Winter Heating Grant?"
SCENARIO = "My mother is 84 and has been in a care home in Dunwater since 2024. She is on Basic Support."


def ask(page: Page, question: str = QUESTION, scenario: str = SCENARIO) -> None:
    page.fill("#question", question)
    page.fill("#scenario", scenario)
    page.get_by_role("button", name="Ask", exact=True).press("Enter")
    page.wait_for_selector("#answer")


def test_a_condition_that_is_taken_otherwise_changes_the_answer_at_once(window: Callable[..., Watched]) -> None:
    page = window().login()
    ask(page)
    verdict = page.locator(".verdict").first
    expect(verdict).to_have_text(re.compile(r"^No, unless you pay all of your own fees\.(\s\[\d+\])+\s*$"))
    found = page.locator("#answer details .timeline")
    expect(found).to_contain_text("It is enough: names and kind are there.")
    expect(found.locator(".places a").first).to_contain_text("you ")  # the sentence, not its key
    leaf = page.get_by_role("group", name="you pay all of your own fees")
    leaf.get_by_label("unmet").check()
    expect(verdict).to_have_text(re.compile(r"^No\.(\s\[\d+\])+\s*$"))
    assert page.evaluate("document.activeElement.value") == "unmet"  # where the keyboard was, it still is
    link = page.locator("#permalink").get_attribute("href")
    for number in range(page.locator(".leaf").count()):
        leaf = page.locator(".leaf").nth(number)
        bars = any(word in leaf.inner_text() for word in ("hospital", "prison", "public funds", "care home"))
        choice = leaf.locator(f"input[value={'unmet' if bars else 'met'}]")
        if not choice.is_checked():
            with page.expect_response("**/suppose"):
                choice.check()
    expect(verdict).to_have_text(re.compile(r"^Yes\.(\s\[\d+\])+\s*$"))
    page.goto(page.url.split("/c/")[0] + str(link))
    expect(page.locator(".verdict").first).to_have_text(re.compile(r"^No\.(\s\[\d+\])+\s*$"))


def test_a_second_question_keeps_the_person_in_sight_and_starts_anew(window: Callable[..., Watched]) -> None:
    page = window().login()
    ask(page)
    leaf = page.get_by_role("group", name="prison")
    with page.expect_response("**/suppose"):
        leaf.get_by_label("unmet").check()
    page.get_by_label("Ask on").fill("and if she pays all of her own fees?")
    page.get_by_role("button", name="Ask on").press("Enter")
    page.wait_for_selector("#answer")
    expect(page.locator("#question")).to_have_value(QUESTION)
    scenario = page.locator("#scenario")
    expect(scenario).to_have_value(
        re.compile(rf"^{re.escape(SCENARIO)}\n.*prison.*No\.\nShe pays all of her own fees\.$")
    )
    expect(page.locator(".verdict").first).not_to_have_text(re.compile("unless you pay all of your own fees"))
    expect(page.locator("#epoch")).to_have_value("")  # of today, as the first
    page.get_by_role("link", name="start anew").click()
    expect(page.locator("#scenario")).to_have_value("")


def test_evidence_opens_the_page_beside_the_answer_with_its_sentence_marked(window: Callable[..., Watched]) -> None:
    page = window().login()
    ask(page)
    page.locator(".card a").first.click()
    marked = page.locator("#beside #marked")
    expect(marked).to_have_text("you live in a care home, unless you pay all of your own fees")
    expect(marked).to_be_in_viewport()
    page.goto(page.url.split("/c/")[0] + str(page.locator(".leaf a").nth(1).get_attribute("href")))
    expect(page.locator("main #marked")).to_be_visible()
    expect(page.get_by_role("heading", level=1)).to_have_text("Winter Heating Grant")


def test_what_is_wrong_with_a_question_is_said_where_the_answer_would_be(window: Callable[..., Watched]) -> None:
    watched = window()
    page = watched.login()
    page.fill("#question", "   ")
    page.click("#ask button")
    expect(page.locator("#result .problem")).to_contain_text("the question is empty")
    page.goto(f"{watched.url}/c/default/ask?question=Why%3F&epoch=77")
    expect(page.locator("#result .problem")).to_contain_text("epoch 77")
    assert all("400" in text or "404" in text for text in watched.complaints)  # the browser's own word on the status
    watched.complaints.clear()


def test_a_link_from_another_site_asks_nothing_by_itself(window: Callable[..., Watched]) -> None:
    watched = window()
    page = watched.login()
    page.route("http://elsewhere.test/", lambda route: route.fulfill(
        content_type="text/html", body=f"<a href='{watched.url}/c/default/ask?question=Why'>x</a>"
    ))  # fmt: skip
    page.goto("http://elsewhere.test/")
    page.click("a")
    expect(page.locator("#question")).to_have_value("Why")
    assert page.locator("#ask").get_attribute("hx-trigger") is None
    watched.elsewhere.clear()
