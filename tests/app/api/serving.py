"""``clausegraph serve`` in a process of its own, on a free port."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Self

import httpx


class Serving:
    """A server of a home folder; ``url`` is its address once it has begun."""

    def __init__(self, home: Path, **environment: str) -> None:
        self._home = home
        given = {f"CLAUSEGRAPH_{name.upper()}": value for name, value in environment.items()}
        self._environment = os.environ | {"CLAUSEGRAPH_EMBEDDING_MODEL": "hashing", "OMP_NUM_THREADS": "1"} | given
        self._environment["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
        self.url = ""

    def __enter__(self) -> Self:
        words = [sys.executable, "-m", "clausegraph", "serve", "--port", "0", "--json", "--home", str(self._home)]
        self.process = subprocess.Popen(
            words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self._environment
        )
        assert self.process.stdout is not None
        told = json.loads(self.process.stdout.readline() or "{}")
        if "url" not in told:
            self.process.kill()
            raise RuntimeError(f"the server did not start: {told} {self.process.communicate()[1]}")
        self.url, self.token = told["url"], Path(told["token_file"]).read_text().strip()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.errors = self.process.communicate()[1]

    def end(self, number: int = signal.SIGTERM) -> int:
        """Send a signal and wait for the end; returns the exit code."""
        self.process.send_signal(number)
        return self.process.wait()

    def client(self, token: str | None = None) -> httpx.Client:
        headers = {"Authorization": f"Bearer {token or self.token}"}
        return httpx.Client(base_url=self.url, headers=headers, timeout=60, trust_env=False)
