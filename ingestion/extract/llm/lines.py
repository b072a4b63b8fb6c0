"""Plain triplets, one ``(subject, predicate, object)`` a line, or recorded, turned into statements."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from clausegraph.core.errors import UnusableReply
from clausegraph.core.extraction import Extraction, ExtractionInput, Reject
from clausegraph.core.hashing import canonical_json, content_hash
from clausegraph.core.language.names import named
from clausegraph.core.language.normalise import clean_name
from clausegraph.core.language.values import value_kind
from clausegraph.core.types import Literal, Statement
from clausegraph.ingestion.extract.llm.items import LONGEST_NAME, described, first_items, relation_name, told
from clausegraph.ingestion.extract.llm.numbering import Call
from clausegraph.ingestion.extract.llm.page_words import (
    BARE_PRONOUNS,
    ShownWords,
    section_texts,
    sharing_most,
    shown_texts,
    spans_of,
)
from clausegraph.ingestion.sources.records import TripledPassage, squeezed

LONGEST_LINE = 2000
MOST_PARTS = 12  # comma-separated; more are no triplet with commas in its names
_BULLET = re.compile(r"^(?:\(?\d{1,4}[.):]|[-*•–—])\s+")
_GROUP = re.compile(r"\(((?:[^()]|\([^()]*\))*)\)")  # what an outer bracket holds
_ONE_PART = re.compile(  # commas in it cut nothing: 1,000; what stands in brackets; a part in quotes
    r"""(?<=\d),(?=\d{3}(?!\d))|\([^()]*\)|(?:^|(?<=,))\s*(?:"[^"]*"|'.*?'|“.*?”|‘.*?’)(?=\s*(?:,|$))"""
)
_COMMA, _KEPT = ",", "\ue000"
_QUOTES = {'"': '"', "“": "”", "'": "'", "‘": "’"}
_NOTHING = re.compile(r"\W*(?:none|no (?:more )?(?:triplets?|triples?|facts?)(?: \w+){0,4})\W*", re.IGNORECASE)
_KEYS = (("subject", "head", "s"), ("predicate", "relation", "p"), ("object", "tail", "o"))
_THOUGHT = "</think>"
_GIVEN_VERSION = "given:2"  # count up when the parser, or what is done with its triples, changes


@dataclass(frozen=True, slots=True)
class RawTriple:
    """A triplet as a model or a record gives it, cleaned, nothing checked against the page."""

    subject: str
    relation: str
    object: str


Read = tuple[list[RawTriple], list[Reject]]


def parse_lines(text: str, call: Call, *, cut_off: bool) -> tuple[Extraction | None, ...]:
    """The extraction of the one chunk of a call; complete lines of a cut-off reply are kept."""
    (chunk_input,) = call.inputs
    texts = " ".join(element.text for element in chunk_input.elements)
    triples, rejects = parse_triples(text, source_text=texts)  # tells commas within names from those between
    found = statements_of_lines(triples, chunk_input)
    return (Extraction(found.statements, told((*rejects, *found.rejects))),)


def parse_triples(given: str | Sequence[Any], *, source_text: str = "") -> Read:
    """The triplets of a reply, or of a list of recorded ones (3-lists or objects), and what is none.

    ``source_text`` helps to tell which commas of an unquoted name are part of it. A reply that says neither a triplet
    nor that there is none raises ``UnusableReply``.
    """
    if not isinstance(given, str):
        return _of_items(given)
    text = given.rpartition(_THOUGHT)[2].strip()
    triples, rejects = _of_lines(text, source_text.lower())
    if triples:
        return triples, rejects
    if len(text) < 100 and _NOTHING.fullmatch(text):
        return [], []
    raise UnusableReply(f"the model's reply has no triplet in it: {described(text)!r}")


def _of_items(items: Iterable[Any]) -> Read:
    return _told_apart((item, _raw(item)) for item in items)


def _told_apart(items: Iterable[tuple[Any, RawTriple | str]]) -> Read:
    """The triplets, and of what became none the reason."""
    found = list(items)
    triples = [made for _, made in found if isinstance(made, RawTriple)]
    return triples, [Reject(described(item), made) for item, made in found if isinstance(made, str)]


def _raw(item: Any) -> RawTriple | str:
    """The triplet of a list of three or an object, or why it is none."""
    if isinstance(item, dict):
        item = [next((item[key] for key in keys if key in item), None) for keys in _KEYS]
    if not isinstance(item, list | tuple) or len(item) != 3:
        return "not a triplet of three parts"
    subject, relation = clean_name(item[0], LONGEST_NAME), relation_name(item[1])
    target = clean_name(item[2], LONGEST_NAME)
    if subject and relation and target:
        return RawTriple(subject, relation, target)
    role = "subject" if not subject else "object" if relation else "relation"
    return f"its {role} is no text, empty or too long"


def _of_lines(text: str, source: str) -> Read:
    lines, unread = first_items([line for line in text.splitlines() if line.strip()])
    last = len(lines) - 1
    made = ((line, one) for i, line in enumerate(lines) for one in _of_line(line, source, is_last=i == last))
    triples, rejects = _told_apart(made)
    return triples, [*unread, *rejects]


def _of_line(line: str, source: str, *, is_last: bool) -> list[RawTriple | str]:
    """The triplets of a line, or why it has none."""
    if len(line) > LONGEST_LINE:
        return ["the line is too long"]
    text = _BULLET.sub("", line.strip(), count=1) if not line.startswith("(") else line
    found = [_raw(_chosen(_parts(inner), source)) for inner in _GROUP.findall(text)]
    if is_last and _GROUP.sub("", text).strip(" ,").startswith("("):
        found.append("the reply breaks off in this line")
    return found or ["not a triplet"]


def _parts(group: str) -> list[str]:
    """The parts of a triplet between commas, without quotes."""
    cut = _ONE_PART.sub(lambda found: found[0].replace(_COMMA, _KEPT), group).split(_COMMA)
    bare = [part.strip().replace(_KEPT, _COMMA) for part in cut]
    return [part[1:-1].strip() if len(part) > 1 and _QUOTES.get(part[0]) == part[-1] else part for part in bare]


def _chosen(cut: list[str], source: str) -> list[str]:
    """Subject, relation and object of the parts; of several ways, the first whose names the source has.

    ``source`` is lower case. Without it, or where no way fits, commas belong to the object.
    """
    if not 3 < len(cut) <= MOST_PARTS:
        return cut
    ways = [(i, j) for i in range(1, len(cut) - 1) for j in range(i + 1, len(cut))] if source else []
    for i, j in sorted(ways, key=lambda way: (way[1] - way[0], way[0])):  # a relation seldom has a comma
        made = [", ".join(some) for some in (cut[:i], cut[i:j], cut[j:])]
        if made[0].lower() in source and made[2].lower() in source:
            return made
    return [*cut[:2], ", ".join(cut[2:])]


def statements_of_lines(
    triples: Iterable[RawTriple], chunk_input: ExtractionInput, *, strict: bool = True
) -> Extraction:
    """The triplets that the chunk states, as unconditional statements of the elements that share most words.

    ``strict``: subject and object must both be stated; otherwise one of them is enough.
    """
    own = [element for element in chunk_input.elements if element.is_own]
    texts = [" ".join(shown_texts(element)) for element in own]
    shown = ShownWords(section_texts(chunk_input))
    statements: dict[Statement, None] = {}
    rejects: list[Reject] = []
    for triple in triples:
        ends = (triple.subject, triple.object)
        cited = [own[i] for i in sharing_most((*ends, triple.relation), texts)]
        unstated = [name for name in ends if not shown.names(name)]
        pronouns = [name for name in ends if name.lower() in BARE_PRONOUNS]
        problem = ""
        if not cited:
            problem = "not stated: no element shares a word with it"
        elif pronouns:
            problem = f"it names a pronoun: {pronouns[0]!r}"
        elif len(unstated) > (0 if strict else 1):
            problem = f"not stated: {unstated[0]!r}"
        if problem:
            rejects.append(Reject(described([*ends, triple.relation]), problem))
            continue
        kind = value_kind(triple.object) if triple.object not in unstated else None
        target = Literal(triple.object, kind) if kind else named(triple.object)
        spans = tuple(span for element in cited for span in spans_of(element, (*ends, triple.relation)))
        statements[Statement(named(triple.subject), triple.relation, target, spans)] = None
    return Extraction(tuple(statements), tuple(rejects))


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
