"""What politeness asks of a crawl: what a host's robots.txt allows (RFC 9309), and how often the host is asked."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from protego import Protego

AGENT = "ClauseGraph"
ROBOTS_BYTES = 512 * 1024  # what lies beyond is not read; the RFC asks for 500 KiB at least
MOST_SILENT = 5  # addresses in a row that a host does not answer: at 30 seconds each, a large site takes a day


@dataclass(frozen=True, slots=True)
class HostRules:
    """The rules of one host, what is no rule passed over; ``problem`` is why they could not be read, and then nothing
    may be fetched, for good if it ``lasts``."""

    rules: Protego | None = None
    problem: str = ""
    lasts: bool = False

    def may(self, address: str) -> bool:
        """Whether the address may be fetched."""
        return self.rules is None or bool(self.rules.can_fetch(address, AGENT))

    @property
    def delay_s(self) -> float:
        """Seconds that the host asks for between two requests."""
        found = self.rules.crawl_delay(AGENT) if self.rules else None
        return float(found or 0.0)


class HostPace:
    """Keeps the time between two requests to one host."""

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self._clock = clock
        self._sleep = sleep
        self._last: dict[str, float] = {}
        self._until: dict[str, float] = {}
        self._silent: dict[str, int] = {}

    def wait(self, host: str, interval_s: float) -> None:
        """Return when the host may be asked again, which counts as asking it."""
        rest = self._last.get(host, float("-inf")) + interval_s - self._clock()
        if rest > 0:
            self._sleep(rest)
        self._last[host] = self._clock()

    def told(self, host: str, *, answered: bool, after_s: float) -> None:
        """What came of asking a host: whether it answered at all, and for how long it wants to be left alone."""
        self._silent[host] = 0 if answered else self._silent.get(host, 0) + 1
        self._until[host] = self._clock() + after_s

    def why_not(self, host: str) -> str:
        """Why a host is not asked now; empty where it is."""
        if self._silent.get(host, 0) >= MOST_SILENT:
            return f"the host gave no whole reply {MOST_SILENT} times in a row; it is asked no more in this run"
        rest = self._until.get(host, float("-inf")) - self._clock()
        return f"the host asked to come back in {rest:.0f} seconds" if rest > 0 else ""

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
