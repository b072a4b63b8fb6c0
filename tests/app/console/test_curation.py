"""Curation: what a curator decides on screen, and that nobody else can."""

import re
import shutil
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest
from playwright.sync_api import expect
from pydantic import SecretStr

from clausegraph.app.access.tokens import AccessRole, Tokens
from clausegraph.app.api.application import create_app
from clausegraph.app.console.face import RULES, face
from clausegraph.app.console.screen import address
from clausegraph.app.workspace import Workspace
from clausegraph.core.settings import Settings
from tests.app.api.conftest import BASE, client_of
from tests.app.console.attempts import ATTEMPTS, assert_inert
from tests.app.console.conftest import PHONE, Served, Watched, check, in_each_look, serving
from tests.app.console.test_ask import ask
from tests.harness.home import filled
from tests.law.world import page_html

CSRF = re.compile(r'name="csrf" value="([^"]+)"')
PAGES = {
    "grant": [
        "The Resident Services Office must pay the heating grant.",
        "Tenants must contact the Resident Services Office.",
    ],
    "loan": ["The Office for Resident Services must pay the study loan."],
    "permit": ["You can get the Blue Permit if you live in Ayr."],
}
CURATION = "/c/default/curation"


@pytest.fixture(scope="module")
def stocked(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """Two pages that name one office in two ways."""
    root = tmp_path_factory.mktemp("curation")
    for name, paragraphs in PAGES.items():
        (root / f"{name}.html").write_text(page_html(f"The {name}", paragraphs), encoding="utf-8")
    return filled(root / "home", root)


@pytest.fixture
def desk(stocked: Settings, tmp_path: Path) -> Settings:
    """A home of one's own, to decide in."""
    home = shutil.copytree(stocked.home, tmp_path / "home")
    return stocked.model_copy(update={"home": home})


Talk = Callable[[httpx.AsyncClient, str], Awaitable[None]]


def logged_in(settings: Settings, role: AccessRole, talk: Talk) -> None:
    """A conversation of somebody of that role, with what forms must carry."""

    async def whole() -> None:
        async with client_of(create_app(Workspace(settings), [face()])) as client:
            _, token = Tokens(settings.home).add(f"{role}", role)
            await client.post("/login", data={"token": token}, headers={"Origin": BASE})
            client.headers["Origin"] = BASE
            screen = await client.get("/c/default/pages")
            found = CSRF.search(screen.text)
            assert found is not None
            await talk(client, found[1])

    anyio.run(whole)


def posts() -> Iterator[str]:
    yield from (
        key.split()[1].replace("{corpus}", "default") for key in RULES if key.startswith("POST /c/{corpus}/cur")
    )


def test_a_reader_sees_what_was_decided_and_can_decide_nothing(desk: Settings) -> None:
    async def look(client: httpx.AsyncClient, csrf: str) -> None:
        screen = await client.get(CURATION)
        assert screen.status_code == 200 and screen.text.count("<button") == screen.text.count("Log out") == 1
        for where in ("page?name=loan.html", "graph?name=study+loan"):
            assert "hide?" not in (await client.get(f"/c/default/{where}")).text
        assert (await client.get("/c/default/hide?statement=abcd")).status_code == 403
        forms = list(posts())
        assert len(forms) == 8
        for where in forms:
            value = {"csrf": csrf, "name": "ors", "entity": "study loan", "number": "1", "state": "accepted"}
            refused = await client.post(where, data=value | {"statement": "abcd", "reason": "x"})
            assert refused.status_code == 403, where

    logged_in(desk, AccessRole.READER, look)


def test_a_form_of_another_page_decides_nothing_and_what_it_has_stays_text(desk: Settings) -> None:
    async def look(client: httpx.AsyncClient, csrf: str) -> None:
        value = {"name": "ors", "entity": "study loan", "number": "1", "state": "accepted", "statement": "abcd"}
        for where in posts():
            for forged in ({}, {"csrf": "x"}):
                assert (await client.post(where, data=value | forged)).status_code == 403, where
        page = (await client.get("/c/default/page?name=loan.html")).text
        statement = re.findall(r"hide\?statement=([0-9a-f]+)", page)[0]
        for text in ATTEMPTS[::3]:
            merged = await client.post(f"{CURATION}/merge", data={"csrf": csrf, "name": text, "entity": text})
            assert merged.status_code in (400, 404)
            assert_inert(merged.text)
            hidden = {"csrf": csrf, "statement": statement, "reason": text}
            assert (await client.post(f"{CURATION}/hide", data=hidden)).status_code == 303
            screen = (await client.get(CURATION)).text
            assert_inert(screen)
            number = re.findall(r'name="number" value="(\d+)"', screen)[-1]
            await client.post(f"{CURATION}/unhide", data={"csrf": csrf, "number": number})
        assert (await client.get(address("default", "hide", statement="<script>"))).status_code == 422
        blank = await client.post(f"{CURATION}/hide", data={"csrf": csrf, "statement": statement, "reason": " "})
        assert blank.status_code == 400 and "say why" in blank.text

    logged_in(desk, AccessRole.CURATOR, look)


def test_the_server_as_a_whole_is_for_admins_of_all_of_it_and_shows_no_secret(desk: Settings) -> None:
    closed = desk.model_copy(update={"llm_key": SecretStr("sk-verysecret1"), "llm": "mistral:x"})

    async def look(client: httpx.AsyncClient, csrf: str) -> None:
        screen = await client.get("/admin")
        assert screen.status_code == 200 and "sk-verysecret1" not in screen.text and "(set)" in screen.text
        assert "loan.html" not in screen.text and ">3 pages, version 1" in screen.text and "ledger.db" in screen.text
        assert 'href="/admin?corpus=default"' in (await client.get(CURATION)).text
        for role, corpora in ((AccessRole.READER, None), (AccessRole.CURATOR, None), (AccessRole.ADMIN, ("default",))):
            _, token = Tokens(desk.home).add(f"{role} {corpora}", role, corpora)
            held = {"Authorization": f"Bearer {token}", "Accept": "text/html"}
            assert (await client.get("/admin", headers=held)).status_code == 403
            assert 'href="/admin' not in (await client.get(CURATION, headers=held)).text

    logged_in(closed, AccessRole.ADMIN, look)


@pytest.mark.integration
@pytest.mark.browser
def test_a_merge_and_a_hidden_statement_are_published_and_undone(
    desk: Settings, window: Callable[..., Watched]
) -> None:
    _, token = Tokens(desk.home).add("cura", AccessRole.ADMIN)
    with serving(desk) as url:
        watched = window(Served(url, desk.home, token), viewport=PHONE, color_scheme="dark")
        page = watched.login()
        page.goto(f"{url}{CURATION}")
        check(page)
        page.click("text=Look for more")
        pair = page.locator("section.pair").first
        expect(pair.locator("blockquote").first).to_contain_text("must")
        check(page)
        pair.get_by_role("button", name="Accept").press("Enter")  # by the keyboard
        expect(page.get_by_label("Decided about names")).to_contain_text("waits for the next publish")
        page.goto(f"{url}/c/default/page?name=loan.html")
        page.locator("summary", has_text="statement here").last.click()
        stated = page.locator("a.act").count()
        page.locator("a.act").last.click()
        check(page)
        page.fill("#reason", "the council pays it")
        page.click("text=Hide it")
        expect(page.get_by_label("Hidden statements")).to_contain_text("the council pays it")
        check(page)
        page.click("text=Publish now")
        expect(page.get_by_text("Whatever was decided is in force")).to_be_visible()
        assert page.get_by_text("since version 2").count() == 2
        page.goto(f"{url}/c/default/page?name=loan.html")
        expect(page.locator("article")).to_contain_text("must pay the study loan")  # the page keeps its words
        expect(page.locator("a.act")).to_have_count(stated - 1)
        for region in ("Decided about names", "Hidden statements"):
            page.goto(f"{url}{CURATION}")
            page.get_by_label(region).get_by_role("button", name="Undo").click()
            page.wait_for_url("**/curation#*")
        expect(page.locator("main")).to_contain_text("Shown again from the next publish on")
        page.click("text=Publish now")
        expect(page.get_by_text("Nobody has decided anything yet")).to_be_visible()
        expect(page.locator("section.pair")).to_be_visible()  # a proposal again
        page.goto(f"{url}/c/default/graph?name=study+loan")
        expect(page.locator("#facts")).to_contain_text("Office for Resident Services must pay study loan")
        page.click("text=Admin")
        page.click("text=Examine it")
        expect(page.get_by_label("Findings")).to_contain_text("every row can be read")
        page.locator("details summary").last.click()
        check(page)
        page.context.close()


@pytest.mark.integration
@pytest.mark.browser
@in_each_look
def test_two_analysts_share_what_is_decided_and_keep_what_they_ask(
    desk: Settings, window: Callable[..., Watched], look: dict[str, Any]
) -> None:
    roles = {"ann": AccessRole.READER, "cora": AccessRole.CURATOR, "cleo": AccessRole.CURATOR}
    tokens = {name: Tokens(desk.home).add(name, role)[1] for name, role in roles.items()}
    with serving(desk) as url:
        windows = {name: window(Served(url, desk.home, token), **look) for name, token in tokens.items()}
        ann, cora, cleo = (one.login() for one in windows.values())
        for page in (ann, cora):
            ask(page, "Can I get the Blue Permit?", "")
            expect(page.locator(".verdict").first).to_contain_text("Yes, if you live in Ayr")
        with ann.expect_response("**/suppose"):
            ann.get_by_role("group", name="you live in Ayr").get_by_label("unmet").check()
        expect(ann.locator(".verdict").first).not_to_contain_text("Yes")
        cora.goto(f"{url}{cora.locator('#kept').get_attribute('href')}")  # hers is as it was
        expect(cora.locator(".verdict").first).to_contain_text("Yes, if you live in Ayr")
        kept = f"{url}{ann.locator('#kept').get_attribute('href')}"
        cora.goto(kept)
        expect(cora.get_by_role("alert").last).to_contain_text("this answer is not kept")
        assert [text for text in windows["cora"].complaints if "404" not in text] == []
        windows["cora"].complaints.clear()
        for page in (cora, cleo):  # both are about to hide the same
            page.goto(f"{url}/c/default/page?name=permit.html")
            page.locator("summary", has_text="statement here").last.click()
            page.locator("a.act").last.click()
        for page, why in ((cora, "it ended in May"), (cleo, "I think it is wrong")):
            page.fill("#reason", why)
            page.click("text=Hide it")
            hidden = page.get_by_label("Hidden statements")
            expect(hidden).to_contain_text("it ended in May")
            expect(hidden.locator("tbody tr")).to_have_count(1)
        expect(cleo.locator("p.problem")).to_have_text("cora has hidden it before: it ended in May")
        ann.goto(f"{url}{CURATION}")
        expect(ann.get_by_label("Hidden statements")).to_contain_text("waits for the next publish")
        expect(ann.locator("main button")).to_have_count(0)
        check(ann)
        ann.goto(f"{url}/c/default/page?name=permit.html")
        expect(ann.locator("summary", has_text="statement here")).to_have_count(1)
        for page in (cora, cleo):
            page.get_by_role("button", name="Publish now").click()  # one of them is too late
            expect(page.get_by_text("Whatever was decided is in force")).to_be_visible()
        ann.goto(kept)
        expect(ann.locator(".verdict").first).to_contain_text("Yes, if you live in Ayr")  # as it was given
        ann.get_by_role("button", name="Ask again and compare").click()
        expect(ann.locator("main")).to_contain_text("cora hid on")
        expect(ann.locator("main")).to_contain_text("it ended in May")
        check(ann)
        cora.goto(f"{url}{CURATION}")
        cora.click("text=Look for more")
        cleo.goto(f"{url}{CURATION}")
        cora.locator("section.pair").first.get_by_role("button", name="Accept").click()
        cleo.locator("section.pair").first.get_by_role("button", name="Reject").click()  # which she had loaded before
        expect(cleo.get_by_role("alert").last).to_contain_text("was accepted by cora")
        windows["cleo"].complaints.clear()  # the browser's own word on the status
        cleo.goto(f"{url}{CURATION}")
        expect(cleo.get_by_label("Decided about names")).to_contain_text("cora")
        check(cleo)
