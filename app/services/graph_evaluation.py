"""Knowledge graphs measured: plans over one (KERAG), and retrieval from a semi-structured one (STaRK)."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from clausegraph.app.engines import crag_options, engine_options
from clausegraph.app.services.crag_evaluation import CragTrial, counting, kept_records, record_rows
from clausegraph.app.services.evaluation import trial_model
from clausegraph.core.errors import InputError, SettingsError
from clausegraph.eval.crag.dataset import read_paths, read_triples
from clausegraph.eval.stark.methods import (
    ROUNDS,
    HybridRanking,
    ModelReranking,
    NearText,
    PagerankRanking,
)
from clausegraph.eval.stark.run import rank_all, read_base
from clausegraph.ingestion.pipeline import Progress, no_progress
from clausegraph.query.crag.engine import CragEngine
from clausegraph.query.crag.kg.plan import GraphLookup
from clausegraph.query.crag.times import now

if TYPE_CHECKING:
    from clausegraph.app.workspace import Workspace
    from clausegraph.eval.crag.run import Ask, CragRecord
    from clausegraph.eval.crag.tables import CragRow
    from clausegraph.eval.stark.methods import Method
    from clausegraph.eval.stark.run import StarkBase, StarkRecord
    from clausegraph.query.crag.types import CragSwitches
    from clausegraph.query.engines.bank import EngineOptions
    from clausegraph.query.steps.model import StepModel


def measure_kgqa(
    workspace: Workspace,
    questions: Path,
    triples: Path,
    trial: CragTrial,
    output: Path | None = None,
    told: Progress = no_progress,
) -> dict[str, list[CragRecord]]:
    """Records by row.

    Raises:
        InputError: a file cannot be read, a row is unknown, or ``output`` holds a run of something else.
        SettingsError: no model is set: a plan is made by one.
    """
    settings = workspace.settings
    if settings.llm is None:
        raise SettingsError(
            "a plan over a knowledge graph is made by a language model, and none is set; set CLAUSEGRAPH_LLM"
        )
    cases, graph = read_paths(questions, trial.at or now()), read_triples(triples)
    made = crag_options(settings)

    def lookup(switches: CragSwitches, model: StepModel | None) -> GraphLookup | None:
        if model is None:
            return None
        return GraphLookup(lambda: nullcontext(graph), model, switches.hops, filtered=switches.filtered)

    def ask_of(row: CragRow, options: EngineOptions) -> Ask:
        switches = replace(row.applied(made.switches), seconds=trial.seconds)
        given = replace(made, switches=switches, graph=partial(lookup, switches))
        engine = CragEngine(given, options.model, options.question)
        return lambda case: engine.answer(case.question, None)

    shaping = {"questions": questions.name, "triples": triples.name}
    return record_rows(settings, cases, trial, shaping, ask_of, output, told)


METHODS = {
    "vector": "similarity of the nodes' texts alone",
    "vector-reranked": "its first twenty as a model orders them",
    "pagerank": "a walk from what the question names and the nearest texts",
    "hybrid-one-round": "graph and text, without the critic",
    "hybrid": "graph and text, with the critic, four rounds",
}
_ASK = ("vector-reranked", "hybrid")


@dataclass(frozen=True, slots=True)
class StarkTrial:
    """What is measured: methods, the types of nodes that may be answers (none: all), and how."""

    methods: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    questions: Path | None = None
    cassette: Path | None = None
    record: bool = False


def measure_stark(
    workspace: Workspace, folder: Path, trial: StarkTrial, output: Path | None = None, told: Progress = no_progress
) -> dict[str, list[StarkRecord]]:
    """Records by method; without names all methods that can be had with the settings.

    Raises:
        InputError: files cannot be read, a method is unknown, or ``output`` holds a run of something else.
        SettingsError: a method asks a model and none is set.
    """
    settings = workspace.settings
    names = trial.methods or tuple(name for name in METHODS if settings.llm or name not in _ASK)
    if unknown := [name for name in names if name not in METHODS]:
        raise InputError(f"there is no method {unknown[0]!r}; take one of {', '.join(METHODS)}")
    if settings.llm is None and (asking := [name for name in names if name in _ASK]):
        raise SettingsError(f"method {asking[0]!r} asks a language model, and none is set; set CLAUSEGRAPH_LLM")
    base = read_base(folder, trial.types, trial.questions)
    near = NearText(base, workspace.embedder)
    found = {}
    with trial_model(settings, trial.cassette, record=trial.record) as llm:
        options = engine_options(settings, llm)
        for name in names:
            shaping = {
                "knowledge": folder.name,
                "nodes": len(base.graph.nodes),
                "edges": len(base.graph.edges),
                "questions": len(base.questions),
                "llm": settings.llm,
                "embedding": workspace.embedder.fingerprint,
                "method": name,
                "types": list(trial.types),
            }
            kept, tell = kept_records(output, name, shaping), counting(told, name, len(base.questions))
            found[name] = rank_all(base.questions, _method(name, base, near, options), kept=kept, told=tell)
    return found


def _method(name: str, base: StarkBase, near: NearText, options: EngineOptions) -> Method:
    if name == "pagerank":
        return PagerankRanking(base, near)
    if name.startswith("hybrid"):
        return HybridRanking(base, near, options.model, options.question, rounds=ROUNDS if name == "hybrid" else 1)
    if name == "vector" or options.model is None:
        return near
    return ModelReranking(base, near, options.model, options.question)
