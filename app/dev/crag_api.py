"""Recorded responses of CRAG's mock API, to be replayed over a loopback socket.

The recording is a file of JSON lines, ``{"function", "args", "response"}``; it is read where it lies. A call that was
not recorded is a 404 that says so: a replay must not look like an API that knows nothing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from clausegraph.core.errors import InputError
from clausegraph.query.crag.kg.api import FUNCTIONS, path_of

_BY_PATH = {path_of(function): function for function in FUNCTIONS}


class RecordedCalls(dict[tuple[str, str], Any]):
    """Responses by function and arguments; case of texts does not matter."""

    @classmethod
    def read(cls, path: Path) -> RecordedCalls:
        """The recording of a file.

        Raises:
            InputError: it cannot be read, or a line is no recorded call.
        """
        found = cls()
        try:
            lines = path.read_text("utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"recorded responses {path} cannot be read: {error}") from error
        for number, line in enumerate(lines, 1):
            try:
                call = json.loads(line)
                path_of(call["function"])  # there must be such a function
                found[_key(call["function"], call["args"])] = call["response"]
            except (ValueError, KeyError, TypeError) as error:
                fix = "a line has function, args and response"
                raise InputError(f"{path}, line {number} is no recorded call ({error}); {fix}") from error
        return found

    def answer(self, path: str, body: Mapping[str, Any]) -> tuple[int, Any]:
        """Status and reply to a request."""
        function = _BY_PATH.get(path)
        if function is None:
            return 404, {"detail": f"the API has no {path}"}
        args = [body.get(name) for name in FUNCTIONS[function]]
        while args and args[-1] is None:  # optional ones at the end
            args.pop()
        if (key := _key(function, args)) in self:
            return 200, self[key]
        said = ", ".join(json.dumps(arg, ensure_ascii=False) for arg in args)
        return 404, {"detail": f"not recorded: {function}({said})"}


def _key(function: str, args: Any) -> tuple[str, str]:
    return function, json.dumps(list(args), ensure_ascii=False).casefold()
