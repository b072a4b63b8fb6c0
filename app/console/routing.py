"""Routes of the console: an error is a screen that says what to do, and a form must carry its session's secret."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import APIRouter
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.responses import Response

from clausegraph.app.api.hints import SCREENS, hinted
from clausegraph.app.api.problems import Problem, Refusal, problem_of, refusal
from clausegraph.app.api.served import request_id
from clausegraph.app.console.templating import html
from clausegraph.core.errors import ClauseGraphError
from clausegraph.core.secrets import mask_reply
from clausegraph.core.telemetry.logs import logger
from clausegraph.core.telemetry.redaction import error_fields

log = logger(__name__)


class ConsoleRoute(APIRoute):
    """A route whose errors are told as a screen, or as a part of one."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler with its errors told."""
        handle = super().get_route_handler()

        async def told(request: Request) -> Response:
            try:
                return await handle(request)
            except (ClauseGraphError, Refusal, RequestValidationError) as error:
                return told_error(request, error)

        return told


def told_error(request: Request, error: Exception) -> Response:
    """The screen of an error, with its status."""
    problem = problem_of(error)
    if problem.status == 500:
        log.error("http.failed", endpoint=request.url.path, **error_fields(error))
    return problem_screen(request, problem)


def problem_screen(request: Request, problem: Problem) -> Response:
    """The screen of a problem, with its status."""
    told = {
        "title": problem.title,
        "detail": hinted(mask_reply(problem.detail), SCREENS),
        "request_id": request_id(request),
    }
    response = html(request, "error.html", problem.status, **told)
    response.headers.update(problem.headers)
    return response


def router() -> APIRouter:
    """A router of the console; its routes are no part of the API's document."""
    return APIRouter(route_class=ConsoleRoute, include_in_schema=False)


async def check_form(request: Request) -> None:
    """Refuse a form that no page of this session made.

    Raises:
        Refusal: its ``csrf`` is not that of the browser's session.
    """
    session = request.scope["state"].get("session")
    if session is None:
        return  # a program with a token: no browser sends that on another page's behalf
    given = (await request.form()).get("csrf")
    if not isinstance(given, str) or not secrets.compare_digest(given.encode(), session.csrf.encode()):
        raise refusal("Forbidden", 403, "Not from here", "the form is of another session; load the page again")
