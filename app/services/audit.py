"""Whether readers get what the truth says: every difference of a corpus in words, and what can be rebuilt rebuilt."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from contextlib import closing, nullcontext
from functools import partial

from clausegraph.app.models import opened_projection
from clausegraph.app.services import Record
from clausegraph.app.workspace import Workspace
from clausegraph.core.errors import StorageError, StoreError
from clausegraph.indexes.audit import (
    Difference,
    Step,
    count_again,
    mend_vectors,
    page_differences,
    vector_differences,
)
from clausegraph.indexes.corpora import CorpusRow, get_corpus, list_corpora
from clausegraph.indexes.ledger.leases import run_lease
from clausegraph.indexes.ledger.readers import holds_of
from clausegraph.indexes.ledger.store import Ledger


class FoundDifference(Record):
    """What differs, in words, and in which part: ``bytes`` cannot be mended here, and the words say what can."""

    part: str
    text: str


class CorpusAudit(Record):
    """What was found of a corpus, and what of that is so no more; ``epoch`` is the newest, 0 for none."""

    corpus: str
    epoch: int
    found: list[FoundDifference]
    left: list[FoundDifference]


def audit(workspace: Workspace, names: Sequence[str], progress: Step, *, repair: bool = False) -> list[CorpusAudit]:
    """What is wrong with each corpus; none are named: with every one.

    Raises:
        LeaseHeldError: there is something to repair, and a run is writing to the corpus.
        ModelMismatchError: texts are to be embedded again, and the corpus was embedded by another model.
        SegmentError, StoreError: vectors or Neo4j cannot be repaired.
        StorageError: the database itself is damaged.
    """
    ledger = workspace.ledger_to_change() if repair else workspace.ledger
    if damage := ledger.database.damage():
        raise StorageError(f"{ledger.place}: {damage}; restore it from a backup: `clausegraph restore DIR`")
    corpora = [get_corpus(ledger, name) for name in names] or list_corpora(ledger)
    return [_audited(workspace, ledger, corpus, progress, repair) for corpus in corpora]


def _audited(workspace: Workspace, ledger: Ledger, corpus: CorpusRow, progress: Step, repair: bool) -> CorpusAudit:
    found = left = list(_differences(workspace, ledger, corpus, progress))
    if repair and found:
        _mend(workspace, ledger, corpus, found)
        corpus = get_corpus(ledger, corpus.name)
        left = list(_differences(workspace, ledger, corpus, progress))
    listed = ([FoundDifference.of(one) for one in differences] for differences in (found, left))
    return CorpusAudit(corpus=corpus.name, epoch=corpus.newest, found=next(listed), left=next(listed))


def _differences(workspace: Workspace, ledger: Ledger, corpus: CorpusRow, told: Step) -> Iterator[Difference]:
    from clausegraph.app.services.ingest import rule_reader
    from clausegraph.ingestion.pipeline import page_target

    if not corpus.newest:
        return
    held = holds_of(ledger).hold(corpus.id, corpus.newest)
    with nullcontext() if held is None else closing(held):
        derive = partial(page_target, ledger, rule_reader(workspace.settings), corpus.id)
        yield from page_differences(ledger, corpus, derive, told)
        yield from vector_differences(ledger, corpus)
        yield from _neo4j_differences(workspace, ledger, corpus)


def _neo4j_differences(workspace: Workspace, ledger: Ledger, corpus: CorpusRow) -> Iterator[Difference]:
    if workspace.settings.neo4j_mode != "off":
        with opened_projection(workspace.settings, ledger) as projection:
            try:
                yield from (Difference("neo4j", f"Neo4j: {text}") for text in projection.verify(corpus.id))
            except StoreError as error:
                yield Difference("neo4j", f"Neo4j cannot be compared: {error}")


def _mend(workspace: Workspace, ledger: Ledger, corpus: CorpusRow, found: Sequence[Difference]) -> None:
    """What is nearest to the truth first."""
    from clausegraph.app.services.corpora import project_neo4j
    from clausegraph.app.services.ingest import as_retained, run_tools
    from clausegraph.ingestion.pipeline import derive_again
    from clausegraph.ingestion.tools import Options

    if any(one.part in ("rows", "names") for one in found):
        with run_tools(workspace, None) as tools:
            page_ids = {one.of for one in found if one.part == "rows"}
            derive_again(tools, corpus.name, page_ids, as_retained(workspace.settings, Options()))
    with run_lease(ledger, corpus.id, f"audit-{uuid.uuid4().hex[:12]}") as lease:
        count_again(ledger, lease, [one.of for one in found if one.part == "words"])
        mend_vectors(ledger, lease, vector_differences(ledger, corpus))
    if any(_neo4j_differences(workspace, ledger, corpus)):
        project_neo4j(workspace, corpus.name, rebuild=True)
