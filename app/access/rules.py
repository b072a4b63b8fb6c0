"""What each route needs, in one table without which no route is served; and the log of who changed what."""

from __future__ import annotations

import json
import os
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clausegraph.app.access.tokens import FOLDER, AccessRole
from clausegraph.core.errors import ClauseGraphError, StorageError
from clausegraph.indexes.files import file_errors, make_private

if TYPE_CHECKING:
    from clausegraph.app.access.shared_access import DeedRows
    from clausegraph.core.settings import Settings
    from clausegraph.indexes.ledger.store import Ledger

Rules = Mapping[str, AccessRole | None]
"""Method and path template of each route, and the least role it needs; None is open to everybody. A mounted
application has its path after ``*``. A path with ``{corpus}`` is only for tokens that may see that corpus."""

_CORPUS = "/v1/corpora/{corpus}"

WEB_ANSWERS = "POST /v1/web-answers"
_QUESTIONS = ("POST /v1/question-files", "POST /c/{corpus}/evaluations/questions")
UPLOADS = (f"POST {_CORPUS}/uploads", "POST /c/{corpus}/add/files", *_QUESTIONS)
_OF_ALL = ("/metrics", "/v1/settings", "/v1/audit", "/v1/doctor", "/v1/tokens", "/v1/question-files", "/admin")
WHOLE = frozenset(
    (*(f"GET {path}" for path in _OF_ALL), WEB_ANSWERS, "POST /v1/tokens", "DELETE /v1/tokens/{name}", *_QUESTIONS,
     "POST /admin/tokens", "POST /admin/tokens/revoke")
)  # fmt: skip
"""What is of the whole server: only for tokens that are bound to no corpus."""

API_RULES: Rules = {
    "GET /health/live": None,
    "GET /health/ready": None,
    "GET /metrics": AccessRole.READER,
    "GET /openapi.json": AccessRole.READER,
    "GET /v1/me": AccessRole.READER,
    "GET /v1/corpora": AccessRole.READER,
    "GET /v1/evaluations": AccessRole.READER,
    "GET /v1/evaluations/{run}": AccessRole.READER,
    "GET /v1/evaluations/{run}/cases": AccessRole.READER,
    "GET /v1/prompts": AccessRole.READER,
    "GET /v1/prompts/{name}": AccessRole.READER,
    "GET /v1/settings": AccessRole.ADMIN,
    "GET /v1/audit": AccessRole.ADMIN,
    "GET /v1/doctor": AccessRole.ADMIN,
    "GET /v1/tokens": AccessRole.ADMIN,
    "POST /v1/tokens": AccessRole.ADMIN,
    "DELETE /v1/tokens/{name}": AccessRole.ADMIN,
    "GET /v1/question-files": AccessRole.ADMIN,
    "POST /v1/question-files": AccessRole.ADMIN,
    WEB_ANSWERS: AccessRole.READER,
    f"GET {_CORPUS}": AccessRole.READER,
    f"POST {_CORPUS}/ask": AccessRole.READER,
    f"POST {_CORPUS}/retrieve": AccessRole.READER,
    f"GET {_CORPUS}/answers": AccessRole.READER,
    f"GET {_CORPUS}/answers/{{name}}": AccessRole.READER,
    f"POST {_CORPUS}/answers/{{name}}/compared": AccessRole.READER,  # one's own
    f"DELETE {_CORPUS}/answers/{{name}}": AccessRole.READER,
    f"GET {_CORPUS}/pages": AccessRole.READER,
    f"GET {_CORPUS}/page": AccessRole.READER,
    f"GET {_CORPUS}/page/elements": AccessRole.READER,
    f"GET {_CORPUS}/page/versions": AccessRole.READER,
    f"GET {_CORPUS}/page/comparison": AccessRole.READER,
    f"GET {_CORPUS}/page/history": AccessRole.READER,
    f"GET {_CORPUS}/rules": AccessRole.READER,
    f"GET {_CORPUS}/facts": AccessRole.READER,
    f"GET {_CORPUS}/facts/{{fact}}": AccessRole.READER,
    f"GET {_CORPUS}/entities": AccessRole.READER,
    f"GET {_CORPUS}/entity": AccessRole.READER,
    f"GET {_CORPUS}/neighbourhood": AccessRole.READER,
    f"GET {_CORPUS}/paths": AccessRole.READER,
    f"GET {_CORPUS}/contradictions": AccessRole.READER,
    f"GET {_CORPUS}/epochs": AccessRole.READER,
    f"GET {_CORPUS}/changes": AccessRole.READER,
    f"GET {_CORPUS}/quarantine": AccessRole.READER,
    f"PUT {_CORPUS}/quarantine/{{run}}": AccessRole.CURATOR,
    f"GET {_CORPUS}/runs": AccessRole.READER,
    f"GET {_CORPUS}/runs/{{run}}": AccessRole.READER,
    f"GET {_CORPUS}/runs/{{run}}/rejects": AccessRole.READER,
    f"POST {_CORPUS}/runs": AccessRole.CURATOR,
    f"GET {_CORPUS}/runs/{{run}}/events": AccessRole.READER,
    f"PUT {_CORPUS}/runs/{{run}}/cancelled": AccessRole.CURATOR,
    f"POST {_CORPUS}/uploads": AccessRole.CURATOR,
    f"POST {_CORPUS}/preview": AccessRole.CURATOR,
    f"GET {_CORPUS}/questions": AccessRole.CURATOR,  # people's scenarios
    f"DELETE {_CORPUS}/questions/{{number}}": AccessRole.CURATOR,
    f"GET {_CORPUS}/watches": AccessRole.CURATOR,
    f"POST {_CORPUS}/watches": AccessRole.CURATOR,
    f"GET {_CORPUS}/watches/{{number}}": AccessRole.CURATOR,
    f"PUT {_CORPUS}/watches/{{number}}/approved": AccessRole.CURATOR,
    f"DELETE {_CORPUS}/watches/{{number}}": AccessRole.CURATOR,
    f"POST {_CORPUS}/rollback": AccessRole.ADMIN,
    f"POST {_CORPUS}/vacuum": AccessRole.ADMIN,
    f"POST {_CORPUS}/evaluations": AccessRole.ADMIN,
    f"DELETE {_CORPUS}": AccessRole.ADMIN,
    f"GET {_CORPUS}/forgotten": AccessRole.ADMIN,
    f"POST {_CORPUS}/forgotten": AccessRole.ADMIN,
    f"GET {_CORPUS}/decisions": AccessRole.READER,
    f"POST {_CORPUS}/decisions/review": AccessRole.CURATOR,
    f"POST {_CORPUS}/decisions/merge": AccessRole.CURATOR,
    f"POST {_CORPUS}/decisions/deny": AccessRole.CURATOR,
    f"POST {_CORPUS}/decisions/publish": AccessRole.CURATOR,
    f"PUT {_CORPUS}/decisions/{{number:digits}}": AccessRole.CURATOR,
    f"PUT {_CORPUS}/statements/{{statement}}/hidden": AccessRole.CURATOR,
    f"DELETE {_CORPUS}/hidden/{{number}}": AccessRole.CURATOR,
}
_FILE = "audit.jsonl"


@dataclass(frozen=True, slots=True)
class Deed:
    """An attempt to change something: who, what ("POST /v1/…", "tokens add"), of which corpus, and how it ended.

    ``target`` is the path or the name of the thing; ``outcome`` is "done", or the name of the error; ``why`` is the
    reason in that person's words, where one was given.
    """

    who: str
    action: str
    target: str
    outcome: str
    corpus: str = ""
    request: str = ""
    why: str = ""


class AuditLog:
    """The deeds of a home folder, or of a ledger that machines share, oldest first; ``StorageError``: they cannot be
    read or written."""

    def __init__(self, home: Path, shared: Ledger | None = None) -> None:
        self._path = home / FOLDER / _FILE
        self._rows: DeedRows | None = None
        if shared is not None:
            from clausegraph.app.access.shared_access import DeedRows

            self._rows = DeedRows(shared)

    def record(self, deed: Deed) -> None:
        """Append a deed; one write, so that processes may share the file."""
        if self._rows is not None:
            self._rows.record(asdict(deed))
            return
        line = json.dumps({"time": time.time()} | asdict(deed)) + "\n"  # ASCII: every odd character escaped
        with file_errors(self._path):
            make_private(self._path.parent)
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
            with os.fdopen(os.open(self._path, flags, 0o600), "ab", buffering=0) as file:
                file.write(line.encode())
                os.fsync(file.fileno())

    def blank(self, is_told: Callable[[str], bool]) -> int:
        """Overwrite in place the targets and reasons that ``is_told`` is true of, as others may append; returns how
        many."""
        if self._rows is not None:
            return self._rows.blank(is_told)
        count = at = 0
        with file_errors(self._path), suppress(FileNotFoundError), self._path.open("r+b") as file:
            for line in file.readlines():
                deed = json.loads(line) if line.endswith(b"}\n") else {}
                for name in ("target", "why"):
                    text, key = str(deed.get(name, "")), f'"{name}": "'.encode()
                    if is_told(text):
                        file.seek(at + line.index(key) + len(key))
                        file.write(b"-" * len(json.dumps(text)[1:-1]))
                        count += 1
                at += len(line)
        return count

    def last(self, count: int) -> list[dict[str, Any]]:
        """The newest deeds, newest first; a line that was cut off with its machine's power is passed over."""
        if self._rows is not None:
            return self._rows.last(count)
        with file_errors(self._path):
            if not self._path.exists():
                return []
            with self._path.open("rb") as file:
                lines = deque((line for line in file if line.endswith(b"\n")), maxlen=count)
        try:
            return [json.loads(line) for line in reversed(lines)]
        except ValueError as error:
            raise StorageError(f"{self._path} is damaged ({error}); move it away to go on") from error


@contextmanager
def writing_down(settings: Settings, deed: Deed) -> Iterator[None]:
    """Note in the audit log what somebody does in the block, and the error by which it failed; a home that is not there
    is not made for that."""
    try:
        yield
    except (ClauseGraphError, KeyboardInterrupt) as error:
        if settings.home.is_dir():
            with suppress(ClauseGraphError):  # the first error is the one to tell
                _write_down(settings, replace(deed, outcome=type(error).__name__))
        raise
    _write_down(settings, deed)


def _write_down(settings: Settings, deed: Deed) -> None:
    from clausegraph.app.models import shared_ledger

    with shared_ledger(settings) as shared:
        AuditLog(settings.home, shared).record(deed)
