"""Facts without a language model: statements of policy English by rules, deterministic and fast."""

from __future__ import annotations

from functools import cached_property

from clausegraph.core.extraction import Extraction, ExtractionInput
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
from clausegraph.core.pages import lists
from clausegraph.ingestion.extract.rules import address, names, outline, reader, requirements, scope, tables
from clausegraph.ingestion.extract.rules import sentences as rule_sentences
from clausegraph.ingestion.extract.rules.digest import code_digest
from clausegraph.ingestion.extract.rules.reader import ChunkReader

# Every module that decides what is extracted; a test holds that none is missing.
RULE_MODULES = (
    *(clauses, conditions, conjunctions, frames, lists, main_verbs, markers, modality, normalise, nouns, phrases),
    *(propositions, restrictions, sentences, slots, values, verb_phrases, verbs, wording, words),
    *(address, names, outline, reader, requirements, rule_sentences, scope, tables),
)


class RuleExtractor:
    """The extractor of first resort: no model, no network, the same output everywhere."""

    @cached_property
    def fingerprint(self) -> str:
        """``rules:`` and a hash of the code that holds the rules, so that an edited rule is another extractor."""
        return f"rules:{code_digest(RULE_MODULES)[:12]}"

    def extract(self, chunk_input: ExtractionInput) -> Extraction:
        """The statements of one chunk, in element order; nothing is rejected."""
        return Extraction(ChunkReader(chunk_input).statements())
