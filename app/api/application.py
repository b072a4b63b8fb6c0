"""The application: the gate, the routes of ``/v1``, and one workspace behind them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from functools import cache, partial
from typing import TYPE_CHECKING

from fastapi import APIRouter, Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import BaseRoute
from starlette.types import ASGIApp

from clausegraph.app.access.rules import API_RULES, WEB_ANSWERS, Rules
from clausegraph.app.api.dependencies import known_query
from clausegraph.app.api.described import described
from clausegraph.app.api.guard import Guard, Screen, loads_page, rule_key
from clausegraph.app.api.problems import problem_of
from clausegraph.app.api.routes import ROUTERS
from clausegraph.app.api.served import request_id, serve_workspace
from clausegraph.app.version import version

if TYPE_CHECKING:
    from clausegraph.app.workspace import Workspace

_PAGES_BYTES = 16 * 1024 * 1024  # of a question with the pages it is to be answered from


@dataclass(frozen=True, slots=True)
class Face:
    """One more way in on the same application: its routes or mounted applications, and a rule for each.

    ``mounts`` are by path; ``running`` is entered while the server runs. ``screen`` tells somebody
    with a browser of a problem.
    """

    rules: Rules
    routers: Sequence[APIRouter] = ()
    routes: Sequence[BaseRoute] = ()
    mounts: Mapping[str, ASGIApp] = field(default_factory=dict)
    running: Callable[[], AbstractAsyncContextManager[None]] | None = None
    screen: Screen | None = None


def create_app(workspace: Workspace, faces: Sequence[Face] = ()) -> FastAPI:
    """The application over a workspace, which it closes when the server ends.

    Raises:
        ValueError: a route has no rule, or a rule no route.
    """
    held = serve_workspace(workspace)

    @asynccontextmanager
    async def running(_: FastAPI) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            stack.callback(held.close)
            for face in faces:
                if face.running is not None:
                    await stack.enter_async_context(face.running())
            yield

    app = FastAPI(
        title="ClauseGraph",
        version=version(),
        lifespan=running,
        docs_url=None,
        redoc_url=None,
        exception_handlers={HTTPException: _problem, RequestValidationError: _problem},
        generate_unique_id_function=_operation,
    )
    app.router.redirect_slashes = False
    app.state.served = held
    rules = dict(API_RULES)
    app.router.routes.extend(_api_routes())
    for face in faces:
        rules |= face.rules
        app.router.routes.extend(route for router in face.routers for route in router.routes)
        app.router.routes.extend(face.routes)
        for path, mounted in face.mounts.items():
            app.mount(path, mounted)
    check_rules(app, rules)
    app.state.rules = rules
    screen = app.state.screen = next((face.screen for face in faces if face.screen is not None), None)
    app.openapi = partial(described, app)  # type: ignore[method-assign]
    app.add_middleware(
        Guard,
        held=lambda: held,
        routes=lambda: app.routes,
        rules=rules,
        hosts=workspace.settings.serve_hosts,
        bodies={WEB_ANSWERS: _PAGES_BYTES},
        screen=screen,
    )
    return app


@cache
def _api_routes() -> tuple[BaseRoute, ...]:
    """The routes of the API; to include a router is to analyse each of its functions anew, which takes a while."""
    whole = APIRouter(dependencies=[Depends(known_query)], generate_unique_id_function=_operation)
    for router in ROUTERS:
        whole.include_router(router)
    return tuple(whole.routes)


def check_rules(app: FastAPI, rules: Rules) -> None:
    """Whether each route has a rule, and each rule a route.

    Raises:
        ValueError: with the names of those that have none.
    """
    there = {rule_key(route, method) for route in app.routes for method in getattr(route, "methods", None) or ("GET",)}
    if wrong := there ^ set(rules):
        raise ValueError(f"routes without a rule, or rules without a route: {', '.join(sorted(wrong))}")


async def _problem(request: Request, error: Exception) -> Response:
    problem, screen = problem_of(error), request.app.state.screen
    if screen is not None and loads_page(request.scope):
        shown: Response = screen(request, problem)
        return shown
    return problem.response(request_id(request))


def _operation(route: APIRoute) -> str:
    return route.name
