"""Use cases: a workspace and plain values in, records out, which are the API's schema too; they print nothing.

Every one raises ``NotFoundError`` for a corpus, epoch, page, entity, fact or run that is not there, and ``InputError``
for a name that several answer to; what writes to a corpus raises ``LeaseHeldError`` while a run does so. Docstrings
name other errors only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Self

from pydantic import BaseModel, ConfigDict

Key = list[Any]  # of an item in its list, as JSON values


class Record(BaseModel):
    """What a use case returns: the command line, the API and MCP show it as JSON, the console reads its fields."""

    model_config = ConfigDict(frozen=True, from_attributes=True)

    @classmethod
    def of(cls, *things: object, **values: Any) -> Self:
        """The record whose fields are attributes of the same name of the first thing that has one; ``values`` win."""
        for name in cls.model_fields.keys() - values.keys():
            holder = next((thing for thing in things if hasattr(thing, name)), None)
            if holder is not None:
                found = getattr(holder, name)
                values[name] = found.value if isinstance(found, Enum) else found
        return cls(**values)

    def as_json(self) -> dict[str, Any]:
        """As JSON values; what was not given is left out."""
        return self.model_dump(mode="json", by_alias=True, exclude_unset=True)


def attributes(thing: object, names: str) -> dict[str, Any]:
    """Attributes as JSON values, by name: a tuple as a list, a member of an enum as its value."""
    found = {name: getattr(thing, name) for name in names.split()}
    return {
        name: list(value) if isinstance(value, tuple) else value.value if isinstance(value, Enum) else value
        for name, value in found.items()
    }


def json_value(thing: object) -> Any:
    """What ``json.dumps`` writes for a record within other values; anything else it does not know, as text."""
    return thing.as_json() if isinstance(thing, Record) else str(thing)


@dataclass(frozen=True, slots=True)
class Slice:
    """Some items of a list, and the key after which the next ones come; None where there are no more."""

    items: Sequence[Any]
    after: Key | None


def numbered_slice(every: Sequence[Any], limit: int, after: Key | None) -> Slice:
    """A part of a list that is at hand as a whole; its keys are the numbers of items."""
    begin = int(after[0]) + 1 if after else 0
    return Slice(every[begin : begin + limit], [begin + limit - 1] if begin + limit < len(every) else None)
