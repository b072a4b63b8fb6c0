"""The time of one question: how much is left, and what there is still time for."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field


@dataclass(slots=True)
class TimeLeft:
    """Told of each step how long it took, it says what is left out so that the question ends in time.

    Args:
        seconds: that the question has; 0 is no limit.
        started: of ``time.monotonic()``.
    """

    seconds: float
    started: float = field(default_factory=time.monotonic)
    _step: float = 0.0  # the longest, in seconds

    def until(self, share: float) -> float:
        """When that share of the time is over, of ``time.monotonic()``."""
        return self.started + share * self.seconds if self.seconds else math.inf

    @property
    def left(self) -> float:
        """Seconds; below 0 when it is over."""
        return self.until(1.0) - time.monotonic()

    @property
    def hurries(self) -> bool:
        """Whether two more steps, each as long as the longest was, would take too long."""
        return self.left < 2 * self._step

    @property
    def has_round(self) -> bool:
        """Whether another round is worth beginning: one more step of any kind would end in time."""
        return self.left >= self._step

    def stepped(self, seconds: float) -> None:
        """A step took so long."""
        self._step = max(self._step, seconds)
