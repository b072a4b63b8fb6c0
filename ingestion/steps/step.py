"""What the steps of a run share, and what they leave for each other in the ledger."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from clausegraph.core.errors import InputError
from clausegraph.indexes.ledger.leases import STEPS_LEASE_S
from clausegraph.indexes.ledger.store import Ledger
from clausegraph.indexes.work import CLAIM_S, read_steps
from clausegraph.ingestion.results import Changes, Result, results_from_json, results_to_json

BATCH_CHUNKS = 100
_FORM = 3  # of what steps leave: count up when a step could not read what another version left


@dataclass(frozen=True, slots=True)
class Pace:
    """How large the batches are (chunks), and how long lease and claims outlive a process that died (seconds)."""

    batch_chunks: int = BATCH_CHUNKS
    lease_s: float = STEPS_LEASE_S
    claim_s: float = CLAIM_S


@dataclass(frozen=True, slots=True)
class Planned:
    """What the first step found: the changes, the newest epoch then, the source, the extractor's fingerprint."""

    changes: Changes
    newest: int
    source_id: int
    extractor: str

    def left(self, results: Iterable[Result]) -> dict[str, Any]:
        """As JSON values, with the results of the step."""
        values = {"newest": self.newest, "source_id": self.source_id, "extractor": self.extractor}
        return values | {"form": _FORM, "results": results_to_json(results)}


def planned(ledger: Ledger, run_id: str) -> Planned:
    """What the first step of a run found.

    Raises:
        InputError: the run was not planned, or by another version of ClauseGraph.
    """
    values = read_steps(ledger, run_id).get("plan", {})
    if values.get("form") != _FORM:
        raise InputError(f"run {run_id} was not planned by this version of ClauseGraph; start a new run")
    changes = next(result for result in results_of(values) if isinstance(result, Changes))
    return Planned(changes, values["newest"], values["source_id"], values["extractor"])


def results_of(values: Mapping[str, Any]) -> list[Result]:
    """The results that a step left."""
    return results_from_json(values.get("results", ()))


def check_same(found: str, wanted: str, what: str) -> None:
    if found != wanted:
        raise InputError(f"the {what} was {wanted} when the run began and is {found} now; start a new run")
