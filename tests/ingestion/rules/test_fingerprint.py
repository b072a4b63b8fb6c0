"""The fingerprint of the rules is their version, which is raised with every change of what they state."""

from __future__ import annotations

from pathlib import Path

import pytest

from clausegraph.core.extraction import extraction_inputs
from clausegraph.core.hashing import canonical_json, content_hash
from clausegraph.core.serial import passage_to_json, statement_to_json
from clausegraph.ingestion.extract.rules.extractor import VERSION, RuleExtractor
from tests.ingestion.rules.conftest import readings

pytestmark = pytest.mark.unit

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
FACTS = {4: "4668120c2f42"}  # by version: the hash of what the rules state of the sample pages


def facts_of_samples() -> str:
    """A hash of all statements and passages of ``examples/corpus`` and ``examples/contradictions``."""
    made = []
    for folder in ("corpus", "contradictions"):
        for _, reading in sorted(readings(EXAMPLES / folder, chunked=True).items()):
            for chunk_input, _ in extraction_inputs(reading):
                found = RuleExtractor().extract(chunk_input)
                made.append([*map(statement_to_json, found.statements), *map(passage_to_json, found.passages)])
    return content_hash("facts of the samples", canonical_json(made))[:12]


def test_other_facts_need_another_version() -> None:
    found = facts_of_samples()
    assert max(FACTS) == VERSION, f"VERSION of rules/extractor.py is {VERSION}; add {VERSION}: {found!r} to FACTS"
    assert found == FACTS[VERSION], f"raise VERSION in rules/extractor.py and add {VERSION + 1}: {found!r} to FACTS"


def test_the_fingerprint_names_version_and_types() -> None:
    assert RuleExtractor().fingerprint.startswith(f"rules:{VERSION}:")
