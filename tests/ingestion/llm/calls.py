"""Calls and replies for parser tests."""

from __future__ import annotations

import json
from typing import Any

from clausegraph.core.extraction import ExtractionInput, InputElement
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
