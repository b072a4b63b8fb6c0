"""What corpora there are, and removing one."""

from __future__ import annotations

from typing import Any

from clausegraph.app.workspace import Workspace
from clausegraph.indexes.corpora import list_corpora as list_rows
from clausegraph.indexes.corpora import list_sources
from clausegraph.indexes.sweep import drop_corpus, find_corpus


def list_corpora(workspace: Workspace) -> list[dict[str, Any]]:
    """Every corpus by name, with its epochs, its sources and the number of its pages."""
    ledger = workspace.ledger
    described = []
    for corpus in list_rows(ledger):
        sources = list_sources(ledger, corpus.id)
        described.append(
            {
                "corpus": corpus.name,
                "published": corpus.published,
                "newest": corpus.newest,
                "pages": sum(source.pages for source in sources),
                "sources": [source.name for source in sources],
            }
        )
    return described


def check_corpus(workspace: Workspace, name: str) -> None:
    """Whether there is a corpus of that name to be dropped.

    Raises:
        NotFoundError: no such corpus.
    """
    find_corpus(workspace.ledger, name)


def drop(workspace: Workspace, name: str) -> dict[str, Any]:
    """Remove a corpus with everything it has; ``remains`` says what could not be removed and why, ``lagging`` where a
    projection could not follow.

    Raises:
        NotFoundError: no such corpus.
        LeaseHeldError: a run is writing to it.
    """
    with workspace.projections() as projections:
        remains = drop_corpus(workspace.ledger, name)
        projections.dropped()
        return {"dropped": name, "remains": remains, "lagging": projections.problems}
