"""The engine for open questions as the settings have it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clausegraph.core.settings import Settings
    from clausegraph.query.crag.parts import CragOptions, CragParts
    from clausegraph.query.crag.switches import CragSwitches


def crag_options(settings: Settings) -> CragOptions:
    """Which modules are on, and the parts that this deployment has."""
    from clausegraph.query.crag.parts import CragOptions

    return CragOptions(crag_switches(settings), crag_parts(settings))


def crag_switches(settings: Settings) -> CragSwitches:
    """The switches of the settings."""
    from clausegraph.query.crag.switches import CragSwitches

    return CragSwitches(
        tables=settings.crag_tables,
        self_check=settings.crag_self_check,
        sub_problems=settings.crag_sub_problems,
        false_premise=settings.crag_false_premise,
        own_knowledge=settings.crag_own_knowledge,
        summarise=settings.crag_summarise,
        critic=settings.crag_critic,
        rounds=settings.crag_rounds,
        batch=settings.crag_batch,
        references=settings.crag_references,
        seconds=settings.crag_seconds,
    )


def crag_parts(settings: Settings) -> CragParts:
    """Makers of predictor, graph and calculator; what is not set up is left out."""
    from clausegraph.query.crag.parts import CragParts

    return CragParts()
