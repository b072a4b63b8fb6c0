"""The console as a face of the application: its screens, their rules, and coming in."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import quote, unquote, urlsplit

from fastapi import Form
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.staticfiles import StaticFiles

from clausegraph.app.access.rules import Rules
from clausegraph.app.access.sign_in import ATTEMPT_SECONDS, LOOPBACK, SignIn, SignInRefused
from clausegraph.app.access.tokens import COOKIE, AccessRole
from clausegraph.app.api.guard import Face, same_origin
from clausegraph.app.api.problems import Refusal, refusal
from clausegraph.app.api.served import Held, Who
from clausegraph.app.console import adding, admin, ask, curation, exploring, managing, pages
from clausegraph.app.console.screen import HERE, address, check_form, html, problem_screen, router, told_error
from clausegraph.app.services.overview import overview
from clausegraph.core.errors import NotFoundError

routes = router()


@routes.get("/")
async def start(request: Request, held: Held, who: Who) -> Response:
    """The only corpus that somebody may see, or where pages are brought into it; else all of them."""
    found = await held.reads.run(overview, held.workspace, who.may_see)
    if len(found) == 1:
        is_empty = not found[0].published and who.role.covers(AccessRole.CURATOR)
        return RedirectResponse(address(found[0].corpus, "add" if is_empty else "ask"), 303)
    return html(request, "corpora.html", found=found, first=held.workspace.settings.corpus)


@routes.get("/corpora")
async def corpora(request: Request, held: Held, who: Who) -> Response:
    """The corpora that somebody may see, at a glance; what to do where there is none."""
    found = await held.reads.run(overview, held.workspace, who.may_see)
    return html(request, "corpora.html", found=found, first=held.workspace.settings.corpus)


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
    return entered(request, held.sessions.start(who), next)


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


PATH = "/login/oidc"
ATTEMPT_COOKIE = "clausegraph-sign-in"
_MOST_NEXT = 1500  # characters of the address behind the login; a cookie has 4096 bytes
_TOLD = {
    "ProviderFailed": (502, "The provider of identities failed"),
    "NoRole": (403, "No role here"),
    "SignInRefused": (403, "Not signed in"),
}


@routes.get(PATH)
async def begin(request: Request, held: Held, next: str = "/") -> Response:
    """To the provider, with a cookie by which the browser is known when it comes back."""
    sign_in = _of(held.sign_in)
    try:
        where, attempt = await sign_in.begin(_back(request))
    except SignInRefused as error:
        raise _refused(error) from error
    wanted = quote(inside(next), safe="")
    response = RedirectResponse(where, 303, {"Cache-Control": "no-store"})
    response.set_cookie(
        ATTEMPT_COOKIE,
        f"{attempt}|{wanted if len(wanted) <= _MOST_NEXT else ''}",
        max_age=ATTEMPT_SECONDS,
        httponly=True,
        samesite="lax",
        secure=_back(request).startswith("https:"),
        path=PATH,
    )
    return response


@routes.get(f"{PATH}/back")
async def back(request: Request, held: Held) -> Response:
    """A session for whoever the provider vouches for and who has a role here."""
    sign_in = _of(held.sign_in)
    attempt, _, wanted = request.cookies.get(ATTEMPT_COOKIE, "").partition("|")
    try:
        who = await sign_in.end(attempt, dict(request.query_params), _back(request))
    except SignInRefused as error:
        response = told_error(request, _refused(error))
    else:
        response = entered(request, held.sessions.start(who, vouched=True), unquote(wanted))
    response.delete_cookie(ATTEMPT_COOKIE, path=PATH)
    response.headers["Cache-Control"] = "no-store"
    return response


def _of(found: SignIn | None) -> SignIn:
    if found is None:
        raise NotFoundError("there is no sign-in with a provider here; log in with a token at /login")
    return found


def _back(request: Request) -> str:
    """Where the provider sends the browser back to; the gate has checked that the host is one of ours.

    Beyond the loopback there is a proxy that speaks TLS.
    """
    host = request.headers["host"]
    scheme = request.url.scheme if (urlsplit(f"//{host}").hostname or "") in LOOPBACK else "https"
    return f"{scheme}://{host}{PATH}/back"


def _refused(error: SignInRefused) -> Refusal:
    status, title = _TOLD[error.kind]
    return refusal(error.kind, status, title, str(error))


_OF_CORPUS: dict[AccessRole, tuple[str, ...]] = {
    AccessRole.READER: (
        "GET ask", "POST asked", "GET asked/{name}", "POST asked/{name}/forget", "GET asked/{name}/events",
        "POST asked/{name}/suppose", "POST asked/{name}/follow", "POST asked/{name}/again", "GET pages", "GET page",
        "GET versions", "GET graph", "GET graph/drawn",
        "GET rules", "GET runs", "GET run", "GET run/events", "GET changes", "GET curation", "GET evaluations",
        "GET evaluation", "GET contradictions",
    ),
    AccessRole.CURATOR: (
        "POST asked/{name}/judge", "POST asked/{name}/watch", "GET hide", "POST curation/review", "POST curation/merge",
        "POST curation/settle", "POST curation/deny", "POST curation/hide", "POST curation/unhide",
        "POST curation/publish", "POST curation/quarantine", "GET add", "POST add", "POST add/files", "POST add/again",
        "POST add/sample", "POST run/cancel", "GET cypher", "POST cypher",
    ),
    AccessRole.ADMIN: (
        "GET manage", "POST manage/rollback", "POST manage/vacuum", "POST manage/drop", "POST evaluations",
        "POST evaluations/questions",
    ),
}  # fmt: skip
RULES: Rules = {
    "GET /": AccessRole.READER,
    "GET /corpora": AccessRole.READER,
    "POST /logout": AccessRole.READER,
    **dict.fromkeys(("GET /admin", "POST /admin/tokens", "POST /admin/tokens/revoke"), AccessRole.ADMIN),
    **dict.fromkeys(("GET /login", "POST /login", "GET /login/oidc", "GET /login/oidc/back", "* /static")),
    **{one.replace(" ", " /c/{corpus}/"): role for role, rules in _OF_CORPUS.items() for one in rules},
}


def face() -> Face:
    """The console."""
    files = StaticFiles(directory=HERE / "static", follow_symlink=True)
    routers = [routes, ask.routes, ask.forms, pages.routes, exploring.routes, admin.routes]
    routers += [curation.routes, curation.forms, adding.routes, adding.forms, exploring.forms]
    routers += [managing.routes, managing.forms]
    return Face(RULES, routers, mounts={"/static": files}, screen=problem_screen)
