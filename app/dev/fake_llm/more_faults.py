"""Faults beyond those of the fake itself: tests put them here, in their own process and in the server's."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

Play = Callable[..., Awaitable[None]]
"""Replies to a request: the exchange, the request's body, the text of the good reply, and the good reply, whole."""

MORE_FAULTS: dict[str, Play] = {}
