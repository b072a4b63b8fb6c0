"""What stands above an item of a list, whatever names the elements: anchors of a page, labels of an extraction."""

from __future__ import annotations

from collections import deque
from collections.abc import Container, Mapping
from typing import Protocol, TypeVar


class ListMember(Protocol):
    """An element that may stand in a list: names of its lead-in and of the item that it is nested in."""

    @property
    def lead_in(self) -> str | None: ...

    @property
    def parent(self) -> str | None: ...


E = TypeVar("E", bound=ListMember)

MAX_ABOVE = 64  # lead-ins and parent items; no real list is nested so deeply


def introducer(element: ListMember, by_name: Mapping[str, E]) -> E | None:
    """What introduces an element: its lead-in, else the item it is nested in; none where that is not among them."""
    return by_name.get(element.lead_in or element.parent or "")


def names_above(element: ListMember, by_name: Mapping[str, ListMember], known: Container[str] = ()) -> list[str]:
    """Names of the parent items and lead-ins of an element, nearest first, as far as they are there.

    At most ``MAX_ABOVE``: a page of 1 MB may nest each of its items in a thousand others. What is ``known``, with what
    stands above it, is left out.
    """
    found: dict[str, None] = {}
    pending = deque([element.parent, element.lead_in])
    while pending and len(found) < MAX_ABOVE:
        name = pending.popleft()
        if name is None or name in found or name in known or name not in by_name:
            continue
        found[name] = None
        pending += [by_name[name].parent, by_name[name].lead_in]
    return list(found)
