"""One open question on its way through the rounds: all that is known of it, and its trace."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from clausegraph.core.errors import BudgetExceeded, StoreError
from clausegraph.core.telemetry.spans import span
from clausegraph.core.types import AnswerStatus, TraceStep
from clausegraph.query.crag.answer.model import OwnKnowledge
from clausegraph.query.crag.critic import choices
from clausegraph.query.crag.shown import shown_attributes, shown_times
from clausegraph.query.crag.sources import CragGatherer, CragSources
from clausegraph.query.crag.switches import CragSwitches
from clausegraph.query.crag.time_left import TimeLeft
from clausegraph.query.crag.types import (
    DONT_KNOW,
    AttributePredictor,
    Attributes,
    Calculator,
    CragAnswer,
    CragAnswerer,
    CragCritic,
    CragDraft,
    CragFault,
    CragFeedback,
    CragKind,
    CragQuestion,
    CragUsage,
    Domain,
    Dynamism,
    KgFound,
    KgLookup,
    Reference,
    TextLookup,
)
from clausegraph.query.engines.protocol import Watch
from clausegraph.query.steps.meter import QuestionMeter

_ROUND = 2  # calls without which another round is not begun: to answer, and to judge the answer
_LOOKING = 0.6  # of the time: from then on nothing is embedded, so that there is some left to answer in
_SHOWN = 160  # characters of a reference in the trace
FAILED_SOURCE = "failed source"  # which is not "not found"
_NOTHING = CragDraft(AnswerStatus.UNKNOWN, DONT_KNOW, (), {"because": "nothing was asked"})


@dataclass(slots=True)
class OpenCragQuestion:
    """The state of a question; its parts were made for it."""

    question: CragQuestion
    switches: CragSwitches
    meter: QuestionMeter
    watch: Watch
    answerer: CragAnswerer
    critic: CragCritic
    predictor: AttributePredictor | None
    text: TextLookup | None
    graph: KgLookup | None
    calculator: Calculator | None
    own: OwnKnowledge | None
    asks: bool  # whether a model is asked at all
    time: TimeLeft
    gatherer: CragGatherer | None = None
    attributes: Attributes = field(default_factory=Attributes)
    known: KgFound = field(default_factory=KgFound)
    remembered: tuple[Reference, ...] = ()
    references: tuple[Reference, ...] = ()
    draft: CragDraft = _NOTHING
    feedback: list[CragFeedback] = field(default_factory=list)
    looked: list[str] = field(default_factory=list)
    looked_into: list[str] = field(default_factory=list)  # titles and functions, for the person who asks
    trace: list[TraceStep] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    unjudged: bool = False  # the draft is an answer that nobody has rejected
    batch: int = 0
    rounds: int = 0
    asked_graph: bool = False
    problem: str = ""

    def run(self) -> CragAnswer:
        """Answer it: within its calls and its seconds, whatever a model says."""
        try:
            self._understand()
            if not self._abstains():
                self._rounds()
        except BudgetExceeded as error:
            self._give_up("no call is left", str(error))
        except CancelledError:
            self._end_in_time()
        return self._answer()

    def _rounds(self) -> None:
        while True:
            self.rounds += 1
            self._look()
            self._draft()
            if self._accepted() or not self._mended():
                return

    # --- steps ------------------------------------------------------------------------------------

    def _understand(self) -> None:
        with self._told("attributes") as detail:
            if self.predictor is not None:
                self.attributes = self.predictor.predict(self.question)
            detail["understood"] = shown_attributes(self.attributes)
            if self.attributes.by:
                detail["by"] = dict(self.attributes.by)
            if times := shown_times(self.question):
                detail["times"] = times

    def _abstains(self) -> bool:
        """Whether the policy says to answer nothing of what the question is."""
        policy, has_graph = self.switches.policy, self.graph is not None
        dynamism = self.attributes.dynamism
        labels = [one.value for one in (self.attributes.domain, self.attributes.kind, dynamism) if one is not None]
        labels += ["dynamic" if dynamism.is_dynamic else "static"] if dynamism else []
        hit = next(
            (one for one in labels if policy.get(one) == "abstain" or (policy.get(one) == "live" and not has_graph)), ""
        )
        if hit:
            why = "the policy abstains from it" if policy[hit] == "abstain" else "there is no live source"
            self._give_up(hit, why, step="policy")
        return bool(hit)

    def _look(self) -> None:
        """Gather references: graph, pages, what a model remembers."""
        if self.gatherer is not None:
            self._gather(self.gatherer)
        else:
            if self.graph is not None and not self.asked_graph:
                self._ask_graph(self.graph)
            trusted = self.switches.trust == "kg-first" and bool(self.known.references)
            found = self._find_pages() if not trusted else ()
            self.references = (*self.known.references, *found)
        if self.own is not None and self.rounds == 1:
            with self._told("own knowledge") as detail:
                self.remembered, how = self.own.recall(self.question)
                detail.update({"how": how})
        self.references = (*self.references, *self.remembered)

    def _gather(self, gatherer: CragGatherer) -> None:
        with self._told(gatherer.name) as detail:
            sources = CragSources(self._find_pages, self._find_facts)
            detail["done"] = list(gatherer.gather(self.question, self.attributes, sources))
            self.references = tuple(sources.found)
            detail["references"] = len(self.references)

    def _find_pages(self, words: str = "") -> tuple[Reference, ...]:
        """What the pages have for the question, or for other words."""
        if self.text is None or not self.switches.pages:
            return ()
        asked = replace(self.question, text=words) if words else self.question
        with self._told("pages") as detail:
            found = self.text.find(asked, self.batch, self.switches.references, self.time.until(_LOOKING))
            self.looked.append(f"pages, batch {self.batch + 1} of {self.text.batches}")
            self.looked_into += [quote.title for one in found for quote in one.evidence]
            best = [" ".join(f"“{one.source}: {one.text}"[:_SHOWN].split()) + "…”" for one in found[:3]]
            detail.update({"batch": f"{self.batch + 1} of {self.text.batches}", "references": len(found), "best": best})
        return found

    def _ask_graph(self, graph: KgLookup, words: str = "") -> None:
        """Facts for the question, or for other words. A graph that fails ends itself alone, unless it is all there is.

        Raises:
            StoreError: it failed, and there is nothing else to answer from.
        """
        asked = replace(self.question, text=words) if words else self.question
        with self._told("graph") as detail:
            try:
                self.known = graph.lookup(asked, self.attributes, tuple(self.feedback))
            except StoreError as error:
                detail.update({"outcome": FAILED_SOURCE, "failure": str(error)})
                if (self.text is None or not self.switches.pages) and self.own is None:
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

    def _find_facts(self, words: str) -> tuple[Reference, ...]:
        if self.graph is not None:
            self._ask_graph(self.graph, words)
        return self.known.references

    def _draft(self) -> None:
        """An answer of what was found: whether that is enough, what is to be computed from it, then the answer."""
        self.unjudged = False
        checks = (self.switches.self_check and not self.time.hurries) or not self.references
        if self.asks and checks and self._is_refused():
            return
        if not self.time.hurries:
            self._compute()
        with self._told("answer") as detail:
            self.draft = self.answerer.answer(self.question, self.attributes, self.references, self.known)
            self.unjudged = True
            detail.update({"answer": self.draft.text} | dict(self.draft.reasons))

    def _is_refused(self) -> bool:
        with self._told("check") as detail:
            short = self.answerer.check(self.question, self.references)
            detail.update({"enough": short is None} | (dict(short.reasons) if short else {}))
        self.draft = short or self.draft
        return short is not None

    def _compute(self) -> None:
        if self.calculator is None or not self.switches.calculator or not self.references:
            return
        with self._told("calculate") as detail:
            computed = self.calculator.compute(self.question, self.references)
            detail.update({"computed": [one.text[:_SHOWN] for one in computed]})
        self.references = (*computed, *self.references)

    def _accepted(self) -> bool:
        if self.switches.rounds == 1 or not self.switches.critic:
            return True
        if self.unjudged and self.time.hurries:
            self._end_in_time()
            return True
        with self._told("validate") as detail:
            verdict = self.critic.judge(self.question, self.references, self.draft)
            detail.update({"accepted": verdict.accepted, "because": verdict.reason})
        self.problem, self.unjudged = verdict.reason, verdict.accepted
        return verdict.accepted

    def _mended(self) -> bool:
        """Whether another round is begun, with what was wrong set right; else a rejected answer is none."""
        more = self.text is not None and self.switches.pages and self.batch + 1 < self.text.batches
        open_to = choices(graph=self.graph is not None, more_pages=more, tried=self.feedback)
        if self.rounds >= self.switches.rounds or (self.asks and self.meter.calls_left < _ROUND):
            open_to = ()
        if not self.time.has_round:
            open_to = ()
        with self._told("comment") as detail:
            said = None
            if open_to:
                said = self.critic.comment(
                    self.question, self.attributes, self.looked, self.draft, self.problem, self.feedback, open_to
                )
            if said is None:
                detail.update({"feedback": "nothing left to try"})
                if self.draft.status is not AnswerStatus.UNKNOWN:
                    reasons = {"because": f"the critic rejects {self.draft.text!r}: {self.problem}"}
                    self.draft = CragDraft(AnswerStatus.UNKNOWN, DONT_KNOW, (), reasons)
                    detail.update({"answer": DONT_KNOW} | reasons)
                return False
            detail.update({"feedback": str(said)})
        self.feedback.append(said)
        self._mend(said)
        return True

    def _mend(self, said: CragFeedback) -> None:
        match said.fault:
            case CragFault.NEXT_BATCH:
                self.batch += 1
            case CragFault.ENTITIES | CragFault.GRAPH:
                self.asked_graph = False
            case CragFault.KIND:
                self.attributes = replace(self.attributes, kind=CragKind(said.value))
            case CragFault.DYNAMISM:
                self.attributes = replace(self.attributes, dynamism=Dynamism(said.value))
            case CragFault.DOMAIN:
                self.attributes = replace(self.attributes, domain=Domain(said.value))
                self.asked_graph = False

    # --- what comes of it -------------------------------------------------------------------------

    def _give_up(self, what: str, why: str, step: str = "stop") -> None:
        self.draft = CragDraft(AnswerStatus.UNKNOWN, DONT_KNOW, (), {"because": f"{what}: {why}"})
        with self._told(step) as detail:
            detail.update({"answer": DONT_KNOW, "because": f"{what}: {why}"})

    def _end_in_time(self) -> None:
        """No time is left: an answer that nobody has rejected stands, else there is none."""
        why = f"{self.switches.seconds:g} seconds"
        if not self.unjudged or self.draft.status is AnswerStatus.UNKNOWN:
            self._give_up("its time is over", why)
            return
        with self._told("stop") as detail:
            detail.update({"answer": self.draft.text, "because": f"its time is over: {why}; nobody has judged it"})

    def _answer(self) -> CragAnswer:
        used = self.meter.usage()
        usage = CragUsage(used.calls, used.prompt_tokens, used.output_tokens, used.seconds, used.tasks)
        return CragAnswer(
            question=self.question,
            status=self.draft.status,
            text=self.draft.text,
            used=self.draft.used,
            references=self.references,
            attributes=self.attributes,
            rounds=max(1, self.rounds),
            usage=usage,
            trace=tuple(self.trace),
            failed=tuple(self.failed),
            missing=self.draft.missing,
            looked_into=tuple(dict.fromkeys(title for title in self.looked_into if title)),
        )

    @contextmanager
    def _told(self, name: str) -> Iterator[dict[str, object]]:
        """A step of the trace, also of one that failed; none is begun when the time is over."""
        if name not in ("stop", "policy") and self.time.left < 0:
            raise CancelledError
        detail: dict[str, object] = {"round": self.rounds} if self.rounds else {}
        begun = time.perf_counter()
        try:
            with span(f"ask.crag.{name}"):
                yield detail
        finally:
            took = time.perf_counter() - begun
            self.time.stepped(took)
            step = TraceStep(name, took * 1000, detail)
            self.trace.append(step)
            self.watch(step)
