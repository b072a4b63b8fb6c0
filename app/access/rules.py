"""What each route needs, in one table without which no route is served; and the log of who changed what."""

from __future__ import annotations

import json
import os
import time
from collections import deque
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from clausegraph.app.access.tokens import FOLDER, Role
from clausegraph.core.errors import StorageError
from clausegraph.indexes.files import file_errors, make_private

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
    f"GET {_CORPUS}/rules": Role.READER,
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
_FILE = "audit.jsonl"


@dataclass(frozen=True, slots=True)
class Deed:
    """An attempt to change something: who, what ("POST /v1/…", "tokens add"), of which corpus, and how it ended.

    ``target`` is the path or the name of the thing; ``outcome`` is "done", or the name of the error.
    """

    who: str
    action: str
    target: str
    outcome: str
    corpus: str = ""
    request: str = ""


class AuditLog:
    """The deeds of a home folder, oldest first."""

    def __init__(self, home: Path) -> None:
        self._path = home / FOLDER / _FILE

    def record(self, deed: Deed) -> None:
        """Append a deed; one write, so that processes may share the file.

        Raises:
            StorageError: it cannot be written.
        """
        line = json.dumps({"time": time.time()} | asdict(deed)) + "\n"  # ASCII: every odd character escaped
        with file_errors(self._path):
            make_private(self._path.parent)
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
            with os.fdopen(os.open(self._path, flags, 0o600), "ab", buffering=0) as file:
                file.write(line.encode())
                os.fsync(file.fileno())

    def last(self, count: int) -> list[dict[str, Any]]:
        """The newest deeds, newest first; a line that was cut off with its machine's power is passed over.

        Raises:
            StorageError: it cannot be read, or is damaged.
        """
        with file_errors(self._path):
            if not self._path.exists():
                return []
            with self._path.open("rb") as file:
                lines = deque((line for line in file if line.endswith(b"\n")), maxlen=count)
        try:
            return [json.loads(line) for line in reversed(lines)]
        except ValueError as error:
            raise StorageError(f"{self._path} is damaged ({error}); move it away to go on") from error
