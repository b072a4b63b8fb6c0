"""How the DAG of a corpus is made. Each task is one call of a step; what it needs is imported when it runs."""

from __future__ import annotations

import hashlib
import json
import re
from datetime import UTC, datetime, timedelta
from typing import Any

from airflow.sdk import DAG, Asset, Param, TriggerRule, task
from airflow.sdk.exceptions import AirflowFailException, AirflowRescheduleException, AirflowSkipException

from clausegraph.app.services import scheduling
from clausegraph.core.errors import InputError, ModelRefused, NotFoundError
from clausegraph.core.settings import ScheduledCorpus, Settings, load_settings

_UNSAFE = re.compile(r"[^\w.-]+", re.ASCII)
_WEB = {"mode", "depth", "addresses", "alike", "include", "exclude", "pdf"}
_LOOK_AGAIN = timedelta(minutes=1)  # at a run in quarantine
_START = datetime(2024, 1, 1, tzinfo=UTC)
_HOPELESS = (InputError, NotFoundError, ModelRefused)  # another attempt would end the same way


def ingest_dags(settings: Settings | None = None) -> dict[str, DAG]:
    """The DAGs of every scheduled corpus, by id: one that ingests it, and one that evaluates what is published."""
    corpora = (settings or load_settings()).corpora
    made = [dag for name, corpus in corpora.items() for dag in (ingest_dag(name, corpus), evaluate_dag(name))]
    return {dag.dag_id: dag for dag in made}


def ingest_dag(corpus: str, scheduled: ScheduledCorpus) -> DAG:
    """The DAG that mirrors a source into a corpus."""
    slug = slug_of(corpus)
    with DAG(
        dag_id=f"ingest_{slug}",
        dag_display_name=f"ingest {corpus}",
        description=f"Mirror {scheduled.source} into the corpus {corpus} and publish what changed",
        doc_md=__doc__,
        schedule=scheduled.schedule or None,
        start_date=_START,
        catchup=False,
        max_active_runs=1,
        is_paused_upon_creation=False,  # the schedule was asked for, in the settings
        params=_params(scheduled),
        tags=["clausegraph"],
        default_args={
            "retries": scheduled.retries,
            "retry_delay": timedelta(seconds=scheduled.retry_delay),
            "retry_exponential_backoff": 2.0,
            "max_retry_delay": timedelta(minutes=15),
        },
    ) as dag:
        _add_tasks(corpus, scheduled, published_asset(corpus))
    return dag


def evaluate_dag(corpus: str) -> DAG:
    """The DAG that asks the gate's questions of each epoch that is published, whoever let it through."""
    slug = slug_of(corpus)
    with DAG(
        dag_id=f"evaluate_{slug}",
        dag_display_name=f"evaluate {corpus}",
        description=f"Ask the questions of the gate of the corpus {corpus} when an epoch is published",
        schedule=[published_asset(corpus)],
        start_date=_START,
        catchup=False,
        max_active_runs=1,
        is_paused_upon_creation=False,
        tags=["clausegraph"],
    ) as dag:

        @task
        def evaluate() -> dict[str, Any]:
            from clausegraph.app.services import scheduling

            made = scheduling.evaluate(corpus)
            if made is None:
                raise AirflowSkipException(f"the corpus {corpus} has no gate; `clausegraph gate set` gives it one")
            print(json.dumps(made, ensure_ascii=False, indent=1))  # noqa: T201 - the task's log
            if not made["is_met"]:
                raise AirflowFailException(f"epoch {made['epoch']} misses the floor of the gate: see the log")
            return {name: made[name] for name in ("epoch", "asked", "floor")}

        evaluate()
    return dag


def slug_of(corpus: str) -> str:
    """The name of a corpus as Airflow's ids can hold it; a name that has to change keeps a hash of itself."""
    slug = _UNSAFE.sub("_", corpus)
    return slug if slug == corpus else f"{slug}_{hashlib.sha256(corpus.encode()).hexdigest()[:6]}"


def published_asset(corpus: str) -> Asset:
    """The asset that every published epoch of a corpus updates; the event's extra has corpus, epoch and run."""
    slug = slug_of(corpus)
    return Asset(name=f"clausegraph_{slug}", uri=f"x-clausegraph://corpora/{slug}", group="clausegraph")


def _params(scheduled: ScheduledCorpus) -> dict[str, Param]:
    return {
        "source": Param(scheduled.source, type="string", minLength=1, description="What is mirrored into the corpus"),
        "force": Param(False, type="boolean", description="Read every page again"),
        "limit": Param(
            scheduled.limit, type=["null", "integer"], minimum=1, description="New or changed pages to read at most"
        ),
        "dry_run": Param(False, type="boolean", description="Only report what would change"),
    }


def _add_tasks(corpus: str, scheduled: ScheduledCorpus, asset: Asset) -> None:
    def step(name: str, context: dict[str, Any], *more: Any) -> Any:
        """Do the step; what no retry can cure fails the task at once."""
        run = _run(corpus, scheduled, context)
        try:
            return scheduling.run_status(run) if name == "status" else scheduling.step(name, run, *more)
        except _HOPELESS as error:
            raise AirflowFailException(str(error)) from error

    @task
    def plan(**context: Any) -> list[int]:
        batches: list[int] = step("plan", context)
        return batches

    @task(pool=scheduled.pool)
    def extract(batch: int, **context: Any) -> dict[str, int] | None:
        done: dict[str, int] | None = step("extract", context, batch)
        return done

    @task(pool=scheduled.pool, trigger_rule=TriggerRule.NONE_FAILED)  # no batch, no extraction: skipped
    def embed(**context: Any) -> dict[str, int]:
        if context["params"]["dry_run"]:
            raise AirflowSkipException("a dry run only reports")
        done: dict[str, int] | None = step("embed", context)
        if done is None:
            raise AirflowSkipException("the run is in quarantine, or was dropped there: nothing of it is published")
        return done

    def published(context: dict[str, Any]) -> int:
        """The epoch, of which the asset has an event then."""
        epoch: int | None = step("publish", context)
        if epoch is None:
            raise AirflowSkipException(
                "no epoch was published: readers have exactly this already, or the gate holds it"
            )
        run_id = _run(corpus, scheduled, context)["id"]
        context["outlet_events"][asset].extra = {"corpus": corpus, "epoch": epoch, "run": run_id}
        return epoch

    @task(outlets=[asset])
    def publish(**context: Any) -> int:
        return published(context)

    @task(outlets=[asset], trigger_rule=TriggerRule.NONE_FAILED)  # what is held was not published: skipped
    def decided(**context: Any) -> int:
        """Give the worker back and look again later, for as long as the run waits in quarantine."""
        status = "" if context["params"]["dry_run"] else step("status", context)
        if status == "done":  # somebody accepted it, and published it
            return published(context)
        now = datetime.now(UTC)
        if status != "quarantined":
            raise AirflowSkipException("the run is not in quarantine: there is nothing to decide")
        if now > context["dag_run"].start_date + timedelta(hours=scheduled.hold_hours):
            raise AirflowSkipException(f"nobody decided within {scheduled.hold_hours:g} hours; the run stays held")
        raise AirflowRescheduleException(now + _LOOK_AGAIN)  # type: ignore[no-untyped-call]

    @task(trigger_rule=TriggerRule.ALL_DONE)  # a run that failed ends too, and gives the corpus back
    def report(**context: Any) -> dict[str, Any]:
        made: dict[str, Any] = step("report", context)
        print(json.dumps(made, ensure_ascii=False, indent=1))  # noqa: T201 - the task's log
        if "error" in made:
            raise AirflowFailException(made["error"])
        return {name: len(value) if isinstance(value, list) else value for name, value in made.items()}

    extract.expand(batch=plan()) >> embed() >> publish() >> decided() >> report()


def _run(corpus: str, scheduled: ScheduledCorpus, context: dict[str, Any]) -> dict[str, Any]:
    """The run of a task: the same one for every task and attempt of a DAG run."""
    params = context["params"]
    whole = f"{context['dag_run'].dag_id}/{context['dag_run'].run_id}"
    return scheduling.RunRequest(
        id="af-" + hashlib.sha256(whole.encode()).hexdigest()[:12],
        corpus=corpus,
        source=params["source"],
        source_name=scheduled.source_name,
        force=params["force"],
        hold_share=scheduled.hold_share,
        limit=params["limit"],
        dry_run=params["dry_run"],
        batch_chunks=scheduled.batch_chunks,
        lease=scheduled.lease,
        web=scheduled.model_dump(include=_WEB),
    ).as_dict()
