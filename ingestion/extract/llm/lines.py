"""Plain triplets, one ``(subject, predicate, object)`` a line, as JSON or recorded, turned into statements."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from clausegraph.core.errors import UnusableReply
from clausegraph.core.extraction import Extraction, ExtractionInput, Reject
from clausegraph.core.hashing import canonical_json, content_hash
from clausegraph.core.language.normalise import clean_name, entity_key
from clausegraph.core.language.values import value_kind
from clausegraph.core.models.json_text import read_json
from clausegraph.core.types import Literal, Mention, Statement
from clausegraph.ingestion.extract.llm.items import (
    LONGEST_NAME,
    LONGEST_RELATION,
    described,
    first_items,
    relation_name,
    told,
)
from clausegraph.ingestion.extract.llm.numbering import Call
from clausegraph.ingestion.extract.llm.page_words import BARE_PRONOUNS, ChunkTexts, sharing_most
from clausegraph.ingestion.extract.rules.names import mention_type
from clausegraph.ingestion.sources.records import TripledPassage, squeezed

LONGEST_LINE = 2000
MOST_PARTS = 12  # comma-separated; more are no triplet with commas in its names
_BULLET = re.compile(r"(?:\(?\d{1,4}[.):]|[-*•–—>])\s+")
_ROLE = re.compile(r"(?:subject|predicate|relation|object|head|tail)\s*[:=]\s*", re.IGNORECASE)
_TAG = re.compile(r"</?(?:h[1-6]|p|li|ul|ol|tr|td|th|b|i|a)\s*/?>", re.IGNORECASE)
_EDGE = re.compile(r"\s*-+\[([^\]]*)\]-+>?\s*")
_SEPARATORS = (re.compile(r"\s*(?:-{1,2}>|=>|→)\s*"), re.compile(r"\s*\|\s*"), re.compile(r"\s*\t\s*"))
_OPEN = {"(": ")", "[": "]", "<": ">", "{": "}"}
_QUOTES = {'"': '"', "“": "”", "'": "'", "‘": "’"}
_SPACES = re.compile("[ \u00a0]+")
_RULE = re.compile(r"[\s|:+=-]*")
_NOTHING = re.compile(r"\W*(?:none|no (?:more )?(?:triplets?|triples?|facts?)(?: \w+){0,4})\W*", re.IGNORECASE)
_KEYS = (
    ("subject", "head", "s"),
    ("predicate", "relation", "p"),
    ("object", "tail", "o"),
)
_THOUGHT = "</think>"
_GIVEN_VERSION = "given:1"  # count up when the parser, or what is done with its triples, changes


def bare(line: str) -> str:
    """The line without bullets, numbers, code marks and markup tags around what it says."""
    text = _SPACES.sub(" ", _TAG.sub("", line)).replace("**", "").strip().strip("`").strip()
    found = _BULLET.match(text)
    return text[found.end() :] if found else text


def is_layout(line: str) -> bool:
    """Whether a line only frames others: a rule, a code fence, a table's head."""
    words = re.findall(r"[a-z]+", line.lower()) if len(line) < 80 else []
    heads = ({"subject", "predicate", "object"}, {"subject", "relation", "object"}, {"json"})
    return _RULE.fullmatch(line) is not None or not line or (set(words) in heads and not line.startswith("("))


def groups(text: str) -> tuple[list[str], bool]:
    """What stands in outer brackets, one per triplet, and whether the last bracket was never closed.

    A line that does not begin with a bracket is one group.
    """
    if text[:1] not in _OPEN:
        return [text], False
    found: list[str] = []
    closing: list[str] = []
    start = 0
    for place, character in enumerate(text):
        if character in _OPEN and not (closing and character == "<"):  # inside, "<" is less than
            if not closing:
                start = place + 1
            closing.append(_OPEN[character])
        elif closing and character == closing[-1]:
            closing.pop()
            if not closing:
                found.append(text[start:place])
    if not closing:
        return found, False
    rest = text[start:].rstrip()
    return [*found, rest.rstrip(")]>}")], rest[-1:] not in ")]>}" or not rest


def parts(group: str) -> list[str]:
    """The parts of a triplet: at arrows, pipes or tabs where there are any, else at commas outside quotes."""
    edge = _EDGE.search(group) if "[" in group else None
    if edge:
        return _named([group[: edge.start()], edge[1], group[edge.end() :]])
    for separator in _SEPARATORS:
        cut = separator.split(group.strip(" |") if "|" in group else group)
        if len(cut) >= 3:
            return _named(cut)
    return _named(_at(group, ",") if "," in group else _at(group, ";"))


def _named(cut: list[str]) -> list[str]:
    """The parts without the names of their roles and the quotes around them."""
    bare_parts = [_ROLE.sub("", part.strip(), count=1).strip() for part in cut]
    return [part[1:-1].strip() if len(part) > 1 and _QUOTES.get(part[0]) == part[-1] else part for part in bare_parts]


def _at(group: str, separator: str) -> list[str]:
    """Cut at the separator, not inside quotes or brackets, and not within a number such as 1,000."""
    found: list[str] = []
    start = depth = 0
    quote = ""
    for place, character in enumerate(group):
        if quote:
            if character == quote and group[place + 1 :].lstrip()[:1] in ("", separator):
                quote = ""
        elif character in _QUOTES and not group[start:place].strip():
            closing = re.search(rf"{_QUOTES[character]}\s*(?:{separator}|$)", group[place + 1 :])  # it ends a part
            quote = _QUOTES[character] if closing else ""
        elif character in "([":
            depth += 1
        elif character in ")]":
            depth = max(0, depth - 1)
        elif character == separator and not depth and not _in_number(group, place):
            found.append(group[start:place])
            start = place + 1
    return [*found, group[start:]]


def _in_number(group: str, place: int) -> bool:
    return group[place - 1 : place].isdigit() and re.fullmatch(r"\d{3}(?!\d)", group[place + 1 : place + 4]) is not None


def chosen(cut: list[str], source: str) -> tuple[str, str, str] | None:
    """Subject, relation and object of the parts; of several ways, the first whose names the source has.

    ``source`` is lower case. Without it, or where no way fits, commas belong to the object.
    """
    if not 3 <= len(cut) <= MOST_PARTS:
        return None
    ways = [(i, j) for i in range(1, len(cut) - 1) for j in range(i + 1, len(cut))] if source and len(cut) > 3 else []
    for i, j in sorted(ways, key=lambda way: (way[1] - way[0], way[0])):  # a relation seldom has a comma
        subject, relation, target = (", ".join(some) for some in (cut[:i], cut[i:j], cut[j:]))
        if subject.lower() in source and target.lower() in source:
            return subject, relation, target
    return cut[0], cut[1], ", ".join(cut[2:])


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
    triples, rejects = _of_json(text) or _of_lines(text, source_text.lower())
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


def _told_apart(items: Iterable[tuple[Any, RawTriple | str]]) -> tuple[list[RawTriple], list[Reject]]:
    """The triplets, and of what became none the reason."""
    found = list(items)
    triples = [made for _, made in found if isinstance(made, RawTriple)]
    return triples, [Reject(described(item), made) for item, made in found if isinstance(made, str)]


def _of_items(items: Iterable[Any]) -> tuple[list[RawTriple], list[Reject]]:
    return _told_apart((item, _raw(*_three(item))) for item in items)


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
    lines, unread = first_items([line for line in text.splitlines() if line.strip()])
    last = len(lines) - 1
    made = ((line, one) for i, line in enumerate(lines) for one in _of_line(line, source, is_last=i == last))
    triples, rejects = _told_apart(made)
    return triples, [*unread, *rejects]


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
        names = (triple.subject, triple.object, triple.relation)
        labels = [own[i] for i in sharing_most(names, (texts.texts[label].words for label in own))]
        problem = _problem(triple, texts, labels, strict)
        if problem:
            what = described({"subject": triple.subject, "relation": triple.relation, "object": triple.object})
            rejects.append(Reject(what, problem))
            continue
        kind = value_kind(triple.object)
        stated = kind is not None and texts.states_value(triple.object, labels)
        target = Literal(triple.object, kind) if kind and stated else _mention(triple.object)
        spans = (texts.texts[label].spans(triple.subject, triple.object, triple.relation) for label in labels)
        made = Statement(
            _mention(triple.subject), triple.relation, target, tuple(span for one in spans for span in one)
        )
        statements[made] = None
    return Extraction(tuple(statements), tuple(rejects))


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


@lru_cache(maxsize=4096)
def _mention(surface: str) -> Mention:
    return Mention(surface, entity_key(surface), mention_type(surface))


class GivenExtractor:
    """Looks up the recorded triples of a passage by its title and text.

    A triple of which neither name is in the passage is a reject, as it would be from a model; one name is enough,
    for records often write out what the text only implies. An input without recorded triples has none.
    """

    def __init__(self, passages: Iterable[TripledPassage]) -> None:
        self._triples = {passage.key: passage.triples for passage in passages}
        rows = sorted([*key, canonical_json(triples)] for key, triples in self._triples.items())
        self._digest = content_hash("given-triples", canonical_json(rows))

    @property
    def fingerprint(self) -> str:
        """Version of the parser and hash of all recorded triples."""
        return f"{_GIVEN_VERSION}+{self._digest}"

    def extract(self, chunk_input: ExtractionInput) -> Extraction:
        """The statements of a passage; of a split one all are extracted with its first chunk."""
        text = " ".join(element.text for element in chunk_input.elements if element.is_own)
        recorded = self._triples.get((squeezed(chunk_input.title), squeezed(text)), ())
        triples, malformed = parse_triples(recorded)
        extraction = statements_of_lines(triples, chunk_input, strict=False)
        return Extraction(extraction.statements, (*malformed, *extraction.rejects))
