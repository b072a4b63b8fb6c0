"""Calls for parser tests, and what a reply of rules says of them."""

from typing import Any

from clausegraph.core.extraction import Extraction, ExtractionInput, InputElement
from clausegraph.core.types import Rule
from clausegraph.ingestion.extract.llm.numbering import Call, number_call
from clausegraph.ingestion.extract.llm.rules_reply import parse_rules
from tests.ingestion.rules.sketch import page

TITLE = "Heating Grant"
LEAD = "You can get the Heating Grant if all of these apply:"
PAGE = """\
# Who can get it
You can get the Heating Grant if you rent your home, unless you are in prison.
You cannot get it if any of these apply:
- you live in a care home
- your partner is not over 18
- you get Basic Support
# Payments
We pay £210 a year. Tenants must send form HG1 to the council within 3 months of 1 May 2026.
|# Household | Each week
| Single | £12
If it is urgent, call the council."""
ENTITIES = """\
benefit: A Heating Grant
role: B tenant
organisation: C we; E council
document: D form HG1
"""


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


PAGE_CALL = number_call([page(PAGE)])  # 2 has the parts a, b and c; 8 and 11 have a and b


def read(*lines: str, call: Call = PAGE_CALL) -> Extraction:
    """The extraction of a call's first chunk from the lines of a reply, after the entities of ``PAGE`` for its call."""
    named = [ENTITIES] if call is PAGE_CALL else []
    first = parse_rules("\n".join([*named, *lines]), call, cut_off=False)[0]
    assert first is not None
    return first


def only_rule(line: str, call: Call = PAGE_CALL) -> Rule:
    """The rule of a line for which nothing was rejected or left out."""
    found = read(line, call=call)
    (rule,) = found.rules
    assert not found.rejects
    return rule


def reasons(*lines: str, call: Call = PAGE_CALL) -> list[str]:
    """Why something of the lines was rejected or left out."""
    return [reject.reason for reject in read(*lines, call=call).rejects]
