"""``dev``: what developers of pipelines need: a fake model server, and a replay of CRAG's API."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from clausegraph.app.cli.output import show_json, table
from clausegraph.app.cli.session import Session, command


@command("dev fake-llm")
def fake_llm(
    session: Session,
    *,
    port: Annotated[int, typer.Option("--port", help="Port of 127.0.0.1; 0 takes a free one.")] = 0,
    replies: Annotated[str, typer.Option("--replies", help="rules, short, lines or echo.")] = "rules",
    latency: Annotated[
        tuple[float, float], typer.Option("--latency", metavar="MIN MAX", help="Seconds a reply takes.")
    ] = (0.0, 0.0),
    concurrency: Annotated[
        int | None,
        typer.Option("--concurrency", help="Requests served at once; one more gets 429.", show_default="no limit"),
    ] = None,
    key: Annotated[str | None, typer.Option("--key", help="Key that requests must carry.", show_default="none")] = None,
    usage: Annotated[str, typer.Option("--usage", help="reported or none.")] = "reported",
    tokens: Annotated[str, typer.Option("--tokens", help="approximate, or bytes: the worst case.")] = "approximate",
    context_window: Annotated[
        int | None,
        typer.Option("--context-window", help="Tokens of prompt and reply; more gets 400.", show_default="no limit"),
    ] = None,
    fault: Annotated[
        str,
        typer.Option(
            "--fault",
            help="How requests fail, such as 429, hang or truncated: see --faults; several with commas.",
        ),
    ] = "none",
    fault_share: Annotated[float, typer.Option("--fault-share", help="Share of the requests that have it.")] = 1.0,
    fault_first: Annotated[
        int | None, typer.Option("--fault-first", help="Only this many requests have it.", show_default="all")
    ] = None,
    fault_match: Annotated[
        str, typer.Option("--fault-match", help="Only requests with this text in them.", show_default="all")
    ] = "",
    retry_after: Annotated[
        float | None,
        typer.Option("--retry-after", help="Seconds that 429 and 503 ask to wait.", show_default="not said"),
    ] = None,
    dimension: Annotated[int, typer.Option("--dimension", help="Length of embeddings.")] = 384,
    seed: Annotated[int, typer.Option("--seed", help="Of latencies and faults.")] = 0,
    faults: Annotated[bool, typer.Option("--faults", help="List the ways requests can fail, and end.")] = False,
) -> None:
    """Serve a fake language model on 127.0.0.1 until Ctrl-C, for tests and demos; it reads pages by rules."""
    from clausegraph.app.dev.fake_llm.options import FakeOptions, fault_list
    from clausegraph.core.errors import require_extra

    if faults:
        rows = fault_list()
        session.emit(rows, table(("fault", "what the server does"), list(rows.items())))
        return
    options = FakeOptions(
        port=port, replies=replies, latency=latency, concurrency=concurrency, key=key, usage=usage, tokens=tokens,
        context_window=context_window, fault=fault, fault_share=fault_share, fault_first=fault_first,
        fault_match=fault_match, retry_after=retry_after, dimension=dimension, seed=seed,
    )  # fmt: skip
    require_extra("fake-llm", "the fake model server")
    from clausegraph.app.dev.fake_llm.serve import serve

    started: dict[str, Any] = {}

    def announce(bound: int) -> None:
        started.update(_settings(bound, key))
        lines = [f"{name}={value}" for name, value in started["settings"].items()]
        out = sys.stderr if session.json else sys.stdout
        out.write(f"fake model server (no language model): {started['url']}\n" + "\n".join(lines) + "\n")
        out.flush()

    counters = serve(options, announce, signals=True)
    if session.json:
        show_json(started | {"counters": counters})
    else:
        session.emit(counters, _summary(counters))


def _settings(port: int, key: str | None) -> dict[str, Any]:
    """Where it is, and the settings that make ClauseGraph use it."""
    url = f"http://127.0.0.1:{port}"
    settings = {
        "CLAUSEGRAPH_LLM": "mistral:fake-small",
        "CLAUSEGRAPH_LLM_URL": url,
        "CLAUSEGRAPH_LLM_KEY": key or "fake",
    }
    return {"url": url, "settings": settings}


def _summary(counters: dict[str, Any]) -> str:
    """The counters on a few lines."""
    failed = ", ".join(f"{count} {why}" for why, count in sorted(counters["failed"].items())) or "none"
    return (
        f"requests {counters['requests']}: {counters['ok']} answered ({counters['distinct_prompts']} different, "
        f"{counters['repeated_ok']} repeated); failed: {failed}\n"
        f"tokens: {counters['prompt_tokens']} of prompts, {counters['output_tokens']} of replies\n"
        f"in flight: {counters['in_flight_max']} at most, {counters['mean_in_flight']:.1f} on average"
    )


@command("dev crag-api")
def crag_api(
    session: Session,
    recorded: Annotated[Path, typer.Argument(help="JSON lines of recorded calls: function, args, response.")],
    *,
    port: Annotated[int, typer.Option("--port", help="Port of 127.0.0.1; 0 takes a free one.")] = 0,
) -> None:
    """Replay recorded responses of CRAG's mock API on 127.0.0.1 until Ctrl-C; what was not recorded is a 404."""
    from clausegraph.app.dev.crag_api import RecordedCalls, ReplayServer

    recording = RecordedCalls.read(recorded)
    server = ReplayServer(recording, port)
    session.emit(
        {"url": server.url, "recorded": len(recording), "settings": {"CLAUSEGRAPH_CRAG_GRAPH_URL": server.url}},
        f"replay of {len(recording)} recorded calls (not the API itself): {server.url}",
        f"CLAUSEGRAPH_CRAG_GRAPH_URL={server.url}",
    )
    sys.stdout.flush()
    with contextlib.suppress(KeyboardInterrupt):
        server.serve()
