"""One open question on its way through the rounds: all that is known of it, and its trace."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from clausegraph.core.errors import BudgetExceeded, StoreError
from clausegraph.core.types import AnswerStatus
from clausegraph.query.crag.answer import ModelAnswerer, recall, shown_attributes, shown_times, unknown
from clausegraph.query.crag.critic import choices, comment, judge
from clausegraph.query.crag.types import (
    Attributes,
    CragAnswer,
    CragFault,
    CragFeedback,
    CragKind,
    CragOptions,
    CragQuestion,
    Domain,
    Dynamism,
    KgFound,
    KgLookup,
    Reference,
    TextLookup,
)
from clausegraph.query.engines.answers import Trace
from clausegraph.query.steps.model import QuestionMeter, StepModel

_ROUND = 2  # calls without which another round is not begun: to answer, and to judge the answer
_LOOKING = 0.6  # of the time: from then on nothing is looked for, so that there is some left to answer in
_SHOWN = 160  # characters of a reference in the trace
FAILED_SOURCE = "failed source"  # which is not "not found"


@dataclass(frozen=True, slots=True)
class TimeLeft:
    """What there is time for, so that the question ends in time."""

    seconds: float  # 0: as many as it takes
    started: float = field(default_factory=time.monotonic)

    def until(self, share: float) -> float:
        """When that share of the time is over, of ``time.monotonic()``."""
        return self.started + share * self.seconds if self.seconds else math.inf

    @property
    def left(self) -> float:
        """Seconds; below 0 when it is over."""
        return self.until(1.0) - time.monotonic()

    @property
    def hurries(self) -> bool:
        """Whether there is time to answer, and for nothing else."""
        return self.until(_LOOKING) < time.monotonic()


class CragRounds:
    """The state of a question, which ends within its calls and its seconds, whatever a model says."""

    def __init__(
        self,
        question: CragQuestion,
        options: CragOptions,
        text: TextLookup | None,
        meter: QuestionMeter,
        model: StepModel | None,
        time: TimeLeft,
    ) -> None:
        self.question, self.switches = question, options.switches
        self.meter, self.model, self.time, self.trace = meter, model, time, Trace()
        self.text = text if self.switches.pages else None
        self.predictor = options.predictor(model) if self.switches.attributes != "off" else None
        self.graph: KgLookup | None = options.graph(model) if self.switches.graph != "off" else None
        self.calculator = options.calculator(model) if self.switches.calculator else None
        self.answerer = ModelAnswerer(model, self.switches) if model else None
        self.attributes, self.known, self.draft = Attributes(), KgFound(), unknown("nothing was asked")
        self.remembered: tuple[Reference, ...] = ()
        self.references: tuple[Reference, ...] = ()
        self.feedback: list[CragFeedback] = []
        self.looked: list[str] = []  # in words, for the critic
        self.looked_into: list[str] = []  # titles and functions, for the person who asks
        self.failed: list[str] = []
        self.unjudged = False  # the draft is an answer that nobody has rejected
        self.asked_graph = False
        self.batch, self.rounds, self.problem = 0, 0, ""

    # --- the loop ---------------------------------------------------------------------------------

    def look(self) -> bool:
        """Gather references and draft an answer of them; false where the policy abstains, or nothing is left."""
        return self._within_limits(self._round, otherwise=False)

    def is_accepted(self) -> bool:
        """Whether the draft stands."""
        return self._within_limits(self._accepted, otherwise=True)

    def mend(self) -> bool:
        """Whether another round is begun, with what was wrong set right; else a rejected answer is none."""
        return self._within_limits(self._mended, otherwise=False)

    def conclude(self) -> None:
        """Nothing is left to do."""

    def _within_limits(self, step: Callable[[], bool], *, otherwise: bool) -> bool:
        try:
            return step()
        except BudgetExceeded as error:
            self._give_up("no call is left", str(error))
        except CancelledError:
            self._end_in_time()
        return otherwise

    def _round(self) -> bool:
        if not self.rounds:
            self._understand()
            if self._abstains():
                return False
        self.rounds += 1
        self._look()
        self._draft()
        return True

    # --- steps ------------------------------------------------------------------------------------

    def _understand(self) -> None:
        with self._told("attributes") as detail:
            if self.predictor is not None:
                self.attributes = self.predictor.predict(self.question)
            detail["understood"] = shown_attributes(self.attributes)
            if times := shown_times(self.question):
                detail["times"] = times

    def _abstains(self) -> bool:
        """Whether the policy says to answer nothing of what the question is."""
        policy, dynamism = self.switches.policy, self.attributes.dynamism
        labels = [one.value for one in (self.attributes.domain, self.attributes.kind, dynamism) if one is not None]
        labels += ["dynamic" if dynamism.is_dynamic else "static"] if dynamism else []
        abstaining = ("abstain",) if self.graph is not None else ("abstain", "live")
        hit = next((one for one in labels if policy.get(one) in abstaining), "")
        if hit:
            why = "the policy abstains from it" if policy[hit] == "abstain" else "there is no live source"
            self._give_up(hit, why, step="policy")
        return bool(hit)

    def _look(self) -> None:
        """Gather references: graph, pages, what a model remembers."""
        if not self.asked_graph:
            self._ask_graph()
        trusted = self.switches.trust == "kg-first" and bool(self.known.references)
        self.references = (*self.known.references, *(self._find_pages() if not trusted else ()))
        if self.model is not None and self.switches.own_knowledge and self.rounds == 1:
            with self._told("own knowledge") as detail:
                self.remembered, detail["how"] = recall(self.model, self.question)
        self.references = (*self.references, *self.remembered)

    def _find_pages(self) -> tuple[Reference, ...]:
        """What the pages have for the question."""
        if self.text is None:
            return ()
        with self._told("pages") as detail:
            found = self.text.find(self.question, self.batch, self.switches.references, self.time.until(_LOOKING))
            number = f"{self.batch + 1} of {self.text.batches}"
            self.looked.append(f"pages, batch {number}")
            self.looked_into += [quote.title for one in found for quote in one.evidence]
            best = [" ".join(f"“{one.source}: {one.text}"[:_SHOWN].split()) + "…”" for one in found[:3]]
            detail.update({"batch": number, "references": len(found), "best": best})
        return found

    def _ask_graph(self) -> None:
        """Facts for the question. A graph that fails is left out, unless it is all there is."""
        if self.graph is None:
            return
        with self._told("graph") as detail:
            try:
                self.known = self.graph.lookup(self.question, self.attributes, tuple(self.feedback))
            except StoreError as error:
                detail.update({"outcome": FAILED_SOURCE, "failure": str(error)})
                if self.text is None and not (self.model is not None and self.switches.own_knowledge):
                    raise
                self.failed.append(f"graph: {error}")
                self.graph, self.known = None, KgFound()
                self.looked.append(f"graph: {FAILED_SOURCE}, what it would say is not known")
                return
            self.asked_graph = True
            self.looked_into += self.known.looked_into
            self.looked += [f"graph: {call}" for call in self.known.calls]
            facts = [one.text[:_SHOWN] for one in self.known.references[:3]]
            detail.update({"calls": list(self.known.calls), "entities": list(self.known.entities), "facts": facts})

    def _draft(self) -> None:
        """An answer of what was found: whether that is enough, what is to be computed from it, then the answer."""
        self.unjudged = False
        checks = (self.switches.self_check and not self.time.hurries) or not self.references
        if self.answerer is not None and checks:
            with self._told("check") as detail:
                short = self.answerer.check(self.question, self.references)
                detail.update({"enough": short is None} | (dict(short.reasons) if short else {}))
            if short is not None:
                self.draft = short
                return
        if self.calculator is not None and self.references and not self.time.hurries:
            with self._told("calculate") as detail:
                computed = self.calculator.compute(self.question, self.references)
                detail["computed"] = [one.text[:_SHOWN] for one in computed]
            self.references = (*computed, *self.references)
        with self._told("answer") as detail:
            if self.answerer is None:
                self.draft = unknown("no language model is set")
            else:
                self.draft = self.answerer.answer(self.question, self.attributes, self.references)
            self.unjudged = True
            detail.update({"answer": self.draft.text} | dict(self.draft.reasons))

    def _accepted(self) -> bool:
        if self.switches.rounds == 1 or not self.switches.critic:
            return True
        if self.unjudged and self.time.hurries:
            self._end_in_time()
            return True
        with self._told("validate") as detail:
            verdict = judge(self.model, self.question, self.references, self.draft)
            detail.update({"accepted": verdict.accepted, "because": verdict.reason})
        self.problem, self.unjudged = verdict.reason, verdict.accepted
        return verdict.accepted

    def _mended(self) -> bool:
        more = self.text is not None and self.batch + 1 < self.text.batches
        open_to = choices(graph=self.graph is not None, more_pages=more, tried=self.feedback)
        spent = self.rounds >= self.switches.rounds or (self.model is not None and self.meter.calls_left < _ROUND)
        if spent or self.time.hurries:
            open_to = ()
        with self._told("comment") as detail:
            said = None
            if open_to:
                said = comment(
                    self.model, self.question, self.attributes, self.looked, self.draft, self.problem, self.feedback,
                    open_to,
                )  # fmt: skip
            detail["feedback"] = str(said) if said is not None else "nothing left to try"
            if said is None and self.draft.status is not AnswerStatus.UNKNOWN:
                self.draft = unknown(f"the critic rejects {self.draft.text!r}: {self.problem}")
                detail.update({"answer": self.draft.text} | dict(self.draft.reasons))
        if said is None:
            return False
        self.feedback.append(said)
        self._set_right(said)
        return True

    def _set_right(self, said: CragFeedback) -> None:
        match said.fault:
            case CragFault.NEXT_BATCH:
                self.batch += 1
            case CragFault.KIND:
                self.attributes = replace(self.attributes, kind=CragKind(said.value))
            case CragFault.DYNAMISM:
                self.attributes = replace(self.attributes, dynamism=Dynamism(said.value))
            case CragFault.DOMAIN:
                self.attributes = replace(self.attributes, domain=Domain(said.value))
        if said.fault in (CragFault.ENTITIES, CragFault.GRAPH, CragFault.DOMAIN):
            self.asked_graph = False

    # --- what comes of it -------------------------------------------------------------------------

    def _give_up(self, what: str, why: str, step: str = "stop") -> None:
        self.draft = unknown(f"{what}: {why}")
        with self._told(step) as detail:
            detail.update({"answer": self.draft.text} | dict(self.draft.reasons))

    def _end_in_time(self) -> None:
        """No time is left: an answer that nobody has rejected stands, else there is none."""
        why = f"{self.switches.seconds:g} seconds"
        if not self.unjudged or self.draft.status is AnswerStatus.UNKNOWN:
            self._give_up("its time is over", why)
            return
        with self._told("stop") as detail:
            detail.update({"answer": self.draft.text, "because": f"its time is over: {why}; nobody has judged it"})

    def answer(self) -> CragAnswer:
        """What came of it."""
        return CragAnswer(
            question=self.question,
            status=self.draft.status,
            text=self.draft.text,
            used=self.draft.used,
            references=self.references,
            attributes=self.attributes,
            rounds=max(1, self.rounds),
            usage=self.meter.usage(),
            trace=tuple(self.trace.steps),
            failed=tuple(self.failed),
            missing=self.draft.missing,
            looked_into=tuple(dict.fromkeys(title for title in self.looked_into if title)),
        )

    @contextmanager
    def _told(self, name: str) -> Iterator[dict[str, object]]:
        """A step of the trace, also of one that failed; none is begun when the time is over."""
        if name not in ("stop", "policy") and self.time.left < 0:
            raise CancelledError
        with self.trace.step(name, "ask.crag") as detail:
            detail.update({"round": self.rounds} if self.rounds else {})
            yield detail
