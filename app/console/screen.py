"""Screens of the console: templates with everything escaped, forms of one session, errors that say what to do."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Coroutine
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, TypeVar
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Depends
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from pydantic import BaseModel, ValidationError
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from clausegraph.app.access.tokens import AccessRole
from clausegraph.app.api.problems import SCREENS, Problem, Refusal, hinted, problem_of, refusal, request_id
from clausegraph.app.api.replies import CorpusRequest
from clausegraph.app.process import version
from clausegraph.core.errors import ClauseGraphError
from clausegraph.core.secrets import mask_reply
from clausegraph.core.telemetry.logs import logger
from clausegraph.core.telemetry.redaction import error_fields
from clausegraph.core.text import clean

log = logger(__name__)
M = TypeVar("M", bound=BaseModel)
HERE = Path(__file__).parent
_OWN, _NONE = "script-src style-src img-src connect-src form-action", "base-uri frame-ancestors"
POLICY = "; ".join(
    ["default-src 'none'", *(f"{one} 'self'" for one in _OWN.split()), *(f"{one} 'none'" for one in _NONE.split())]
)
HEADERS = {"Content-Security-Policy": POLICY, "Cache-Control": "no-store", "Vary": "HX-Request, Cookie"}


def address(*parts: object, **query: object) -> str:
    """The address of a screen of a corpus, each part of it quoted; what is None or empty is left out."""
    path = "/c/" + "/".join(quote(str(part), safe="") for part in parts)
    asked = urlencode({name: value for name, value in query.items() if value not in (None, "", [])}, doseq=True)
    return f"{path}?{asked}" if asked else path


def _shown(value: Any) -> Any:
    return clean(value) if type(value) is str else value


def _day(seconds: float | None) -> str:
    """A time of the ledger as people of the server's time zone read it."""
    return "no date" if seconds is None else datetime.fromtimestamp(seconds).astimezone().strftime("%Y-%m-%d %H:%M")


TEMPLATES = Environment(
    loader=FileSystemLoader(HERE / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    finalize=_shown,
    trim_blocks=True,
    lstrip_blocks=True,
)


def counted(number: int, thing: str, several: str = "") -> str:
    """So many of a thing: "1 statement", "2 statements"; ``several`` where its plural has another ending."""
    return f"{number:,} {thing if number == 1 else several or thing + 's'}"


def version_of(one: Any) -> str:
    """An epoch in words that a caseworker knows: "version 3 of 2026-03-02 10:15"; anything with both."""
    return f"version {one.epoch} of {_day(one.created)}"


TEMPLATES.filters["day"] = _day
TEMPLATES.globals |= {"address": address, "version": version(), "count": counted, "version_of": version_of}
TEMPLATES.filters["kind"] = lambda kind: {"entities": "decisions published", "ingest": "pages read"}.get(kind, kind)


def render(template: str, **values: Any) -> str:
    """A template with its values."""
    return TEMPLATES.get_template(template).render(values)


def html(request: Request, template: str, status: int = 200, **values: Any) -> HTMLResponse:
    """A screen, or where htmx asks for a part of one, that part alone; it says which parts of it are ours to run."""
    session, who = (request.scope["state"].get(name) for name in ("session", "principal"))
    known: dict[str, Any] = {
        "fragment": "hx-request" in request.headers,
        "who": who,
        "curates": who is not None and who.role.covers(AccessRole.CURATOR),
        "administers": who is not None and who.role.covers(AccessRole.ADMIN) and who.corpora is None,
        "csrf": session.csrf if session else "",
        "corpus": request.path_params.get("corpus") or request.query_params.get("corpus", ""),  # Admin keeps it
        "manages": who is not None and who.role.covers(AccessRole.ADMIN),
        "screen": "",
    }
    return HTMLResponse(render(template, **(known | values)), status, HEADERS)


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


def checked(form: type[M], **typed: object) -> M:
    """What was typed as the API takes it."""
    try:
        return form.model_validate(typed)
    except ValidationError as error:
        raise RequestValidationError(error.errors()) from error


class Screen(CorpusRequest):
    """A request for a screen of a corpus."""

    def to_run(self, run: str) -> Response:
        """To the screen of a run."""
        return RedirectResponse(address(self.corpus, "run", name=run), 303)

    def html(self, template: str, status: int = 200, **values: Any) -> HTMLResponse:
        """The screen; arguments as of :func:`html`."""
        return html(self.request, template, status, **values)


OfScreen = Annotated[Screen, Depends()]


def router(*, forms: bool = False) -> APIRouter:
    """A router of the console, of screens or of forms; its routes are no part of the API's document."""
    checks = [Depends(check_form)] if forms else []
    return APIRouter(route_class=ConsoleRoute, include_in_schema=False, dependencies=checks)


async def check_form(request: Request) -> None:
    """Refuse a form that no page of this session made: its ``csrf`` is not that of the browser's session."""
    session = request.scope["state"].get("session")
    if session is None:
        return  # a program with a token: no browser sends that on another page's behalf
    given = (await request.form()).get("csrf")
    if not isinstance(given, str) or not secrets.compare_digest(given.encode(), session.csrf.encode()):
        raise refusal("Forbidden", 403, "Not from here", "the form is of another session; load the page again")
