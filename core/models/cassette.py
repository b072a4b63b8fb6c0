"""A cassette: replies by the hash of everything the server was sent, in a file to keep and to replay without a network.

JSON lines: ``{"cassette": 1, "model": …}``, then ``{"key", "prompt", "reply"}`` in the order of recording. No prompt's
text is in it.
"""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any, Self

from clausegraph.core.errors import InputError, NotFoundError, ReplyMissing

FORM = 1


class Cassette:
    """Replays what it has. With ``record`` a call that it lacks is made, and its reply appended at once.

    Raises:
        NotFoundError: there is no such file, and nothing is to be recorded.
        InputError: the file is no cassette, or of another form, or cannot be written.
    """

    def __init__(self, path: Path, *, record: bool = False) -> None:
        self.path, self.record = path, record
        self._lock = threading.Lock()
        self._model: str | None = None
        self._replies: dict[str, bytes] = {}
        if path.is_file():
            self._read()
        elif not record:
            raise NotFoundError(f"there is no cassette {path}; record one with --record, or name another file")

    def __len__(self) -> int:
        return len(self._replies)

    def for_model(self, fingerprint: str) -> Self:
        """Itself, once it is known to be of this model; a new one begins as such.

        Raises:
            InputError: its replies are another model's, or of another temperature or length.
        """
        with self._lock:
            if self._model is None:
                self._model = fingerprint
                self._append({"cassette": FORM, "model": fingerprint})
            if self._model != fingerprint:
                raise InputError(
                    f"cassette {self.path} was recorded with {self._model}, but {fingerprint} is asked; set the same "
                    "model, temperature, length and JSON mode, or take another cassette"
                )
        return self

    def find(self, key: str) -> bytes | None:
        """The reply to a call as ``encode_reply`` wrote it, or none."""
        return self._replies.get(key)

    def missing(self, key: str, task: str, prompt: str) -> ReplyMissing:
        """The error for a call that it lacks."""
        return ReplyMissing(
            f"cassette {self.path} has no reply to this call of {prompt or 'a chat'} (task {task or 'none'}, "
            f"key {key[:12]}); page, question, prompt or an earlier reply differ from what was recorded: record it "
            "anew with --record"
        )

    def keep(self, key: str, prompt: str, reply: bytes) -> None:
        """Store a reply; the first one to a call counts."""
        with self._lock:
            if key not in self._replies:
                self._replies[key] = reply
                self._append({"key": key, "prompt": prompt, "reply": json.loads(reply)})

    def _append(self, value: dict[str, Any]) -> None:
        try:
            with self.path.open("a", encoding="ascii", newline="\n") as file:
                file.write(json.dumps(value, separators=(",", ":")) + "\n")
        except OSError as error:
            raise InputError(f"cassette {self.path} cannot be written: {error.strerror or error}") from error

    def _read(self) -> None:
        try:
            lines = self.path.read_text("utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"cassette {self.path} cannot be read: {error}") from error
        if not lines:
            return
        head = self._value(1, lines[0])
        if head.get("cassette") != FORM or not isinstance(head.get("model"), str):
            raise InputError(
                f"{self.path} is no cassette of form {FORM}: its first line must name the form and the model"
            )
        self._model = head["model"]
        for number, line in enumerate(lines[1:], 2):
            value = self._value(number, line)
            if not isinstance(value.get("key"), str) or not isinstance(value.get("reply"), dict):
                raise InputError(f"cassette {self.path}, line {number}: needs a key and a reply; record it anew")
            self._replies.setdefault(value["key"], json.dumps(value["reply"], separators=(",", ":")).encode())

    def _value(self, number: int, line: str) -> dict[str, Any]:
        try:
            value = json.loads(line)
        except ValueError as error:
            raise InputError(f"cassette {self.path}, line {number}: no JSON ({error}); remove the line") from error
        return value if isinstance(value, dict) else {}
