"""Retrievers, readers and engines by name. An implementation is loaded when it is first used."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Generic, TypeVar

from clausegraph.core.errors import InputError


@dataclass(frozen=True, slots=True)
class Entry:
    """A name, what it does in one line, and its maker: itself, or ``module:attribute`` below ``clausegraph.query``."""

    name: str
    about: str
    maker: str | Callable[..., Any]

    def load(self) -> Any:
        """The maker; what it takes and makes is said at each registry."""
        if not isinstance(self.maker, str):
            return self.maker
        module, _, attribute = self.maker.partition(":")
        return getattr(import_module(f"clausegraph.query.{module}"), attribute)


E = TypeVar("E", bound=Entry)


class Registry(Generic[E]):
    """Entries in the order given, found by name."""

    def __init__(self, kind: str, *entries: E) -> None:
        self._kind = kind
        self._entries: dict[str, E] = {}
        for entry in entries:
            self.add(entry)

    def add(self, entry: E) -> None:
        """One more, behind the others."""
        if entry.name in self._entries:
            raise InputError(f"there is a {self._kind} {entry.name!r} already; take another name")
        self._entries[entry.name] = entry

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._entries)

    def __iter__(self) -> Iterator[E]:
        return iter(self._entries.values())

    def __getitem__(self, name: str) -> E:
        """The entry of a name."""
        if name not in self._entries:
            raise InputError(f"there is no {self._kind} {name!r}; take one of {', '.join(self._entries)}")
        return self._entries[name]
