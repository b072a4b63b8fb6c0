"""The types of entities: the shipped ones for policy pages, or those of a file that a corpus brings."""

from __future__ import annotations

import functools
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from clausegraph.core.errors import SettingsError
from clausegraph.core.hashing import canonical_json, content_hash

UNTYPED = "thing"
VALUES = ("amount", "percent", "age", "date", "duration", "number", "text")  # of literals, whatever the ontology
_SHIPPED = Path(__file__).with_name("ontology.toml")
_NAME = re.compile(r"[a-z][a-z ]{1,30}")
_WORD = re.compile(r"\w+")
_HEAD_BREAK = re.compile(r"\b(?:who|which|that|of|for|from|with|in|on|at|to|as|by|about|under|within|during)\b")


@dataclass(frozen=True, slots=True)
class EntityType:
    """A type, what it is, and the words that name such a thing."""

    name: str
    about: str
    words: tuple[str, ...] = ()


@dataclass(frozen=True)
class Ontology:
    """Types of entities, in the order of their file."""

    types: tuple[EntityType, ...]
    _patterns: tuple[tuple[str, re.Pattern[str]], ...] = field(init=False, repr=False, compare=False)
    _opening: frozenset[str] = field(init=False, repr=False, compare=False)  # words; most names have none of them

    def __post_init__(self) -> None:
        made = tuple((one.name, _pattern(one.words)) for one in self.types if one.words)
        opening = (_WORD.search(form) for one in self.types for word in one.words for form in _forms(word))
        object.__setattr__(self, "_opening", frozenset(found[0].lower() for found in opening if found))
        object.__setattr__(self, "_patterns", made)

    def type_of(self, surface: str) -> str:
        """The type whose word stands last in the name ("employer's payment" is a benefit); ``UNTYPED`` without one."""
        head = _HEAD_BREAK.split(surface.split(" (", maxsplit=1)[0], maxsplit=1)[0] or surface
        best, found = -1, UNTYPED
        if self._opening.isdisjoint(_WORD.findall(head.lower())):
            return found
        for name, pattern in self._patterns:
            for match in pattern.finditer(head):
                if match.start() > best and head[match.end() : match.end() + 1] != "'":  # not whose it is
                    best, found = match.start(), name
        return found

    def about(self, name: str) -> str:
        """What a type is; "" for one that the ontology does not have."""
        return next((one.about for one in self.types if one.name == name), "")

    @property
    def guide(self) -> str:
        """The types for a language model, on one line."""
        return ", ".join(one.name for one in self.types)

    @functools.cached_property
    def digest(self) -> str:
        """32 hex digits that change with what decides a type."""
        return content_hash("ontology", canonical_json([[one.name, sorted(one.words)] for one in self.types]))


def _forms(word: str) -> tuple[str, ...]:
    """A word and its plurals."""
    return word, f"{word}s", f"{word}es", re.sub(r"y$", "ies", word)


def _pattern(words: tuple[str, ...]) -> re.Pattern[str]:
    forms = {form for word in words for form in _forms(word)}
    listed = "|".join(re.escape(form) for form in sorted(forms, key=lambda form: (-len(form), form)))
    return re.compile(rf"\b(?:{listed})\b", re.IGNORECASE)


@functools.cache
def policy_ontology() -> Ontology:
    """The shipped types."""
    return read_ontology(_SHIPPED)


def read_ontology(path: Path) -> Ontology:
    """Read a file of types: a table for each with ``about`` and ``words``, in the form of ``core/ontology.toml``."""
    try:
        tables: dict[str, Any] = tomllib.loads(path.read_text("utf-8-sig"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SettingsError(f"the ontology {path} cannot be read: {error}") from error
    if not tables:
        raise SettingsError(f"the ontology {path} has no type; write a table for each: [benefit], about, words")
    return Ontology(tuple(_type(path, name, table) for name, table in tables.items()))


def _type(path: Path, name: str, table: object) -> EntityType:
    where = f"the ontology {path}, type {name[:40]!r}"
    if not _NAME.fullmatch(name) or name in (*VALUES, UNTYPED):
        raise SettingsError(
            f"{where}: a type's name is lower-case letters, and none of {', '.join((*VALUES, UNTYPED))}"
        )
    if not isinstance(table, Mapping) or set(table) - {"about", "words"}:
        raise SettingsError(f"{where}: expected a table with about and words")
    about, words = table.get("about", ""), table.get("words", [])
    if not isinstance(about, str) or not isinstance(words, list) or not all(isinstance(w, str) and w for w in words):
        raise SettingsError(f"{where}: about must be a text, words a list of texts")
    return EntityType(name, about, tuple(word.lower() for word in words))
