"""``clausegraph diff``: what differs between two epochs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clausegraph.app.cli.output import table
from clausegraph.app.cli.session import CorpusOption, Session, command
from clausegraph.core.text import one_line

if TYPE_CHECKING:
    from rich.console import RenderableType

_QUOTE = 200


def diff(
    session: Session,
    *,
    since: Annotated[
        int | None,
        typer.Argument(metavar="[EPOCH]", min=1, help="The older epoch.", show_default="the one before the other"),
    ] = None,
    until: Annotated[
        int | None,
        typer.Argument(metavar="[EPOCH]", min=1, help="The newer epoch.", show_default="the published one"),
    ] = None,
    corpus: CorpusOption = None,
) -> None:
    """Show what differs between two retained epochs: pages and statements that are new, gone or changed."""
    workspace = session.workspace(corpus)
    from clausegraph.app.services.changes import changes

    found = changes(workspace, workspace.settings.corpus, since, until)
    session.emit(found, *_lines(found))


def _lines(found: dict[str, Any]) -> Iterator[RenderableType]:
    yield f"corpus {found['corpus']!r}, epoch {found['since']} to {found['until']}"
    if not found["pages"] and not found["statements"]:
        yield "nothing differs"
        return
    yield f"pages: {_counts(found['pages'])}; statements: {_counts(found['statements'])}"
    if found["pages"]:
        rows = [(one["kind"], one_line(one["title"], 60), f"{one['source']}:{one['uri']}") for one in found["pages"]]
        yield table(("what", "title", "page"), rows)
    for one in found["statements"]:
        yield f"\n{one['kind']}, on {one_line(one['page'])}"
        for mark, said in (("-", one["old"]), ("+", one["new"])):
            if said is not None:
                quoted = " … ".join(quote["quote"] for quote in said["quotes"])
                yield f"  {mark} {one_line(said['words'], 240)}\n      “{one_line(quoted, _QUOTE)}”"


def _counts(found: list[dict[str, Any]]) -> str:
    return ", ".join(f"{count} {kind}" for kind, count in Counter(one["kind"] for one in found).items()) or "none"


def register(app: typer.Typer) -> None:
    """Add the command."""
    command(app, "diff")(diff)
