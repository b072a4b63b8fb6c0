"""From checked answers to alternatives: the verdict is what the tree says, not what the model says of it."""

from __future__ import annotations

from collections.abc import Sequence

from clausegraph.core.types import Alternative, Evidence, JudgedCondition, Not
from clausegraph.query.read.evidence import evidence_of
from clausegraph.query.read.model.check import VERDICTS, CheckedAnswer
from clausegraph.query.read.model.shown import ShownElement
from clausegraph.query.read.protocol import Pages


def decided(answers: Sequence[CheckedAnswer], kind: str, notes: list[str]) -> list[CheckedAnswer]:
    """The answers that hold or may hold, each once.

    A verdict that its own conditions refute becomes the other one where the question is a gate, which is open or shut;
    any other answer that is refuted is left out.
    """
    holding = [answer for answer in answers if answer.value is not False]
    for refuted in (answer for answer in answers if answer.value is False):
        turned = _turned(refuted) if kind == "gate" and refuted.is_verdict else None
        if turned is not None and not any(answer.is_verdict for answer in holding):
            notes.append(f"{refuted.text!r} became {turned.text!r}: its own conditions refute it")
            holding.append(turned)
        else:
            notes.append(f"left out {refuted.text[:80]!r}: its own conditions refute it")
    once: dict[str, CheckedAnswer] = {}
    for answer in holding:
        once.setdefault(answer.text.lower(), answer)
    return list(once.values())


def _turned(answer: CheckedAnswer) -> CheckedAnswer | None:
    if answer.condition is None:
        return None
    other = VERDICTS[1 - VERDICTS.index(answer.text)]
    condition: JudgedCondition = answer.condition.child if isinstance(answer.condition, Not) else Not(answer.condition)
    return CheckedAnswer(other, None, condition, answer.evidence, True)


def alternative_of(answer: CheckedAnswer, pages: Pages) -> Alternative:
    """The alternative of an answer, with everything it rests on as evidence."""
    found: list[Evidence] = []
    for shown in answer.evidence:
        if answer.place is not None and shown is answer.place[0]:
            found.append(_evidence(shown, pages, answer.place[1], answer.place[2]))
        else:
            found.append(_evidence(shown, pages))
    return Alternative(answer.text, answer.condition, tuple(found))


def _evidence(shown: ShownElement, pages: Pages, start: int = 0, end: int | None = None) -> Evidence:
    return evidence_of(shown.page, pages(shown.page), shown.element, start, end)
