"""Responses: JSON that no terminal or page obeys, with the epoch it is of."""

from __future__ import annotations

import json
from typing import Any

from starlette.responses import Response

from clausegraph.core.text import clean_json

EPOCH_HEADER = "ClauseGraph-Epoch"
ASKED_AGAIN = "private, no-cache"  # whoever keeps it asks again whether it still holds


def as_json(value: Any) -> str:
    """A value on one line, with every control character escaped."""
    return clean_json(json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")))


def reply(value: Any, *, epoch: int | None = None, etag: str | None = None, location: str = "") -> Response:
    """A JSON response; what is of an epoch says so, and whoever keeps it asks again whether it still holds.

    ``location`` is where the same can be had again.
    """
    headers = {"Cache-Control": ASKED_AGAIN if etag else "no-store"}
    if epoch is not None:
        headers[EPOCH_HEADER] = str(epoch)
    if etag is not None:
        headers["ETag"] = etag
    if location:
        headers["Content-Location"] = location
    return Response(as_json(value), 200, headers, "application/json")
