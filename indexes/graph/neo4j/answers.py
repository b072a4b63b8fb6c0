"""What a Neo4j server answers when it fails, told as what to do about it."""

from __future__ import annotations

import re
from collections.abc import Mapping

from neo4j import exceptions as driver

from clausegraph.core.errors import StoreError, StoreRefused, StoreUnavailable

# The first whose pattern is in "code message" counts.
_ANSWERS: tuple[tuple[str, type[StoreError], str], ...] = (
    (r"AuthenticationRateLimit", StoreRefused, "has seen too many wrong passwords; correct it and wait some seconds"),
    (r"CredentialsExpired", StoreRefused,
     "wants the first password of user {user!r} to be changed; do that in its Browser"),
    (r"Security\.(Unauthorized|TokenExpired)", StoreRefused,
     "refuses user {user!r} with this password; set CLAUSEGRAPH_NEO4J_USER and CLAUSEGRAPH_NEO4J_PASSWORD"),
    (r"Security\.Forbidden", StoreRefused,
     "does not let user {user!r} do this; grant the role of an editor with schema rights"),
    (r"DatabaseNotFound|DatabaseDoesNotExist", StoreRefused,
     "has no database {database!r}; set CLAUSEGRAPH_NEO4J_DATABASE"),
    (r"(?i)no space left|disk.{0,20}full|out of disk", StoreRefused,
     "has no space left on its disk; free some and run `clausegraph project neo4j`"),
    (r"(?i)read.?only", StoreRefused,
     "is read-only (database {database!r}); make it writable or set CLAUSEGRAPH_NEO4J_MODE=off"),
    (r"Statement\.AccessMode", StoreRefused, "refused to write in a transaction for reading"),
    (r"TransactionTimedOut|Transaction\.Terminated|LockClientStopped", StoreUnavailable,
     "took longer than {deadline:g} s; look at its load or raise CLAUSEGRAPH_NEO4J_DEADLINE"),
    (r"MemoryPool|OutOfMemory", StoreRefused,
     "ran out of memory for this transaction; give it more (server.memory.heap.max_size)"),
    (r"Neo\.TransientError|DatabaseUnavailable", StoreUnavailable, "cannot do this now; try again"),
)  # fmt: skip


def answer(error: driver.Neo4jError, uri: str, about: Mapping[str, object]) -> StoreError:
    """The error to raise for one of the server's; ``about`` says user, database and deadline."""
    for pattern, kind, words in _ANSWERS:
        if re.search(pattern, f"{error.code} {error.message}"):
            return kind(f"Neo4j at {uri} {words.format(**about)} ({first_line(error)})")
    return StoreError(f"Neo4j at {uri} failed: {error.code}: {first_line(error)}")


def first_line(error: BaseException) -> str:
    """The first line of what a driver says, cut: the rest is Java's."""
    text = (error.message if isinstance(error, driver.Neo4jError) else str(error)) or type(error).__name__
    return str(text).strip().splitlines()[0][:300].rstrip(":")
