"""An independent critic: it decides for itself before it sees the draft, and changes it only when clearly surer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from clausegraph.core.errors import UnusableReply
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.models.embedding import Embedder
from clausegraph.core.models.json_text import read_json
from clausegraph.core.types import Alternative, ConditionState, PageKey, leaves
from clausegraph.query.rank.hits import Hit
from clausegraph.query.read.model.check import Checked, check_draft
from clausegraph.query.read.model.options import ReadOptions
from clausegraph.query.read.model.reader import attempt_of, result_of
from clausegraph.query.read.model.reply import Draft
from clausegraph.query.read.model.schema import VERIFY_SCHEMA, WEIGH_SCHEMA
from clausegraph.query.read.model.shown import Shown, shown_of
from clausegraph.query.read.protocol import ReadResult, Rules
from clausegraph.query.steps.model import StepModel
from clausegraph.query.steps.protocol import Verdict

DECIDE, WEIGH = "verify", "verify-weigh"
SURE = 75  # of 100: below it a draft stays as it is


@dataclass(frozen=True, slots=True)
class Weighed:
    """Which of two answers is better, by how much of 100, and why."""

    own: bool
    sure: float
    why: str


class Critic:
    """Verifies the draft of one question. One call where it agrees, two where it does not."""

    calls = 2

    def __init__(self, embedder: Embedder | None, model: StepModel, options: ReadOptions | None = None) -> None:
        self._model = model
        self._options = options or ReadOptions()

    def verify(self, inquiry: Inquiry, result: ReadResult, hits: Sequence[Hit], rules: Rules) -> Verdict:
        """Decide without the draft, then compare.

        Raises:
            ModelError: there is no reply.
        """
        shown = shown_of(hits, rules.reading, self._options.budget)
        inputs = self._options.inputs(inquiry, shown, rules)

        def check(made: Draft) -> Checked:
            return check_draft(made, shown, inquiry, rules.reading)

        asked = self._model.ask(DECIDE, inputs, lambda text: attempt_of(text, check), schema=("review", VERIFY_SCHEMA))
        attempt = asked.value
        own = result_of(attempt, shown, rules.reading, {"verified": True})
        if not attempt.is_usable or _meaning(own, shown) == _meaning(result, shown):
            return Verdict(True, "the same answer" if attempt.is_usable else "the critic has no answer of its own")
        told = {"draft": "\n".join(f"- {line}" for line in told_answers(result, shown))}
        weighed = self._model.ask(
            WEIGH, told, parse_weighed, schema=("weighing", WEIGH_SCHEMA), before=asked.chat
        ).value
        if weighed.own and weighed.sure >= SURE:
            return Verdict(False, weighed.why, own)
        return Verdict(True, weighed.why)


def parse_weighed(text: str) -> Weighed:
    """The comparison in a reply; what cannot be read leaves the draft as it is."""
    try:
        value = read_json(text).value
    except UnusableReply as problem:
        return Weighed(False, 0.0, str(problem))
    given: dict[str, Any] = value if isinstance(value, dict) else {}
    sure, why = given.get("sure"), given.get("why")
    return Weighed(
        own=given.get("better") == "own",
        sure=float(sure) if isinstance(sure, int | float) and 0 <= sure <= 100 else 0.0,
        why=" ".join(why.split())[:300] if isinstance(why, str) else "",
    )


def told_answers(result: ReadResult, shown: Shown) -> list[str]:
    """The answers of a draft without its reasoning: texts, open conditions and evidence as labels."""
    return [
        f"{text!r}, if {', '.join(sorted(conditions)) or 'nothing more'}; evidence {', '.join(evidence)}"
        for text, conditions, evidence in (_told(alternative, shown) for alternative in result.alternatives)
    ] or ["no answer: the elements do not say"]


def _told(alternative: Alternative, shown: Shown) -> tuple[str, frozenset[str], tuple[str, ...]]:
    def label(page: PageKey, anchor: str) -> str:
        return shown.labels.get((page, anchor), "another element")

    open_leaves = (j for j in leaves(alternative.condition) if j.decisive and j.state is ConditionState.UNKNOWN)
    conditions = frozenset(label(j.source.page, j.leaf.anchor) for j in open_leaves)
    evidence = tuple(dict.fromkeys(label(e.page, e.span.anchor) for e in alternative.evidence))
    return alternative.text, conditions, evidence


def _meaning(result: ReadResult, shown: Shown) -> frozenset[tuple[str, frozenset[str]]]:
    """What a result says, whatever it rests on."""
    told = (_told(alternative, shown) for alternative in result.alternatives)
    return frozenset((text.lower(), conditions) for text, conditions, _ in told)
