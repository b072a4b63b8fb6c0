"""MCP over streamable HTTP, as a face of the API: the same gate, tokens and workspace."""

from __future__ import annotations

from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.requests import Request
from starlette.routing import Route

from clausegraph.app.access.roles import Principal, Role
from clausegraph.app.api.application import Face
from clausegraph.app.api.guard import BODY_BYTES
from clausegraph.app.api.served import Served
from clausegraph.app.mcp.server import Asking, make_server

PATH = "/mcp"
_METHODS = ("POST",)  # without sessions there is nothing to listen to, and none to end: GET and DELETE are 405


def mcp_face() -> Face:
    """The face at ``/mcp``. It keeps no sessions: each call says who makes it, and any server can answer it."""
    server = make_server(_sender)
    manager = StreamableHTTPSessionManager(
        app=server._lowlevel_server,
        stateless=True,
        security_settings=TransportSecuritySettings(enable_dns_rebinding_protection=False),  # the gate looks at Host
        max_request_body_size=BODY_BYTES,
    )
    route = Route(PATH, StreamableHTTPASGIApp(manager), methods=_METHODS, include_in_schema=False)
    return Face({f"{method} {PATH}": Role.READER for method in _METHODS}, routes=[route], running=manager.run)


def _sender(context: Asking) -> tuple[Served, Principal]:
    request = context.request_context.request
    assert isinstance(request, Request)
    return request.app.state.served, request.scope["state"]["principal"]
