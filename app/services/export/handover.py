"""An epoch handed over to plain LlamaIndex, wherever the target says: a folder, or a Neo4j."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from clausegraph.app.services.export.writing import Counts
from clausegraph.app.workspace import Workspace
from clausegraph.core.output_files import check_output_folder
from clausegraph.core.settings import Settings
from clausegraph.indexes.views import View


def export_llamaindex(workspace: Workspace, corpus: str, epoch: int | None, target: str) -> dict[str, Any]:
    """Hand an epoch over and say how much of what was written; errors as of :func:`hand_over`.

    Raises:
        NotFoundError: no such corpus or epoch.
    """
    with workspace.view(corpus, epoch, embed=False) as view:
        counts = hand_over(view, target, workspace.settings)
        return {
            "corpus": view.corpus, "epoch": view.epoch, "format": "llamaindex", "output": target, "counts": counts,
        }  # fmt: skip


def hand_over(view: View, target: str, settings: Settings) -> Counts:
    """Write the view's epoch into a new folder, or, where ``target`` is a URI, into an empty Neo4j.

    Raises:
        InputError: the folder is not empty or cannot be written; the URI is not a Neo4j's, or has a password in it;
            the extra is not installed.
        StoreError: Neo4j does not answer, holds something already, or lacks APOC.
    """
    if "://" in target:
        from clausegraph.app.services.export.llamaindex_neo4j import write_neo4j

        return write_neo4j(view, target, settings)
    from clausegraph.app.services.export.llamaindex import write_folder

    folder = Path(target).expanduser()
    check_output_folder(folder, home=settings.home, replace=True)  # that it is new or empty is its writer's to see
    return write_folder(view, folder)
