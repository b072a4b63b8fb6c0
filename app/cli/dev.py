"""``dev``: what developers of pipelines need: a fake model server, and a replay of CRAG's API."""

from __future__ import annotations

import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from clausegraph.app.cli.session import Session, argument, command, option

if TYPE_CHECKING:
    from clausegraph.app.dev.json_server import JsonServer

PortOption = Annotated[int, option("Port of 127.0.0.1; 0 takes a free one.")]


@command("dev fake-llm")
def fake_llm(session: Session, *, port: PortOption = 0) -> None:
    """Serve a fake language model on 127.0.0.1 until Ctrl-C, for tests and demos; it reads pages by rules."""
    from clausegraph.app.dev.fake_model import FakeModel
    from clausegraph.app.dev.json_server import JsonServer

    model = FakeModel()
    server = JsonServer(model.answer, port)
    url = server.url
    variables = {"LLM": "mistral:fake-small", "LLM_URL": url, "LLM_KEY": "fake"}
    settings = {f"CLAUSEGRAPH_{name}": value for name, value in variables.items()}
    out = sys.stderr if session.json else sys.stdout
    lines = [f"fake model server (no language model): {url}", *(f"{name}={value}" for name, value in settings.items())]
    out.write("\n".join(lines) + "\n")
    out.flush()
    _serve(server)
    counted = model.counted()
    session.emit(
        {"url": url, "settings": settings, "counters": counted},
        f"requests {counted['requests']}, {counted['distinct_prompts']} of them different; "
        f"tokens: {counted['prompt_tokens']} of prompts, {counted['output_tokens']} of replies",
    )


@command("dev crag-api")
def crag_api(
    session: Session,
    recorded: Annotated[Path, argument("JSON lines of recorded calls: function, args, response.")],
    *,
    port: PortOption = 0,
) -> None:
    """Replay recorded responses of CRAG's mock API on 127.0.0.1 until Ctrl-C; what was not recorded is a 404."""
    from clausegraph.app.dev.crag_api import RecordedCalls
    from clausegraph.app.dev.json_server import JsonServer

    recording = RecordedCalls.read(recorded)
    server = JsonServer(recording.answer, port)
    count, url = len(recording), server.url
    session.emit(
        {"url": url, "recorded": count, "settings": {"CLAUSEGRAPH_CRAG_GRAPH_URL": url}},
        f"replay of {count} recorded calls (not the API itself): {url}",
        f"CLAUSEGRAPH_CRAG_GRAPH_URL={url}",
    )
    sys.stdout.flush()
    _serve(server)


def _serve(server: JsonServer) -> None:
    """Serve until Ctrl-C or SIGTERM, also where a script started it in the background, which ignores Ctrl-C."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    server.serve()
