"""Calls of the mock API for one question: typed, counted, remembered; what is not there is told from what failed."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from clausegraph.core.errors import InputError, NotFoundError, StoreError, StoreRefused
from clausegraph.query.crag.kg.api.functions import ApiFunction, function_of
from clausegraph.query.crag.kg.http import Endpoint

MOST_CALLS = 60  # of one question: "their last game" may need a look at each of some weeks
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
        shown = ", ".join(json.dumps(arg, ensure_ascii=False) for arg in self.args)
        return f"{self.function}({shown})"


class ApiClient:
    """The API behind an address. Use as a context manager."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint

    def call(self, function: ApiFunction, args: tuple[Any, ...]) -> Any:
        """What the function gives; none where the API says that there is nothing.

        Raises:
            InputError: the arguments do not fit.
            NotFoundError, StoreError: as of ``Endpoint.post``.
        """
        reply = self._endpoint.post(function.path, body=function.body(args))
        if not isinstance(reply, dict) or "result" not in reply:
            raise StoreRefused(f"{function.name} answers without a result; is {self._endpoint.address} the API?")
        return reply["result"]


class ApiSession:
    """The calls of one question. Each is made once; a failure is kept and told, not raised."""

    def __init__(self, call: Callable[[ApiFunction, tuple[Any, ...]], Any], most: int = MOST_CALLS) -> None:
        self._call, self._most = call, most
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

    def ask(self, name: str, *args: Any) -> Any:
        """What a function gives, or none: then the last of ``calls`` says why.

        Raises:
            InputError: there is no such function.
        """
        function = function_of(name)
        key = f"{name}{json.dumps(args, ensure_ascii=False)}"
        if key not in self._results:
            self._results[key] = self._made(function, args)
        return self._results[key]

    def _made(self, function: ApiFunction, args: tuple[Any, ...]) -> Any:
        outcome: Outcome
        result, reason = None, ""
        if len(self.calls) >= self._most:
            outcome, reason = "refused", f"the question has made its {self._most} calls"
        else:
            try:
                result = self._call(function, args)
                outcome = "empty" if result in (None, [], {}, "") else "found"
            except InputError as error:
                outcome, reason = "refused", str(error)
            except NotFoundError as error:
                outcome, reason = "not there", str(error)
            except StoreError as error:
                outcome, reason = "failed", str(error)
        self.calls.append(ApiCall(function.name, args, outcome, reason))
        return result if outcome == "found" else None
