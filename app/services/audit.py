"""Whether readers get what the truth says: every difference of a corpus in words, and what can be rebuilt rebuilt."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from functools import partial

from clausegraph.app.models import opened_projection
from clausegraph.app.services import Record
from clausegraph.app.workspace import Workspace
from clausegraph.core.errors import LedgerError, StoreError
from clausegraph.indexes.audit import (
    Derive,
    Difference,
    Step,
    count_again,
    mend_vectors,
    row_differences,
    vector_differences,
    version_differences,
)
from clausegraph.indexes.corpora import CorpusRow, get_corpus, list_corpora
from clausegraph.indexes.ledger.leases import RunLease, run_lease
from clausegraph.indexes.ledger.readers import holds_of
from clausegraph.indexes.ledger.store import Ledger


class FoundDifference(Record):
    """``count`` things of which one is told in ``text``; ``fix``: what to do where nothing here can mend it."""

    part: str
    text: str
    count: int
    fix: str


class CorpusAudit(Record):
    """What was found of a corpus, and what of that is so no more; ``epoch`` is the newest, 0 for none."""

    corpus: str
    epoch: int
    found: list[FoundDifference]
    left: list[FoundDifference]


def audit(
    workspace: Workspace, names: Sequence[str], progress: Step, *, repair: bool = False
) -> tuple[str, list[CorpusAudit]]:
    """What is wrong with the database, empty for nothing, and what with each corpus; none are named: with every one.

    Raises:
        LeaseHeldError: there is something to repair, and a run is writing to the corpus.
        ModelMismatchError: texts are to be embedded again, and the corpus was embedded by another model.
    """
    ledger = workspace.ledger_to_change() if repair else workspace.ledger
    if damage := ledger.database.damage():
        return f"{ledger.place}: {damage}", []
    corpora = [get_corpus(ledger, name) for name in names] or list_corpora(ledger)
    return "", [_audited(workspace, ledger, corpus, progress, repair) for corpus in corpora]


def _audited(workspace: Workspace, ledger: Ledger, corpus: CorpusRow, progress: Step, repair: bool) -> CorpusAudit:
    found = left = list(_differences(workspace, ledger, corpus, progress))
    failed: list[str] = []
    if repair and found:
        failed = _mend(workspace, ledger, corpus, found)
        corpus = get_corpus(ledger, corpus.name)
        left = list(_differences(workspace, ledger, corpus, progress))
    records = [[FoundDifference.of(one) for one in differences] for differences in (found, left)]
    records[1] += [FoundDifference(part="vectors", text=text, count=1, fix="") for text in failed if left]
    return CorpusAudit(corpus=corpus.name, epoch=corpus.newest, found=records[0], left=records[1])


def short_audit(ledger: Ledger) -> list[str]:
    """What the database's own check and the checksums of the vectors say is wrong, in words."""
    damage = ledger.database.damage()
    found = (one.text for corpus in list_corpora(ledger) for one in vector_differences(ledger, corpus, short=True))
    return [damage, *found] if damage else list(found)


def _differences(workspace: Workspace, ledger: Ledger, corpus: CorpusRow, told: Step) -> Iterator[Difference]:
    if not corpus.newest:
        return
    held = holds_of(ledger).hold(corpus.id, corpus.newest)
    try:
        yield from version_differences(ledger, corpus, told)
        yield from row_differences(ledger, corpus, _deriving(workspace, ledger, corpus), told)
        yield from vector_differences(ledger, corpus, told)
        yield from _of_projection(workspace, ledger, corpus)
    finally:
        if held is not None:
            held.close()


def _deriving(workspace: Workspace, ledger: Ledger, corpus: CorpusRow) -> Derive:
    from clausegraph.app.services.ingest import rule_reader
    from clausegraph.ingestion.pipeline import page_target

    return partial(page_target, ledger, rule_reader(workspace.settings), corpus.id)


def _of_projection(workspace: Workspace, ledger: Ledger, corpus: CorpusRow) -> Iterator[Difference]:
    if workspace.settings.neo4j_mode == "off":
        return
    with opened_projection(workspace.settings, ledger) as projection:
        try:
            yield from (Difference("neo4j", f"Neo4j: {text}") for text in projection.verify(corpus.id))
        except StoreError as error:
            yield Difference("neo4j", f"Neo4j cannot be compared: {error}")


def _mend(workspace: Workspace, ledger: Ledger, corpus: CorpusRow, found: Sequence[Difference]) -> list[str]:
    """What is nearest to the truth first; returns why something cannot be written."""
    from clausegraph.app.services.corpora import project_neo4j
    from clausegraph.app.services.ingest import as_retained, run_tools
    from clausegraph.ingestion.pipeline import derive_again
    from clausegraph.ingestion.tools import Options

    with _lease(ledger, corpus) as lease:
        count_again(ledger, lease, [one.of for one in found if one.part == "words"])
    if any(one.part in ("rows", "names") for one in found):
        with run_tools(workspace, None) as tools:
            page_ids = {one.of for one in found if one.part == "rows"}
            derive_again(tools, corpus.name, page_ids, as_retained(workspace.settings, Options()))
    failed = rewrite_vectors(ledger, get_corpus(ledger, corpus.name))
    if any(_of_projection(workspace, ledger, corpus)):
        try:
            project_neo4j(workspace, corpus.name, rebuild=True)
        except LedgerError as error:
            failed.append(str(error))
    return failed


def rewrite_vectors(ledger: Ledger, corpus: CorpusRow, *, short: bool = False) -> list[str]:
    """Write embeddings and segments again that differ; returns why some cannot be."""
    if found := list(vector_differences(ledger, corpus, short=short)):
        with _lease(ledger, corpus) as lease:
            return mend_vectors(ledger, lease, found)
    return []


def _lease(ledger: Ledger, corpus: CorpusRow) -> AbstractContextManager[RunLease]:
    return run_lease(ledger, corpus.id, f"audit-{uuid.uuid4().hex[:12]}")
