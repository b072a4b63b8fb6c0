"""What can be set of the fake model server, as plain values that travel as JSON; and which request fails, and how."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

Play = Callable[..., Awaitable[None]]
"""Replies to a request: the exchange, the request's body, the text of the good reply, and the good reply, whole."""

MORE_FAULTS: dict[str, Play] = {}
STATUS_FAULTS = ("429", "500", "503")
CONTENT_FAULTS = ("garbage", "wrong_schema", "empty", "truncated")  # of a reply that is sent whole
FAULTS = (*STATUS_FAULTS, *CONTENT_FAULTS, "hang", "stall", "slow_stream", "cut_connection", "html_body")

_WHOLE = 1 << 64


@dataclass(frozen=True)
class FakeOptions:
    """Everything that can be set.

    ``replies``: "rules" (those that the rule extractor reads on the numbered page, one a line, or triples where the
    prompt asks for ``(subject, …)``), "lines" (always triples), "echo" (the last user message) or "script".
    ``script``: replies in turn, the last one again and again, or a mapping from a part of the last user message to
    its reply; a reply that is no string is sent as JSON.

    ``fault``: one of ``FAULTS`` or ``MORE_FAULTS``, or several with commas, of which a request's hash takes one.
    ``fault_share`` of the requests have it, decided by the hash of request and attempt; ``fault_first`` limits it to
    the first requests since the options were last set; ``fault_match`` to requests whose last user message contains it.
    """

    key: str | None = None  # bearer key that requests must carry
    replies: str = "rules"
    script: Sequence[Any] | Mapping[str, Any] = ()
    latency: tuple[float, float] = (0.0, 0.0)  # seconds, uniform between the two
    concurrency: int | None = None  # requests served at once; one more gets 429
    usage: str = "reported"  # or "none"
    tokens: str = "approximate"  # ceil(UTF-8 bytes / 4); or "bytes": one token a byte, the worst case
    context_window: int | None = None  # tokens of a prompt; more is refused with 400
    models: tuple[str, ...] = ()  # names that are known; none means every name
    fault: str = "none"
    fault_share: float = 1.0
    fault_first: int | None = None
    fault_match: str = ""
    retry_after: float | None = None  # seconds, sent with 429 and 503
    chunks: int = 20  # pieces of a streamed reply
    chunk_delay: float = 0.05  # seconds between the pieces under "slow_stream"
    hold_after: str = ""  # a streamed reply waits behind the piece that ends these words until this is set anew

    @property
    def faults(self) -> tuple[str, ...]:
        """The faults that ``fault`` names, without "none"."""
        return tuple(name for name in (part.strip() for part in self.fault.split(",")) if name not in ("", "none"))


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
        drawn = blake2b(digest + f"{attempt}".encode(), digest_size=16).digest()
        spared = int.from_bytes(drawn[:8], "big") >= options.fault_share * _WHOLE
        if beyond or spared or options.fault_match not in user:
            return "none"
        return options.faults[int.from_bytes(drawn[8:], "big") % len(options.faults)]
