"""What each route needs: one table, without which no route is served."""

from __future__ import annotations

from collections.abc import Mapping

from clausegraph.app.access.roles import Role

Rules = Mapping[str, Role | None]
"""Method and path template of each route, and the least role it needs; None is open to everybody. A mounted
application has its path after ``*``. A path with ``{corpus}`` is only for tokens that may see that corpus."""

_CORPUS = "/v1/corpora/{corpus}"

API_RULES: Rules = {
    "GET /health/live": None,
    "GET /health/ready": None,
    "GET /metrics": Role.READER,
    "GET /openapi.json": Role.READER,
    "GET /v1/me": Role.READER,
    "GET /v1/corpora": Role.READER,
    f"POST {_CORPUS}/ask": Role.READER,
    f"POST {_CORPUS}/retrieve": Role.READER,
}
