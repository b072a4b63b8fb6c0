"""Parts of a model's items: names, element numbers, modality, preferred types, and how a rejected item is shown."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from clausegraph.core.errors import SettingsError
from clausegraph.core.extraction import Extraction, Reject
from clausegraph.core.language.lexicon import is_base, third_person
from clausegraph.core.language.normalise import clean_name
from clausegraph.core.types import Mention, Modality, Passage, PassageKind, Statement

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
_MODALITIES = {
    **{modality.value: modality for modality in Modality},
    "": Modality.IS,
    "shall": Modality.MUST,
    "needn't": Modality.NEED_NOT,
    **dict.fromkeys(("might", "could"), Modality.CAN),
    **dict.fromkeys(("can not", "must not", "may not", "can't", "mustn't"), Modality.CANNOT),
}
_TRUTHS = {"true": True, "false": False, "yes": True, "no": False}
_AUXILIARY = re.compile(
    r"(?P<modal>may|might|can|could|must|shall|should|cannot|need not|will|would|does|do|is|are)(?P<no> not)? (?=\w)"
)
_SAYS = _MODALITIES | {"can": Modality.MAY}  # in a relation
_DENIED = {Modality.MAY: Modality.CANNOT, Modality.MUST: Modality.CANNOT}  # "might not" is no "cannot"
_NEGATIVE = (Modality.CANNOT, Modality.NEED_NOT)
_KEYS = ("entity_types", "relations")
_LONGEST_IN_GUIDE = 100
_MOST_PROPOSED = 500


def relation_name(value: Any, longest: int) -> str | None:
    """A relation in lower-case words, snake and camel case taken apart; none when it is empty or too long."""
    return _relation(value, longest) if isinstance(value, str) and len(value) <= 4 * longest else None


@lru_cache(maxsize=4096)
def _relation(value: str, longest: int) -> str | None:
    name = clean_name(value, longest)
    words = " ".join(_HUMP.sub(" ", name.replace("_", " ")).split()).lower() if name else ""
    return words if words and len(words) <= longest else None


@lru_cache(maxsize=1024)
def _type_words(value: str) -> str:
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
    return _type_words(value) if isinstance(value, str) and len(value) <= 4 * _LONGEST_TYPE else "thing"


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
        shown = (c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in value[:_LONGEST_SHOWN])
        return "".join(shown)
    if isinstance(value, dict | list):
        return "{…}" if isinstance(value, dict) else "[…]"
    if isinstance(value, int) and value.bit_length() > 64:
        return "a huge number"
    return "null" if value is None else str(value)


def left_of(made: Statement) -> Passage:
    """A passage that is found where the statement stood, and claims nothing."""
    names = tuple(one for one in (made.subject, made.object) if isinstance(one, Mention))
    kind = PassageKind.NAMES if made.condition is None else PassageKind.RULE
    return Passage(kind, made.spans, made.condition, names)


class UnusableItem(Exception):
    """The item cannot be used, and why."""


def truth(value: Any) -> bool:
    """What ``holds`` says; true where it is not given.

    Raises:
        UnusableItem: it is neither.
    """
    if value is None or isinstance(value, bool):
        return value is not False
    found = _TRUTHS.get(value.strip().lower()) if isinstance(value, str) else None
    if found is None:
        raise UnusableItem('its "holds" is neither true nor false')
    return found


def known_modality(value: Any) -> Modality:
    """A modality by one of its known words; that of plain statements where none is given.

    Raises:
        UnusableItem: it is none of them.
    """
    if value is None:
        return Modality.IS
    found = _MODALITIES.get(" ".join(value.lower().split())) if isinstance(value, str) and len(value) < 100 else None
    if found is None:
        *first, last = (modality.value for modality in Modality)
        raise UnusableItem(f"its modality is none of {', '.join(first)} and {last}")
    return found


def without_modality(made: Statement) -> Statement:
    """The statement with what its relation says of modality and denial beside it, and the verb in the third person."""
    relation, modality, polarity = made.relation, made.modality, made.polarity
    found = _AUXILIARY.match(relation)
    if found and (found["no"] or found["modal"] not in ("does", "do", "is", "are")):
        said = _SAYS.get(found["modal"])
        modality = said if said and modality is Modality.IS else modality
        polarity = polarity and not found["no"]
        relation = ("is " if found["modal"] in ("is", "are") else "") + relation[found.end() :]
    if not polarity:
        modality = _DENIED.get(modality, modality)
    return replace(
        made, relation=_in_third_person(relation), modality=modality, polarity=polarity and modality not in _NEGATIVE
    )


def _in_third_person(relation: str) -> str:
    """The relation as one thing has it: "usually cover" as "usually covers", "are sent to" as "is sent to"."""
    words = relation.split()
    place = next((i for i, word in enumerate(words) if is_base(word) or not word.endswith("ly")), 0)
    verb = words[place]
    words[place] = "is" if verb in ("are", "am") else third_person(verb) if is_base(verb) else verb
    return " ".join(words)


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
    named: list[tuple[str, ...]] = []
    for key, normalised in zip(
        _KEYS, (type_name, lambda name: relation_name(name, _LONGEST_IN_GUIDE) or ""), strict=True
    ):
        listed = values.get(key, [])
        if not isinstance(listed, list) or not all(relation_name(name, _LONGEST_IN_GUIDE) for name in listed):
            raise SettingsError(f"{path}: {key} must be a list of short texts")
        named.append(tuple(dict.fromkeys(map(normalised, listed))))
    return TypesGuide(*named)


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
