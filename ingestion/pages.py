"""Single pages taken out of a corpus, without a run of their sources."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from clausegraph.indexes.corpora import get_corpus
from clausegraph.indexes.fetches import forget_pages
from clausegraph.indexes.plan import make_plan
from clausegraph.indexes.truth import open_members
from clausegraph.ingestion.entities import check_model
from clausegraph.ingestion.pipeline import embed_texts, make_targets, publish
from clausegraph.ingestion.report import RunReport
from clausegraph.ingestion.results import Changes
from clausegraph.ingestion.run import new_run_id, running
from clausegraph.ingestion.tools import Options, Tools

KIND = "pages"
ASKED = "removed by hand"


def remove_pages(
    tools: Tools, corpus_name: str, uris: Mapping[int, Sequence[str]], options: Options = Options()
) -> RunReport:
    """Publish the corpus without these pages; what was fetched of them is forgotten.

    The next run of their source brings back those that are still there.

    Args:
        uris: of the pages, by source id; one that the newest state has not is passed over.

    Raises:
        NotFoundError: no such corpus.
        ModelMismatchError: the corpus was embedded by another model.
        LeaseHeldError: another run is writing to the corpus.
    """
    corpus = get_corpus(tools.ledger, corpus_name)
    with running(tools, corpus, new_run_id(), kind=KIND) as run:
        check_model(tools, corpus.id, corpus_name)
        held = {source: open_members(tools.ledger, source) for source in uris}
        found = {source: [uri for uri in uris[source] if uri in held[source]] for source in uris}
        gone = [uri for listed in found.values() for uri in listed]
        run.add(Changes(removed=gone, why=dict.fromkeys(gone, ASKED)))
        with run.timed("plan"):
            ids = [held[source][uri].page_id for source, listed in found.items() for uri in listed]
            targets = make_targets(tools, corpus.id, [], ids)
            plan = make_plan(tools.ledger, corpus.id, targets, tools.embedder.fingerprint)
        with run.timed("embed"):
            run.collect(embed_texts(tools, plan))
        with run.timed("publish"):
            run.add(publish(tools, run.corpus, run.lease, plan, options))
        with tools.ledger.write() as connection:
            for source, listed in found.items():
                forget_pages(connection, source, listed)
    return run.report
