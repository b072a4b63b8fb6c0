"""CRAG's mock API: its functions (the published list, in ``api.toml``), and the calls of one question."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from clausegraph.core.errors import InputError, NotFoundError, StoreError, StoreRefused
from clausegraph.query.crag.kg.endpoint import Endpoint

API_NAME = "CRAG API"
MOST_CALLS = 60  # of one question: "their last game" may need a look at each of some weeks
API = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
FUNCTIONS: Mapping[str, Sequence[str]] = dict.fromkeys(API["of_a_name"].split(), ("query",)) | API["functions"]
"""Names of arguments in the body, by function."""


def path_of(function: str) -> str:
    """Where a function is posted to; ``InputError`` where the API has none of that name."""
    if function not in FUNCTIONS:
        raise InputError(f"the API has no function {function[:80]!r}; its functions are {', '.join(FUNCTIONS)}")
    parts = function.split("_", 2)
    folders = parts[:2] if parts[0] == "sports" else parts[:1]
    return "/" + "/".join((*folders, function.removeprefix("_".join(folders) + "_")))


Outcome = Literal["found", "empty", "not there", "failed", "refused"]


@dataclass(frozen=True, slots=True)
class ApiCall:
    """One call and what came of it.

    ``empty``: the API answered that it knows nothing. ``not there``: it has no answer to this call (a replay that
    did not record it). ``failed``: it did not answer. ``refused``: the call was never sent.
    """

    function: str
    args: tuple[Any, ...]
    outcome: Outcome
    reason: str = ""

    @property
    def words(self) -> str:
        """The call as one would write it."""
        return f"{self.function}({', '.join(json.dumps(arg, ensure_ascii=False) for arg in self.args)})"


class ApiSession:
    """The calls of one question. Each is made once; a failure is kept and told, not raised."""

    def __init__(self, endpoint: Endpoint, most: int = MOST_CALLS) -> None:
        self._endpoint, self._most = endpoint, most
        self._results: dict[str, Any] = {}
        self.calls: list[ApiCall] = []

    @property
    def failure(self) -> str:
        """Why the API did not answer, if it did not."""
        return next((call.reason for call in self.calls if call.outcome == "failed"), "")

    @property
    def words(self) -> tuple[str, ...]:
        """The calls in their order; one that found nothing says what came of it."""
        return tuple(call.words if call.outcome == "found" else f"{call.words}: {call.outcome}" for call in self.calls)

    @property
    def functions(self) -> tuple[str, ...]:
        """Names of the functions that were called, each once."""
        return tuple(dict.fromkeys(call.function for call in self.calls))

    def lacks(self, function: str, *args: Any) -> bool:
        """Whether a call that was made had no answer there, which is not the same as an empty one."""
        return any(c.function == function and c.args == args and c.outcome == "not there" for c in self.calls)

    def ask(self, function: str, *args: Any) -> Any:
        """What a function gives, or none: then the last of ``calls`` says why."""
        key = f"{function}{json.dumps(args, ensure_ascii=False)}"
        if key not in self._results:
            self._results[key] = self._made(function, args)
        return self._results[key]

    def _made(self, function: str, args: tuple[Any, ...]) -> Any:
        outcome: Outcome
        result, reason = None, ""
        if len(self.calls) >= self._most:
            outcome, reason = "refused", f"the question has made its {self._most} calls"
        else:
            try:
                result = self._sent(function, args)
                outcome = "empty" if result in (None, [], {}, "") else "found"
            except NotFoundError as error:
                outcome, reason = "not there", str(error)
            except StoreError as error:
                outcome, reason = "failed", str(error)
        self.calls.append(ApiCall(function, args, outcome, reason))
        return result if outcome == "found" else None

    def _sent(self, function: str, args: tuple[Any, ...]) -> Any:
        names = FUNCTIONS[function]
        body = dict.fromkeys(names) | dict(zip(names, args, strict=False))
        reply = self._endpoint.post(path_of(function), body=body)
        if not isinstance(reply, dict) or "result" not in reply:
            raise StoreRefused(f"{function} answers without a result; is {self._endpoint.address} the API?")
        return reply["result"]


@contextmanager
def api_session(url: str) -> Iterator[ApiSession]:
    """The calls of one look-up at that address; ``SettingsError`` where it is none."""
    with Endpoint(url) as endpoint:
        yield ApiSession(endpoint)


def number(value: Any, unit: str = "") -> str:
    """A number as one writes it: whole ones without a point, others with two digits."""
    if isinstance(value, str):
        return value
    text = f"{value:,.0f}" if float(value).is_integer() else f"{value:,.2f}"
    return (unit + text if unit == "$" else f"{text} {unit}".strip()) if unit else text.replace(",", "")


def in_words(values: Any) -> str:
    """A list in words."""
    return ", ".join(str(value) for value in values) if isinstance(values, list) else str(values)
