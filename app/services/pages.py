"""Single pages: looking at one, taking it out, asking its source for it again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from clausegraph.app.services import attributes
from clausegraph.app.services.browse import Shelf, open_shelf
from clausegraph.app.services.ingest import as_retained, run_ingest, run_tools, web_options
from clausegraph.app.services.records import page_record
from clausegraph.app.workspace import Workspace
from clausegraph.core.errors import InputError, NotFoundError
from clausegraph.core.types import PageKey
from clausegraph.indexes.corpora import SourceRow, list_sources
from clausegraph.indexes.fetches import FetchRow, load_fetches
from clausegraph.indexes.ledger.schema import page_versions

if TYPE_CHECKING:
    from clausegraph.ingestion.pipeline import Progress
    from clausegraph.ingestion.report import RunReport
    from clausegraph.ingestion.sources import Source


WEB = "web"


def element_texts(
    workspace: Workspace, corpus: str, epoch: int, places: Sequence[tuple[str, str]]
) -> dict[tuple[str, str], tuple[str, str]]:
    """The title of the page and the text of each element, by the page's ``source:uri`` and the anchor.

    What the epoch does not have, or nothing where there is no such epoch any more, is left out.
    """
    try:
        shelf = open_shelf(workspace.ledger, corpus, epoch)
    except NotFoundError:
        return {}
    listed = {str(key): version for key, (version, _) in shelf.versions.items()}
    found = {}
    for page in dict.fromkeys(page for page, _ in places):
        if page in listed:
            reading = shelf.reading(listed[page])
            for place in places:
                element = reading.element(place[1]) if place[0] == page else None
                if element is not None:
                    found[place] = (reading.title or page, element.text)
    return found


def show_page(workspace: Workspace, corpus: str, name: str, epoch: int | None = None) -> dict[str, Any]:
    """A page: its version, its addresses with what each answered last, and how much it holds and states.

    Args:
        name: uri, ``source:uri``, title, or another address of the page.
    """
    shelf = open_shelf(workspace.ledger, corpus, epoch)
    key = _page(shelf, name)
    version, _ = shelf.versions[key]
    reading = shelf.reading(version)
    columns = (page_versions.c.fetched, page_versions.c.content_type, page_versions.c.raw_hash, page_versions.c.url)
    with shelf.ledger.read() as connection:
        row = connection.execute(select(*columns).where(page_versions.c.id == version)).one()
    return shelf.at | {
        "source": key.source,
        "uri": key.uri,
        "title": reading.title,
        "url": row.url or reading.url,
        "updated": reading.updated,
        "read": row.fetched,
        "content_type": row.content_type,
        "bytes": row.raw_hash,
        "elements": len(reading.elements),
        "chunks": len(reading.chunks),
        "statements": len(shelf.facts_on(key, reading)),
        "rules": len(shelf.graph.rules_on(key)),
        "addresses": [_address(one) for one in _fetches(shelf, key.source) if one.uri == key.uri],
    }


def page_text(workspace: Workspace, corpus: str, name: str, epoch: int | None = None) -> dict[str, Any]:
    """What a page says: its elements in its order, each with its anchor and headings."""
    shelf = open_shelf(workspace.ledger, corpus, epoch)
    key = _page(shelf, name)
    reading = shelf.reading(shelf.versions[key][0])
    elements = [{"anchor": one.anchor, "headings": list(one.headings), "text": one.text} for one in reading.elements]
    return shelf.at | page_record(key, reading) | {"elements": elements}


def remove(workspace: Workspace, corpus: str, names: Sequence[str]) -> RunReport:
    """Publish the corpus without these pages."""
    from clausegraph.ingestion.pipeline import remove_pages
    from clausegraph.ingestion.tools import Options

    uris = {source.id: listed for source, listed in _by_source(workspace, corpus, names)}
    with run_tools(workspace, None) as tools:
        return remove_pages(tools, corpus, uris, as_retained(workspace.settings, Options()))


def refresh(
    workspace: Workspace,
    corpus: str,
    names: Sequence[str],
    *,
    dry_run: bool = False,
    force: bool = False,
    progress: Progress | None = None,
) -> list[RunReport]:
    """Ask the sources of these pages for them alone, and publish what has changed; a report for each source.

    Raises:
        SourceError: a source is not where it was.
    """
    from clausegraph.ingestion.pipeline import Options

    reports = []
    for source, uris in open_sources_of(workspace, corpus, names):
        options = Options(dry_run=dry_run, force=force, only=frozenset(uris))
        reports.append(run_ingest(workspace, corpus, source, options, progress))
    return reports


def open_sources_of(workspace: Workspace, corpus: str, names: Sequence[str]) -> list[tuple[Source, list[str]]]:
    """The sources of some pages, opened to ask for these alone, each with their uris; errors as of :func:`refresh`."""
    from clausegraph.ingestion.sources import open_source

    found: list[tuple[Source, list[str]]] = []
    for source, uris in _by_source(workspace, corpus, names):
        web = web_options(workspace.settings, {"only": uris, "pdf": True})  # what is a page may be a PDF
        found.append((open_source(source.location, source.name, web), uris))
    return found


def _by_source(workspace: Workspace, corpus: str, names: Sequence[str]) -> list[tuple[SourceRow, list[str]]]:
    shelf = open_shelf(workspace.ledger, corpus)
    rows = {row.name: row for row in list_sources(shelf.ledger, shelf.corpus.id)}
    by_source: dict[str, list[str]] = {}
    for key in dict.fromkeys(_page(shelf, name) for name in names):
        by_source.setdefault(key.source, []).append(key.uri)
    return [(rows[name], uris) for name, uris in by_source.items()]


def _page(shelf: Shelf, name: str) -> PageKey:
    """The page of that name; an address that is one more of a page's leads to it."""
    from clausegraph.ingestion.fetch import normalised

    listed = shelf.versions
    sources = {row.name for row in list_sources(shelf.ledger, shelf.corpus.id) if row.kind == WEB}
    address = normalised(name)
    if address is not None:
        known = {
            PageKey(source, row.uri) for source in sources for row in _fetches(shelf, source) if row.address == address
        }
        found = sorted((key for key in known if key in listed), key=str)
        if len(found) > 1:
            raise InputError(f"{len(found)} pages have the address {address}: {', '.join(map(str, found))}")
        if found:
            return found[0]
    whole = {str(key): key for key in listed}  # which is not read: it may be fetched again because it cannot be
    return whole.get(name) or shelf.page(name)[0]


def _fetches(shelf: Shelf, source: str) -> list[FetchRow]:
    row = next((row for row in list_sources(shelf.ledger, shelf.corpus.id) if row.name == source), None)
    return sorted(load_fetches(shelf.ledger, row.id).values(), key=lambda one: one.address) if row else []


def _address(row: FetchRow) -> dict[str, Any]:
    shown = attributes(row, "address outcome status reason target")
    return shown | {"fetched": row.fetched if row.raw_hash else None, "failures": row.failures}
