"""Replies that were paid for already: from the response cache, or from a cassette that a run was recorded on.

A cassette is a file of JSON lines: ``{"cassette": 1, "model": …}``, then in the order of recording
``{"key", "prompt", "reply"}``, or with ``failure`` in place of ``reply`` where a call failed, or
``{"key", "unusable": true}`` where the reply could not be read. Of lines with the same key the last
counts. No prompt's text is in it.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import threading
import time
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Self
from weakref import WeakValueDictionary

from llama_index.core.base.llms.types import ChatMessage, ChatResponse, TextBlock

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
from clausegraph.core.models.attempts import Tariff, keep_record
from clausegraph.core.models.calls import CallRecord, ResponseCache, UsageSink
from clausegraph.core.models.loop import in_worker
from clausegraph.core.models.stack import Chat, ModelCall, decode_reply, encode_reply, usage_of

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
        self._replies: dict[str, bytes] = {}
        self._failures: dict[str, tuple[str, int | None]] = {}  # name of the error, status
        self._unusable: set[str] = set()
        if path.is_file():
            if record:
                self._cut_unfinished()
            self._read()
        elif not record:
            raise NotFoundError(f"there is no cassette {path}; record one with --record, or name another file")

    def __len__(self) -> int:
        return len(self._replies) + len(self._failures)

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
        """The reply to a call as ``encode_reply`` wrote it, or none.

        Raises:
            ModelCallError: the call failed when it was recorded.
        """
        if self.record:
            return None if key in self._unusable else self._replies.get(key)
        if key in self._failures:
            raise self._failure(key)
        return self._replies.get(key)

    def missing(self, key: str, task: str, prompt: str) -> ReplyMissing:
        """The error for a call that it lacks."""
        return ReplyMissing(
            f"cassette {self.path} has no reply to this call of {prompt or 'a chat'} (task {task or 'none'}, "
            f"key {key[:12]}); page, question, prompt or an earlier reply differ from what was recorded: record it "
            "anew with --record"
        )

    def keep(self, key: str, prompt: str, reply: bytes) -> None:
        """Store a reply; the first one to a call counts, but for one that could not be read."""
        with self._lock:
            if key not in self._replies or key in self._unusable:
                self._set(key, reply)
                self._append({"key": key, "prompt": prompt, "reply": json.loads(reply)})

    def keep_failure(self, key: str, prompt: str, error: ModelCallError) -> None:
        """Store that a call failed; a replayed run must fail there too."""
        with self._lock:
            self._set_failure(key, type(error).__name__, error.status)
            failure = {"error": type(error).__name__, "status": error.status}  # its text may quote the prompt
            self._append({"key": key, "prompt": prompt, "failure": failure})

    def forget(self, key: str) -> None:
        """Mark a reply that could not be read: it is replayed, but never taken in place of a call."""
        with self._lock:
            if key in self._replies and key not in self._unusable:
                self._unusable.add(key)
                self._append({"key": key, "unusable": True})

    def _set(self, key: str, reply: bytes) -> None:
        self._replies[key] = reply
        self._failures.pop(key, None)
        self._unusable.discard(key)

    def _set_failure(self, key: str, error: str, status: int | None) -> None:
        self._failures[key] = (error, status)
        self._replies.pop(key, None)
        self._unusable.discard(key)

    def _failure(self, key: str) -> ModelCallError:
        name, status = self._failures[key]
        answered = "" if status is None else f", status {status}"
        return _FAILURES[name](f"this call failed when cassette {self.path} was recorded ({name}{answered})")

    def _append(self, value: dict[str, Any]) -> None:
        try:
            with self.path.open("a", encoding="ascii", newline="\n") as file:
                file.write(json.dumps(value, separators=(",", ":")) + "\n")
        except OSError as error:
            raise InputError(f"cassette {self.path} cannot be written: {error.strerror or error}") from error

    def _cut_unfinished(self) -> None:
        """Drop a last line whose writing was killed: its call is made again."""
        try:
            whole = self.path.read_bytes()
            kept = whole.rfind(b"\n") + 1
            if kept != len(whole) and whole.startswith(b'{"cassette":'):
                os.truncate(self.path, kept)
        except OSError as error:
            raise InputError(f"cassette {self.path} cannot be read: {error.strerror or error}") from error

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
            self._take(number, self._value(number, line))

    def _take(self, number: int, value: dict[str, Any]) -> None:
        key, reply, failure = (value.get(name) for name in ("key", "reply", "failure"))
        if isinstance(key, str) and isinstance(reply, dict):
            self._set(key, json.dumps(reply, separators=(",", ":")).encode())
        elif isinstance(key, str) and isinstance(failure, dict) and failure.get("error") in _FAILURES:
            self._set_failure(key, failure["error"], failure.get("status"))
        elif isinstance(key, str) and value.get("unusable") is True:
            self._unusable.add(key)
        else:
            raise InputError(f"cassette {self.path}, line {number}: needs a key and a reply; record it anew")

    def _value(self, number: int, line: str) -> dict[str, Any]:
        try:
            value = json.loads(line)
        except ValueError as error:
            raise InputError(f"cassette {self.path}, line {number}: no JSON ({error}); remove the line") from error
        return value if isinstance(value, dict) else {}


_log = logging.getLogger(__name__)
_CACHE_WORKER, _CASSETTE_WORKER = "cache", "cassette"


@dataclass(frozen=True, slots=True)
class Kept:
    """Whose replies are kept: the model's fingerprint and name; where those that come again are recorded."""

    fingerprint: str
    model: str
    tariff: Tariff
    usage: UsageSink | None

    def answered(self, call: ModelCall, value: bytes, seconds: float) -> ChatResponse:
        """The kept reply, which is recorded as such; a ``ValueError`` where it is none."""
        found = decode_reply(value)
        used = usage_of(found)
        saved = self.tariff.of(used).money
        record = CallRecord(call.labels, self.model, "cached", used, 0.0, seconds, time.time(), saved)
        keep_record(record, self.usage, call.account)
        return found


class Caching:
    """Answers from the cache; stores complete replies. Every cached answer is recorded."""

    def __init__(self, cache: ResponseCache, kept: Kept) -> None:
        self._cache, self._kept = cache, kept

    async def chat(self, call: ModelCall, proceed: Chat) -> ChatResponse:
        """The stored reply, or a new one, which is stored."""
        key, started = reply_key(self._kept.fingerprint, call), time.perf_counter()
        value = await in_worker(_CACHE_WORKER, self._cache.get, key)
        if value is not None:
            try:
                return self._kept.answered(call, value, time.perf_counter() - started)
            except ValueError:
                _log.warning("a stored reply cannot be read; asking again")
        response = await proceed(call)
        await in_worker(_CACHE_WORKER, self._cache.put, key, encode_reply(response))
        return response

    async def forget(self, call: ModelCall) -> None:
        """Drop the reply to a call."""
        await in_worker(_CACHE_WORKER, self._cache.forget, reply_key(self._kept.fingerprint, call))


class Replaying:
    """Answers from the cassette alone; what it lacks is an error. It stands where the client would."""

    def __init__(self, cassette: Cassette, kept: Kept) -> None:
        self._cassette, self._fingerprint = cassette.for_model(kept.fingerprint), kept.fingerprint

    async def chat(self, call: ModelCall, proceed: Chat) -> ChatResponse:
        """The recorded reply.

        Raises:
            ReplyMissing: there is none.
            ModelCallError: the call failed when it was recorded.
        """
        key = reply_key(self._fingerprint, call)
        value = self._cassette.find(key)
        if value is None:
            raise self._cassette.missing(key, call.labels.task, call.labels.prompt)
        return decode_reply(value)


class Taping:
    """Stores complete replies and failed calls on the cassette; replies that it has already are answered from it, and
    count as cached. Of equal chats in flight one is sent, so that what follows from its reply is what a replay asks.
    """

    def __init__(self, cassette: Cassette, kept: Kept) -> None:
        self._cassette, self._kept = cassette.for_model(kept.fingerprint), kept
        self._in_flight: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def chat(self, call: ModelCall, proceed: Chat) -> ChatResponse:
        """The recorded reply, or a new one, which is recorded."""
        key, prompt = reply_key(self._kept.fingerprint, call), call.labels.prompt
        async with self._in_flight.setdefault(key, asyncio.Lock()):
            value = self._cassette.find(key)
            if value is not None:
                return self._kept.answered(call, value, 0.0)
            try:
                response = await proceed(call)
            except ModelCallError as error:
                await in_worker(_CASSETTE_WORKER, self._cassette.keep_failure, key, prompt, error)
                raise
            await in_worker(_CASSETTE_WORKER, self._cassette.keep, key, prompt, encode_reply(response))
            return response

    async def forget(self, call: ModelCall) -> None:
        """Do not answer with the reply to a call again; a replayed run still gets it."""
        await in_worker(_CASSETTE_WORKER, self._cassette.forget, reply_key(self._kept.fingerprint, call))


def reply_key(fingerprint: str, call: ModelCall) -> str:
    """Hash of model, messages and options."""
    messages = [_plain_message(message) for message in call.messages]
    sent = json.dumps([fingerprint, messages, dict(call.options)], sort_keys=True, default=_plain)
    return sha256(sent.encode()).hexdigest()


def _plain_message(message: ChatMessage) -> list[Any]:
    blocks = [block.text if type(block) is TextBlock else block.model_dump(mode="json") for block in message.blocks]
    return [str(message.role.value), blocks, message.additional_kwargs]


def _plain(value: Any) -> Any:
    """What JSON lacks; an object of which nothing is known never equals another."""
    dump = getattr(value, "model_dump", None)
    return dump(mode="json") if dump is not None and not isinstance(value, type) else f"{value!r} {id(value)}"
