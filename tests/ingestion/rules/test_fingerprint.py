"""The fingerprint of the rules covers every module that decides what they extract."""

from __future__ import annotations

import ast
from importlib import import_module
from inspect import getsource

import pytest

from clausegraph.ingestion.extract.rules import extractor

pytestmark = pytest.mark.unit

TYPES = {  # values and their forms: they decide nothing that is extracted
    "clausegraph.core.types",
    "clausegraph.core.extraction",
    "clausegraph.core.hashing",
    "clausegraph.core.errors",
    "clausegraph.ingestion.extract.rules.digest",
}


def imported_by(name: str) -> set[str]:
    """The modules of ours that a module imports when it is loaded."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(getsource(import_module(name)))):
        if not isinstance(node, ast.ImportFrom) or not (node.module or "").startswith("clausegraph."):
            continue
        for alias in node.names:
            whole = f"{node.module}.{alias.name}"
            try:
                found.add(import_module(whole).__name__)
            except ModuleNotFoundError:
                found.add(str(node.module))
    return found - TYPES


def test_every_module_that_the_rules_reach_is_in_it() -> None:
    reached: set[str] = set()
    waiting = imported_by(extractor.__name__)
    while waiting:
        name = waiting.pop()
        reached.add(name)
        waiting |= imported_by(name) - reached
    assert reached == {module.__name__ for module in extractor.RULE_MODULES}
