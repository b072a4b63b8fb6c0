"""What the fake counts; all figures since the start or the last reset."""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable
from typing import Any

_KEPT = 64  # last requests


class Counters:
    """Requests, outcomes, tokens and load. Used from one event loop only."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._in_flight = 0
        self.reset()

    def reset(self) -> None:
        """Forget everything but the requests in flight."""
        self.requests = self._in_flight
        self.ok = self.prompt_tokens = self.output_tokens = self._repeated = 0
        self.latency_sum = 0.0
        self.failed: Counter[str] = Counter()
        self.by_path: Counter[str] = Counter()
        self._answered: set[bytes] = set()
        self._recent: deque[bytes] = deque(maxlen=_KEPT)
        self._max = self._in_flight
        self._area = self._busy = 0.0
        self._since = self._clock()

    @property
    def in_flight(self) -> int:
        """Requests being served now."""
        return self._in_flight

    def arrived(self, path: str, body: bytes) -> None:
        """A request has come whole; from here on it is in flight."""
        self.requests += 1
        self.by_path[path] += 1
        self._recent.append(body)
        self._advance()
        self._in_flight += 1
        self._max = max(self._max, self._in_flight)

    def refused(self, path: str, body: bytes, why: str) -> None:
        """A request has come and is turned away at once; it is never in flight."""
        self.requests += 1
        self.by_path[path] += 1
        self._recent.append(body)
        self.failed[why] += 1

    def answered(self, digest: bytes) -> None:
        """A request in flight gets its reply."""
        self._left()
        self.ok += 1
        self._repeated += digest in self._answered
        self._answered.add(digest)

    def lost(self, why: str) -> None:
        """A request in flight ends without its reply."""
        self._left()
        self.failed[why] += 1

    def used(self, prompt_tokens: int, output_tokens: int) -> None:
        """Tokens of a reply that is sent whole."""
        self.prompt_tokens += prompt_tokens
        self.output_tokens += output_tokens

    def recent(self, n: int) -> list[bytes]:
        """The last bodies received, oldest first."""
        return list(self._recent)[-n:] if n > 0 else []

    def snapshot(self) -> dict[str, Any]:
        """All figures as plain values."""
        self._advance()
        return {
            "requests": self.requests,
            "ok": self.ok,
            "failed": dict(self.failed),
            "in_flight": self._in_flight,
            "in_flight_max": self._max,
            "mean_in_flight": self._area / self._busy if self._busy else 0.0,
            "latency_sum": self.latency_sum,
            "prompt_tokens": self.prompt_tokens,
            "output_tokens": self.output_tokens,
            "by_path": {path: self.by_path[path] for path in ("chat", "stream", "embeddings")},
            "distinct_prompts": len(self._answered),
            "repeated_ok": self._repeated,
        }

    def _left(self) -> None:
        self._advance()
        self._in_flight -= 1

    def _advance(self) -> None:
        """Add the time since the last change to the mean."""
        now = self._clock()
        if self._in_flight:
            self._area += self._in_flight * (now - self._since)
            self._busy += now - self._since
        self._since = now
