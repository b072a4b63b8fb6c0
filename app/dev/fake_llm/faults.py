"""Which request fails, and how: decided by hash, so that a run can be repeated."""

from __future__ import annotations

from hashlib import blake2b

from clausegraph.app.dev.fake_llm.options import FakeOptions

_WHOLE = 1 << 64


class FaultPlan:
    """Decides for each request under one set of options; counts the requests that it was asked about."""

    def __init__(self, options: FakeOptions) -> None:
        self.options = options
        self._asked = 0
        self._attempts: dict[bytes, int] = {}

    def fault_of(self, digest: bytes, user: str) -> str:
        """The fault of the next request, or "none". ``digest`` is the hash of its body, ``user`` its last message."""
        options = self.options
        if not options.faults:
            return "none"
        self._asked += 1
        attempt = self._attempts.get(digest, 0)
        self._attempts[digest] = attempt + 1
        beyond = options.fault_first is not None and self._asked > options.fault_first
        if beyond or options.fault_match not in user:
            return "none"
        drawn = blake2b(digest + f"{attempt}:{options.seed}".encode(), digest_size=16).digest()
        if int.from_bytes(drawn[:8], "big") >= options.fault_share * _WHOLE:
            return "none"
        return options.faults[int.from_bytes(drawn[8:], "big") % len(options.faults)]
