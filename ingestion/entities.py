"""Publishing decisions about names without a run of a source."""

from __future__ import annotations

from clausegraph.core.errors import ModelMismatchError
from clausegraph.indexes.corpora import get_corpus, get_published, list_epochs
from clausegraph.indexes.plan import make_plan
from clausegraph.ingestion.pipeline import embed_texts, publish
from clausegraph.ingestion.report import RunReport
from clausegraph.ingestion.results import Published
from clausegraph.ingestion.run import new_run_id, running
from clausegraph.ingestion.tools import Options, Tools

KIND = "entities"


def apply_decisions(tools: Tools, corpus_name: str, options: Options = Options()) -> RunReport:
    """Publish the newest state under the accepted decisions; nothing happens when it is under them already.

    The extractor of ``tools`` is not used: statements are stored as they were written.

    Raises:
        NotFoundError: no such corpus, or nothing was published yet.
        ModelMismatchError: the corpus was embedded by another model; an ingest changes the model.
        LeaseHeldError: another run is writing to the corpus.
    """
    corpus = get_corpus(tools.ledger, corpus_name)
    with tools.ledger.read() as connection:
        get_published(connection, corpus)
    with running(tools, corpus, new_run_id(), kind=KIND) as run:
        check_model(tools, corpus.id, corpus_name)
        with run.timed("plan"):
            plan = make_plan(tools.ledger, corpus.id, [], tools.embedder.fingerprint)
        if plan.is_empty:
            run.add(Published(None, plan.counts()))
        else:
            with run.timed("embed"):
                run.collect(embed_texts(tools, plan))
            with run.timed("publish"):
                run.add(publish(tools, run.corpus, run.lease, plan, options))
    return run.report


def check_model(tools: Tools, corpus_id: int, corpus_name: str) -> None:
    """Raise where the corpus was embedded by another model than that of ``tools``.

    Raises:
        ModelMismatchError: with what to do.
    """
    model = list_epochs(tools.ledger, corpus_id)[0].model
    if model != tools.embedder.fingerprint:
        raise ModelMismatchError(
            f"corpus {corpus_name!r} was embedded by {model}, but the settings name {tools.embedder.fingerprint}; set "
            "CLAUSEGRAPH_EMBEDDING_MODEL as it was, or run `clausegraph ingest`, which embeds it with the new one and "
            "applies the decisions too"
        )
