"""What no browser is needed for: who may, where a form may come from, what the headers say, what is vendored."""

import hashlib
import json
import re
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path

import anyio
import anyio.to_thread
import httpx
import pytest

from clausegraph.app.access.tokens import AccessRole, Tokens
from clausegraph.app.api.application import create_app
from clausegraph.app.console.exploring import shown_relation
from clausegraph.app.console.face import RULES, face
from clausegraph.app.console.screen import HERE
from clausegraph.app.services.connections import DrawnFact
from clausegraph.app.workspace import Workspace
from clausegraph.core.errors import NotFoundError
from clausegraph.core.settings import Settings
from clausegraph.indexes.corpora import get_corpus, start_run
from clausegraph.indexes.ledger.leases import run_lease
from clausegraph.indexes.ledger.store import open_ledger
from tests.app.api.conftest import BASE, client_of, conversation
from tests.app.console.conftest import looking
from tests.harness.home import filled

HOME = {"Origin": BASE}
CSRF = re.compile(r'name="csrf" value="([^"]+)"')


@pytest.fixture
def visit(settings: Settings) -> Callable[[Callable[[httpx.AsyncClient], Awaitable[None]]], None]:
    """A conversation of somebody who has logged in with a fresh application."""

    def run(conversation: Callable[[httpx.AsyncClient], Awaitable[None]]) -> None:
        async def whole() -> None:
            async with client_of(create_app(Workspace(settings), [face()])) as client:
                answer = await client.post("/login", data={"token": _token(settings)}, headers=HOME)
                assert answer.status_code == 303
                await conversation(client)

        anyio.run(whole)

    return run


def _token(settings: Settings) -> str:
    tokens = Tokens(settings.home)
    with suppress(NotFoundError):
        tokens.revoke("bound")
    return tokens.add("bound", AccessRole.READER, ("default",))[1]


@conversation(fixture="visit")
async def test_a_session_is_no_scripts_and_no_other_sites(client: httpx.AsyncClient, settings: Settings) -> None:
    again = await client.post("/login", data={"token": _token(settings)}, headers=HOME)
    cookie = again.headers["set-cookie"].lower()
    assert "httponly" in cookie and "samesite=lax" in cookie
    for elsewhere in ({}, {"Origin": "http://evil.example"}, {"Sec-Fetch-Site": "cross-site"}):
        refused = await client.post("/login", data={"token": "x"}, headers=elsewhere)
        assert refused.status_code == 403
        refused = await client.post("/c/default/asked", data={"question": "Why?"}, headers=elsewhere)
        assert refused.status_code == 403


@conversation(fixture="visit")
async def test_a_form_needs_the_secret_of_its_session(client: httpx.AsyncClient) -> None:
    csrf = CSRF.search((await client.get("/c/default/ask")).text)
    assert csrf is not None
    for secret, status in (("", 403), ("é", 403), ("wrong", 403), (csrf[1], 200)):
        body = {"question": "Why?", "csrf": secret}
        assert (await client.post("/c/default/asked", data=body, headers=HOME)).status_code == status
    assert (await client.post("/logout", data={"csrf": ""}, headers=HOME)).status_code == 403
    assert (await client.post("/logout", data={"csrf": csrf[1]}, headers=HOME)).status_code == 303
    assert (await client.get("/c/default/ask", headers={"Accept": "text/html"})).status_code == 303


def test_an_answer_is_for_whoever_asked_and_screens_for_those_who_may_see_the_corpus(
    visit: Callable[..., None], settings: Settings
) -> None:
    _, other = Tokens(settings.home).add("other", AccessRole.ADMIN)

    async def look(client: httpx.AsyncClient) -> None:
        csrf = CSRF.search((await client.get("/c/default/ask")).text)
        assert csrf is not None
        asked = await client.post("/c/default/asked", data={"question": "Why?", "csrf": csrf[1]}, headers=HOME)
        events = re.search(r'sse-connect="([^"]+)"', asked.text)
        assert events is not None
        assert "event: answer" in (await client.get(events[1])).text
        theirs = await client.get(events[1], headers={"Authorization": f"Bearer {other}"})
        assert theirs.status_code == 404
        for rule in RULES:
            method, path = rule.split(" ", 1)
            if "{corpus}" in path:
                where = path.replace("{corpus}", "secret").replace("{name}", "x")
                assert (await client.request(method, where, headers=HOME)).status_code == 403, rule

    visit(look)
    Tokens(settings.home).revoke("other")


@pytest.mark.parametrize("wanted", ["//evil.example", "/\\evil.example", "https://evil.example", "/\t/evil", "/é"])
def test_a_login_leads_to_this_server_alone(settings: Settings, wanted: str) -> None:
    async def login() -> None:
        async with client_of(create_app(Workspace(settings), [face()])) as client:
            form = {"token": _token(settings), "next": wanted}
            answer = await client.post("/login", data=form, headers=HOME)
            assert answer.headers["location"] == "/"

    anyio.run(login)


@conversation(fixture="visit")
async def test_every_screen_forbids_inline_code_and_what_lies_elsewhere(client: httpx.AsyncClient) -> None:
    for path in ("/login", "/c/default/ask", "/c/default/page?name=nowhere", "/c/default/ask?epoch=0"):
        answer = await client.get(path)
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy and "unsafe" not in policy and "frame-ancestors 'none'" in policy
        assert answer.headers["cache-control"] == "no-store"
        assert not re.search(r"<style|<script(?! src=\"/static/)|\son\w+=|\sstyle=", answer.text), path


BROWSER = {"Accept": "text/html"}


@conversation(fixture="visit")
async def test_what_goes_wrong_on_the_way_is_a_screen_for_people_and_a_problem_document_for_programs(
    client: httpx.AsyncClient,
) -> None:
    cases = (("/nonsense", {}, 404), ("/c/secret/ask", {}, 403), ("/login", {"Host": "evil.example"}, 421))
    for path, more, status in cases:
        shown = await client.get(path, headers=BROWSER | more)
        assert shown.status_code == status and shown.headers["content-type"].startswith("text/html"), path
        assert 'role="alert"' in shown.text and "content-security-policy" in shown.headers
        told = await client.get(path, headers=more | {"Accept": "application/json"})
        assert (told.status_code, told.headers["content-type"]) == (status, "application/problem+json")


@conversation(fixture="visit")
async def test_a_question_is_asked_of_the_epoch_of_a_day(client: httpx.AsyncClient) -> None:
    csrf = CSRF.search((await client.get("/c/default/ask")).text)
    assert csrf is not None
    form = {"question": "Could she get the Winter Heating Grant?", "csrf": csrf[1]}
    asked = await client.post("/c/default/asked", data=form | {"on": "9000-01-01"}, headers=HOME)
    assert "epoch=1" in asked.headers["hx-push-url"]
    events = re.search(r'sse-connect="([^"]+)"', asked.text)
    assert events is not None
    found = (await client.get(events[1])).text
    assert "no language model was asked" in found and "names and kind are there" in found
    assert re.search(r'class="places">.*name=corpus%3Aheating-grant.html&amp;epoch=1&amp;anchor=', found, re.S)
    for more, status, words in (
        ({"on": "1999-12-31"}, 404, "keeps no epoch"),
        ({"on": "soon"}, 400, "is not understood"),
        ({"on": "9000-01-01", "epoch": "1"}, 400, "not both"),
        ({"epoch": "9" * 5000}, 422, "epoch"),
        ({"epoch": "soon"}, 422, "epoch"),
    ):
        wrong = await client.post("/c/default/asked", data=form | more, headers=HOME)
        assert wrong.status_code == status and words in wrong.text


def test_each_table_of_a_page_has_a_name_of_its_own(tmp_path: Path) -> None:
    table = "<table><tr><th>Age</th><th>Sum</th></tr><tr><td>70</td><td>£10</td></tr></table>"
    (tmp_path / "page.html").write_text(f"<main><h1>Sums</h1><p>Now.</p>{table}<p>Then.</p>{table}</main>")

    async def look(client: httpx.AsyncClient) -> None:
        labels = re.findall(
            r'role="region" aria-label="([^"]+)"', (await client.get("/c/default/page?name=page.html")).text
        )
        assert len(labels) == len(set(labels)) == 2

    looking(filled(tmp_path / "home", tmp_path), look)


@conversation(fixture="visit")
async def test_lists_go_on_and_a_search_that_finds_nothing_can_be_mended(client: httpx.AsyncClient) -> None:
    first = (await client.get("/c/default/pages?source=corpus&after=heating-grant.html")).text
    assert "heating-grant.html" not in first and "parental-leave.html" in first
    assert "There are no more pages" in (await client.get("/c/default/pages?source=corpus&after=zzz")).text
    lost = await client.get("/c/default/graph?name=nobody")
    assert lost.status_code == 404 and "no entity" in lost.text and 'id="search"' in lost.text


@conversation(fixture="visit")
async def test_the_graph_of_a_page_is_what_it_states(client: httpx.AsyncClient) -> None:
    for path, status in (("", 200), ("/drawn", 200)):
        whole = await client.get(f"/c/default/graph{path}?name=winter+heating+grant")
        lone = await client.get(f"/c/default/graph{path}?name=winter+heating+grant&page=appeal-a-decision.html")
        assert (whole.status_code, lone.status_code) == (status, status)
        assert len(lone.text) < len(whole.text)
    page = await client.get("/c/default/graph?page=heating-grant.html")
    shown = re.findall(r'<tr id="f-([0-9a-f]+)"', page.text)
    drawn = (await client.get("/c/default/graph/drawn?page=heating-grant.html")).json()
    assert [one[0] for one in drawn["edges"]][: len(shown)] == [f"f-{id}" for id in shown] and not drawn["more"]
    denied = (await client.get("/c/default/graph/drawn?page=carer-payment.html")).json()["edges"]
    assert any("cannot, if" in one[2] for one in denied)
    assert set(re.findall(r'<p><a href="/c/default/page\?name=([^"&]+)', page.text)) == {"corpus%3Aheating-grant.html"}
    lost = await client.get("/c/default/graph?page=nowhere")
    assert lost.status_code == 404 and "has no page" in lost.text and 'id="search"' in lost.text


def test_a_fact_that_is_denied_is_not_drawn_as_stated(visit: Callable[..., None]) -> None:
    async def look(client: httpx.AsyncClient) -> None:
        shown = (await client.get("/c/default/graph?name=carer+payment")).text
        assert any("cannot" in one and "if …" in one for one in re.findall(r"<td>(.*)</td>", shown))

    visit(look)
    is_, not_, must = [
        {"modality": m, "polarity": p, "condition": ""} for m, p in (("is", True), ("is", False), ("must", True))
    ]
    may, long = is_ | {"condition": "from 6 April 2026"}, must | {"condition": "x" * 41}
    for statements, said in (
        ([is_], "r"), ([not_, not_], "r (not)"), ([is_, not_], "r (not, is)"), ([must], "r (must)"),
        ([may, may], "r (if from 6 April 2026)"), ([may, is_], "r (if …)"), ([long], "r (must, if …)"),
    ):  # fmt: skip
        fact = DrawnFact(id="f", subject="s", relation="r", object="o", literal=False, statements=statements)
        assert shown_relation(fact) == said


def test_runs_and_changes_are_told_with_what_was_not_used_and_both_sentences(tmp_path: Path) -> None:
    folder = tmp_path / "pages"
    folder.mkdir()
    page = "<title>Grant</title><main><h1>Grant</h1><p>You can get the Heating Grant if you live in {}.</p></main>"
    (folder / "grant.html").write_text(page.format("Ayr"), "utf-8")
    made = filled(tmp_path / "home", folder)

    async def look(client: httpx.AsyncClient) -> None:
        assert "There are no two versions" in (await client.get("/c/default/changes")).text
        (folder / "grant.html").write_text(page.format("Perth"), "utf-8")
        (folder / "torn.pdf").write_bytes(b"%PDF-1.4 torn")
        await anyio.to_thread.run_sync(filled, made.home, folder)
        runs = (await client.get("/c/default/runs")).text
        assert "1 changed" in runs and "1 added" in runs and "1 × a damaged PDF" in runs
        newest = re.findall(r'href="(/c/default/run\?name=[^"]+)"', runs)[0]
        assert "torn.pdf" in (await client.get(newest)).text
        beyond = await client.get(f"{newest}&after=9")
        assert "Everything was used" not in beyond.text and "1 × a damaged PDF" in beyond.text
        with (
            open_ledger(made.home, create=False) as ledger,
            run_lease(ledger, get_corpus(ledger, "default").id, "0123456789ab"),
        ):
            start_run(ledger, get_corpus(ledger, "default").id, "0123456789ab", "ingest", "pages")
            working = (await client.get("/c/default/run?name=0123456789ab")).text
            listed = (await client.get("/c/default/runs")).text
        assert 'sse-connect="/c/default/run/events?name=0123456789ab"' in working and "At work: begin" in working
        assert 'hx-trigger="every 5s"' in listed and ">at work<" in listed
        killed = (await client.get("/c/default/run?name=0123456789ab")).text
        assert "It was killed; nothing of it was published" in killed and "sse-connect" not in killed
        lost = await client.get("/c/default/run?name=none")
        assert lost.status_code == 404 and "no run" in lost.text
        changed = (await client.get("/c/default/changes?since=1&until=2")).text
        assert "live in Ayr" in changed and "live in Perth" in changed
        links = re.findall(r'<blockquote><a href="([^"]+)#marked">', changed)
        for link, said in zip(links, ("Ayr", "Perth"), strict=True):
            marked = (await client.get(link.replace("&amp;", "&"))).text
            assert re.search(rf'<mark id="marked"[^>]*>[^<]*live in {said}', marked)
        beside = (await client.get("/c/default/versions?name=pages%3Agrant.html")).text
        assert re.search(
            r'<tr class="changed"><td>changed</td><td[^>]*>[^<]*Ayr.</td><td[^>]*>[^<]*Perth.</td>', beside
        )
        assert "live in Ayr" in beside and "1 elements" not in beside
        turned = await client.get("/c/default/versions?name=pages%3Agrant.html&version=2&with=1")
        assert re.search(r"<td[^>]*>[^<]*Perth.</td><td[^>]*>[^<]*Ayr.</td>", turned.text)
        missing = await client.get("/c/default/changes?since=1&until=99")
        assert missing.status_code == 404 and "99" in missing.text

    looking(made, look)


def test_what_is_vendored_is_what_was_pinned() -> None:
    listed = json.loads((HERE / "package.json").read_text())["vendored"]
    lying = {path.name: hashlib.sha256(path.read_bytes()) for path in (HERE / "static" / "vendor").iterdir()}
    assert {name: one["sha256"] for name, one in listed.items()} == {k: v.hexdigest() for k, v in lying.items()}
