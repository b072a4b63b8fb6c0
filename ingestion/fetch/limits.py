"""What fetching may take, and what it may reach; docs/sources.md has the reasons."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from clausegraph.core.pages.read import MAX_PAGE_BYTES


@dataclass(frozen=True, slots=True)
class WebLimits:
    """How the client treats the web.

    ``allow`` names what may be reached although it is no public address: networks ("10.0.0.0/8") and hosts. ``names``
    are hosts that are not looked up, with their network addresses: for tests and intranets.
    """

    contact: str = ""  # in the User-Agent: a page or mail address of whoever runs this
    body_bytes: int = MAX_PAGE_BYTES  # of a reply, unpacked
    seconds: float = 30.0  # a whole request: connecting, waiting, every byte
    render_seconds: float = 120.0  # a browser with one page, all that it asks for included
    attempts: int = 3
    wait_s: float = 1.0  # before the second attempt, doubled each time
    longest_wait_s: float = 60.0  # what Retry-After and robots.txt may ask for
    interval_s: float = 1.0  # between two requests to one host
    allow: tuple[str, ...] = ()
    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
