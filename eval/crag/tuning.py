"""Fine-tuning data after KERAG: chats whose target is the model's own reasoning where it led to the gold answer.

A question that the model answers right keeps reasoning and answer as the target. One that it answers wrong stays too,
with the gold answer as the target and the prompt without chain of thought: nothing teaches reasoning that goes wrong,
and no question is lost. Each line says where it comes from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from clausegraph.core.errors import ClauseGraphError, UnusableReply
from clausegraph.eval.crag.dataset import CragCase
from clausegraph.eval.crag.judge import CragJudge
from clausegraph.query.crag.types import Reference, ReferenceKind
from clausegraph.query.steps.model import ModelSteps, QuestionLimits, QuestionMeter
from clausegraph.query.steps.reply import UNUSABLE

REASONED, PLAIN = "crag-tune", "crag-tune-plain"
_MARK = "Answer:"
_CHARACTERS = 12_000  # of all references of a question
Gather = Callable[[CragCase], Sequence[Reference]]


@dataclass(frozen=True, slots=True)
class TuningLine:
    """A chat to be learned from, and its provenance; ``failed`` where there is none."""

    chat: list[dict[str, str]]
    provenance: dict[str, Any]
    failed: str = ""

    @property
    def is_reasoned(self) -> bool:
        return bool(self.provenance.get("reasoned"))

    def as_json(self) -> dict[str, Any]:
        """The line in the form that trainers of chats read, with its provenance beside."""
        return {"messages": self.chat, "provenance": self.provenance}


def parse_reasoned(text: str) -> tuple[str, str]:
    """Reasoning and answer of a reply."""
    reasoning, mark, answer = text.rpartition(_MARK)
    if not mark or not answer.strip():
        raise UnusableReply(f"the reply has no line that begins with {_MARK!r}")
    return reasoning.strip(), answer.strip().splitlines()[0]


def tuning_lines(
    cases: Sequence[CragCase], gather: Gather, steps: ModelSteps, judge: CragJudge, model: str
) -> Iterator[TuningLine]:
    """A line for each question, in their order."""
    for case in cases:
        try:
            references = gather(case)
        except ClauseGraphError as error:
            yield TuningLine([], {"question": case.question.id}, str(error))
            continue
        yield _line(case, references, steps, judge, model)


def _line(
    case: CragCase, references: Sequence[Reference], steps: ModelSteps, judge: CragJudge, model: str
) -> TuningLine:
    shown = [one for one in references if one.kind is not ReferenceKind.OWN]
    inputs: dict[str, object] = {
        "question": case.question.text,
        "time": f"{case.question.time:%A, %Y-%m-%d %H:%M %Z}".strip(),
        "references": "\n\n".join(one.text for one in shown)[:_CHARACTERS] or "none",
    }
    told: dict[str, Any] = {"question": case.question.id, "model": model, "references": [one.source for one in shown]}
    try:
        said = steps.question(QuestionMeter(QuestionLimits(1))).ask(REASONED, inputs, parse_reasoned)
        reasoning, answer = said.value
        graded = judge.grade(case.question.text, case.answers, answer)
    except UNUSABLE as error:
        reasoning, answer, graded = "", "", None
        told["why"] = str(error)
    if graded is not None and graded.verdict == "correct":
        prompt, target = steps.prompt(REASONED), f"{reasoning}\n{_MARK} {answer}"
        told |= {"reasoned": True, "graded_by": graded.by}
    else:
        prompt, target = steps.prompt(PLAIN), f"{_MARK} {case.answers[0]}"
        told |= {"reasoned": False, "said": answer} | ({"why": graded.why} if graded else {})
    told["prompt"] = prompt.id
    chat = [{"role": one.role, "content": one.content} for one in prompt.render(**inputs)]
    return TuningLine([*chat, {"role": "assistant", "content": target}], told)
