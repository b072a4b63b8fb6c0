"""``clausegraph mcp``: an MCP server on standard input and output, for assistants that start it."""

from __future__ import annotations

import typer

from clausegraph.app.cli.session import CorpusOption, Session, command


def mcp(session: Session, *, corpus: CorpusOption = None) -> None:
    """Serve assistants over MCP on standard input and output; `serve` has the same at /mcp, for tokens."""
    from clausegraph.core.errors import require_extra

    require_extra("server", "serving")
    workspace = session.workspace(corpus)
    from clausegraph.app.mcp import run

    run(workspace)


def register(app: typer.Typer) -> None:
    """Add the command."""
    command(app, "mcp")(mcp)
