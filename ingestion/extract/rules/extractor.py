"""Facts without a language model: statements of policy English by rules, deterministic and fast."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

from clausegraph.core import ontology as types_of_entities
from clausegraph.core.extraction import Extraction, ExtractionInput
from clausegraph.core.hashing import content_hash
from clausegraph.core.language import (
    clauses,
    conditions,
    conjunctions,
    frames,
    main_verbs,
    markers,
    modality,
    normalise,
    nouns,
    phrases,
    propositions,
    restrictions,
    sentences,
    slots,
    values,
    verb_phrases,
    verbs,
    wording,
    words,
)
from clausegraph.core.ontology import Ontology, policy_ontology
from clausegraph.core.pages import lists
from clausegraph.core.types import Mention, Statement
from clausegraph.ingestion.extract.rules import address, names, outline, reader, requirements, scope, tables
from clausegraph.ingestion.extract.rules import sentences as rule_sentences
from clausegraph.ingestion.extract.rules.digest import code_digest
from clausegraph.ingestion.extract.rules.reader import ChunkReader

# Every module that decides what is extracted; a test holds that none is missing.
RULE_MODULES = (
    *(clauses, conditions, conjunctions, frames, lists, main_verbs, markers, modality, normalise, nouns, phrases),
    *(propositions, restrictions, sentences, slots, values, verb_phrases, verbs, wording, words),
    types_of_entities,
    *(address, names, outline, reader, requirements, rule_sentences, scope, tables),
)

_OF_THE_PAGE = frozenset({"role", "topic", "section"})


class RuleExtractor:
    """The extractor of first resort: no model, no network, the same output everywhere."""

    def __init__(self, ontology: Ontology | None = None) -> None:
        """Types are those of the shipped ontology, or of another that takes its place."""
        self._ontology = ontology or policy_ontology()

    @cached_property
    def fingerprint(self) -> str:
        """``rules:`` and a hash of the code that holds the rules, so that an edited rule is another extractor."""
        return f"rules:{content_hash(code_digest(RULE_MODULES), self._ontology.digest)[:12]}"

    def extract(self, chunk_input: ExtractionInput) -> Extraction:
        """The statements of one chunk, in element order; nothing is rejected."""
        statements = ChunkReader(chunk_input).statements()
        if self._ontology is policy_ontology():
            return Extraction(statements)
        return Extraction(tuple(self._typed(statement) for statement in statements))

    def _typed(self, statement: Statement) -> Statement:
        """The statement with the types of another ontology, but for what the rules know by the page."""

        def typed(end: Mention) -> Mention:
            return end if end.type in _OF_THE_PAGE else replace(end, type=self._ontology.type_of(end.surface))

        target = typed(statement.object) if isinstance(statement.object, Mention) else statement.object
        return replace(statement, subject=typed(statement.subject), object=target)
