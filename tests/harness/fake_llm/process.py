"""The fake model server as its user has it: start it, ask what it counted, change it, stop it."""

import contextlib
import http.client
import json
import os
import subprocess
import sys
from dataclasses import asdict, replace
from types import TracebackType
from typing import Any, Self

from clausegraph.core.errors import InputError
from tests.harness.fake_llm.options import FakeOptions

_STOP = 5.0  # seconds
_CONTROL = 30.0


class FakeModelServer:
    """A fake model server in a process of its own, on a free port of 127.0.0.1; a context manager.

    ``url`` is what Mistral's client takes as its endpoint; OpenAI-like clients take ``url + "/v1"``.
    """

    def __init__(self, options: FakeOptions | None = None, module: str = "tests.harness.fake_llm") -> None:
        """``module`` is run as the process: one of a test may add faults before it serves."""
        self.options = options or FakeOptions()
        self._module = module
        self.port = 0
        self._process: subprocess.Popen[str] | None = None

    @property
    def url(self) -> str:
        """The address, without a slash at its end."""
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> Self:
        """Start the process; returns when requests are answered."""
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        words = [sys.executable, "-m", self._module]
        pipe = subprocess.PIPE
        process = subprocess.Popen(words, stdin=pipe, stdout=pipe, text=True, env=environment)
        self._process = process
        assert process.stdin is not None and process.stdout is not None  # both are pipes
        with contextlib.suppress(BrokenPipeError):  # it did not start
            process.stdin.write(json.dumps(asdict(self.options)) + "\n")
            process.stdin.flush()
        self.port = int(process.stdout.readline())
        return self

    def close(self) -> None:
        """Stop the process and wait until it is gone; calls in flight end with a broken connection."""
        process, self._process = self._process, None
        if process is None or process.stdin is None or process.stdout is None:
            return
        with contextlib.suppress(BrokenPipeError):  # it is gone
            process.stdin.close()
        try:
            process.wait(_STOP)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def counters(self) -> dict[str, Any]:
        """What was counted since the start or the last ``reset``; the README beside this says what each means."""
        return self._control("GET", "counters")  # type: ignore[no-any-return]

    def set(self, **options: Any) -> None:
        """Change options for the requests to come; scripts and faults begin anew."""
        self.options = replace(self.options, **options)
        self._control("POST", "set", asdict(self.options))

    def reset(self) -> None:
        """Set the counters to zero; scripts and faults begin anew."""
        self._control("POST", "reset")

    def last_requests(self, n: int = 5) -> list[Any]:
        """The last bodies received (64 are kept), oldest first: as JSON values, or as text where they are none."""
        return self._control("GET", f"requests?n={n}")  # type: ignore[no-any-return]

    def _control(self, method: str, what: str, value: Any = None) -> Any:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=_CONTROL)
        with contextlib.closing(connection):
            connection.request(method, f"/fake/{what}", json.dumps(value or {}), {"connection": "close"})
            response = connection.getresponse()
            content = json.loads(response.read())
        if response.status != 200:
            raise InputError(str(content.get("message", content)))
        return content
