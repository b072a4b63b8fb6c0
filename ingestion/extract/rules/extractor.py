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
    outcomes,
    phrases,
    propositions,
    restrictions,
    sentences,
    slots,
    standing,
    values,
    verb_phrases,
    verbs,
    wording,
    words,
)
from clausegraph.core.ontology import Ontology, policy_ontology
from clausegraph.core.pages import lists
from clausegraph.core.types import Mention, Statement
from clausegraph.ingestion.extract.rules import (
    address,
    joining,
    leaning,
    names,
    outline,
    pairs,
    parts,
    reader,
    refusals,
    requirements,
    scope,
    sure,
    tables,
    whole_conditions,
)
from clausegraph.ingestion.extract.rules import sentences as rule_sentences
from clausegraph.ingestion.extract.rules.digest import code_digest
from clausegraph.ingestion.extract.rules.reader import ChunkReader

# Every module that decides what is extracted; a test holds that none is missing.
RULE_MODULES = (
    *(clauses, conditions, conjunctions, frames, lists, main_verbs, markers, modality, normalise, nouns, outcomes),
    phrases,
    *(propositions, restrictions, sentences, slots, standing, values, verb_phrases, verbs, wording, words),
    types_of_entities,
    *(address, joining, leaning, names, outline, pairs, parts, reader, refusals, requirements, rule_sentences, scope),
    *(sure, tables, whole_conditions),
)

_OF_THE_PAGE = frozenset({"role", "topic", "section", "page"})


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
