"""Who asks, and what that lets them do: roles; named tokens; browser sessions that stand for a token or a person.

A token is ``cg_<id>_<secret>``, given once; its hash is in a file of the home folder that only its owner may read.
The secret has 256 random bits, so one round of SHA-256 is enough for what is kept of it. The file lies beside a ledger
in a file, which readers never write; a ledger that machines share has the hashes itself. A session is a cookie, so that
no script ever holds the token.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import secrets
import threading
import time
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from enum import StrEnum
from hmac import compare_digest
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clausegraph.core.errors import InputError, NotFoundError, StorageError
from clausegraph.core.text import checked_name
from clausegraph.indexes.files import file_errors, make_private, write_whole

if TYPE_CHECKING:
    from clausegraph.app.access.shared_access import TokenRows
    from clausegraph.indexes.ledger.store import Ledger

FOLDER = "access"  # within the home folder
_FILE, _LOCK = "tokens.json", "lock"
_PREFIX = "cg"
_DAY = 86_400
_NAME_FIX = "take 1 to 100 visible characters without '/'"
COOKIE = "clausegraph-session"
_SECONDS = 12 * 3600
_MOST = 1000  # sessions; the oldest ends when there are more


class AccessRole(StrEnum):
    """What somebody may do; each may all that the ones before it may."""

    READER = "reader"
    CURATOR = "curator"
    ADMIN = "admin"

    @property
    def person(self) -> str:
        """Somebody who has it: "a reader", "an admin"."""
        return f"{'an' if self.value[0] in 'aeiou' else 'a'} {self.value}"

    def covers(self, needed: AccessRole) -> bool:
        """Whether whoever has this role may do what needs the other."""
        order = list(AccessRole)
        return order.index(self) >= order.index(needed)


@dataclass(frozen=True, slots=True)
class Principal:
    """Whoever a token was given to: its name, its role, and the corpora it is bound to (None: every one).

    ``token`` is the token's id, which is no secret.
    """

    name: str
    role: AccessRole
    corpora: frozenset[str] | None
    token: str

    def may_see_run(self, corpus: str | None) -> bool:
        """Whether an evaluation is theirs to see: of one of their corpora; of none, where they are bound to none."""
        return self.corpora is None if corpus is None else self.may_see(corpus)

    def may_see(self, corpus: str) -> bool:
        """Whether a corpus, by its stored name, is one of theirs."""
        return self.corpora is None or corpus in self.corpora


@dataclass(frozen=True, slots=True)
class TokenRecord:
    """A token as it is kept: no secret. Times are seconds since 1970; ``expires`` None: never."""

    id: str
    name: str
    role: str
    corpora: tuple[str, ...] | None
    created: float
    expires: float | None
    digest: str

    @property
    def principal(self) -> Principal:
        """Whoever shows the token."""
        corpora = None if self.corpora is None else frozenset(self.corpora)
        return Principal(self.name, AccessRole(self.role), corpora, self.id)

    @property
    def is_expired(self) -> bool:
        """Whether its time is over."""
        return self.expires is not None and time.time() >= self.expires


class Tokens:
    """The tokens of a home folder, or of a ledger that machines share. Threads and processes may share them; a change
    is seen at the next question.

    Raises, from everything:
        StorageError: they cannot be read or written.
    """

    def __init__(self, home: Path, shared: Ledger | None = None) -> None:
        self._store: _TokenFile | TokenRows = _TokenFile(home / FOLDER)
        if shared is not None:
            from clausegraph.app.access.shared_access import TokenRows

            self._store = TokenRows(shared)

    def add(
        self, name: str, role: AccessRole, corpora: Sequence[str] | None = None, days: float | None = None
    ) -> tuple[TokenRecord, str]:
        """A new token and its text, which is nowhere kept.

        Args:
            corpora: what it is bound to; None for every corpus, also those to come.
            days: after which it is refused; None for never.

        Raises:
            InputError: the name is taken, or the name or the list of corpora is empty.
        """
        name = checked_name(name, "token", _NAME_FIX)
        if corpora is not None and not corpora:
            raise InputError("a token for no corpus opens nothing; name one, or leave the list out for every one")
        bound = None if corpora is None else tuple(sorted({unicodedata.normalize("NFC", one) for one in corpora}))
        secret, now = secrets.token_urlsafe(32), time.time()
        expires = None if days is None else now + days * _DAY
        made = TokenRecord(secrets.token_hex(6), name, AccessRole(role).value, bound, now, expires, _digest(secret))
        with self._changing() as records:
            if any(one.name == name for one in records.values()):
                raise InputError(f"there is a token {name!r} already; revoke it or choose another name")
            records[made.id] = made
        return made, f"{_PREFIX}_{made.id}_{secret}"

    def all(self) -> list[TokenRecord]:
        """Every token by name, the expired ones too."""
        return sorted(self._records().values(), key=lambda one: one.name)

    def revoke(self, name: str) -> TokenRecord:
        """Take a token away; it is refused from the next request on.

        Raises:
            NotFoundError: no token of that name.
        """
        with self._changing() as records:
            found = next((one for one in records.values() if one.name == name), None)
            if found is None:
                names = ", ".join(sorted(one.name for one in records.values())) or "none"
                raise NotFoundError(f"no token named {name[:80]!r} (there are: {names}); `clausegraph tokens list`")
            del records[found.id]
        return found

    def find(self, text: str) -> Principal | None:
        """Whose token a text is; None for one that is unknown, revoked or expired."""
        prefix, _, rest = text.partition("_")
        identity, _, secret = rest.partition("_")
        record = self._records().get(identity) if prefix == _PREFIX else None
        if record is None or record.is_expired or not compare_digest(record.digest, _digest(secret)):
            return None
        return record.principal

    def holder(self, identity: str) -> Principal | None:
        """Whoever holds the token of that id now; None once it is revoked or expired."""
        record = self._records().get(identity)
        return None if record is None or record.is_expired else record.principal

    def _records(self) -> dict[str, TokenRecord]:
        made = (
            TokenRecord(**(one | {"corpora": one["corpora"] and tuple(one["corpora"])})) for one in self._store.load()
        )
        return {one.id: one for one in made}

    @contextmanager
    def _changing(self) -> Iterator[dict[str, TokenRecord]]:
        """The records, to be changed; written when the block ends well, one writer at a time."""
        with self._store.alone():
            records = self._records()
            yield records
            self._store.save(asdict(one) for one in records.values())


class _TokenFile:
    """The tokens' file, as ``TokenRows``; read again only when it was replaced."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._path = folder, folder / _FILE
        self._read: tuple[tuple[int, int, int], list[dict[str, Any]]] | None = None

    @contextmanager
    def alone(self) -> Iterator[None]:
        with file_errors(self._folder):
            make_private(self._folder)
            lock = os.open(self._folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            os.close(lock)

    def load(self) -> list[dict[str, Any]]:
        with file_errors(self._path):
            try:
                found = self._path.stat()
            except FileNotFoundError:
                return []
            stamp = (found.st_mtime_ns, found.st_ino, found.st_size)
            if self._read is None or self._read[0] != stamp:
                self._read = stamp, _parsed(self._path, self._path.read_bytes())
        return self._read[1]

    def save(self, records: Iterable[dict[str, Any]]) -> None:
        write_whole(self._path, json.dumps({"tokens": list(records)}, indent=1).encode())


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def _parsed(path: Path, data: bytes) -> list[dict[str, Any]]:
    try:
        listed: list[dict[str, Any]] = json.loads(data)["tokens"]
        for one in listed:
            AccessRole(TokenRecord(**one).role)
    except (ValueError, TypeError, KeyError) as error:
        raise StorageError(
            f"{path} is damaged ({error}); remove it and make new tokens with `clausegraph tokens add`"
        ) from error
    return listed


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

    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens
        self._lock = threading.Lock()
        self._open: dict[str, BrowserSession] = {}  # by the hash of the cookie, oldest first

    def start(self, principal: Principal, *, vouched: bool = False) -> str:
        """Begin a session; the value of its cookie, which is nowhere kept.

        Args:
            vouched: whether a provider of identities vouched for them; the session hangs on no token then.
        """
        cookie = secrets.token_urlsafe(32)
        person, ends = principal if vouched else None, time.monotonic() + _SECONDS
        with self._lock:
            self._open[_key(cookie)] = BrowserSession(principal.token, secrets.token_urlsafe(32), ends, person)
            while len(self._open) > _MOST:
                del self._open[next(iter(self._open))]
        return cookie

    def find(self, cookie: str) -> tuple[Principal, BrowserSession] | None:
        """Whose session a cookie is; None for one that is unknown or over, or whose token is gone."""
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
