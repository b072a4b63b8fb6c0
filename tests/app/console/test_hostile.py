"""Texts that want to be more than text: of pages, file names, questions and addresses; they stay what they are."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import anyio
import lxml.html
import pytest

from clausegraph.app.access.roles import Role
from clausegraph.app.access.tokens import Tokens
from clausegraph.app.api.application import create_app
from clausegraph.app.console.face import face
from clausegraph.app.console.templating import address
from clausegraph.app.workspace import Workspace
from clausegraph.core.settings import Settings
from tests.app.api.conftest import client_of
from tests.app.console.conftest import Served, Watched, filled, serving
from tests.app.console.test_ask import ask

ATTEMPTS = (
    "<script>hit=1</script>",
    "</script><script>hit=1</script>",
    "<img src=x onerror=hit=1>",
    "<svg onload=hit=1>",
    "<iframe src='javascript:parent.hit=1'></iframe>",
    "<a href='javascript:hit=1'>x</a>",
    "' autofocus onfocus='hit=1",
    '" autofocus onfocus="hit=1',
    "`><b onclick=hit=1>",
    "</textarea><script>hit=1</script>",
    "</title><script>hit=1</script>",
    "</option></select><img src=x onerror=hit=1>",
    "<style>*{display:none}</style>",
    "<base href='http://evil.example/'>",
    "<meta http-equiv=refresh content='0;url=http://evil.example'>",
    "<link rel=stylesheet href=http://evil.example/x.css>",
    "<form action=http://evil.example><button>x",
    "<div hx-get='/login' hx-trigger='load' hx-target='body'></div>",
    "<div hx-on:click='hit=1' hx-vals='js:{a:hit=1}'></div>",
    "<div hx-ext='sse' sse-connect='http://evil.example'></div>",
    "{{ 7 * 191 }}{% include 'login.html' %}",
    "${7*191}#{7*191}<%= 7*191 %>",
    "x\n\nevent: answer\ndata: <img src=x onerror=hit=1>\n\n",
    "x\r\nSet-Cookie: a=b\r\n\r\n<script>hit=1</script>",
    "javascript:hit=1",
    "data:text/html,<script>hit=1</script>",
    "\u202egpj.exe\u2066",
    "\x1b]0;owned\x07\x00",
    "&lt;script&gt;hit=1&lt;/script&gt;",
    "%3Cscript%3Ehit=1%3C/script%3E",
)  # fmt: skip
OURS = {"/static/vendor/htmx.min.js", "/static/vendor/sse.min.js", "/static/console.js"}
OURS |= {"/static/vendor/cytoscape.min.js", "/static/graph.js"}
FOREIGN = "iframe img svg style base object embed"
_NAMES = [re.sub(r"[/\x00-\x1f\x7f]", "_", text)[:80] for text in ATTEMPTS]


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """A corpus whose pages have every attempt as title, heading, text, item and cell, and as the name of a file."""
    folder = tmp_path_factory.mktemp("hostile")
    for number, (text, name) in enumerate(zip(ATTEMPTS, _NAMES, strict=True)):
        said = html.escape(text)
        rule = f"<p>You can get the Grant {number} if you live in {said}.</p><ul><li>you are {said}</li></ul>"
        table = f"<table><tr><th>A</th><th>{said}</th></tr><tr><td>{said}</td><td>1</td></tr></table>"
        body = f"<title>{said}</title><main><h1>{said}</h1>{rule}{table}<p>Councils pay the {said} Grant.</p></main>"
        (folder / f"{number}{name}.html").write_text(f"<html><body>{body}</body></html>", "utf-8")
    return filled(tmp_path_factory.mktemp("home"), Path(folder))


def assert_inert(text: str) -> None:
    """Nothing of a page is an element, an attribute or an address of ours that could do something."""
    tree = lxml.html.document_fromstring(text)
    assert {one.get("src") for one in tree.iter("script")} <= OURS and "".join(tree.xpath("//script/text()")) == ""
    assert [one.tag for name in FOREIGN.split() for one in tree.iter(name)] == []
    assert "1337" not in text  # 7 times 191
    for one in tree.iter(lxml.html.etree.Element):
        for name, value in one.items():
            assert not name.startswith(("on", "hx-on", "hx-vals", "style")), (one.tag, name)
            if name in ("href", "src", "action", "hx-get", "hx-post", "sse-connect"):
                assert value.startswith(("/", "#")) and urlsplit(value).netloc == "", value


def _addresses(text: str) -> Iterator[str]:
    yield address("default", "ask", question=text, scenario=text, assume=[text])
    yield address("default", "graph", search=text, relation=text)
    yield address("default", "graph", name=text)
    yield address("default", "page", name=text, anchor=text)
    yield address(text, "ask")
    yield f"/login?{urlencode({'next': '/' + text})}"


@pytest.mark.unit
def test_what_is_in_an_address_or_a_question_stays_text(hostile: Settings) -> None:
    _, token = Tokens(hostile.home).add("reader", Role.READER)

    async def everywhere() -> None:
        attempts = 0
        headers = {"Authorization": f"Bearer {token}"}
        async with client_of(create_app(Workspace(hostile), [face()]), **headers) as client:
            for text in ATTEMPTS:
                for where in _addresses(text):
                    answer = await client.get(where)
                    assert answer.status_code < 500 and "set-cookie" not in answer.headers
                    if answer.headers["content-type"].startswith("text/html"):
                        assert_inert(answer.text)
                    attempts += 1
                asked = await client.post("/c/default/asked", data={"question": f"Grant {text}", "scenario": text})
                assert_inert(asked.text)
                events = await client.get(re.findall(r'sse-connect="([^"]+)"', asked.text)[0])
                told = events.text.strip().split("\n\n")
                assert [one.split("\n")[0] for one in told][-1] == "event: answer"
                assert sum(one.startswith("event: answer") for one in told) == 1
                assert_inert("\n".join(line.removeprefix("data: ") for line in told[-1].split("\n")[1:]))
            assert attempts >= 60

    anyio.run(everywhere)


@pytest.mark.integration
@pytest.mark.browser
def test_what_pages_and_file_names_say_stays_text_in_a_browser(
    hostile: Settings, window: Callable[..., Watched]
) -> None:
    _, token = Tokens(hostile.home).add("looker", Role.READER)
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
        page.goto(f"{url}/c/default/ask")
        ask(page, "Can I get the Grant 2?", "")
        page.locator(".card a, .leaf a").first.click()
        page.wait_for_selector("#beside .document")
        page.goto(f"{url}/c/default/graph?name=councils")
        page.wait_for_selector("#canvas[data-drawn]")
        assert page.evaluate("typeof hit") == "undefined"
        page.context.close()
