"""Cassettes: replies of a run's calls in a file, from which the run can be repeated without a server.

A cassette is a file of JSON lines: ``{"cassette": 1, "model": …}``, then in the order of recording
``{"key", "prompt", "reply"}``, or with ``failure`` in place of ``reply`` where a call failed, or
``{"key", "unusable": true}`` where the reply could not be read. Of lines with the same key the last
counts. No prompt's text is in it.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from llama_index.core.base.llms.types import ChatResponse

from clausegraph.core.errors import (
    InputError,
    ModelCallError,
    ModelRefused,
    ModelUnavailable,
    NotConnected,
    NotFoundError,
    ReplyMissing,
    UnusableReply,
)
from clausegraph.core.models.calls import ModelCall
from clausegraph.core.models.replies import decode_reply, reply_key

FORM = 1
_FAILURES = {error.__name__: error for error in (ModelUnavailable, NotConnected, ModelRefused, UnusableReply)}


class Cassette:
    """Replays what it has, failures too: they shaped the run. With ``record`` a call that it lacks, that failed or
    whose reply could not be read is made, and its reply appended at once.

    Raises:
        NotFoundError: there is no such file, and nothing is to be recorded.
        InputError: the file is no cassette, or of another form, or cannot be written.
    """

    def __init__(self, path: Path, *, record: bool = False) -> None:
        self.path, self.record = path, record
        self._lock = threading.Lock()
        self._model: str | None = None
        self._lines: dict[str, dict[str, Any]] = {}  # by key, what was recorded last: a reply or a failure
        self._unusable: set[str] = set()
        if path.is_file():
            with self._file_errors("read"):
                self._read()
        elif not record:
            raise NotFoundError(f"there is no cassette {path}; record one with --record, or name another file")

    def __len__(self) -> int:
        return len(self._lines)

    def for_model(self, fingerprint: str) -> Self:
        """Itself, once it is known to be of this model; a new one begins as such."""
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
        line = self._lines.get(key, {})
        if self.record and key in self._unusable:
            return None
        if "failure" in line and not self.record:
            name, status = line["failure"]["error"], line["failure"].get("status")
            answered = "" if status is None else f", status {status}"
            raise _FAILURES[name](f"this call failed when cassette {self.path} was recorded ({name}{answered})")
        return json.dumps(line["reply"], separators=(",", ":")).encode() if "reply" in line else None

    def keep(self, key: str, prompt: str, reply: bytes) -> None:
        """Store a reply; the first one to a call counts, but for one that could not be read."""
        with self._lock:
            if "reply" not in self._lines.get(key, {}) or key in self._unusable:
                self._append({"key": key, "prompt": prompt, "reply": json.loads(reply)})

    def keep_failure(self, key: str, prompt: str, error: ModelCallError) -> None:
        """Store that a call failed; a replayed run must fail there too."""
        failure = {"error": type(error).__name__, "status": error.status}  # its text may quote the prompt
        with self._lock:
            self._append({"key": key, "prompt": prompt, "failure": failure})

    def forget(self, key: str) -> None:
        """Mark a reply that could not be read: it is replayed, but never taken in place of a call."""
        with self._lock:
            if "reply" in self._lines.get(key, {}) and key not in self._unusable:
                self._append({"key": key, "unusable": True})

    def _append(self, line: dict[str, Any]) -> None:
        self._take(line)
        with self._file_errors("written"), self.path.open("a", encoding="ascii", newline="\n") as file:
            file.write(json.dumps(line, separators=(",", ":")) + "\n")

    def _read(self) -> None:
        whole = self.path.read_bytes()
        if self.record and whole.startswith(b'{"cassette":') and not whole.endswith(b"\n"):
            whole = whole[: whole.rfind(b"\n") + 1]  # the writing of the last line was killed: its call is made again
            os.truncate(self.path, len(whole))
        for number, text in enumerate(whole.decode().splitlines(), 1):
            try:
                line = json.loads(text)
            except ValueError as error:
                raise InputError(f"cassette {self.path}, line {number}: no JSON ({error}); remove the line") from error
            if number == 1:
                head = line if isinstance(line, dict) else {}
                self._model = head.get("model")
                if head.get("cassette") != FORM or not isinstance(self._model, str):
                    raise InputError(
                        f"{self.path} is no cassette of form {FORM}: its first line must name the form and the model"
                    )
            elif not self._take(line):
                raise InputError(f"cassette {self.path}, line {number}: needs a key and a reply; record it anew")

    def _take(self, line: Any) -> bool:
        """Note a line; false where it is none."""
        match line:
            case {"key": str(key), "reply": dict()} | {"key": str(key), "failure": {"error": str()}}:
                self._lines[key] = line
                self._unusable.discard(key)
                return "reply" in line or line["failure"]["error"] in _FAILURES
            case {"key": str(key), "unusable": True}:
                self._unusable.add(key)
                return True
        return False

    @contextmanager
    def _file_errors(self, done: str) -> Iterator[None]:
        try:
            yield
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(
                f"cassette {self.path} cannot be {done}: {getattr(error, 'strerror', None) or error}"
            ) from error


class ReplayClient:
    """A ``ModelClient`` that answers from a cassette alone."""

    def __init__(self, cassette: Cassette, fingerprint: str) -> None:
        self._cassette, self._fingerprint = cassette.for_model(fingerprint), fingerprint

    async def chat(self, call: ModelCall) -> ChatResponse:
        """The recorded reply."""
        key, labels = reply_key(self._fingerprint, call), call.labels
        value = self._cassette.find(key)
        if value is None:
            raise ReplyMissing(
                f"cassette {self._cassette.path} has no reply to this call of {labels.prompt or 'a chat'} (task "
                f"{labels.task or 'none'}, key {key[:12]}); page, question, prompt or an earlier reply differ from "
                "what was recorded: record it anew with --record"
            )
        return decode_reply(value)

    async def close(self) -> None:
        """Nothing is open."""
