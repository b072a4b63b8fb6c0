"""A run in steps as a scheduler calls it, and the DAG file that an Airflow of one's own reads."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clausegraph.core.settings import CONFIG_NAME, PREFIX, load_settings
from clausegraph.core.types import HOLD_SHARE

if TYPE_CHECKING:
    from clausegraph.ingestion.pipeline import Options, Tools
    from clausegraph.ingestion.sources import Source
    from clausegraph.ingestion.steps import Pace

_SAID_S = 15.0  # seconds between two lines of progress in a task's log


@dataclass(frozen=True, slots=True)
class RunRequest:
    """One run: its id, what it mirrors into which corpus, and how."""

    id: str
    corpus: str
    source: str
    source_name: str | None = None
    force: bool = False
    limit: int | None = None
    dry_run: bool = False
    hold_share: float = HOLD_SHARE
    batch_chunks: int = 100
    lease: float = 900.0
    web: Mapping[str, Any] = field(default_factory=dict)  # of an address: as ``WebOptions``, without its limits

    def as_dict(self) -> dict[str, Any]:
        """The run as JSON values: what every step takes."""
        return asdict(self)


def step(name: str, run: Mapping[str, Any], *batch: int) -> Any:
    """Do a step of a run; what it returns, and its errors, as of the function of ``ingestion.steps``.

    ``plan``: ids of the batches to extract. ``extract``: one of them, or without its id all that are left. ``embed``:
    None of a run in quarantine. ``publish``: the epoch, None when nothing changed. ``report``: the report, with
    ``error`` where the run failed.
    """
    from clausegraph.ingestion import steps

    wanted = RunRequest(**run)
    with _opened(wanted) as (tools, source, options, pace):
        about = tools, wanted.corpus
        work: dict[str, Callable[[], Any]] = {
            "plan": lambda: steps.plan_run(*about, source, wanted.id, options, pace),
            "extract": lambda: (
                steps.extract_batch(*about, wanted.id, batch[0], pace)
                if batch
                else steps.extract_batches(*about, wanted.id, pace)
            ),
            "embed": lambda: steps.embed_run(*about, wanted.id, pace),
            "publish": lambda: steps.publish_run(*about, wanted.id, options, pace),
            "report": lambda: steps.report_run(*about, source, wanted.id, options, pace),
        }
        return work[name]()


def run_status(run: Mapping[str, Any]) -> str:
    """How the run stands: "running", "quarantined", "done", …; asked again and again, so the ledger alone is opened."""
    from clausegraph.app.services.corpora import get_run_record
    from clausegraph.app.workspace import Workspace

    wanted = RunRequest(**run)
    with Workspace(load_settings(corpus=wanted.corpus)) as workspace:
        return str(get_run_record(workspace, wanted.corpus, wanted.id)["status"])


def evaluate(corpus: str) -> dict[str, Any] | None:
    """What the gate says of the published epoch (``GateResult``), kept in the report of the run that made it; None of a
    corpus without a gate."""
    from clausegraph.app.services.gate import evaluate_published
    from clausegraph.app.workspace import Workspace

    with Workspace(load_settings(corpus=corpus)) as workspace:
        made = evaluate_published(workspace, corpus)
        return None if made is None else made.as_json()


@contextmanager
def _opened(run: RunRequest) -> Iterator[tuple[Tools, Source, Options, Pace]]:
    from clausegraph.app.process import observe
    from clausegraph.app.services.ingest import run_tools, web_options
    from clausegraph.app.workspace import Workspace
    from clausegraph.core.telemetry.spans import stop_telemetry
    from clausegraph.ingestion.pipeline import Options
    from clausegraph.ingestion.progress import progress_lines
    from clausegraph.ingestion.sources import open_source
    from clausegraph.ingestion.steps import Pace

    settings = load_settings(corpus=run.corpus)
    observe(settings)
    try:
        source = open_source(run.source, run.source_name, web_options(settings, run.web))
        options = Options(
            dry_run=run.dry_run,
            force=run.force,
            limit=run.limit,
            hold_share=run.hold_share,
            keep_epochs=settings.keep_epochs,
            keep_days=settings.keep_days,
        )
        said = logging.getLogger("airflow.task").info  # which the task's log shows
        with (
            Workspace(settings) as workspace,
            progress_lines(said, _SAID_S) as progress,
            run_tools(workspace, source, progress) as tools,
        ):
            yield tools, source, options, Pace(run.batch_chunks, run.lease)
    finally:
        stop_telemetry()


FILE = "clausegraph_ingest_dag.py"


def write_dag_file(folder: Path, home: Path, *, replace: bool = False) -> tuple[Path, Path | None]:
    """Write the DAG file into ``folder``; returns its path and that of the settings file it names.

    Raises:
        InputError: another file of that name is there, or the folder lies in the home folder.
        StorageError: the folder cannot be written.
    """
    from clausegraph.core.output_files import check_output_folder, replacing
    from clausegraph.indexes.files import file_errors

    config = settings_file()
    path = folder.expanduser().absolute() / FILE
    text = _dag_text(config)
    check_output_folder(path.parent, home=home, replace=True)
    with file_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        same = path.is_file() and path.read_bytes() == text.encode("utf-8")
    with replacing(path, home=home, replace=replace or same) as file:
        file.write(text.encode("utf-8"))
    return path, config


def settings_file() -> Path | None:
    """The settings file in use: Airflow runs in another folder, so its whole path is written."""
    path = Path(os.environ.get(f"{PREFIX}CONFIG") or CONFIG_NAME).expanduser().absolute()
    return path if path.is_file() else None


def _dag_text(config: Path | None) -> str:
    named = ["import os", "", f'os.environ.setdefault("{PREFIX}CONFIG", {str(config)!r})', ""] if config else []
    return "\n".join(
        [
            '"""One Airflow DAG per corpus of ClauseGraph\'s settings; written by `clausegraph dags export`."""',
            "",
            *named,
            "from clausegraph.dags.building import ingest_dags",
            "",
            "globals().update(ingest_dags())",
            "",
        ]
    )
