"""What may leave the process in a log record or a span, and in what form.

Three rules, held here and nowhere else. Secrets never leave. Of texts, only those under the names in ``IDS``
leave; under any other name (``question``, ``reply``, ``text``…) just the length does, unless
``allow_content(True)``. And a text stays on its line of the log, so that no page can write a record of its own.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from numbers import Integral, Real

from clausegraph.core.errors import ClauseGraphError, ModelCallError
from clausegraph.core.secrets import MASK, mask

IDS = frozenset(
    (
        *("command", "corpus", "source", "location", "run", "stage", "task", "page", "pages", "path", "endpoint"),
        *("extractor", "embedder", "retriever", "model", "prompt", "class", "kind"),  # prompt: the id of one
        *("status", "outcome", "reason", "hint", "error", "error_message", "request"),
    )
)
Plain = str | int | float | bool | list[str] | dict[str, int | float | str]

_LONGEST_ID = 300
_MOST_ITEMS = 50
_USERINFO = re.compile(r"(?<=//)[^/\s@]+@")
_CREDENTIAL = re.compile(r"(?i)\b(bearer|basic)(\s+)[\w.~+/=-]{8,}")

_content = False


def allow_content(allowed: bool) -> None:
    """Whether questions, prompts, replies and page text may leave (``log_prompts``)."""
    global _content  # noqa: PLW0603 - one process, one rule
    _content = allowed


def scrub(text: str) -> str:
    """The text without secrets: registered ones, the user part of addresses, authorization headers."""
    return _CREDENTIAL.sub(rf"\1\2{MASK}", _USERINFO.sub(f"{MASK}@", mask(text)))


def one_line(text: str) -> str:
    """The text with every character that is not printable, line ends of all kinds included, as an escape."""
    if text.isprintable():
        return text
    return "".join(mark if mark.isprintable() else mark.encode("unicode_escape").decode() for mark in text)


def shown(fields: Mapping[str, object]) -> dict[str, Plain]:
    """The fields as they may leave. A text under a name that is no id becomes ``<name>_chars``, its length."""
    result: dict[str, Plain] = {}
    for name, value in fields.items():
        if value is None:
            continue
        figure = _figure(value)
        if figure is not None:
            result[name] = figure
        elif isinstance(value, Mapping):
            result[name] = {scrub(str(key)): number for key, each in value.items() if (number := _figure(each))}
        elif isinstance(value, Sequence) and not isinstance(value, (str, bytes)):
            result.update(_sequence(name, value))
        elif _content and name not in IDS:
            result[name] = scrub(str(value))
        elif name in IDS:
            result[name] = _identifier(value)
        else:
            result[f"{name}_chars"] = len(str(value))
    return result


def error_fields(error: BaseException) -> dict[str, str | int]:
    """Name of the error; the message of ours only, and not where it may repeat what a server said."""
    fields: dict[str, str | int] = {"error": type(error).__name__}
    if isinstance(error, ModelCallError):
        if error.status is not None:
            fields["http_status"] = error.status
    elif isinstance(error, ClauseGraphError):
        fields["error_message"] = _identifier(error)
    return fields


def _figure(value: object) -> int | float | str | None:
    if isinstance(value, bool):
        return value
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        return float(value) if math.isfinite(float(value)) else str(float(value))  # JSON knows no NaN
    return None


def _sequence(name: str, values: Sequence[object]) -> dict[str, Plain]:
    if name in IDS:
        return {name: [_identifier(value) for value in values[:_MOST_ITEMS]]}
    return {name: [scrub(str(value)) for value in values]} if _content else {f"{name}_count": len(values)}


def _identifier(value: object) -> str:
    text = scrub(str(value))
    return text if len(text) <= _LONGEST_ID else text[: _LONGEST_ID - 1] + "…"
