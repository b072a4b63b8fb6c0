"""The fingerprint of the rules is their version, which is raised with every change of what they state."""

from pathlib import Path

from clausegraph.core.extraction import extraction_inputs
from clausegraph.core.hashing import canonical_json, content_hash
from clausegraph.core.language.rule_kinds import VERSION as RULES_VERSION
from clausegraph.core.page_rules import page_rules
from clausegraph.core.serial import rule_to_json, statement_to_json
from clausegraph.ingestion.extract.rules.extractor import VERSION, RuleExtractor, read_rules
from tests.ingestion.rules.conftest import readings

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
FACTS = {11: "a4c94c3a566f"}  # by version: the hash of what the rules state of the sample pages
RULES = {10: "86380a02e10f"}  # the same for the rules


def facts_of_samples() -> str:
    """A hash of all statements of ``examples/corpus`` and ``examples/contradictions``."""
    made = []
    for folder in ("corpus", "contradictions"):
        for _, reading in sorted(readings(EXAMPLES / folder, chunked=True).items()):
            for chunk_input, _ in extraction_inputs(reading):
                made.append([statement_to_json(one) for one in RuleExtractor().extract(chunk_input).statements])
    return content_hash("facts of the samples", canonical_json(made))[:12]


def test_other_facts_need_another_version() -> None:
    found = facts_of_samples()
    assert max(FACTS) == VERSION, f"VERSION of rules/extractor.py is {VERSION}; add {VERSION}: {found!r} to FACTS"
    assert found == FACTS[VERSION], f"raise VERSION in rules/extractor.py and add {VERSION + 1}: {found!r} to FACTS"


def test_other_rules_need_another_version() -> None:
    made = []
    for folder in ("corpus", "contradictions"):
        for _, reading in sorted(readings(EXAMPLES / folder, chunked=True).items()):
            made.append([rule_to_json(rule) for rule in page_rules(list(read_rules(reading)), reading)])
    found = content_hash("rules of the samples", canonical_json(made))[:12]
    assert found == RULES[max(RULES)] and max(RULES) == RULES_VERSION, (
        f"raise VERSION in core/language/rule_kinds.py and add it with {found!r} to RULES"
    )


def test_the_fingerprint_names_version_and_types() -> None:
    assert RuleExtractor().fingerprint.startswith(f"rules:{VERSION}:")
