"""Relations that say how a page is built, or that something is ruled at all, and nothing of the world."""

from __future__ import annotations

from clausegraph.core.language.restrictions import HAS_INSTRUCTION, HAS_RULE, HAS_RULE_FOR, KEEPS, MENTIONS, MET

ABOUT_THE_TEXT = frozenset({HAS_INSTRUCTION, HAS_RULE, HAS_RULE_FOR, KEEPS, MENTIONS, MET, "refers to"})
