"""Plain triplets, one ``(subject, predicate, object)`` a line or as JSON, turned into statements. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from clausegraph.core.errors import UnusableReply
from clausegraph.core.extraction import Extraction, ExtractionInput, Reject
from clausegraph.core.language.stated import BARE_PRONOUNS, ChunkTexts, clean_name, key_of, sharing_most
from clausegraph.core.language.values import value_kind
from clausegraph.core.models.json_text import read_json
from clausegraph.core.types import Literal, Mention, Span, Statement
from clausegraph.ingestion.extract.llm.items import (
    LONGEST_NAME,
    LONGEST_RELATION,
    described,
    first_items,
    relation_name,
    told,
)
from clausegraph.ingestion.extract.llm.lines.rows import LONGEST_LINE, bare, chosen, groups, is_layout, parts
from clausegraph.ingestion.extract.llm.numbering import Call
from clausegraph.ingestion.extract.rules.names import mention_type

_NOTHING = re.compile(r"\W*(?:none|no (?:more )?(?:triplets?|triples?|facts?)(?: \w+){0,4})\W*", re.IGNORECASE)
_KEYS = (
    ("subject", "head", "s"),
    ("predicate", "relation", "p"),
    ("object", "tail", "o"),
)
_THOUGHT = "</think>"


@dataclass(frozen=True, slots=True)
class RawTriple:
    """A triplet as a model or a record gives it, cleaned, nothing checked against the page."""

    subject: str
    relation: str
    object: str


def parse_lines(text: str, call: Call, *, cut_off: bool) -> tuple[Extraction | None, ...]:
    """The extraction of the one chunk of a call; complete lines of a cut-off reply are kept.

    Raises:
        UnusableReply: as :func:`parse_triples`.
    """
    (chunk_input,) = call.inputs
    texts = " ".join(element.text for element in chunk_input.elements)
    triples, rejects = parse_triples(text, source_text=texts)  # tells commas within names from those between
    found = statements_of_lines(triples, chunk_input)
    return (Extraction(found.statements, told((*rejects, *found.rejects))),)


def parse_triples(given: str | Sequence[Any], *, source_text: str = "") -> tuple[list[RawTriple], list[Reject]]:
    """The triplets of a reply, or of a list of recorded ones (3-lists or objects), and what is none.

    ``source_text`` helps to tell which commas of an unquoted name are part of it.

    Raises:
        UnusableReply: a reply that says neither a triplet nor that there is none.
    """
    if not isinstance(given, str):
        return _of_items(given)
    text = given.rpartition(_THOUGHT)[2]
    found = _of_json(text) or _of_lines(text, source_text.lower())
    triples, rejects = found
    if not triples and not _says_none(text):
        raise UnusableReply(f"the model's reply has no triplet in it: {described(text)!r}")
    return triples, ([] if not triples else rejects)


def _says_none(text: str) -> bool:
    stripped = text.strip()
    return stripped in ("[]", "{}") or (len(stripped) < 100 and _NOTHING.fullmatch(stripped) is not None)


def _of_json(text: str) -> tuple[list[RawTriple], list[Reject]] | None:
    """The triplets of a reply in JSON; none when it is in lines."""
    if text.strip().removeprefix("```json").strip()[:1] not in ("[", "{"):
        return None
    try:
        read = read_json(text)
    except UnusableReply:
        return None
    value = read.value
    if isinstance(value, dict):
        lists = [item for item in value.values() if isinstance(item, list)]
        value = lists[0] if len(lists) == 1 and "subject" not in value else [value]
    if not value or not all(isinstance(item, list | dict) for item in value):
        return None
    items, unread = first_items(value)
    triples, rejects = _of_items(items)
    rejects += unread
    if not read.complete:
        rejects.append(Reject("reply", f"the reply cannot be read to its end ({read.problem})"))
    return triples, rejects


def _of_items(items: Iterable[Any]) -> tuple[list[RawTriple], list[Reject]]:
    triples: list[RawTriple] = []
    rejects: list[Reject] = []
    for item in items:
        made = _raw(*_three(item))
        if isinstance(made, RawTriple):
            triples.append(made)
        else:
            rejects.append(Reject(described(item), made))
    return triples, rejects


def _three(item: Any) -> tuple[Any, ...]:
    if isinstance(item, dict):
        return tuple(next((item[key] for key in keys if key in item), None) for keys in _KEYS)
    return tuple(item) if isinstance(item, list | tuple) else ()


def _raw(*three: Any) -> RawTriple | str:
    """The triplet, or why it is none."""
    if len(three) != 3:
        return "not a triplet of three parts"
    subject, target = (clean_name(one, LONGEST_NAME) for one in (three[0], three[2]))
    relation = relation_name(three[1], LONGEST_RELATION)
    for role, value in (("subject", subject), ("relation", relation), ("object", target)):
        if value is None:
            return f"its {role} is no text, empty or too long"
    return RawTriple(subject or "", relation or "", target or "")


def _of_lines(text: str, source: str) -> tuple[list[RawTriple], list[Reject]]:
    triples: list[RawTriple] = []
    lines, rejects = first_items([line for line in text.splitlines() if line.strip()])
    for place, line in enumerate(lines):
        for made in _of_line(line, source, is_last=place == len(lines) - 1):
            if isinstance(made, RawTriple):
                triples.append(made)
            else:
                rejects.append(Reject(described(line), made))
    return triples, rejects


def _of_line(line: str, source: str, *, is_last: bool) -> list[RawTriple | str]:
    """The triplets of a line, or why it has none."""
    if len(line) > LONGEST_LINE:
        return ["the line is too long"]
    text = bare(line)
    if is_layout(text):
        return []
    found, is_open = groups(text)
    if is_open and is_last:
        return [*(_of_group(group, source) for group in found[:-1]), "the reply breaks off in this line"]
    if text[:1] not in "([<{" and (text.endswith((":", ".")) or len(parts(text)) != 3):
        return ["not a triplet"]
    return [_of_group(group, source) for group in found] or ["not a triplet"]


def _of_group(group: str, source: str) -> RawTriple | str:
    three = chosen(parts(group), source)
    return "not a triplet of three parts" if three is None else _raw(*three)


def statements_of_lines(
    triples: Iterable[RawTriple], chunk_input: ExtractionInput, *, strict: bool = True
) -> Extraction:
    """The triplets that the chunk states, as unconditional statements of the elements that share most words.

    ``strict``: subject and object must both be stated; otherwise one of them is enough.
    """
    texts = ChunkTexts(chunk_input)
    own = [element.label for element in chunk_input.elements if element.is_own]
    statements: dict[Statement, None] = {}
    rejects: list[Reject] = []
    for triple in triples:
        labels = _elements(triple, texts, own)
        problem = _problem(triple, texts, labels, strict)
        if problem:
            what = described({"subject": triple.subject, "relation": triple.relation, "object": triple.object})
            rejects.append(Reject(what, problem))
        else:
            statements[_statement(triple, texts, labels)] = None
    return Extraction(tuple(statements), tuple(rejects))


def _elements(triple: RawTriple, texts: ChunkTexts, own: list[str]) -> list[str]:
    """The own element that shares most words with both names, and where it lacks one, the element that has most."""
    names = (triple.subject, triple.object, triple.relation)
    return [own[i] for i in sharing_most(names, [texts.texts[label].words for label in own])]


def _problem(triple: RawTriple, texts: ChunkTexts, labels: list[str], strict: bool) -> str:
    """Why a triplet is not the chunk's; empty when it is."""
    if not labels:
        return "not stated: no element shares a word with it"
    names = (triple.subject, triple.object)
    pronouns = [name for name in names if name.lower() in BARE_PRONOUNS]
    if pronouns:
        return f"it names a pronoun: {pronouns[0]!r}"
    unstated = [name for name in names if not texts.states_name(name, labels)]
    return f"not stated: {unstated[0]!r}" if len(unstated) > (0 if strict else 1) else ""


def _statement(triple: RawTriple, texts: ChunkTexts, labels: list[str]) -> Statement:
    kind = value_kind(triple.object)
    stated = kind is not None and texts.states_value(triple.object, labels)
    target = Literal(triple.object, kind) if kind and stated else _mention(triple.object)
    spans: list[Span] = []
    for label in labels:
        spans += texts.texts[label].spans(triple.subject, triple.object, triple.relation)
    return Statement(_mention(triple.subject), triple.relation, target, tuple(spans))


@lru_cache(maxsize=4096)
def _mention(surface: str) -> Mention:
    return Mention(surface, key_of(surface), mention_type(surface))
