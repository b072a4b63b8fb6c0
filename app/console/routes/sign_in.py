"""Coming in by way of an OpenID Connect provider."""

from __future__ import annotations

from urllib.parse import quote, unquote, urlsplit

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from clausegraph.app.access.provider import LOOPBACK, SignInRefused
from clausegraph.app.access.sign_in import ATTEMPT_SECONDS, SignIn
from clausegraph.app.api.dependencies import Held
from clausegraph.app.api.problems import Refusal, refusal
from clausegraph.app.console.routes.login import entered, inside
from clausegraph.app.console.routing import router, told_error
from clausegraph.core.errors import NotFoundError

PATH = "/login/oidc"
ATTEMPT_COOKIE = "clausegraph-sign-in"
_MOST_NEXT = 1500  # characters of the address behind the login; a cookie has 4096 bytes
_TOLD = {
    "ProviderFailed": (502, "The provider of identities failed"),
    "NoRole": (403, "No role here"),
    "SignInRefused": (403, "Not signed in"),
}

routes = router()


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
        cookie, _session = held.sessions.start(who, vouched=True)
        response = entered(request, cookie, unquote(wanted))
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
