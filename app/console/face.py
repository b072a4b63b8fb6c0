"""The console as a face of the application: its screens, their rules, and what a browser loads with them."""

from __future__ import annotations

from starlette.staticfiles import StaticFiles

from clausegraph.app.access.roles import Role
from clausegraph.app.access.rules import Rules
from clausegraph.app.api.application import Face
from clausegraph.app.console.routes import admin, ask, curation, evaluations, graph, history, login, pages, sign_in
from clausegraph.app.console.routing import problem_screen
from clausegraph.app.console.templating import HERE

RULES: Rules = {
    "GET /": Role.READER,
    "GET /login": None,
    "POST /login": None,
    "GET /login/oidc": None,
    "GET /login/oidc/back": None,
    "POST /logout": Role.READER,
    "GET /c/{corpus}/ask": Role.READER,
    "POST /c/{corpus}/asked": Role.READER,
    "GET /c/{corpus}/asked/{name}": Role.READER,
    "POST /c/{corpus}/asked/{name}/forget": Role.READER,
    "GET /c/{corpus}/asked/{name}/events": Role.READER,
    "POST /c/{corpus}/asked/{name}/suppose": Role.READER,
    "POST /c/{corpus}/asked/{name}/judge": Role.CURATOR,
    "GET /c/{corpus}/pages": Role.READER,
    "GET /c/{corpus}/page": Role.READER,
    "GET /c/{corpus}/versions": Role.READER,
    "GET /c/{corpus}/graph": Role.READER,
    "GET /c/{corpus}/graph/drawn": Role.READER,
    "GET /c/{corpus}/runs": Role.READER,
    "GET /c/{corpus}/run": Role.READER,
    "GET /c/{corpus}/changes": Role.READER,
    "GET /c/{corpus}/curation": Role.READER,
    "GET /c/{corpus}/hide": Role.CURATOR,
    "POST /c/{corpus}/curation/review": Role.CURATOR,
    "POST /c/{corpus}/curation/merge": Role.CURATOR,
    "POST /c/{corpus}/curation/settle": Role.CURATOR,
    "POST /c/{corpus}/curation/deny": Role.CURATOR,
    "POST /c/{corpus}/curation/hide": Role.CURATOR,
    "POST /c/{corpus}/curation/unhide": Role.CURATOR,
    "POST /c/{corpus}/curation/publish": Role.CURATOR,
    "GET /admin": Role.ADMIN,
    "GET /c/{corpus}/evaluations": Role.READER,
    "GET /c/{corpus}/evaluation": Role.READER,
    "GET /c/{corpus}/evaluation/plot": Role.READER,
    "* /static": None,
}


def face() -> Face:
    """The console."""
    files = StaticFiles(directory=HERE / "static", follow_symlink=True)
    routers = [
        login.routes,
        sign_in.routes,
        ask.routes,
        pages.routes,
        graph.routes,
        history.routes,
        evaluations.routes,
        curation.routes,
        admin.routes,
    ]
    return Face(RULES, routers, mounts={"/static": files}, screen=problem_screen)
