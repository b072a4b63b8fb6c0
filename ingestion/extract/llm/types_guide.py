"""Entity types and relations to prefer, from a TOML file, and what extractions use beyond them."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clausegraph.core.errors import SettingsError
from clausegraph.core.extraction import Extraction
from clausegraph.core.types import Mention
from clausegraph.ingestion.extract.llm.items import relation_name, type_name

_KEYS = ("entity_types", "relations")
_LONGEST = 100
_MOST_PROPOSED = 500


@dataclass(frozen=True, slots=True)
class TypesGuide:
    """The types and relations a corpus prefers, normalised as those of triplets are."""

    entity_types: tuple[str, ...] = ()
    relations: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The guidance as a prompt has it; empty for an empty guide."""
        rows = (("Types", self.entity_types), ("Relations", self.relations))
        return "\n".join(f"{name}: {', '.join(values)}." for name, values in rows if values)


def read_guide(path: Path) -> TypesGuide:
    """Read a guide: ``entity_types = [...]`` and ``relations = [...]``, both optional.

    Raises:
        SettingsError: the file cannot be read or has anything else in it.
    """
    try:
        values: dict[str, Any] = tomllib.loads(path.read_text("utf-8-sig"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SettingsError(f"the file of types {path} cannot be read: {error}") from error
    unknown = sorted(set(values) - set(_KEYS))
    if unknown:
        raise SettingsError(f"{path}: unknown key {unknown[0]!r}; known are {' and '.join(_KEYS)}")
    for key in _KEYS:
        listed = values.get(key, [])
        if not isinstance(listed, list) or not all(isinstance(x, str) and relation_name(x, _LONGEST) for x in listed):
            raise SettingsError(f"{path}: {key} must be a list of short texts")
    return TypesGuide(
        tuple(dict.fromkeys(type_name(name) for name in values.get("entity_types", []))),
        tuple(dict.fromkeys(relation_name(name, _LONGEST) or "" for name in values.get("relations", []))),
    )


def beyond(guide: TypesGuide, extractions: Iterable[Extraction]) -> dict[str, dict[str, int]]:
    """Types and relations that extractions use and the guide does not have, by its keys, most frequent first.

    "thing" is no type and never proposed.
    """
    statements = [statement for extraction in extractions for statement in extraction.statements]
    ends = [end for statement in statements for end in (statement.subject, statement.object)]
    types = Counter(end.type for end in ends if isinstance(end, Mention) and end.type != "thing")
    return {
        "entity_types": _beyond(types, guide.entity_types),
        "relations": _beyond(Counter(statement.relation for statement in statements), guide.relations),
    }


def _beyond(used: Counter[str], known: Iterable[str]) -> dict[str, int]:
    found = set(known)
    rows = sorted(used.items(), key=lambda row: (-row[1], row[0]))
    return dict([(name, count) for name, count in rows if name not in found][:_MOST_PROPOSED])
