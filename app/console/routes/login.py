"""Coming in with a token, going out, and the way to the first screen."""

from __future__ import annotations

from typing import Annotated

from fastapi import Form
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from clausegraph.app.access.sessions import COOKIE
from clausegraph.app.api.dependencies import Held, Who
from clausegraph.app.api.guard import same_origin
from clausegraph.app.api.problems import refusal
from clausegraph.app.console.routing import check_form, router
from clausegraph.app.console.templating import address, html
from clausegraph.app.services.corpora import list_corpora

routes = router()


@routes.get("/")
async def start(request: Request, held: Held, who: Who) -> Response:
    """The first corpus that somebody may see; what to do where there is none."""
    found = [one for one in await held.reads.run(list_corpora, held.workspace) if who.may_see(one["corpus"])]
    if len(found) == 1:
        return RedirectResponse(address(found[0]["corpus"], "ask"), 303)
    return html(request, "corpora.html", found=found)


@routes.get("/login")
async def login_form(request: Request, held: Held, next: str = "/") -> Response:
    """The form that takes a token."""
    return html(request, "login.html", next=inside(next), wrong="", provider=held.sign_in is not None)


@routes.post("/login")
async def login(
    request: Request, held: Held, token: Annotated[str, Form(max_length=500)], next: Annotated[str, Form()] = "/"
) -> Response:
    """A session in exchange for a token; the token is kept by no browser."""
    if not same_origin(request):
        raise refusal("Forbidden", 403, "Not from here", "log in from this server's own page")
    who = held.tokens.find(token.strip())
    if who is None:
        wrong = "This token is unknown, revoked or expired. `clausegraph tokens list` shows them."
        return html(request, "login.html", 403, next=inside(next), wrong=wrong, provider=held.sign_in is not None)
    return entered(request, held.sessions.start(who)[0], next)


def entered(request: Request, cookie: str, wanted: str) -> Response:
    """To where somebody wanted to go, with the cookie of the session."""
    response = RedirectResponse(inside(wanted), 303)
    secure = request.url.scheme == "https"
    response.set_cookie(COOKIE, cookie, httponly=True, samesite="lax", secure=secure, path="/")
    return response


@routes.post("/logout")
async def logout(request: Request, held: Held) -> Response:
    """The end of a session."""
    await check_form(request)
    held.sessions.end(request.cookies.get(COOKIE, ""))
    response = RedirectResponse("/login", 303)
    response.delete_cookie(COOKIE, path="/")
    return response


def inside(wanted: str) -> str:
    """An address of this server; the start where another is asked for."""
    ours = wanted.startswith("/") and not wanted.startswith(("//", "/\\")) and wanted.isprintable()
    return wanted if ours and wanted.isascii() else "/"
