"""Pages that only a browser renders: it fetches nothing by itself, and it ends in time."""

import shutil
from importlib.util import find_spec
from pathlib import Path
from socket import AF_INET, SOCK_DGRAM, socket

import psutil
import pytest

from clausegraph.core.errors import SettingsError
from clausegraph.core.settings import load_settings
from clausegraph.ingestion.fetch import WebReply
from clausegraph.ingestion.rendering.process import PageRenderer
from tests.harness.site import NAME, local_site
from tests.ingestion.web.town import Town, fee

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or ""
needs_browser = pytest.mark.skipif(
    not CHROMIUM or find_spec("playwright") is None, reason="needs Chromium on the path, and Playwright"
)
SHELL = (
    "<!doctype html><html><head><title>Permits</title><link rel=stylesheet href=/style.css></head><body>"
    "<div id=root>Loading...</div><noscript>You need to enable JavaScript.</noscript>{script}</body></html>"
)
FILL = """
fetch('/fee.json').then(answer => answer.json()).then(found => {
  document.getElementById('root').innerHTML =
    `<main><h1>Permits</h1><p>${found.text}</p><a href="/behind">more</a></main>`;
});
"""


def shell(script: str) -> str:
    return SHELL.replace("{script}", f"<script>{script}</script>")


def fill(town: Town, text: str) -> None:
    town.site.page("/fee.json", f'{{"text": "{text}"}}', content_type="application/json")


@pytest.mark.browser
@needs_browser
def test_a_page_that_only_its_scripts_fill(town: Town) -> None:
    """Also when what fills it has changed and the shell has not; without the setting it is a reject, as it was."""
    town.limits = {"render_seconds": 300.0}
    town.site.page("/", SHELL.replace("{script}", "<script src=/app.js></script>"))
    town.site.page("/app.js", FILL, content_type="text/javascript")
    town.page("/behind", "Behind", fee("behind", 3))
    fill(town, fee("harbour", 77))
    assert "a shell that only a script fills" in town.run().rejects[0].reason
    report = town.run(browser=CHROMIUM)
    assert (town.uris(), report.rejects, report.fetched["rendered"]) == (["/", "/behind"], [], 1)
    assert "You must pay 77 EUR" in town.text("/")
    assert town.run(browser=CHROMIUM).epoch is None
    fill(town, fee("harbour", 88))
    assert town.paths(town.run(browser=CHROMIUM).pages_changed) == ["/"]
    assert town.site.counts()["/style.css"] == 0


HOSTILE = """
const inner = '%s';
fetch(inner + '/by-fetch');
new Image().src = inner + '/by-image';
new WebSocket(inner.replace('http', 'ws') + '/by-socket');
navigator.sendBeacon(inner + '/by-beacon', 'x');
fetch(inner + '/by-post', {method: 'POST', mode: 'no-cors', body: 'x'});
const frame = document.createElement('iframe'); frame.src = inner + '/by-frame'; document.body.append(frame);
for (const rel of ['prefetch', 'preconnect', 'modulepreload']) {
  const link = document.createElement('link'); link.rel = rel; link.href = inner + '/by-' + rel;
  document.head.append(link);
}
new Worker(URL.createObjectURL(new Blob([`fetch('${inner}/by-worker')`])));
const peer = new RTCPeerConnection({iceServers: [{urls: inner.replace('http://', 'stun:')}]});
peer.createDataChannel('x'); peer.createOffer().then(offer => peer.setLocalDescription(offer));
window.open(inner + '/by-window');
setTimeout(() => { location.href = inner + '/by-moving'; }, 200);
"""


@pytest.mark.browser
@needs_browser
def test_a_browser_reaches_no_forbidden_listener(town: Town) -> None:
    with local_site("127.0.0.2") as inner, socket(AF_INET, SOCK_DGRAM) as datagrams:
        datagrams.bind(("127.0.0.2", inner.port))
        datagrams.setblocking(False)
        inner.page("/by-fetch", "<p>secret</p>")
        town.limits = {"render_seconds": 300.0}
        town.site.page("/", shell(HOSTILE % inner.url("", "127.0.0.2")))
        town.run(browser=CHROMIUM)
        assert inner.asked == []
        town.limits |= {"allow": ("127.0.0.0/8",)}  # the control: what the client may fetch is heard, and nothing else
        town.run(browser=CHROMIUM)
        assert {one.path for one in inner.asked} - {"/by-worker", "/by-modulepreload"} == {"/robots.txt", "/by-fetch"}
        with pytest.raises(BlockingIOError):
            datagrams.recv(100)


@pytest.mark.browser
@needs_browser
def test_a_script_without_end_is_ended() -> None:
    asked: list[str] = []

    def ask(address: str) -> WebReply:
        asked.append(address)
        return WebReply(address, "gone")

    renderer = PageRenderer(CHROMIUM, ask, seconds=3, most=10**6)
    found = renderer.render(f"http://{NAME}/", shell("for (;;) {}").encode())
    assert (found.html, found.problem) == (b"", "rendering it took more than 3 seconds")
    assert not [one for one in psutil.Process().children(recursive=True) if "chrom" in one.name()]
    many = "for (let n = 0; n < 150; n++) fetch('/' + n).catch(() => 0); document.body.append('x'.repeat(2000000))"
    renderer = PageRenderer(CHROMIUM, ask, seconds=300, most=10**6)
    assert renderer.render(f"http://{NAME}/", shell(many).encode()).problem == "its rendered form has more than 1 MB"
    assert len(asked) == 100


def test_a_browser_that_is_none_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SettingsError, match=r"CLAUSEGRAPH_WEB_BROWSER is to be the path of a Chromium: '/no/such'"):
        PageRenderer("/no/such", lambda address: WebReply(address, "gone"), seconds=1, most=1)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "clausegraph.toml").write_text('web_browser = "/tmp/x"', encoding="utf-8")
    with pytest.raises(SettingsError, match="does not decide which program is run"):
        load_settings()
