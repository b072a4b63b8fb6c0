"""``clausegraph status``: what there is."""

from __future__ import annotations

import time
from typing import Any

import typer

from clausegraph.app.cli.output import table
from clausegraph.app.cli.session import CorpusOption, Session, command


def status(session: Session, *, corpus: CorpusOption = None) -> None:
    """Show corpora, their sources, what their published epoch holds, and the last runs."""
    workspace = session.workspace(corpus)
    from clausegraph.app.services.corpora import corpus_status

    found = corpus_status(workspace, corpus)
    home = workspace.settings.home
    lines: list[Any] = [f"home: {home}"] + ([] if found else ["no corpora yet"])
    for one in found:
        lines += ["", *_lines(one)]
    session.emit({"home": str(home), "corpora": found}, *session.lines(lines))


def _lines(one: dict[str, Any]) -> list[Any]:
    behind = "" if one["published"] == one["newest"] else f" (rolled back; newest is {one['newest']})"
    lines: list[Any] = [
        f"corpus {one['corpus']}: epoch {one['published']}{behind}, {one['epochs']} retained",
        f"  {one['pages']} pages, {one['entities']} entities, {one['facts']} facts, {one['statements']} statements",
        f"  embedded by {one['model'] or 'nothing yet'}",
    ]
    for name, state in one["projections"].items():
        reason = f": {state['reason']}" if state["reason"] else ""
        lines.append(f"  in {name}: {state['state']}{reason}")
    if one["running"]:
        run = one["running"]
        who = f"process {run['pid']} on {run['host']}" if run["pid"] else f"in steps, from {run['host']}"
        lines.append(f"  run {run['run']} holds it ({who})")
    lines.append(table(("  source", "kind", "pages", "location"), [_source(s) for s in one["sources"]]))
    lines.append(table(("  run", "kind", "source", "status", "started"), [_run(run) for run in one["runs"]]))
    return lines


def _source(source: dict[str, Any]) -> list[Any]:
    return ["  " + source["name"], source["kind"], source["pages"], source["location"]]


def _run(run: dict[str, Any]) -> list[Any]:
    return ["  " + run["id"], run["kind"], run["source"], run["status"], moment(run["started"])]


def moment(seconds: float | None) -> str:
    """A time as people read it, local."""
    return "" if seconds is None else time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds))


def register(app: typer.Typer) -> None:
    """Add the command."""
    command(app, "status")(status)
