"""Tokens and the audit log in a ledger that machines share, as their files have them beside a ledger in a file."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from typing import Any

from sqlalchemy import Row, delete, insert, select, update

from clausegraph.indexes.ledger.cells import OBJECT, decode_json
from clausegraph.indexes.ledger.schema import access_tokens, deeds
from clausegraph.indexes.ledger.store import Ledger


class TokenRows:
    """Every token as JSON; ``alone`` is a transaction beside which nobody changes them."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def alone(self) -> AbstractContextManager[None]:
        """Be the only one who changes them, in one transaction."""
        return self._ledger.as_one()

    def load(self) -> list[dict[str, Any]]:
        """All of them."""
        column, rows = access_tokens.c.record, self._ledger.rows(select(access_tokens))
        return [decode_json(column, row.id, row.record, OBJECT) for row in rows]

    def save(self, records: Iterable[Mapping[str, Any]]) -> None:
        """Replace all of them."""
        with self._ledger.write() as connection:
            connection.execute(delete(access_tokens))
            for one in records:
                connection.execute(insert(access_tokens).values(record=json.dumps(one)))


class DeedRows:
    """The audit log, by id."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def record(self, deed: Mapping[str, Any]) -> None:
        """Append a deed, with the time of the server."""
        with self._ledger.beside() as connection:
            at = self._ledger.database.now(connection)
            connection.execute(insert(deeds).values(at=at, deed=json.dumps({"time": at} | dict(deed))))

    def blank(self, is_told: Callable[[str], bool]) -> int:
        """Overwrite the targets and reasons that ``is_told`` is true of; returns how many."""
        count = 0
        rows = self._ledger.rows(select(deeds))
        with self._ledger.write() as connection:
            for row in rows:
                deed = _deed(row)
                told = {name: "-" * len(deed[name]) for name in ("target", "why") if is_told(deed.get(name, ""))}
                if told:
                    text = json.dumps(deed | told)
                    connection.execute(update(deeds).where(deeds.c.id == row.id).values(deed=text))
                count += len(told)
        return count

    def last(self, count: int) -> list[dict[str, Any]]:
        """The newest deeds, newest first."""
        rows = self._ledger.rows(select(deeds).order_by(deeds.c.id.desc()).limit(count))
        return [_deed(row) for row in rows]


def _deed(row: Row[Any]) -> dict[str, Any]:
    return decode_json(deeds.c.deed, row.id, row.deed, OBJECT)
