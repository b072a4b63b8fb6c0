"""Structured logs on the standard library: an event with fields, one line each, to stderr.

>>> log = logger(__name__)
>>> log.info("page.rejected", page="a.html", reason="no readable element on the page")

An event is a fixed word; what varies is a field. ``core.telemetry.redaction`` says which fields leave and how. Nothing
is shown until :func:`configure_logs`: a program that uses ClauseGraph as a library sets its own handlers, on the logger
``clausegraph``; there a record's message is the event and ``record.fields`` are the fields.
"""

from __future__ import annotations

import json
import logging
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any, TextIO

from clausegraph.core.telemetry.redaction import error_fields, one_line, scrub, shown

ROOT = "clausegraph"
_BARE = re.compile(r"[^\s\"'=\\]+")
_context: ContextVar[Mapping[str, object] | None] = ContextVar("log_context", default=None)


class EventLog:
    """A logger of events with fields."""

    __slots__ = ("_logger",)

    def __init__(self, base: logging.Logger) -> None:
        self._logger = base

    def info(self, event: str, /, **fields: object) -> None:
        """What an operator reads afterwards: runs, rejects, publishes."""
        self._emit(logging.INFO, event, fields)

    def warning(self, event: str, /, **fields: object) -> None:
        """Something did not work, and the command goes on."""
        self._emit(logging.WARNING, event, fields)

    def error(self, event: str, /, **fields: object) -> None:
        """Something did not work, and the command ends."""
        self._emit(logging.ERROR, event, fields)

    def _emit(self, level: int, event: str, fields: dict[str, object]) -> None:
        if self._logger.isEnabledFor(level):
            extra = {"fields": shown({**(_context.get() or {}), **fields})}
            self._logger.log(level, event.replace("%", "%%"), extra=extra, stacklevel=3)


def logger(name: str) -> EventLog:
    """The log of a module; give ``__name__``."""
    return EventLog(logging.getLogger(name))


@contextmanager
def log_fields(**fields: object) -> Iterator[None]:
    """Events inside the block, here and in what it starts, carry these fields: ``corpus``, ``run``."""
    token = _context.set({**(_context.get() or {}), **fields})
    try:
        yield
    finally:
        _context.reset(token)


def configure_logs(level: str = "warning", form: str = "text") -> None:
    """Show our records from ``level`` on, others' from warnings on, on stderr; ``form`` is "text" or "json".

    May be called again: the last call holds. Levels of other loggers are not touched.
    """
    root = logging.getLogger()
    for old in [handler for handler in root.handlers if isinstance(handler, _StderrHandler)]:
        root.removeHandler(old)
    ours = logging.getLogger(ROOT)
    ours.setLevel(level.upper())
    handler = _StderrHandler()
    others = max(ours.level, logging.WARNING)  # libraries log addresses and bodies at their lower levels
    handler.addFilter(lambda record: _is_ours(record) or record.levelno >= others)
    handler.setFormatter(_Lines(as_json=form == "json"))
    root.addHandler(handler)


class _StderrHandler(logging.StreamHandler[TextIO]):
    """Writes to what ``sys.stderr`` is at that moment: progress bars and tests put another one there."""

    def __init__(self) -> None:
        logging.Handler.__init__(self)

    @property
    def stream(self) -> TextIO:  # type: ignore[override]
        return sys.stderr


class _Lines(logging.Formatter):
    """A record as one line, text or JSON: no secret, no text that is not printable.

    Text is ``time LEVEL logger event name=value …``; a value with anything odd in it stands in quotes. JSON is an
    object with time, level, logger, event, corpus and run where known, fields.
    """

    def __init__(self, *, as_json: bool) -> None:
        super().__init__()
        self._as_json = as_json

    def format(self, record: logging.LogRecord) -> str:
        fields: dict[str, Any] = dict(getattr(record, "fields", None) or {})
        if not _is_ours(record) or not hasattr(record, "fields"):
            fields = shown(fields)
        if record.exc_info and record.exc_info[1] is not None:
            fields |= error_fields(record.exc_info[1]) | _place(record.exc_info[1])
        moment, event = _moment(record), scrub(_message(record))
        if self._as_json:
            head: dict[str, Any] = {"time": moment, "level": record.levelname.lower(), "logger": record.name}
            known = {name: fields.pop(name) for name in ("corpus", "run") if name in fields}
            return json.dumps(head | {"event": event} | known | {"fields": fields})  # ASCII: odd characters escaped
        words = [moment, record.levelname, record.name, _word(event)]
        return " ".join(words + [f"{one_line(name)}={_word(value)}" for name, value in fields.items()])


def _is_ours(record: logging.LogRecord) -> bool:
    return record.name == ROOT or record.name.startswith(ROOT + ".")


def _message(record: logging.LogRecord) -> str:
    try:
        return record.getMessage()
    except (TypeError, ValueError):  # a library's arguments do not fit its own format
        return str(record.msg)


def _moment(record: logging.LogRecord) -> str:
    return datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _place(error: BaseException) -> dict[str, str]:
    """Where an error was raised; never a traceback, which quotes texts and takes many lines."""
    frame = error.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    return {} if frame is None else {"at": f"{frame.tb_frame.f_code.co_filename}:{frame.tb_lineno}"}


def _word(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if text.isprintable() and _BARE.fullmatch(text):
        return text
    return one_line(json.dumps(text, ensure_ascii=False)) if isinstance(value, str) else one_line(text)
