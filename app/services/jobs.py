"""Runs that a server is asked for: what an order means, a queue and threads for each corpus, a look at an address."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

from clausegraph.app.services import Record
from clausegraph.app.services.corpora import get_run_record
from clausegraph.app.services.history import vacuum_corpus
from clausegraph.app.services.ingest import run_ingest, web_options
from clausegraph.app.services.pages import WEB, open_sources_of
from clausegraph.app.services.uploads import folder_of, make_corpus
from clausegraph.app.workspace import Workspace
from clausegraph.core.errors import ClauseGraphError, InputError, LeaseHeldError, NotFoundError
from clausegraph.core.telemetry.logs import log_fields, logger
from clausegraph.core.telemetry.redaction import error_fields
from clausegraph.core.text import counted
from clausegraph.core.types import HOLD_SHARE, WebMode
from clausegraph.indexes import jobs
from clausegraph.indexes.corpora import (
    CANCELLED,
    DONE,
    EVALUATION,
    FAILED,
    FORECAST,
    INTERRUPTED,
    REMOVAL,
    UNLEASED,
    CorpusRow,
    current_holder,
    find_corpus,
    get_corpus,
    list_sources,
)
from clausegraph.indexes.files import UPLOADS
from clausegraph.indexes.hidden import LONGEST_REASON

if TYPE_CHECKING:
    from clausegraph.ingestion.progress import Gauge
    from clausegraph.ingestion.sources import Source
    from clausegraph.ingestion.tools import Options

log = logger(__name__)
_MOST = 20  # runs of a server that run or wait
_LOOK_S = 1.0  # between two looks at whether the corpus is free
_LONGEST = 2000
_SHOWN = 200  # addresses of a preview
Work = Callable[["Gauge", str], dict[str, object]]  # what a run does; told how far it is and its id; its report
_Pattern = Annotated[str, Field(min_length=1, max_length=200)]


class WebOrder(BaseModel):
    """How an address is taken, as `ingest` has it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    mode: WebMode = Field(default="auto", description="auto: a sitemap or feed by its name, else one page.")
    depth: int = Field(default=10, ge=0, le=1000, description="Links from a site's first page to its last ones.")
    addresses: int = Field(default=2000, ge=1, le=100_000, description="Addresses that are asked at most.")
    include: list[_Pattern] = Field(default=[], max_length=50, description="Only pages of a site with such a path (*).")
    exclude: list[_Pattern] = Field(default=[], max_length=50)
    pdf: bool = Field(default=False, description="PDFs that a site links to, too.")


class RunOrder(BaseModel):
    """What a run is to read: a source that the corpus has, or that files were sent for; an address (`source` names it);
    or one page again. With `dry_run` it only says what it would do, and what that needs."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    source: str | None = Field(default=None, min_length=1, max_length=500)
    address: str | None = Field(default=None, max_length=_LONGEST, pattern=r"^https?://[^\s/]\S*$")
    page: str | None = Field(default=None, min_length=1, max_length=_LONGEST, description="A page's uri or title.")
    web: WebOrder | None = Field(default=None, description="How the address is taken; none: as it was taken last.")
    dry_run: bool = False
    force: bool = Field(default=False, description="Read every page again.")
    hold_share: float = Field(default=HOLD_SHARE, ge=0, le=1, description="Hold a run by which more pages go.")

    @model_validator(mode="after")
    def _says_one_thing(self) -> RunOrder:
        if (self.page is None) == (self.source is None and self.address is None):
            raise ValueError("give a source, an address or a page")
        return self


class VacuumOrder(BaseModel):
    """What of a corpus's past stays; none: as the settings say."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    keep_epochs: int | None = Field(default=None, ge=1, le=1_000_000_000, description="Newest epochs to keep.")
    keep_days: float | None = Field(default=None, ge=0, le=36_525, description="Days to keep an epoch.")
    reason: str = Field(default="", max_length=LONGEST_REASON, description="The audit log keeps it.")


class PreviewReply(Record):
    """What a run would ask of an address. `addresses` are the first ones of `found`, which for a site are those that
    its first pages link to."""

    kind: str
    found: int
    addresses: list[str]
    problems: dict[str, str]


def opened(workspace: Workspace, corpus: str, order: RunOrder) -> tuple[Source, Options]:
    """The source that an order means, and how the run treats it; nothing is read yet.

    Raises:
        NotFoundError: there is no such source or page.
        InputError: how an address is to be taken is not known; or the source is another one.
    """
    from clausegraph.ingestion.changes import check_location
    from clausegraph.ingestion.sources import open_source
    from clausegraph.ingestion.tools import Options

    if order.page is not None:
        source, uris = open_sources_of(workspace, corpus, [order.page])[0]
        return source, Options(dry_run=order.dry_run, force=True, only=frozenset(uris))
    row = find_corpus(workspace.ledger, corpus)
    location: str | None = order.address
    taken: Mapping[str, Any] | None = order.web.model_dump() if order.web else None
    if location is None:
        location, taken = _known(workspace, corpus, str(order.source), taken)
    source = open_source(location, order.source, web_options(workspace.settings, taken or {}))
    # files that people sent lie where this home is, which may have been moved
    moved = location.startswith(str(workspace.settings.home / UPLOADS))
    options = Options(False, order.dry_run, order.force, moved, hold_share=order.hold_share)
    if row is not None:
        check_location(workspace.ledger, row, source, options)
    return source, options


def _known(
    workspace: Workspace, corpus: str, name: str, web: Mapping[str, Any] | None
) -> tuple[str, Mapping[str, Any] | None]:
    """Where a source is, and how it is taken if it is an address."""
    row = get_corpus(workspace.ledger, corpus)
    folder = folder_of(workspace, row, name)
    if folder.is_dir():
        return str(folder), None
    known = next((one for one in list_sources(workspace.ledger, row.id) if one.name == name), None)
    if known is None:
        raise NotFoundError(f"corpus {corpus!r} has no source {name[:80]!r}; its status lists those it has")
    if known.kind != WEB or web is not None:
        return known.location, web
    last, scheduled = jobs.last_order(workspace.ledger, row.id, name), workspace.settings.corpora.get(corpus)
    if last is not None:
        return known.location, last.get("web")
    if scheduled is not None and scheduled.source_name in (name, None) and scheduled.source == known.location:
        return known.location, scheduled.model_dump(include={*WebOrder.model_fields, "alike"})
    raise InputError(
        f"source {name!r} is an address ({known.location}), and how it is taken is not stored; say it: web.mode page, "
        "site, sitemap or feed"
    )


class Jobs:
    """The runs that a server was asked for; those of one corpus one after the other."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._threads: dict[tuple[int, bool], ThreadPoolExecutor] = {}
        self._lock = threading.Lock()
        self._mine: dict[str, Gauge] = {}  # that have not ended
        self.ending = threading.Event()

    def start(self, corpus: str, order: RunOrder, by: str) -> dict[str, Any]:
        """Take an order, and return the run that it becomes; the corpus is made where there is none.

        Raises:
            LeaseHeldError: as many runs wait as may.
            NotFoundError, InputError, SourceError: as of :func:`opened`.
        """
        source, options = opened(self._workspace, corpus, order)
        row = make_corpus(self._workspace, corpus)

        def ingest(gauge: Gauge, run_id: str) -> dict[str, object]:
            return run_ingest(self._workspace, row.name, source, options, gauge, run_id).as_dict()

        return self.queue(row, FORECAST if order.dry_run else "ingest", source.name, order, by, ingest)

    def vacuum(self, corpus: str, order: VacuumOrder, by: str) -> dict[str, Any]:
        """Remove what only old epochs show, as a run; errors as of :meth:`start`."""

        def remove(gauge: Gauge, run_id: str) -> dict[str, object]:
            kept = order.keep_epochs, order.keep_days
            done = vacuum_corpus(self._workspace, row.name, *kept, progress=gauge, run_id=run_id)
            left = "".join(f" NOT REMOVED: {what}." for what in [*done["remains"], *done["lagging"]])
            went = f"{counted(done['epochs'], 'epoch')} removed with what only they show, {len(done['kept'])} kept."
            return done | {"said": went + left}

        row = get_corpus(self._workspace.ledger, corpus)
        return self.queue(row, REMOVAL, "", order, by, remove)

    def queue(self, row: CorpusRow, kind: str, source: str, order: BaseModel, by: str, work: Work) -> dict[str, Any]:
        """Take work of a kind in the words of ``order``, and return the run that it becomes.

        Raises:
            LeaseHeldError: as many runs wait as may.
        """
        from clausegraph.ingestion.progress import Gauge
        from clausegraph.ingestion.run import new_run_id

        run_id, ledger = new_run_id(), self._workspace.ledger_to_change()
        said = order.model_dump(mode="json", exclude_defaults=True)
        with self._lock:
            if len(self._mine) >= _MOST or self.ending.is_set():
                raise LeaseHeldError(f"{len(self._mine)} runs wait here, and no more are taken now; cancel one")
            jobs.queue_job(ledger, row, run_id, kind, source, said, by)
            self._mine[run_id] = Gauge()
            beside = (row.id, kind == EVALUATION)  # which may take hours
            threads = self._threads.setdefault(beside, ThreadPoolExecutor(1, "clausegraph-run"))
            threads.submit(self._do, row, run_id, kind, source, work)
        return get_run_record(self._workspace, row.name, run_id)

    def cancel(self, corpus: str, run_id: str, by: str) -> dict[str, Any]:
        """Ask for the end of a run; errors as of ``cancel_run``."""
        from clausegraph.ingestion.tools import Cancelled

        ledger = self._workspace.ledger_to_change()
        jobs.cancel_run(ledger, get_corpus(ledger, corpus).id, run_id, by)
        if (mine := self._mine.get(run_id)) is not None:  # at once: others look into the ledger now and then
            mine.stop(Cancelled)
        return get_run_record(self._workspace, corpus, run_id)

    def close(self) -> None:
        """End what runs at its next step; what waits is not begun."""
        with self._lock:
            self.ending.set()
        for gauge in list(self._mine.values()):
            gauge.stop(KeyboardInterrupt)
        for threads in self._threads.values():
            threads.shutdown(wait=True, cancel_futures=True)
        if self._mine:
            jobs.interrupt_jobs(self._workspace.ledger_to_change(), self._mine)

    def _do(self, corpus: CorpusRow, run_id: str, kind: str, source: str, work: Work) -> None:
        """The work of one run, on its thread; how it ended is in the ledger."""
        from clausegraph.ingestion.progress import stored
        from clausegraph.ingestion.report import RunReport
        from clausegraph.ingestion.run import why_failed
        from clausegraph.ingestion.tools import Cancelled

        ledger, gauge = self._workspace.ledger_to_change(), self._mine[run_id]
        status, empty = FAILED, RunReport(run_id, corpus.name, source)
        report = empty.as_dict()
        try:
            with log_fields(corpus=corpus.name, run=run_id), stored(gauge, ledger, run_id):
                while kind not in UNLEASED and current_holder(ledger, corpus.id) is not None:
                    gauge("wait", 0, 0)
                    self.ending.wait(_LOOK_S)
                if jobs.begin_job(ledger, run_id):
                    report |= work(gauge, run_id)
                    status = DONE
        except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - a defect too: nobody else would tell it
            if isinstance(error, KeyboardInterrupt):
                status = CANCELLED if isinstance(error, Cancelled) else INTERRUPTED
            elif not isinstance(error, ClauseGraphError):
                log.error("run.defect", **error_fields(error))
            report = replace(empty, error=status if status != FAILED else why_failed(error)).as_dict()
        finally:
            jobs.end_job(ledger, run_id, status, report)  # what its run has recorded stays
            del self._mine[run_id]


def preview(workspace: Workspace, order: RunOrder) -> PreviewReply:
    """What a run of an address would ask, by a few requests; nothing is stored.

    Raises:
        SourceError: the address cannot be used, or is no list of the kind that is asked for.
    """
    from clausegraph.ingestion.sources.web.crawl import WebSource

    if order.address is None:
        raise InputError("only an address can be looked at first; a dry run says what a run of a source would do")
    web = (order.web or WebOrder()).model_dump()
    found = WebSource(order.address, None, web_options(workspace.settings, web)).preview()
    listed = list(found.entries)
    return PreviewReply(kind=found.kind, found=len(listed), addresses=listed[:_SHOWN], problems=found.problems)
