"""Answering one question from pages that are read for it alone, without a corpus."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from clausegraph.app.engines import crag_options, engine_options
from clausegraph.app.services import attributes
from clausegraph.app.services.ingest import reading_limits, web_options
from clausegraph.app.workspace import Workspace
from clausegraph.core.errors import InputError
from clausegraph.core.extraction import Reject
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.pages.read import SourceDocument
from clausegraph.core.settings import Settings
from clausegraph.core.types import Answer, Reading, TraceStep
from clausegraph.ingestion.once import PageReaders, ReadOnce, no_page, page_readers
from clausegraph.ingestion.sources import open_source
from clausegraph.ingestion.sources.folder import is_address
from clausegraph.ingestion.sources.source import Item
from clausegraph.query.crag.engine import CragEngine, as_answer
from clausegraph.query.crag.text import CORPUS, CragPage, PagesText
from clausegraph.query.crag.times import now, parse_time
from clausegraph.query.crag.types import CragQuestion, CragSwitches, SentPage
from clausegraph.query.engines.bank import Watch

_READING = 0.5  # of a question's time: a page that is not begun by then is not read


@dataclass(frozen=True, slots=True)
class WebPlaces:
    """Where the pages of a question come from.

    Args:
        locations: folders, files, addresses or files of addresses.
        addresses: of one page each; whatever else a text may name is refused.
        sent: pages that are at hand.
    """

    locations: Sequence[str] = ()
    addresses: Sequence[str] = ()
    sent: Sequence[SentPage] = ()


@dataclass(frozen=True, slots=True)
class WebAnswer:
    """The answer, and what of the pages could not be read and why."""

    answer: Answer
    rejects: tuple[Reject, ...]


def answer_from_web(
    workspace: Workspace,
    inquiry: Inquiry,
    places: WebPlaces,
    *,
    at: str | None = None,
    seconds: float = 0.0,
    begun: float | None = None,
    watch: Watch | None = None,
    check: Callable[[], None] = lambda: None,
) -> WebAnswer:
    """The answer of the engine ``crag`` from pages that are read for it. The ledger is not opened.

    Args:
        at: when it is asked, with the zone; none means now.
        seconds: that it may take, at most those of the settings; 0: those. Half of them are for reading pages.
        begun: of ``time.monotonic()``, when they began; none means now.
        watch: told of each step when it has ended.
        check: called before each page; what it raises ends the work.

    Raises:
        InputError: the time cannot be read, or names no zone; an address is none.
        SourceError: a location is nothing that is read, or no page has text.
        ModelError: a language model is set, and there is no reply.
    """
    began, settings = time.monotonic() if begun is None else begun, workspace.settings
    question = CragQuestion(inquiry.text, parse_time(at) if at else now())
    options = crag_options(settings)
    limits = [one for one in (options.switches.seconds, seconds) if one]
    switches = replace(options.switches, seconds=min(limits, default=0.0))
    until = read_until(began, switches.seconds)
    engine = engine_options(settings, workspace.model if settings.llm else None)
    reader = CragEngine(replace(options, switches=switches), engine.model, engine.question)
    with page_readers(reading_limits(settings)) as readers:
        started = time.monotonic()
        read, pages = read_pages(readers, places.sent, _items(places, settings, until), until, check)
    if not pages:
        raise no_page(read)
    detail: dict[str, object] = {"pages": len(pages), "not read": [str(one.what) for one in read.rejects]}
    about = TraceStep("read pages", (time.monotonic() - started) * 1000, detail)
    if watch is not None:
        watch(about)
    found = reader.answer(question, pages_text(workspace, pages, switches), watch, begun=began)
    answer = as_answer(found, inquiry, CORPUS, 0, workspace.embedder)
    return WebAnswer(replace(answer, trace=(about, *answer.trace)), read.rejects)


def read_until(began: float, seconds: float) -> float:
    """Until when pages are begun to be read, of ``time.monotonic()``, where the whole question has so many seconds."""
    return began + _READING * seconds if seconds else float("inf")


def read_pages(
    readers: PageReaders,
    sent: Sequence[SentPage],
    items: Iterable[Item],
    until: float,
    check: Callable[[], None] = lambda: None,
) -> tuple[ReadOnce, list[CragPage]]:
    """Pages that have text or a snippet, those that were sent first."""
    given = {one.url: one for one in sent}
    documents = (SourceDocument(one.url, one.html.encode("utf-8", "replace"), url=one.url) for one in given.values())
    read = readers.read(chain(documents, items), until=until, told=check)
    found = dict(read.pages)
    pages = []
    for url, one in given.items():
        reading = found.pop(url, None)
        if reading is not None or one.snippet.strip():
            shown = reading or Reading(one.name or url, url, ())
            pages.append(CragPage(url, shown, one.name, one.snippet, one.modified))
    pages += [CragPage(uri, reading, modified=reading.updated or "") for uri, reading in found.items()]
    return read, pages


def pages_text(workspace: Workspace, pages: Sequence[CragPage], switches: CragSwitches) -> PagesText:
    """What finds references in the pages, as the switches say."""
    return PagesText(pages, workspace.embedder, **attributes(switches, "batch tables snippets grouped"))


def _items(places: WebPlaces, settings: Settings, until: float) -> Iterator[Item]:
    """What is read of locations and addresses, which are fetched by the guarded client alone, as long as there is
    time."""
    for address in places.addresses:
        if not is_address(address):
            raise InputError(f"{address[:80]!r} is no address of a page; give one like https://host/path")
    alone = web_options(settings, {"mode": "page"})
    several = [(one, web_options(settings, {})) for one in places.locations]
    for location, web in [*((one, alone) for one in places.addresses), *several]:
        if time.monotonic() >= until:
            yield Reject(location, "there was no time left to fetch it")
            continue
        yield from open_source(location, None, web).documents()
