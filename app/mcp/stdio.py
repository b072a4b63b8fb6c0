"""MCP over standard input and output: for whoever started the process, who owns the home folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio

from clausegraph.app.access.roles import Principal, Role
from clausegraph.app.api.served import serve_workspace
from clausegraph.app.mcp.server import make_server

if TYPE_CHECKING:
    from clausegraph.app.workspace import Workspace

_OWNER = Principal("command line", Role.ADMIN, None, "")


def run(workspace: Workspace) -> None:
    """Serve until the input ends. Nothing but the protocol is written to the output."""
    held = serve_workspace(workspace)
    try:
        anyio.run(make_server(lambda _: (held, _OWNER)).run_stdio_async)
    finally:
        held.close()
