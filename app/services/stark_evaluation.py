"""Retrieval from a semi-structured knowledge base, by STaRK's figures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from clausegraph.app.services.crag_evaluation import CragTrial, kept_records, trial_model
from clausegraph.app.version import version
from clausegraph.app.wiring import engine_options
from clausegraph.core.errors import InputError, SettingsError

if TYPE_CHECKING:
    from clausegraph.app.workspace import Workspace
    from clausegraph.eval.stark.methods import Method, NearText
    from clausegraph.eval.stark.run import StarkBase, StarkRecord
    from clausegraph.query.engines.protocol import EngineOptions

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
    workspace: Workspace,
    folder: Path,
    trial: StarkTrial,
    output: Path | None = None,
    told: Callable[[str, int, int], None] = lambda *_: None,
) -> dict[str, list[StarkRecord]]:
    """Records by method; without names all methods that can be had with the settings.

    Raises:
        InputError: files cannot be read, a method is unknown, or ``output`` holds a run of something else.
        SettingsError: a method asks a model and none is set.
    """
    from clausegraph.eval.stark.methods import NearText
    from clausegraph.eval.stark.run import rank_all, read_base

    settings = workspace.settings
    names = trial.methods or tuple(name for name in METHODS if settings.llm or name not in _ASK)
    if unknown := [name for name in names if name not in METHODS]:
        raise InputError(f"there is no method {unknown[0]!r}; take one of {', '.join(METHODS)}")
    if settings.llm is None and (asking := [name for name in names if name in _ASK]):
        raise SettingsError(f"method {asking[0]!r} asks a language model, and none is set; set CLAUSEGRAPH_LLM")
    base = read_base(folder, trial.types, trial.questions)
    near = NearText(base, workspace.embedder)
    found = {}
    with trial_model(settings, CragTrial(cassette=trial.cassette, record=trial.record)) as llm:
        options = engine_options(settings, llm)
        for name in names:
            described = {
                "version": version(),
                "knowledge": folder.name,
                "nodes": len(base.graph.nodes),
                "edges": len(base.graph.edges),
                "questions": len(base.questions),
                "llm": settings.llm,
                "embedding": workspace.embedder.fingerprint,
                "method": name,
                "types": list(trial.types),
            }
            kept = kept_records(output, name, described) if output is not None else None
            found[name] = rank_all(
                base.questions,
                _method(name, base, near, options),
                kept=kept,
                told=_telling(told, name, base),
            )
    return found


def _telling(told: Callable[[str, int, int], None], name: str, base: StarkBase) -> Callable[[int], None]:
    return lambda done: told(name, done, len(base.questions))


def _method(name: str, base: StarkBase, near: NearText, options: EngineOptions) -> Method:
    from clausegraph.eval.stark.methods import ROUNDS, HybridRanking, ModelReranking, PagerankRanking, VectorRanking

    if name == "pagerank":
        return PagerankRanking(base, near)
    if name.startswith("hybrid"):
        return HybridRanking(base, near, options.model, options.question, rounds=ROUNDS if name == "hybrid" else 1)
    if name == "vector" or options.model is None:
        return VectorRanking(near)
    return ModelReranking(base, near, options.model, options.question)
