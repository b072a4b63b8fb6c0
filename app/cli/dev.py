"""``dev``: what developers of pipelines need: a fake model server, and a replay of CRAG's API."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

from clausegraph.app.cli.output import show_json, table
from clausegraph.app.cli.session import Session, argument, command, option

PortOption = Annotated[int, option("Port of 127.0.0.1; 0 takes a free one.")]
_NO_LIMIT: dict[str, Any] = {"show_default": "no limit"}
_LATENCY = option("Seconds a reply takes.", metavar="MIN MAX")
_FAULT = "How requests fail, such as 429, hang or truncated: see --faults; several with commas."
_RETRY_AFTER = option("Seconds that 429 and 503 ask to wait.", show_default="not said")


@command("dev fake-llm")
def fake_llm(
    session: Session,
    *,
    port: PortOption = 0,
    replies: Annotated[str, option("rules, short, lines or echo.")] = "rules",
    latency: Annotated[tuple[float, float], _LATENCY] = (0.0, 0.0),
    concurrency: Annotated[int | None, option("Requests served at once; one more gets 429.", **_NO_LIMIT)] = None,
    key: Annotated[str | None, option("Key that requests must carry.")] = None,
    usage: Annotated[str, option("reported or none.")] = "reported",
    tokens: Annotated[str, option("approximate, or bytes: the worst case.")] = "approximate",
    context_window: Annotated[int | None, option("Tokens of prompt and reply; more gets 400.", **_NO_LIMIT)] = None,
    fault: Annotated[str, option(_FAULT)] = "none",
    fault_share: Annotated[float, option("Share of the requests that have it.")] = 1.0,
    fault_first: Annotated[int | None, option("Only this many requests have it.", show_default="all")] = None,
    fault_match: Annotated[str, option("Only requests with this text in them.", show_default="all")] = "",
    retry_after: Annotated[float | None, _RETRY_AFTER] = None,
    dimension: Annotated[int, option("Length of embeddings.")] = 384,
    seed: Annotated[int, option("Of latencies and faults.")] = 0,
    faults: Annotated[bool, option("List the ways requests can fail, and end.")] = False,
) -> None:
    """Serve a fake language model on 127.0.0.1 until Ctrl-C, for tests and demos; it reads pages by rules."""
    from clausegraph.app.dev.fake_llm.options import FAULTS, FakeOptions
    from clausegraph.core.errors import require_extra

    if faults:
        session.emit(FAULTS, table(("fault", "what the server does"), FAULTS.items()))
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
        url = f"http://127.0.0.1:{bound}"
        settings = {"LLM": "mistral:fake-small", "LLM_URL": url, "LLM_KEY": key or "fake"}
        started.update(url=url, settings={f"CLAUSEGRAPH_{name}": value for name, value in settings.items()})
        lines = [f"{name}={value}" for name, value in started["settings"].items()]
        out = sys.stderr if session.json else sys.stdout
        out.write(f"fake model server (no language model): {url}\n" + "\n".join(lines) + "\n")
        out.flush()

    counted = serve(options, announce, signals=True)
    if session.json:
        show_json(started | {"counters": counted})
        return
    failed = ", ".join(f"{count} {why}" for why, count in sorted(counted["failed"].items())) or "none"
    session.emit(
        counted,
        f"requests {counted['requests']}: {counted['ok']} answered ({counted['distinct_prompts']} different, "
        f"{counted['repeated_ok']} repeated); failed: {failed}\n"
        f"tokens: {counted['prompt_tokens']} of prompts, {counted['output_tokens']} of replies\n"
        f"in flight: {counted['in_flight_max']} at most, {counted['mean_in_flight']:.1f} on average",
    )


@command("dev crag-api")
def crag_api(
    session: Session,
    recorded: Annotated[Path, argument("JSON lines of recorded calls: function, args, response.")],
    *,
    port: PortOption = 0,
) -> None:
    """Replay recorded responses of CRAG's mock API on 127.0.0.1 until Ctrl-C; what was not recorded is a 404."""
    from clausegraph.app.dev.crag_api import RecordedCalls, ReplayServer

    recording = RecordedCalls.read(recorded)
    server = ReplayServer(recording, port)
    count, url = len(recording), server.url
    session.emit(
        {"url": url, "recorded": count, "settings": {"CLAUSEGRAPH_CRAG_GRAPH_URL": url}},
        f"replay of {count} recorded calls (not the API itself): {url}",
        f"CLAUSEGRAPH_CRAG_GRAPH_URL={url}",
    )
    sys.stdout.flush()
    server.serve()
