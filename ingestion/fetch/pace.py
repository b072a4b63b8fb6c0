"""How often a host is asked."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime


class HostPace:
    """Keeps the time between two requests to one host."""

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self._clock = clock
        self._sleep = sleep
        self._last: dict[str, float] = {}

    def wait(self, host: str, interval_s: float) -> None:
        """Return when the host may be asked again, which counts as asking it."""
        rest = self._last.get(host, float("-inf")) + interval_s - self._clock()
        if rest > 0:
            self._sleep(rest)
        self._last[host] = self._clock()

    def pause(self, seconds: float) -> None:
        """Wait before another attempt."""
        self._sleep(seconds)


def retry_after(value: str | None) -> float | None:
    """The seconds that a Retry-After header asks for, given as a number or as a date; None without a sound one."""
    if not value:
        return None
    if value.strip().isdecimal():
        return float(value.strip()[:12])
    try:
        moment = parsedate_to_datetime(value)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(0.0, (moment - datetime.now(UTC)).total_seconds())
