"""Facts without a language model: statements and passages of policy English by rules, deterministic and fast."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

from clausegraph.core.extraction import Extraction, ExtractionInput
from clausegraph.core.hashing import content_hash
from clausegraph.core.ontology import Ontology, policy_ontology
from clausegraph.core.types import Mention, Statement
from clausegraph.ingestion.extract.rules.reader import ChunkReader

VERSION = 2  # raise it with every change of what the rules state: pages are then extracted again

_OF_THE_PAGE = frozenset({"role", "topic", "section", "page"})


class RuleExtractor:
    """The extractor of first resort: no model, no network, the same output everywhere."""

    def __init__(self, ontology: Ontology | None = None) -> None:
        """Types are those of the shipped ontology, or of another that takes its place."""
        self._ontology = ontology or policy_ontology()

    @cached_property
    def fingerprint(self) -> str:
        """``rules:``, the version of the rules, and a hash of the types that they give to names."""
        return f"rules:{VERSION}:{content_hash(self._ontology.digest)[:12]}"

    def extract(self, chunk_input: ExtractionInput) -> Extraction:
        """The statements and passages of one chunk, in element order; nothing is rejected."""
        found = ChunkReader(chunk_input).read()
        if self._ontology is policy_ontology():
            return found
        passages = (replace(one, names=tuple(self._named(name) for name in one.names)) for one in found.passages)
        return Extraction(tuple(self._typed(one) for one in found.statements), passages=tuple(passages))

    def _typed(self, statement: Statement) -> Statement:
        target = self._named(statement.object) if isinstance(statement.object, Mention) else statement.object
        return replace(statement, subject=self._named(statement.subject), object=target)

    def _named(self, name: Mention) -> Mention:
        """A name with the type of another ontology, but for what the rules know by the page."""
        return name if name.type in _OF_THE_PAGE else replace(name, type=self._ontology.type_of(name.surface))
