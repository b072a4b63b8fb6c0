"""What reading one page may take."""

from __future__ import annotations

from dataclasses import dataclass

from clausegraph.core.pages.read import MAX_PAGE_BYTES


@dataclass(frozen=True, slots=True)
class ReadingLimits:
    """Seconds of processor time; megabytes beyond what the reading process has when it starts; bytes of the page.

    Memory is limited where the operating system can (Linux), time everywhere.
    """

    seconds: float = 10.0
    megabytes: int = 500
    page_bytes: int = MAX_PAGE_BYTES

    @property
    def reply_bytes(self) -> int:
        """How large a reading may be as JSON: as Python's objects it is four times as large."""
        return self.megabytes * 1_000_000 // 4
