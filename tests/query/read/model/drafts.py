"""Replies as a model writes them about the grant of ``conftest``."""

from typing import Any

from clausegraph.core.inquiry import Inquiry

ASKED = Inquiry(
    "Could she get the grant?", "My mother was born in 1942. She gets Rent Supplement and is in a care home."
)


def condition(name: str, element: str, state: str, scenario: str = "", **more: str) -> dict[str, str]:
    return {"id": name, "element": element, "quote": "", "state": state, "scenario": scenario, "ask": "", **more}


def answer(text: str, element: str, when: Any = None, evidence: list[str] | None = None) -> dict[str, Any]:
    return {"text": text, "element": element, "evidence": evidence or [element], "if": when}


def reply(*answers: Any, conditions: Any = (), kind: str = "gate") -> dict[str, Any]:
    return {"rules": ["e3"], "analysis": "", "conditions": list(conditions), "kind": kind, "answers": list(answers)}


BORN = condition("born", "e4", "met", "My mother was born in 1942")
RENT = condition("rent", "e5", "met", "She gets Rent Supplement")
HOME = condition("home", "e7", "met", "is in a care home", quote="you live in a care home")
FEES = condition("fees", "e7", "open", quote="you pay all of your own fees", ask="Does she pay all of her own fees?")
EXCLUDED = {"all": ["home", {"not": "fees"}]}
RULE = {"all": ["born", "rent", {"not": EXCLUDED}]}
