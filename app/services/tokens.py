"""Tokens of the API: made, listed, taken away.

Everything raises ``StorageError`` where a file cannot be read or written.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from clausegraph.app.access.tokens import AccessRole, TokenRecord, Tokens
from clausegraph.app.models import shared_ledger
from clausegraph.app.services import attributes
from clausegraph.core.errors import InputError, SchemaError
from clausegraph.core.settings import Settings


def add_token(
    settings: Settings, name: str, role: str, corpora: Sequence[str], days: float | None
) -> tuple[dict[str, Any], str]:
    """A new token as a record, and its text.

    Args:
        corpora: what it is bound to; empty for every corpus.
        days: after which it is refused; None for never.
    """
    if role not in list(AccessRole):
        raise InputError(f"no role {role!r}; take {', '.join(AccessRole)}")
    with _tokens(settings) as tokens:
        made, text = tokens.add(name, AccessRole(role), corpora or None, days)
    return _record(made), text


def unknown_corpora(settings: Settings, corpora: Sequence[str]) -> list[str]:
    """Those of the names that no corpus of the home has: a token for them opens nothing yet."""
    from clausegraph.app.workspace import Workspace
    from clausegraph.indexes.corpora import list_corpora

    try:
        with Workspace(settings) as workspace:
            there = {one.name for one in list_corpora(workspace.ledger)}
    except SchemaError:
        if (settings.home / "ledger.db").exists():
            return []  # another version's: nobody knows what it has
        there = set()
    return [name for name in corpora if unicodedata.normalize("NFC", name) not in there]


def list_tokens(settings: Settings) -> list[dict[str, Any]]:
    """Every token by name, without anything secret."""
    with _tokens(settings) as tokens:
        return [_record(one) for one in tokens.all()]


def revoke_token(settings: Settings, name: str) -> dict[str, Any]:
    """Take a token away; a running server refuses it from the next request on. Answers that were kept for it go."""
    from clausegraph.indexes.kept_answers import answers_in

    with shared_ledger(settings) as shared:
        found = Tokens(settings.home, shared).revoke(name)
        answers_in(settings.home, shared).forget_owner(found.id)
    return _record(found)


@contextmanager
def _tokens(settings: Settings) -> Iterator[Tokens]:
    with shared_ledger(settings) as shared:
        yield Tokens(settings.home, shared)


def _record(token: TokenRecord) -> dict[str, Any]:
    return attributes(token, "name id role corpora created expires") | {"expired": token.is_expired}
