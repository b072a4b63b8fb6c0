"""The critic: a generated answer against references, question and time; what is rejected gets one fault to mend.

After HybGRAG: a validator, and a commentor with a context of its own, which sees how the question was understood and
where was looked, but not the references. "I don't know" is rejected without a call, as long as there is more to see.
Without a model, or where its reply cannot be used, what is asserted is taken as it is, and where nothing is, the next
pages are to be read.
"""

from __future__ import annotations

from collections.abc import Sequence

from clausegraph.core.errors import UnusableReply
from clausegraph.core.types import AnswerStatus
from clausegraph.query.crag.answer import asked, shown_attributes, shown_references
from clausegraph.query.crag.types import (
    Attributes,
    CragDraft,
    CragFault,
    CragFeedback,
    CragKind,
    CragQuestion,
    Domain,
    Dynamism,
    Reference,
)
from clausegraph.query.steps.model import StepModel
from clausegraph.query.steps.protocol import Acceptance
from clausegraph.query.steps.reply import UNUSABLE, fault_of, flag, listed, member, object_of, object_schema, short

VALIDATE_SCHEMA = object_schema("validate", problem={"type": "string"}, right={"type": "boolean"})
COMMENT_SCHEMA = object_schema(
    "comment", fault={"type": "string", "enum": [one.value for one in CragFault]}, value={"type": "string"}
)
_LABELS = {CragFault.KIND: CragKind, CragFault.DYNAMISM: Dynamism, CragFault.DOMAIN: Domain}


def choices(*, graph: bool, more_pages: bool, tried: Sequence[CragFeedback]) -> tuple[CragFault, ...]:
    """The faults that can be mended now: what has nothing to change is no choice, and a label is corrected once."""
    spent = {one.fault for one in tried}
    labels = (CragFault.KIND, CragFault.DYNAMISM, CragFault.DOMAIN) if graph else (CragFault.KIND,)
    found = [one for one in labels if one not in spent]
    found += [CragFault.ENTITIES, CragFault.GRAPH] if graph else []
    return (*found, *([CragFault.NEXT_BATCH] if more_pages else []))


def judge(
    model: StepModel | None, question: CragQuestion, references: tuple[Reference, ...], draft: CragDraft
) -> Acceptance:
    """The verdict on what is asserted."""
    if draft.status is AnswerStatus.UNKNOWN:
        return Acceptance(False, "nothing is asserted")
    if model is None:
        return Acceptance(True, "taken as it is")
    inputs = asked(question, references=shown_references(references), answer=draft.text)
    try:
        return model.ask("crag-validate", inputs, parse_verdict, schema=VALIDATE_SCHEMA).value
    except UNUSABLE as error:
        return Acceptance(True, f"taken as it is: {error}")


def comment(
    model: StepModel | None,
    question: CragQuestion,
    attributes: Attributes,
    looked: Sequence[str],
    draft: CragDraft,
    problem: str,
    tried: Sequence[CragFeedback],
    open_to: Sequence[CragFault],
) -> CragFeedback | None:
    """One of the faults that can be mended; none where nothing is left. A single choice needs no call."""
    by_rules = CragFeedback(CragFault.NEXT_BATCH) if CragFault.NEXT_BATCH in open_to else None
    if model is None or set(open_to) <= {CragFault.NEXT_BATCH, CragFault.KIND}:
        return by_rules
    inputs = asked(
        question,
        attributes=shown_attributes(attributes),
        looked="\n".join(looked) or "nowhere",
        answer=draft.text,
        problem=problem,
        tried=listed([str(one) for one in tried]),
        choices=listed([one.value for one in open_to]),
    )
    try:
        said = model.ask("crag-comment", inputs, parse_feedback, schema=COMMENT_SCHEMA).value
    except UNUSABLE:
        return by_rules
    return said if said.fault in open_to and said not in tried else by_rules


def parse_verdict(text: str) -> Acceptance:
    """Read a validator's reply."""
    reply = object_of(text)
    accepted = flag(reply, "right", "the reply does not say whether the answer is right")
    why = "a model finds it right" if accepted else short(reply.get("problem")) or "a model finds it wrong"
    return Acceptance(accepted, why)


def parse_feedback(text: str) -> CragFeedback:
    """Read a commentor's reply; a label that does not exist is no value."""
    fault, value = fault_of(text, CragFault, "fault", "value", "the reply names no fault")
    if fault in _LABELS:
        label = member(value, _LABELS[fault])
        if label is None:
            raise UnusableReply(f"the reply names no {fault.value}")
        value = label.value
    return CragFeedback(fault, value)
