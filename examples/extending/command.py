"""A command: the oldest pages of a corpus. A use case that returns records, a face, and one line in ``COMMANDS``."""

from __future__ import annotations

from typing import Annotated

import typer

from clausegraph.app.cli import main
from clausegraph.app.cli.output import table
from clausegraph.app.cli.session import CorpusOption, Session, command
from clausegraph.app.workspace import Workspace


def oldest_pages(workspace: Workspace, limit: int) -> list[dict[str, str]]:
    """Pages by the date they state, oldest first; belongs in ``app/services/``."""
    with workspace.view(embed=False) as view:
        dated = sorted((view.reading(page).updated or "", page) for page in view.page_keys())
    return [{"page": str(page), "updated": updated} for updated, page in dated if updated][:limit]


@command("oldest")
def oldest(
    session: Session, *, corpus: CorpusOption = None, limit: Annotated[int, typer.Option(min=1, help="Pages.")] = 3
) -> None:
    """List the pages that were not updated for longest."""
    found = oldest_pages(session.workspace(corpus), limit)
    session.emit(found, table(("page", "updated"), [list(one.values()) for one in found]))


main.COMMANDS["oldest"] = (__name__, "")  # its module, and no help of a group
if __name__ == "__main__":
    main.main()  # try it: python examples/extending/command.py oldest --limit 1
