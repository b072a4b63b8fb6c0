"""Calls and replies for parser tests."""

from __future__ import annotations

import json
from typing import Any

from clausegraph.core.extraction import Extraction, ExtractionInput, InputElement
from clausegraph.core.types import Statement
from clausegraph.ingestion.extract.llm.conditional import parse_conditional
from clausegraph.ingestion.extract.llm.numbering import Call, number_call

TITLE = "Heating Grant"
LEAD = "You can get the Heating Grant if all of these apply:"


def element(label: str, text: str, tag: str = "p", lead_in: str | None = None, **more: Any) -> InputElement:
    return InputElement(label, tag, text, lead_in=lead_in, **more)


def chunk(*elements: InputElement, heading: str = "Eligibility") -> ExtractionInput:
    return ExtractionInput(TITLE, (heading,), elements)


def grant_call() -> Call:
    """Numbers 1-5 are chunk 0; 6 and 7 chunk 1, which has the lead-in 1 as context; 8 chunk 2."""
    lead = element("c0", LEAD)
    return number_call(
        [
            chunk(
                element("e0", LEAD),
                element("e1", "you are 18 or over", "li", "e0"),
                element("e2", "you live in Lethmoor", "li", "e0"),
                element("e3", "The grant pays £210 a year, unless you live in a care home. It is paid by the council."),
                element("e4", "You cannot claim after 31 March 2026."),
            ),
            chunk(
                lead,
                element("e0", "you rent your home from a private landlord", "li", "c0"),
                element("e1", "The council pays the Heating Grant in winter.", "p"),
            ),
            chunk(element("e0", "Send form HG1 to the council office."), heading="How to claim"),
        ]
    )


def triple(
    subject: str = "applicant", relation: str = "gets", target: str = "Heating Grant", **more: Any
) -> dict[str, Any]:
    """A triple of element 1, as a strict server sends it."""
    plain = {"subject_type": "person", "object_type": "benefit", "elements": [1], "holds": True, "modality": "is"}
    rest = {"if": None, "in_force": None, "doubt": ""}
    return {"subject": subject, "relation": relation, "object": target, **plain, **rest, **more}


def reply(*triples: Any) -> str:
    return json.dumps({"triples": list(triples)})


def heating_call() -> Call:
    """Two sections of one page: the second has the heading of the first above it; 1 to 7, and 8 to 10."""
    top = ("Eligibility",)
    below = (*top, "If you rent")
    return number_call(
        [
            ExtractionInput(
                TITLE,
                top,
                (
                    element("e0", "Eligibility", "h1"),
                    element("e1", "You can get the Heating Grant if you are adopting a child.", headings=top),
                    element("e2", "You should apply within 3 months of the decision.", headings=top),
                    element("e3", "We pay £210 a year. It might take 6 weeks.", headings=top),
                    element("e4", "Use form HG1.", headings=top),
                    element("e5", "Single | £12", "tr", headings=top, headers=("Household", "Each week")),
                    element("e6", "You cannot claim after 31 March 2026.", headings=top),
                ),
            ),
            ExtractionInput(
                TITLE,
                below,
                (
                    element("e0", "If you rent", "h2", headings=top),
                    element("e1", "You can get the grant if:", headings=below),
                    element("e2", "your landlord agrees", "li", "e1", headings=below),
                ),
                above=(element("h0", "Eligibility", "h1"),),
            ),
        ],
    )


def parsed(call: Call, *triples: Any) -> list[Extraction]:
    """The extractions of the chunks that a reply covers."""
    return [one for one in parse_conditional(reply(*triples), call, cut_off=False) if one is not None]


def only(call: Call, *triples: Any) -> Statement:
    """The one statement, for which nothing was rejected."""
    found = parsed(call, *triples)
    assert not [reject for one in found for reject in one.rejects]
    (statement,) = [statement for one in found for statement in one.statements]
    return statement


def reasons(call: Call, *triples: Any) -> list[str]:
    """Why nothing at all came of the triples."""
    found = parsed(call, *triples)
    assert not [statement for one in found for statement in one.statements]
    return [reject.reason for one in found for reject in one.rejects]


def assert_strict(schema: dict[str, Any]) -> None:
    """Every object of a schema has exactly its keys, all of them required."""
    pending: list[Any] = [schema]
    while pending:
        node = pending.pop()
        if isinstance(node, dict):
            if node.get("type") == "object":
                assert node["additionalProperties"] is False and node["required"] == list(node["properties"])
            pending += node.values()
        elif isinstance(node, list):
            pending += node
