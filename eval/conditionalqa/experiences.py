"""Experiences from labelled questions: routes that miss the evidence, each with a feedback that leads to it."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from clausegraph.core.inquiry import Inquiry
from clausegraph.eval.conditionalqa.dataset import Question
from clausegraph.eval.conditionalqa.gold import GoldEvidence
from clausegraph.eval.conditionalqa.oracles import helps, possible
from clausegraph.query.read.model.labelled import text_hash
from clausegraph.query.retrieve.topics import Offer
from clausegraph.query.steps.bank import StepParts
from clausegraph.query.steps.experiences import Experience, Experiences
from clausegraph.query.steps.protocol import FeedbackKind, Module, Route
from clausegraph.query.steps.route import kind_of

STARTS = 3  # entities on offer with which a wrong route may begin
RELATIONS = 2  # along which
KINDS = 4  # of feedback that there are to be, at least, before enough are found


def collect(
    name: str,
    parts: StepParts,
    gold: GoldEvidence,
    questions: Sequence[Question],
    count: int,
    seed: int,
    done: Callable[[int], None] = lambda _: None,
) -> Experiences:
    """So many experiences, as evenly of each kind of feedback as the questions give; at most one a kind and question.

    Args:
        seed: in which order questions are looked at.
        done: told how many questions were looked at.
    """
    order = random.Random(seed).sample(list(questions), len(questions))
    found: dict[FeedbackKind, list[Experience]] = {}
    saw: dict[str, str] = {}
    for number, question in enumerate(order, 1):
        saw[question.id] = text_hash(question.question, question.scenario)
        for experience in _of_question(parts, gold, question):
            found.setdefault(experience.error, []).append(experience)
        done(number)
        if sum(min(len(of_kind), 1 + count // KINDS) for of_kind in found.values()) >= count:
            break
    return Experiences(name, tuple(_evenly(found, count)), saw=saw)


def _of_question(parts: StepParts, gold: GoldEvidence, question: Question) -> Iterator[Experience]:
    inquiry = Inquiry(question.question, question.scenario)
    offer = Offer(parts.view, parts.embedder, inquiry)
    kinds: Counter[FeedbackKind] = Counter()
    for route in _starts(inquiry, offer):
        if gold.recall(inquiry, parts.lookup.find(inquiry, route).hits) == 1.0:
            continue
        for feedback in possible(route, offer):
            is_new = feedback.kind is not None and not kinds[feedback.kind]
            if is_new and feedback.kind and helps(feedback, route, inquiry, offer, parts.lookup, gold):
                kinds[feedback.kind] += 1
                yield Experience.of(question.question, route, feedback)
                break


def _starts(inquiry: Inquiry, offer: Offer) -> Iterator[Route]:
    """Routes that a router may take: no entity; one of the first, alone, along a relation, or two together."""
    kind = kind_of(inquiry)
    yield Route(kind)
    topics = offer.entities[:STARTS]
    for topic in topics:
        yield from (Route(kind, module, (topic,)) for module in (Module.GRAPH, Module.HYBRID))
    yield from (Route(kind, Module.GRAPH, topics[:1], (relation,)) for relation in offer.relations[:RELATIONS])
    if len(topics) > 1:
        yield Route(kind, Module.GRAPH, topics[:2])


def _evenly(found: dict[FeedbackKind, list[Experience]], count: int) -> list[Experience]:
    """Of each kind in turn, until there are so many."""
    chosen: list[Experience] = []
    for turn in range(max(map(len, found.values()), default=0)):
        chosen += [of_kind[turn] for of_kind in found.values() if turn < len(of_kind)]
    return chosen[:count]
