"""What each route needs: one table, without which no route is served."""

from __future__ import annotations

from collections.abc import Mapping

from clausegraph.app.access.roles import Role

Rules = Mapping[str, Role | None]
"""Method and path template of each route, and the least role it needs; None is open to everybody. A mounted
application has its path after ``*``. A path with ``{corpus}`` is only for tokens that may see that corpus."""

_CORPUS = "/v1/corpora/{corpus}"

WEB_ANSWERS = "POST /v1/web-answers"
WHOLE = frozenset((WEB_ANSWERS, "GET /metrics", "GET /v1/settings", "GET /v1/audit", "GET /admin"))
"""What is of the whole server: only for tokens that are bound to no corpus."""

API_RULES: Rules = {
    "GET /health/live": None,
    "GET /health/ready": None,
    "GET /metrics": Role.READER,
    "GET /openapi.json": Role.READER,
    "GET /v1/me": Role.READER,
    "GET /v1/corpora": Role.READER,
    "GET /v1/evaluations": Role.READER,
    "GET /v1/evaluations/{run}": Role.READER,
    "GET /v1/evaluations/{run}/cases": Role.READER,
    "GET /v1/prompts": Role.READER,
    "GET /v1/prompts/{name}": Role.READER,
    "GET /v1/settings": Role.ADMIN,
    "GET /v1/audit": Role.ADMIN,
    WEB_ANSWERS: Role.READER,
    f"GET {_CORPUS}": Role.READER,
    f"POST {_CORPUS}/ask": Role.READER,
    f"POST {_CORPUS}/retrieve": Role.READER,
    f"GET {_CORPUS}/answers": Role.READER,
    f"GET {_CORPUS}/answers/{{name}}": Role.READER,
    f"DELETE {_CORPUS}/answers/{{name}}": Role.READER,  # one's own
    f"GET {_CORPUS}/pages": Role.READER,
    f"GET {_CORPUS}/page": Role.READER,
    f"GET {_CORPUS}/page/elements": Role.READER,
    f"GET {_CORPUS}/page/versions": Role.READER,
    f"GET {_CORPUS}/page/comparison": Role.READER,
    f"GET {_CORPUS}/facts": Role.READER,
    f"GET {_CORPUS}/facts/{{fact}}": Role.READER,
    f"GET {_CORPUS}/entities": Role.READER,
    f"GET {_CORPUS}/entity": Role.READER,
    f"GET {_CORPUS}/neighbourhood": Role.READER,
    f"GET {_CORPUS}/paths": Role.READER,
    f"GET {_CORPUS}/contradictions": Role.READER,
    f"GET {_CORPUS}/epochs": Role.READER,
    f"GET {_CORPUS}/changes": Role.READER,
    f"GET {_CORPUS}/runs": Role.READER,
    f"GET {_CORPUS}/runs/{{run}}": Role.READER,
    f"GET {_CORPUS}/runs/{{run}}/rejects": Role.READER,
    f"GET {_CORPUS}/questions": Role.CURATOR,  # people's scenarios
    f"DELETE {_CORPUS}/questions/{{number}}": Role.CURATOR,
    f"POST {_CORPUS}/rollback": Role.ADMIN,
    f"GET {_CORPUS}/decisions": Role.READER,
    f"POST {_CORPUS}/decisions/review": Role.CURATOR,
    f"POST {_CORPUS}/decisions/merge": Role.CURATOR,
    f"POST {_CORPUS}/decisions/deny": Role.CURATOR,
    f"POST {_CORPUS}/decisions/publish": Role.CURATOR,
    f"PUT {_CORPUS}/decisions/{{number}}": Role.CURATOR,
    f"PUT {_CORPUS}/statements/{{statement}}/hidden": Role.CURATOR,
    f"DELETE {_CORPUS}/hidden/{{number}}": Role.CURATOR,
}
