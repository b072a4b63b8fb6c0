"""Bringing pages in: files, an address, a source again; a forecast first, then the run while it goes on."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import File, Form, Query, UploadFile
from starlette.responses import Response

from clausegraph.app.api.routes.runs import followed
from clausegraph.app.api.served import about
from clausegraph.app.console.ask import event_of
from clausegraph.app.console.screen import OfScreen, Screen, checked, render, router
from clausegraph.app.services.corpora import get_run_record, list_sources_of
from clausegraph.app.services.jobs import RunOrder, WebOrder, preview
from clausegraph.app.services.uploads import SAMPLE, SentFile, UploadReply, store, store_sample
from clausegraph.core.errors import InputError
from clausegraph.indexes.files import UPLOADS

routes, forms = router(), router(forms=True)
_Text = Annotated[str, Form(max_length=2000)]
_Run = Annotated[str, Query(max_length=100)]


@routes.get("/c/{corpus}/add")
async def add_form(of: OfScreen) -> Response:
    """The ways to bring pages into a corpus, which need not be there yet."""
    return await _screen(of)


async def _screen(of: Screen, **more: Any) -> Response:
    shown = {"sources": await of.run(list_sources_of), "sample": SAMPLE.is_dir(), "sent": None, "previewed": None}
    shown["sent_files"] = str(of.held.workspace.settings.home / UPLOADS)
    return of.html("add.html", screen="add", **(shown | {"typed": WebOrder(), "where": ""} | more))


@forms.post("/c/{corpus}/add/files")
async def add_files(of: OfScreen, source: _Text, go: _Text, files: Annotated[list[UploadFile], File()]) -> Response:
    """Keep files, and ask for a run of their source; where one is refused, the screen says why before anything runs."""
    about(of.request, f"{source}: {len(files)} files")
    sent: UploadReply = await of.run(store, source, [SentFile(one.filename or "", one.file) for one in files])
    if sent.refused:
        return await _screen(of, sent=sent)
    return await _started(of, RunOrder(source=sent.source, dry_run=go == "forecast"))


@forms.post("/c/{corpus}/add")
async def add(
    of: OfScreen, go: _Text, source: _Text = "", where: _Text = "", page: _Text = "", mode: _Text = "auto",
    include: _Text = "", pages: _Text = "2000", pdf: bool = Form(default=False),
) -> Response:  # fmt: skip
    """Ask for a run, or for its forecast; or look at an address."""
    web = checked(WebOrder, mode=mode, addresses=pages, include=include.split(), pdf=pdf)
    given = {"source": source or None, "address": where.strip() or None, "page": page or None}
    order = checked(RunOrder, **given, web=web if where else None)
    if go == "preview":
        found = await of.work(lambda _: preview(of.held.workspace, order))
        return await _screen(of, previewed=found, typed=web, where=where)
    return await _started(of, order.model_copy(update={"dry_run": go == "forecast"}))


@forms.post("/c/{corpus}/add/again")
async def add_again(of: OfScreen, run: _Text) -> Response:
    """Ask for what another run was asked for, if that was only a forecast: now for the run itself."""
    job = (await of.run(get_run_record, run))["job"]
    if job is None:
        raise InputError(f"run {run} was not asked for here; take its source")
    return await _started(of, RunOrder.model_validate(job["order"] | {"dry_run": False}))


@forms.post("/c/{corpus}/add/sample")
async def add_sample(of: OfScreen, go: _Text) -> Response:
    """Bring in the sample corpus."""
    sent: UploadReply = await of.run(store_sample)
    return await _started(of, RunOrder(source=sent.source, dry_run=go == "forecast"))


async def _started(of: Screen, order: RunOrder) -> Response:
    made = await of.held.reads.run(of.held.jobs.start, of.corpus, order, of.who.name)
    about(of.request, f"{order.page or order.address or order.source}{', dry run' if order.dry_run else ''}")
    return of.to_run(made["id"])


@forms.post("/c/{corpus}/run/cancel")
async def cancel(of: OfScreen, run: _Text) -> Response:
    """End a run at its next step."""
    about(of.request, run)
    await of.held.reads.run(of.held.jobs.cancel, of.corpus, run, of.who.name)
    return of.to_run(run)


@routes.get("/c/{corpus}/run/events")
async def run_events(of: OfScreen, name: _Run) -> Response:
    """A run while it goes on: events ``progress``, and ``end``, whereupon the screen is loaded anew."""

    def write(kind: str, run: dict[str, Any]) -> str:
        return event_of(kind, render("progress.html", run=run, corpus=of.corpus, ended=kind == "end"))

    return await followed(of, name, write)
