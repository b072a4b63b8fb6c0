"""Sentences are shown as unchecked while the model writes: on a terminal, in the console, in the event stream."""

import errno
import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import anyio
import anyio.to_thread
import httpx
import pytest
from typer.testing import CliRunner

from clausegraph.app.access.tokens import AccessRole, Tokens
from clausegraph.app.api.application import create_app
from clausegraph.app.console.face import face
from clausegraph.app.workspace import Workspace
from clausegraph.core.settings import Settings
from clausegraph.core.types import TraceStep
from tests.app.api.conftest import client_of
from tests.harness.cli import made_app
from tests.harness.fake_llm import FakeModelServer
from tests.harness.fake_model import fake_with
from tests.harness.home import filled

pytestmark = pytest.mark.integration

PAGE = (
    "<html><head><title>Winter Grant</title></head><body><main><h1>Winter Grant</h1><h2>How much</h2>"
    "<p>The winter grant pays £210 a year to every household. It comes in spring.</p></main></body></html>"
)
QUESTION = "How much is the winter grant for every household?"
FIRST, SECOND = "You get £210 a \x1b[210m<b>year</b>.", "It comes in spring."
REPLY = json.dumps({
    "rules": [], "analysis": "", "conditions": [], "kind": "extractive", "answers": [],
    "sentences": [{"text": text, "role": "answer", "sources": ["e3"]} for text in (FIRST, SECOND)],
})  # fmt: skip
COMMAND = """
from clausegraph.app.cli.main import main
main()
"""


@pytest.fixture
def server() -> FakeModelServer:
    """Holds its reply in the second sentence."""
    return fake_with(replies="script", script=[REPLY], hold_after=SECOND[:8], chunks=80)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("unchecked")
    (root / "pages").mkdir()
    (root / "pages" / "grant.html").write_text(PAGE, "utf-8")
    filled(root / "home", root / "pages")
    return root / "home"


def variables(home: Path, server: FakeModelServer) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CLAUSEGRAPH_")}
    asks = {"LLM": "openai:fake", "LLM_URL": server.url, "LLM_KEY": "x", "LLM_ATTEMPTS": "1", "LLM_CACHE_MB": "0"}
    asks |= {"HOME": str(home), "EMBEDDING_MODEL": "hashing"}
    path = os.pathsep.join(filter(None, sys.path))
    return kept | {"PYTHONPATH": path, "TERM": "xterm", "COLUMNS": "100", "LINES": "40"} | {
        f"CLAUSEGRAPH_{name}": value for name, value in asks.items()
    }  # fmt: skip


def shown_on_a_terminal(command: list[str], environment: dict[str, str], seen: Callable[[bytes], None]) -> bytes:
    """All that a command writes to a terminal; ``seen`` gets what came so far, each time more has come."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment)
    os.close(theirs)
    output = b""
    try:
        while True:
            try:
                more = os.read(ours, 4096)
            except OSError as error:  # Linux says so when the last one has closed the terminal
                assert error.errno == errno.EIO
                break
            if not more:
                break
            output += more
            seen(output)
    finally:
        os.close(ours)
        process.wait()
    return output


def test_a_terminal_shows_a_sentence_before_the_reply_is_whole(home: Path, server: FakeModelServer) -> None:
    held: list[int] = []

    def seen(output: bytes) -> None:
        if not held and b"You get" in output:  # the model has not written the second one yet
            held.append(server.counters()["in_flight"])
            server.set(hold_after="")

    command = [sys.executable, "-c", COMMAND, "ask", QUESTION]
    output = shown_on_a_terminal(command, variables(home, server), seen).decode()
    assert held == [1]
    assert "Unchecked, still being written:" in output and "\x1b[7m" not in output
    assert (
        output.index("Unchecked")
        < output.index("You get")
        < output.index("\x1b[2K")
        < output.index("Source: Winter Grant")
    )
    assert output.rindex("\x1b[2K") < output.index("Source: Winter Grant")  # wiped away before the answer
    assert output.count("\x1b[?25l") == output.count("\x1b[?25h")  # the cursor is there again


def test_no_terminal_gets_no_unchecked_sentence(home: Path, server: FakeModelServer) -> None:
    server.set(hold_after="")
    for options in ([], ["--json"], ["--trace"]):
        done = CliRunner(env=variables(home, server)).invoke(made_app(), ["ask", QUESTION, *options])
        assert done.exit_code == 0, done.output
        assert "nchecked" not in done.stdout + done.stderr and "writing" not in done.stdout
    assert [body.get("stream", False) for body in server.last_requests(3)] == [False, False, True]


def test_events_have_unchecked_sentences_before_the_answer(home: Path, server: FakeModelServer) -> None:
    asks = {"llm": "openai:fake", "llm_key": "x", "llm_attempts": 1, "llm_cache_mb": 0, "llm_url": server.url}
    settings = Settings(home=home, embedding_model="hashing", **asks)  # type: ignore[arg-type]
    _, token = Tokens(home).add("ann", AccessRole.READER)
    server.set(hold_after="")

    async def look() -> None:
        async with client_of(create_app(Workspace(settings), [face()]), Authorization=f"Bearer {token}") as client:
            asked = await client.post("/c/default/asked", data={"question": QUESTION})
            where = re.search(r'sse-connect="([^"]+)"', asked.text)
            assert where is not None and 'sse-swap="writing"' in asked.text
            shown = (await client.get(where[1])).text
            first, second = [event for event in shown.split("\n\n") if event.startswith("event: writing")]
            assert "Unchecked" in first and "&lt;b&gt;year" in first and SECOND not in first
            assert "&lt;b&gt;year" in second and SECOND in second
            assert shown.index("event: writing") < shown.index("event: answer")
            answer = shown[shown.index("event: answer") :]
            assert 'class="citation"' in answer and "&lt;b&gt;year" in answer and "How it was found" in answer
            await told(client)

    async def told(client: httpx.AsyncClient) -> None:
        headers = {"Accept": "text/event-stream"}
        got = await client.post("/v1/corpora/default/ask", json={"question": QUESTION, "trace": True}, headers=headers)
        values = [json.loads(line[6:]) for line in got.text.split("\n") if line.startswith("data: ")]
        details = [value["detail"] for value in values if value.get("name") == "writing"]
        assert [(one["number"], one["checked"]) for one in details] == [(1, False), (2, False)]
        assert details[1]["sentence"] == SECOND
        assert "writing" not in [step["name"] for step in values[-1]["trace"]]

    anyio.run(look)


def test_a_reply_that_begins_anew_empties_the_list(monkeypatch: pytest.MonkeyPatch) -> None:
    from rich.live import Live

    from clausegraph.app.cli.ask import unchecked_sentences

    drawn: list[str] = []
    monkeypatch.setattr(Live, "update", lambda self, text, refresh: drawn.append(text.plain))
    with unchecked_sentences() as watch:
        watch(TraceStep("read", 1.0))
        for detail in ({"sentence": "One."}, {"restarted": True}, {"sentence": "Two."}):
            watch(TraceStep("writing", 1.0, dict(detail)))
    watch(TraceStep("writing", 1.0, {"sentence": "Late."}))
    head = "Unchecked, still being written:"
    assert drawn == [f"{head}\nOne.", head, f"{head}\nTwo."]
