"""``clausegraph serve``: the REST API until Ctrl-C."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import Annotated

import typer

from clausegraph.app.cli.session import Session, command


def serve(
    session: Session,
    *,
    host: Annotated[str, typer.Option("--host", help="Address to listen at.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="Port; 0 takes a free one.")] = 8400,
    browser: Annotated[bool, typer.Option("--open", help="Open the address in a browser.")] = False,
) -> None:
    """Serve the REST API, MCP and the console, for whoever has a token, until Ctrl-C.

    The first start makes a token for its owner and keeps it in a file that only they can read; on a terminal it is
    shown this once.
    """
    from clausegraph.app.api.serve import own_token, run
    from clausegraph.core.errors import require_extra

    require_extra("server", "serving")
    workspace = session.workspace()
    from clausegraph.app.api.application import create_app
    from clausegraph.app.api.work import Ticket
    from clausegraph.app.console.face import face
    from clausegraph.app.mcp import mcp_face
    from clausegraph.core.errors import ClauseGraphError
    from clausegraph.core.models.embedding import Metered

    app = create_app(workspace, [mcp_face(), face()])
    text, path = own_token(workspace.settings.home)

    def warm(ticket: Ticket) -> None:
        """Load what the first question would wait for; what cannot be loaded is told to whoever asks."""
        with suppress(ClauseGraphError), workspace.view():
            ticket.check()
            if not isinstance(workspace.embedder, Metered):
                workspace.embedder.embed_query("?")

    def announce(url: str) -> None:
        app.state.served.work.start(warm, Ticket())
        if session.json:
            from clausegraph.app.cli.output import show_line

            show_line({"url": url, "token_file": str(path)})
        else:
            session.emit(None, f"ClauseGraph answers at {url}", _token_words(text, str(path)))
        if browser:
            import webbrowser

            webbrowser.open(url)

    run(app, host, port, announce, workspace.settings.serve_proxies)


def _token_words(text: str | None, path: str) -> str:
    if text is None or not sys.stdout.isatty():  # what is no terminal is as a rule a log
        return f"your token is in {path}; `clausegraph tokens add NAME` makes others"
    return f"your token, shown this once and kept in {path}:\n{text}"


def register(app: typer.Typer) -> None:
    """Add the command."""
    command(app, "serve")(serve)
