"""Publishing decisions about names without a run of a source."""

from __future__ import annotations

import uuid

from clausegraph.core.errors import ClauseGraphError, ModelMismatchError
from clausegraph.indexes.corpora import end_run, get_corpus, start_run
from clausegraph.indexes.epochs import get_published, list_epochs
from clausegraph.indexes.ledger.leases import run_lease
from clausegraph.indexes.plan import make_plan
from clausegraph.indexes.publish import recover
from clausegraph.ingestion.pipeline import Options, Tools, embed_texts, publish
from clausegraph.ingestion.report import RunReport

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
    report = RunReport(uuid.uuid4().hex[:12], corpus_name, "")
    with run_lease(tools.ledger, corpus.id, report.run_id) as lease:
        start_run(tools.ledger, corpus.id, report.run_id, KIND, "")
        try:
            report.recovered = recover(tools.ledger, lease, tools.projections)
            _check_model(tools, corpus.id, corpus_name)
            with report.timed("plan"):
                plan = make_plan(tools.ledger, corpus.id, [], tools.embedder.fingerprint)
            report.rows = plan.counts()
            if not plan.is_empty:
                with report.timed("embed"):
                    embed_texts(tools, plan, report)
                with report.timed("publish"):
                    publish(tools, get_corpus(tools.ledger, corpus_name), lease, plan, options, report)
        except (ClauseGraphError, KeyboardInterrupt) as error:
            end_run(tools.ledger, report.run_id, "failed", report.as_dict() | {"error": str(error) or "interrupted"})
            raise
        end_run(tools.ledger, report.run_id, "done", report.as_dict())
    return report


def _check_model(tools: Tools, corpus_id: int, corpus_name: str) -> None:
    model = list_epochs(tools.ledger, corpus_id)[0].model
    if model != tools.embedder.fingerprint:
        raise ModelMismatchError(
            f"corpus {corpus_name!r} was embedded by {model}, but the settings name {tools.embedder.fingerprint}; set "
            "CLAUSEGRAPH_EMBEDDING_MODEL as it was, or run `clausegraph ingest`, which embeds it with the new one and "
            "applies the decisions too"
        )
