"""Every module of the engine behind a switch, as plain values; ``app`` makes them of the settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Trust = Literal["together", "kg-first"]
Snippets = Literal["beside", "only", "off"]
Gather = Literal["all", "react", "corrective"]


@dataclass(frozen=True, slots=True)
class CragSwitches:
    """What is on. The first value of each is the default; "off" leaves a module out, for ablations.

    Args:
        attributes: which predictors: "auto" (all that are at hand), "rules", "model", "svm" or "off".
        policy: by label: {"real-time": "abstain"} says "i don't know" at once, "live" only where no graph is at hand.
        pages: whether pages are looked at, and their tables apart from text.
        snippets: what a search shows of pages: "beside" their pieces, "only" these (USTC), or "off".
        graph: whether a graph is asked, where one is given: "plan" (KERAG), "rules", "tools" or "off".
        trust: "kg-first": facts of the graph are used without pages, which are read only where it has none.
        self_check: one call that asks first whether the references answer the question.
        sub_problems: list sub-problems and solve them in order before answering.
        false_premise: ask for a false premise, and answer "invalid question".
        own_knowledge: what a model knows itself, as one reference among others.
        rounds: of answering and critic, at most; 1 is without a critic.
        batch: pages of a batch.
        references: pieces of pages that are shown, at most.
        piece_characters: of a piece of text; longer sentences are cut.
        summarise: a backup call where the reply does not parse.
        gather: "all" that is on; "react": what a model looks for in four turns; "corrective": pages, and the graph
            where a model finds them wrong. The last two are what the engine is compared with.
        grouped: sentences together, and a question with what follows it; else each sentence alone.
        structured: the reply in its fixed order, with the rules; else a plain prompt (the benchmark's baseline).
        hops, filtered: of a plan on a graph: how far, and whether relations and facts are left out.
        seconds: after which no further step is begun, and a call in flight is given up; 0 is no limit.
    """

    attributes: str = "auto"
    policy: Mapping[str, str] = field(default_factory=dict)
    pages: bool = True
    tables: bool = True
    snippets: Snippets = "beside"
    graph: str = "plan"
    calculator: bool = True
    trust: Trust = "together"
    self_check: bool = True
    sub_problems: bool = True
    false_premise: bool = True
    own_knowledge: bool = False
    summarise: bool = True
    critic: bool = True
    rounds: int = 4
    batch: int = 5
    references: int = 30
    piece_characters: int = 600
    gather: Gather = "all"
    grouped: bool = True
    structured: bool = True
    hops: int = 3
    filtered: bool = True
    seconds: float = 30.0
