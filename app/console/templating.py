"""Pages from templates: everything is escaped, control characters are shown, and nothing runs that is not ours."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse

from clausegraph.app.access.roles import Role
from clausegraph.app.version import version
from clausegraph.core.text import clean

HERE = Path(__file__).parent
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
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


_TEMPLATES = Environment(
    loader=FileSystemLoader(HERE / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    finalize=_shown,
    trim_blocks=True,
    lstrip_blocks=True,
)
_TEMPLATES.filters["day"] = _day
_TEMPLATES.globals |= {"address": address, "version": version()}


def render(template: str, **values: Any) -> str:
    """A template with its values."""
    return _TEMPLATES.get_template(template).render(values)


def html(request: Request, template: str, status: int = 200, **values: Any) -> HTMLResponse:
    """A screen, or where htmx asks for a part of one, that part alone; it says which parts of it are ours to run."""
    session, who = (request.scope["state"].get(name) for name in ("session", "principal"))
    known: dict[str, Any] = {
        "fragment": "hx-request" in request.headers,
        "who": who,
        "curates": who is not None and who.role.covers(Role.CURATOR),
        "administers": who is not None and who.role.covers(Role.ADMIN) and who.corpora is None,
        "csrf": session.csrf if session else "",
        "corpus": request.path_params.get("corpus", ""),
        "screen": "",
    }
    return HTMLResponse(render(template, **(known | values)), status, HEADERS)
