"""Who changed what: a line for each attempt, in a file that only its owner may read, and on the disk at once."""

from __future__ import annotations

import json
import os
import time
from collections import deque
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from clausegraph.app.access.tokens import FOLDER
from clausegraph.core.errors import StorageError
from clausegraph.indexes.files import file_errors, make_private

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
