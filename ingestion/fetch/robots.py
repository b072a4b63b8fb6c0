"""What a host's robots.txt allows (RFC 9309)."""

from __future__ import annotations

from dataclasses import dataclass

from protego import Protego

AGENT = "ClauseGraph"
ROBOTS_BYTES = 512 * 1024  # what lies beyond is not read; the RFC asks for 500 KiB at least


@dataclass(frozen=True, slots=True)
class HostRules:
    """The rules of one host; ``problem`` is why they could not be read, and then nothing may be fetched, for good if it
    ``lasts``."""

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


def parse_robots(body: bytes) -> HostRules:
    """The rules that a robots.txt states; what is no rule is passed over."""
    return HostRules(Protego.parse(body.decode("utf-8", "replace")))
