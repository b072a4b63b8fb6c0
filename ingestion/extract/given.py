"""Triples that came with the passages: looked up, and read by the same parser as a model's reply."""

from __future__ import annotations

from collections.abc import Iterable

from clausegraph.core.extraction import Extraction, ExtractionInput
from clausegraph.core.hashing import canonical_json, content_hash
from clausegraph.ingestion.extract.llm.lines.parse import parse_triples, statements_of_lines
from clausegraph.ingestion.sources.passages import TripledPassage, squeezed

_VERSION = "given:1"  # count up when the parser, or what is done with its triples, changes


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
        return f"{_VERSION}+{self._digest}"

    def extract(self, chunk_input: ExtractionInput) -> Extraction:
        """The statements of a passage; of a split one all are extracted with its first chunk."""
        text = " ".join(element.text for element in chunk_input.elements if element.is_own)
        recorded = self._triples.get((squeezed(chunk_input.title), squeezed(text)), ())
        triples, malformed = parse_triples(recorded)
        extraction = statements_of_lines(triples, chunk_input, strict=False)
        return Extraction(extraction.statements, (*malformed, *extraction.rejects))
