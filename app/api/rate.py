"""How many requests a token has in a minute."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable

from clausegraph.app.api.problems import refusal


class RateLimit:
    """A bucket of requests for each token, which fills at an even pace: a minute's worth may be spent at once.

    Args:
        per_minute: requests; 0 for any number.
        clock: seconds that only grow.
    """

    def __init__(self, per_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_minute, self._clock = per_minute, clock
        self._lock = threading.Lock()
        self._left: dict[str, tuple[float, float]] = {}  # by token: requests, and when that was counted

    def take(self, token: str) -> None:
        """Count a request.

        Raises:
            Refusal: the token has none left (429, with the seconds until it has one).
        """
        if not self._per_minute:
            return
        now, each = self._clock(), 60 / self._per_minute
        with self._lock:
            left, then = self._left.get(token, (float(self._per_minute), now))
            left = min(self._per_minute, left + (now - then) / each)
            self._left[token] = (left - 1 if left >= 1 else left, now)
        if left < 1:
            said = f"a token has {self._per_minute} requests in a minute (the setting serve_rate)"
            wait = str(max(1, math.ceil((1 - left) * each)))
            raise refusal("TooManyRequests", 429, "Too many requests", said, Retry_After=wait)
