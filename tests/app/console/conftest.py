"""The console on the sample corpus with the hashing embedder: one server and one browser for all its tests."""

import html
import os
import re
import secrets
import shutil
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import anyio
import httpx
import pytest
import uvicorn
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Locator,
    Page,
    ViewportSize,
    expect,
    sync_playwright,
)

from clausegraph.app.access.tokens import AccessRole, Tokens
from clausegraph.app.api.application import create_app
from clausegraph.app.console.face import face
from clausegraph.app.workspace import Workspace
from clausegraph.core.settings import Settings
from tests.app.api.conftest import client_of
from tests.app.console.attempts import ATTEMPTS, NAMES
from tests.harness.home import filled
from tests.harness.wait import until

SAMPLE = Path(__file__).resolve().parents[3] / "examples" / "corpus"


@dataclass(frozen=True)
class Served:
    """A server: its address, its home, and a reader's token."""

    url: str
    home: Path
    token: str


@contextmanager
def serving(settings: Settings) -> Iterator[str]:
    """A server of a home in a thread of this process; its address."""
    config = uvicorn.Config(
        create_app(Workspace(settings), [face()]), port=0, log_config=None, access_log=False, ws="none"
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        until(lambda: server.started)
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()


Look = Callable[[httpx.AsyncClient], Awaitable[None]]


def looking(
    settings: Settings, look: Look, role: AccessRole = AccessRole.READER, corpora: tuple[str, ...] | None = None
) -> None:
    """What a program does with a console over a home, with a token of that role."""
    _, token = Tokens(settings.home).add(f"{role.value} {secrets.token_hex(4)}", role, corpora)

    async def whole() -> None:
        headers = {"Authorization": f"Bearer {token}"}
        async with client_of(create_app(Workspace(settings), [face()]), **headers) as client:
            await look(client)

    anyio.run(whole)


async def answered(client: httpx.AsyncClient, question: str, **form: str) -> tuple[str, str]:
    """The address of what was asked, and the events up to its answer."""
    got = await client.post("/c/default/asked", data={"question": question} | form)
    events = re.search(r'sse-connect="([^"]+)/events"', got.text)
    assert events is not None, got.text
    return events[1], (await client.get(f"{events[1]}/events")).text


@pytest.fixture(scope="session")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    """Of a home with the sample corpus."""
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith("CLAUSEGRAPH_")]:
            patch.delenv(name)
        yield filled(tmp_path_factory.mktemp("console") / "home", SAMPLE)


@pytest.fixture(scope="session")
def console(settings: Settings) -> Iterator[Served]:
    _, token = Tokens(settings.home).add("ann", AccessRole.READER)
    with serving(settings) as url:
        yield Served(url, settings.home, token)


@pytest.fixture(scope="module")  # while it is open, this thread has an event loop, and no other test can run one
def browser() -> Iterator[Browser]:
    path = shutil.which("chromium")
    if path is None:
        pytest.skip("needs Debian's chromium: apt-get install chromium")
    with (
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=path, args=["--no-sandbox"]) as started,
    ):
        yield started


@pytest.fixture(scope="session")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """A corpus whose pages have every attempt as title, heading, text, item and cell, and as the name of a file."""
    folder = tmp_path_factory.mktemp("hostile")
    for number, (text, name) in enumerate(zip(ATTEMPTS, NAMES, strict=True)):
        said = html.escape(text)
        rule = f"<p>You can get the Grant {number} if you live in {said}.</p><ul><li>you are {said}</li></ul>"
        table = f"<table><tr><th>A</th><th>{said}</th></tr><tr><td>{said}</td><td>1</td></tr></table>"
        body = f"<title>{said}</title><main><h1>{said}</h1><p>Tenants must pay the Roof Levy.</p>{rule}{table}</main>"
        (folder / f"{number}{name}.html").write_text(f"<html><body>{body}</body></html>", "utf-8")
    return filled(tmp_path_factory.mktemp("home"), Path(folder))


PHONE: ViewportSize = {"width": 390, "height": 844}
WIDE: ViewportSize = {"width": 1440, "height": 900}
LOOKS = [{"viewport": size, "color_scheme": scheme} for scheme in ("dark", "light") for size in (PHONE, WIDE)]
in_each_look = pytest.mark.parametrize(
    "look",
    [LOOKS[0], *(pytest.param(one, marks=pytest.mark.long) for one in LOOKS[1:])],
    ids=lambda look: f"{look['viewport']['width']}-{look['color_scheme']}",
)
CUT = """() => [...document.querySelectorAll("main *")].filter(one =>
    one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 1 && getComputedStyle(one).overflowX !== "visible"
    && !one.matches("input, textarea, select, .hidden")).map(one => one.outerHTML.slice(0, 200))"""


def check(page: Page) -> None:
    """No finding of axe, nothing to scroll sideways for, and no text that is cut."""
    found = Axe().run(page).response["violations"]
    assert [(one["id"], [node["target"] for node in one["nodes"]]) for one in found] == [], page.url
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), page.url
    assert page.evaluate(CUT) == [], page.url


def reach(page: Page, wanted: Locator) -> None:
    """Press Tab until something has the focus."""
    for _ in range(120):
        page.keyboard.press("Tab")
        if wanted.evaluate("one => one === document.activeElement"):
            return
    raise AssertionError(f"Tab never comes to {wanted}")


def press(page: Page, wanted: Locator) -> None:
    reach(page, wanted)
    page.keyboard.press("Enter")


def write(page: Page, wanted: Locator, text: str) -> None:
    """Type into a field in place of what it has."""
    reach(page, wanted)
    page.keyboard.press("Control+A")
    page.keyboard.type(text)


class Watched:
    """A browser's window that keeps what went wrong in it, and which hosts it talked to."""

    def __init__(self, context: BrowserContext, served: Served) -> None:
        self.page: Page = context.new_page()
        self.url, self.token = served.url, served.token
        self.complaints: list[str] = []
        self.elsewhere: list[str] = []
        self.page.on("console", self._said)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.complaints.append(f"dialog {dialog.message}"), dialog.dismiss()))
        self.page.on("request", lambda asked: asked.url.startswith(self.url) or self.elsewhere.append(asked.url))

    def _said(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(f"{message.text} {message.location}")

    def login(self) -> Page:
        """The window of somebody who has logged in."""
        self.page.goto(f"{self.url}/login")
        self.page.fill("#token", self.token)
        self.page.press("#token", "Enter")
        expect(self.page.get_by_role("heading", level=1)).not_to_have_text("Log in")
        return self.page


@pytest.fixture
def window(browser: Browser, console: Served) -> Iterator[Callable[..., Watched]]:
    """Opens windows, of which nothing was complained and which talked to the server alone."""
    opened: list[tuple[BrowserContext, Watched]] = []

    def make(served: Served = console, **options: object) -> Watched:
        context = browser.new_context(**options)  # type: ignore[arg-type]
        opened.append((context, Watched(context, served)))
        return opened[-1][1]

    yield make
    for context, watched in opened:
        context.close()
        assert watched.elsewhere == []
        assert watched.complaints == []
