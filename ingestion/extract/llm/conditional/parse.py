"""A condition-aware reply turned into the statements of each chunk of its call. Pure: no model, no page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from clausegraph.core.errors import UnusableReply
from clausegraph.core.extraction import Extraction, Reject
from clausegraph.core.models.json_text import JsonText, read_json
from clausegraph.ingestion.extract.llm.conditional.shown import ShownWords
from clausegraph.ingestion.extract.llm.conditional.statements import ChunkParser
from clausegraph.ingestion.extract.llm.items import described, element_number, first_items, told
from clausegraph.ingestion.extract.llm.numbering import Call

_MOST_CHUNKS = 4  # that one triple may be stated in
_LISTS = ("triples", "triplets", "facts", "statements")


def parse_conditional(text: str, call: Call, *, cut_off: bool) -> tuple[Extraction | None, ...]:
    """The extraction of each chunk of the call; none for a chunk that a cut-off reply does not cover.

    A triple belongs to the chunk whose input has most of the elements it cites, one of them its own (of several,
    the one cited first); where none has all of them, to each chunk that can read it: a page that says the same in two
    places is cited in both. A reply that breaks off covers the chunks before the last one it spoke of; a call of one
    chunk that was not ``cut_off`` keeps what is complete.

    Raises:
        UnusableReply: there is nothing in it that can be read.
    """
    parser = _CallParser(call)
    read = read_json(text)
    items, unread = first_items(_items(read))
    if not items and not read.complete:
        raise UnusableReply(f"the model's reply has no complete triple: {read.problem}")
    parser.lost += unread
    for item in items:
        parser.add(item)
    broken = not read.complete
    if cut_off or (broken and parser.chunks > 1):
        return parser.result(covered=parser.last_chunk)
    if broken:
        reason = f"the reply cannot be read to its end ({read.problem}); complete triples are kept"
        parser.lost.append(Reject("reply", reason))
    return parser.result(covered=parser.chunks)


def _items(read: JsonText) -> list[Any]:
    """The triples of a reply: under a known key, as a bare list, as several objects, or a single one.

    Raises:
        UnusableReply: the value is none of these.
    """
    value = read.value
    if isinstance(value, list):
        lists = [_listed(item) if isinstance(item, dict) and "subject" not in item else None for item in value]
        return [one for item, inner in zip(value, lists, strict=True) for one in ([item] if inner is None else inner)]
    if "subject" in value:
        return [value] if read.complete else []
    listed = _listed(value)
    if listed is None:
        raise UnusableReply(f'the model\'s reply has no "triples": {described(value)}')
    return listed


def _listed(value: dict[str, Any]) -> list[Any] | None:
    named = [value[key] for key in _LISTS if isinstance(value.get(key), list)]
    others = [item for item in value.values() if isinstance(item, list)]
    return named[0] if named else others[0] if len(others) == 1 else None


class _CallParser:
    """Collects the statements of a call, chunk by chunk."""

    def __init__(self, call: Call) -> None:
        self._call, self._shown = call, ShownWords(call)
        self.chunks = len(call.inputs)
        self._owner = {
            number: chunk
            for chunk, labels in enumerate(call.labels)
            for number, label in labels.items()
            if label.startswith("e")
        }
        self._parsers: dict[int, ChunkParser] = {}
        self.last_chunk = 0  # of the last item that could be placed
        self.lost: list[Reject] = []  # rejects that belong to no chunk

    def add(self, item: Any) -> None:
        """Take one item of the reply."""
        numbers, bad = _cited(item)
        chunks = self._chunks_of(numbers)
        if not chunks:
            reason = "not an object" if not isinstance(item, dict) else "it cites no element of its own section"
            self.lost.append(Reject(described(item), reason))
            return
        self.last_chunk = min(chunks)
        elsewhere = {number for number in numbers if len(chunks) > 1 and number in self._owner}
        found = []
        for chunk in chunks:
            mine = [number for number in numbers if number in self._call.labels[chunk] or number not in elsewhere]
            found.append((self._parser(chunk), self._parser(chunk).read(item, mine, bad)))
        for parser, one in [(parser, one) for parser, one in found if one.statement] or found[:1]:
            parser.keep(one)

    def _parser(self, chunk: int) -> ChunkParser:
        if chunk not in self._parsers:
            self._parsers[chunk] = ChunkParser(self._call, chunk, self._shown)
        return self._parsers[chunk]

    def _chunks_of(self, numbers: Sequence[int]) -> list[int]:
        owners = list(dict.fromkeys(self._owner[number] for number in numbers if number in self._owner))
        if len(owners) < 2:
            return owners
        had = {chunk: sum(self._has(chunk, number) for number in numbers) for chunk in owners}
        best = max(owners, key=lambda chunk: had[chunk])
        return [best] if had[best] == len(numbers) else owners[:_MOST_CHUNKS]

    def _has(self, chunk: int, number: int) -> bool:
        """Whether an element is a chunk's own or its context; what only stands around it is another's to state."""
        return not self._call.labels[chunk].get(number, "s").startswith("s")

    def result(self, *, covered: int) -> tuple[Extraction | None, ...]:
        """The extractions of the first ``covered`` chunks; rejects without a chunk go to the first."""
        made: list[Extraction | None] = []
        for chunk in range(self.chunks):
            parser = self._parsers.get(chunk)
            statements = tuple(dict.fromkeys(parser.statements)) if parser else ()
            rejects = [*(parser.rejects if parser else ()), *(self.lost if chunk == 0 else ())]
            passages = tuple(dict.fromkeys(parser.passages)) if parser else ()
            made.append(Extraction(statements, told(rejects), passages) if chunk < covered else None)
        return tuple(made)


def _cited(item: Any) -> tuple[list[int], list[Any]]:
    """The element numbers an item cites, each once, and what stands among them that is no number."""
    if not isinstance(item, dict):
        return [], []
    given = item.get("elements", item.get("element"))
    values = given if isinstance(given, list) else [] if given is None else [given]
    numbers = [element_number(value) for value in values]
    bad = [value for value, number in zip(values, numbers, strict=True) if number is None]
    return list(dict.fromkeys(number for number in numbers if number is not None)), bad
