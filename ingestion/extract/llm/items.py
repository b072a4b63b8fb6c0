"""Small parts of a model's items: names, element numbers, and how a rejected item is shown."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, TypeVar

from clausegraph.core.extraction import Reject
from clausegraph.core.language.stated import clean_name

T = TypeVar("T")

LONGEST_NAME = 200
LONGEST_RELATION = 100
MOST_ITEMS = 5_000  # of a reply that are read: more than any that was asked for has
_MOST_REJECTS = 100  # of a chunk that are told one by one
_LONGEST_SHOWN = 120
_LONGEST_TYPE = 40
_MAX_DIGITS = 9  # of an element number
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_ROLES = ("subject", "relation", "object")


def relation_name(value: Any, longest: int) -> str | None:
    """A relation in lower-case words, snake and camel case taken apart; none when it is empty or too long."""
    return _relation(value, longest) if isinstance(value, str) and len(value) <= 4 * longest else None


@lru_cache(maxsize=4096)
def _relation(value: str, longest: int) -> str | None:
    name = clean_name(value, longest)
    words = " ".join(_HUMP.sub(" ", name.replace("_", " ")).split()).lower() if name else ""
    return words if words and len(words) <= longest else None


@lru_cache(maxsize=1024)
def _type(value: str) -> str:
    name = (clean_name(value, _LONGEST_TYPE) or "").lower()
    return name if name and len(name) <= _LONGEST_TYPE else "thing"


def first_items(items: Sequence[T]) -> tuple[Sequence[T], list[Reject]]:
    """The items of a reply that are read, and what is said of the others."""
    if len(items) <= MOST_ITEMS:
        return items, []
    return items[:MOST_ITEMS], [Reject("reply", f"of its {len(items):,} items only the first {MOST_ITEMS:,} are read")]


def told(rejects: Sequence[Reject]) -> tuple[Reject, ...]:
    """The rejects, of very many the first and how many there are: a reply cannot fill a report."""
    if len(rejects) <= _MOST_REJECTS:
        return tuple(rejects)
    more = Reject("reply", f"{len(rejects) - _MOST_REJECTS:,} more items could not be used")
    return (*rejects[:_MOST_REJECTS], more)


def type_name(value: Any) -> str:
    """A type in lower case; "thing" for what is none."""
    return _type(value) if isinstance(value, str) and len(value) <= 4 * _LONGEST_TYPE else "thing"


def element_number(value: Any) -> int | None:
    """A number of an element: a positive integer, also as a whole float or a text of digits; none for all else."""
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        digits = value.strip()
        return int(digits) if digits.isascii() and digits.isdigit() and len(digits) <= _MAX_DIGITS else None
    if isinstance(value, float):
        return int(value) if value.is_integer() and 0 < value < 10**_MAX_DIGITS else None
    return value if isinstance(value, int) and 0 < value < 10**_MAX_DIGITS else None


def described(item: Any) -> str:
    """An item in at most 120 characters, its control characters written out."""
    if isinstance(item, dict) and any(role in item for role in _ROLES):
        text = " | ".join(_short(item.get(role)) for role in _ROLES)
    elif isinstance(item, dict):
        text = "{" + ", ".join(_short(key) for key in list(item)[:8]) + "}"
    elif isinstance(item, list):
        text = "[" + ", ".join(_short(one) for one in item[:8]) + "]"
    else:
        text = _short(item)
    return text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 1] + "…"


def _short(value: Any) -> str:
    if isinstance(value, str):
        return "".join(_shown(character) for character in value[:_LONGEST_SHOWN])
    if isinstance(value, dict | list):
        return "{…}" if isinstance(value, dict) else "[…]"
    if isinstance(value, int) and value.bit_length() > 64:
        return "a huge number"
    return "null" if value is None else str(value)


def _shown(character: str) -> str:
    if character.isprintable() and unicodedata.category(character)[0] != "C":
        return character
    return character.encode("unicode_escape").decode("ascii")
