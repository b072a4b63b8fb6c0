"""Browser sessions: a cookie that stands for a token or a person, so that no script ever holds the token."""

from __future__ import annotations

import hashlib
import secrets
import threading
import time
from dataclasses import dataclass

from clausegraph.app.access.roles import Principal
from clausegraph.app.access.tokens import Tokens

COOKIE = "clausegraph-session"
_SECONDS = 12 * 3600
_MOST = 1000  # sessions; the oldest ends when there are more


@dataclass(frozen=True, slots=True)
class BrowserSession:
    """A browser's session: the id of its token, what its forms must carry, and when it ends.

    ``person`` is whoever a provider of identities vouched for, who has no token.
    """

    token: str
    csrf: str
    ends: float
    person: Principal | None = None


class Sessions:
    """The sessions of one server process. A session ends with its token; a restart ends all."""

    def __init__(self, tokens: Tokens, seconds: float = _SECONDS) -> None:
        self._tokens = tokens
        self._seconds = seconds
        self._lock = threading.Lock()
        self._open: dict[str, BrowserSession] = {}  # by the hash of the cookie, oldest first

    def start(self, principal: Principal, *, vouched: bool = False) -> tuple[str, BrowserSession]:
        """A new session and the value of its cookie, which is nowhere kept.

        Args:
            vouched: whether a provider of identities vouched for them; the session hangs on no token then.
        """
        cookie = secrets.token_urlsafe(32)
        person, ends = principal if vouched else None, time.monotonic() + self._seconds
        made = BrowserSession(principal.token, secrets.token_urlsafe(32), ends, person)
        with self._lock:
            self._open[_key(cookie)] = made
            while len(self._open) > _MOST:
                del self._open[next(iter(self._open))]
        return cookie, made

    def find(self, cookie: str) -> tuple[Principal, BrowserSession] | None:
        """Whose session a cookie is; None for one that is unknown or over, or whose token is gone.

        Raises:
            StorageError: the tokens cannot be read.
        """
        with self._lock:
            found = self._open.get(_key(cookie))
        if found is None or time.monotonic() >= found.ends:
            return None
        principal = found.person or self._tokens.holder(found.token)
        return None if principal is None else (principal, found)

    def end(self, cookie: str) -> None:
        """End a session; one that is over already stays so."""
        with self._lock:
            self._open.pop(_key(cookie), None)


def _key(cookie: str) -> str:
    return hashlib.sha256(cookie.encode("utf-8", "surrogatepass")).hexdigest()
