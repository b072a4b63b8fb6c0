"""What a hostile mode knows of the request that it spoils, and the four forms that its reply can take."""

from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Sent:
    """A request, the key that came with it, and what would have been replied."""

    body: Mapping[str, Any]
    key: str
    text: str  # of the good reply
    completion: dict[str, Any] = field(default_factory=dict)  # the good reply, whole

    @property
    def _choice(self) -> dict[str, Any]:
        """The good reply's choice; of vectors, which have none, an empty one."""
        return dict((self.completion.get("choices") or [{}])[0])

    def changed(self, **values: Any) -> dict[str, Any]:
        """The good reply with some of its fields replaced."""
        return self.completion | values

    def with_choice(self, **values: Any) -> dict[str, Any]:
        """The good reply with fields of its choice replaced."""
        return self.changed(choices=[self._choice | values])

    def with_message(self, **values: Any) -> dict[str, Any]:
        """The good reply with fields of its message replaced."""
        return self.with_choice(message=self._choice.get("message", {}) | values)

    def with_content(self, content: Any) -> dict[str, Any]:
        """The good reply with another content."""
        return self.with_message(content=content)


@dataclass(frozen=True, slots=True)
class RawReply:
    """An HTTP response that is one, whatever it says."""

    data: bytes
    status: int = 200
    kind: str = "application/json"
    headers: tuple[tuple[str, str], ...] = ()


Pieces = AsyncIterator[bytes | float]
"""What is written to the connection, and the seconds between; the connection is closed at the end."""


@dataclass(frozen=True, slots=True)
class Content:
    """Another text in a good reply."""

    about: str
    make: Callable[[Sent], str]


@dataclass(frozen=True, slots=True)
class OtherBody:
    """Another body with the headers of a good reply: JSON, or bytes."""

    about: str
    make: Callable[[Sent], Any]


@dataclass(frozen=True, slots=True)
class Whole:
    """Another response."""

    about: str
    make: Callable[[Sent], RawReply]


@dataclass(frozen=True, slots=True)
class Wire:
    """Bytes as they are, past the HTTP server."""

    about: str
    make: Callable[[Sent], Pieces]
    ending: str = "close"  # or half: our side only; abort: with a reset


Mode = Content | OtherBody | Whole | Wire
