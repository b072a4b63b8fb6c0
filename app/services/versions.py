"""The versions of a page that retained epochs have."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select

from clausegraph.app.services.browse import open_shelf
from clausegraph.app.workspace import Workspace
from clausegraph.core.errors import NotFoundError
from clausegraph.indexes.corpora import list_epochs
from clausegraph.indexes.ledger.schema import members, page_versions, pages, seen_at, sources


def page_versions_of(workspace: Workspace, corpus: str, uri: str, source: str | None = None) -> list[dict[str, Any]]:
    """Each version of the page of that uri with the retained epochs that have it, newest first.

    A version is new where the page's bytes, title or address changed, or how pages are read.

    Raises:
        NotFoundError: no such corpus, nothing published yet, or no retained epoch has the page.
    """
    shelf = open_shelf(workspace.ledger, corpus)
    columns = (page_versions.c.id, page_versions.c.raw_hash, page_versions.c.fetched, page_versions.c.content_type)
    named = [pages.c.uri == uri] + ([sources.c.name == source] if source is not None else [])
    found: dict[tuple[str, int], dict[str, Any]] = {}
    with shelf.ledger.read() as connection:
        for epoch in reversed(list_epochs(shelf.ledger, shelf.corpus.id)):
            query = (
                select(sources.c.name, *columns, page_versions.c.title, page_versions.c.url)
                .join(pages, pages.c.id == members.c.page_id)
                .join(sources, sources.c.id == pages.c.source_id)
                .join(page_versions, page_versions.c.id == members.c.page_version_id)
                .where(members.c.corpus_id == shelf.corpus.id, seen_at(members, epoch.number), *named)
            )
            for row in connection.execute(query):
                values = {"source": row.name, "uri": uri, "version": row.id, "title": row.title, "url": row.url}
                more = {"read": row.fetched, "content_type": row.content_type, "bytes": row.raw_hash, "epochs": []}
                found.setdefault((row.name, row.id), values | more)["epochs"].append(epoch.number)
    if not found:
        raise NotFoundError(f"no retained epoch of corpus {shelf.corpus.name!r} has a page {uri[:200]!r}")
    return sorted(found.values(), key=lambda one: (-one["epochs"][-1], one["source"]))
