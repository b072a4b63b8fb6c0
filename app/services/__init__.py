"""Use cases: a workspace and plain values in, JSON values out; they print nothing.

Every one raises ``NotFoundError`` for a corpus, epoch, page, entity, fact or run that is not there, and ``InputError``
for a name that several answer to. Docstrings name other errors only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

Key = list[Any]  # of an item in its list, as JSON values


@dataclass(frozen=True, slots=True)
class Slice:
    """Some items of a list, and the key after which the next ones come; None where there are no more."""

    items: list[dict[str, Any]]
    after: Key | None
