"""Triples that came with the passages: looked up, and read by the same parser as a model's reply."""

from __future__ import annotations

from collections.abc import Iterable

from core.extraction import Extraction, ExtractionInput, Reject
from core.hashing import canonical_json, content_hash
from core.language.normalise import entity_key
from core.types import Mention, Span, Statement
from ingestion.sources.passages import Passage, squeezed


class GivenExtractor:
    """Looks up the recorded triples of a passage by its title and text."""

    def __init__(self, passages: Iterable[Passage]) -> None:
        self._triples = {passage.key: passage.triples for passage in passages}
        rows = sorted([*key, canonical_json(triples)] for key, triples in self._triples.items())
        self._digest = content_hash("given-triples", canonical_json(rows))

    @property
    def fingerprint(self) -> str:
        """Parser version and hash of all triples of the file."""
        return f"given:stand-in:{self._digest}"

    def extract(self, source: ExtractionInput) -> Extraction:
        own = [element for element in source.elements if element.is_own]
        text = squeezed(" ".join(e.text for e in own))
        items = self._triples.get((squeezed(source.title), text), ())
        made, rejects = [], []
        for item in items:
            if not (isinstance(item, list) and len(item) == 3 and all(isinstance(x, str) and x.strip() for x in item)):
                rejects.append(Reject(canonical_json(item), "not three texts"))
                continue
            s, r, o = (squeezed(x) for x in item)
            whole = Span(own[0].label, 0, len(own[0].text))
            made.append(Statement(Mention(s, entity_key(s)), r, Mention(o, entity_key(o)), (whole,)))
        return Extraction(tuple(made), tuple(rejects))
