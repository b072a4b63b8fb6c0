"""``clausegraph statements``: hide what a page was wrongly taken to state, take that back, list it."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from clausegraph.app.cli.entities import WAITS, ByOption, user
from clausegraph.app.cli.output import table
from clausegraph.app.cli.session import CorpusOption, Session, command
from clausegraph.app.cli.status import moment
from clausegraph.core.text import one_line


def hide(
    session: Session,
    *,
    statement: Annotated[
        str, typer.Argument(metavar="ID", help="Its id, or how that begins; or that of a fact that it alone states.")
    ],
    reason: Annotated[str, typer.Option("--reason", help="Why it is wrong.")],
    corpus: CorpusOption = None,
    by: ByOption = None,
) -> None:
    """Hide a wrong statement, from the next publish on, in the graph, in search and in answers.

    The decision outlives new versions of the page as long as the element says the same and the same is read from it.
    The page itself keeps its words, which are still found and quoted.
    """
    workspace = session.workspace(corpus)
    from clausegraph.app.services import statements

    done = statements.hide(workspace, workspace.settings.corpus, statement, reason, by or user())
    said = f"hidden by decision {_words(done)}"
    if not done["new"]:
        said = f"{done['decided_by']} has hidden it before, by decision {_words(done)}: {one_line(done['reason'])}"
    session.emit(done, said, *session.lines([WAITS] if done["state"] == "waits" else []))


def undo(
    session: Session,
    *,
    number: Annotated[int, typer.Argument(metavar="NUMBER", min=1, help="Of the decision, as `statements list` says.")],
    corpus: CorpusOption = None,
) -> None:
    """Take the decision back: the next publish shows the statement again, if its page still states it."""
    workspace = session.workspace(corpus)
    from clausegraph.app.services import statements

    done = statements.undo(workspace, workspace.settings.corpus, number)
    session.emit(done, f"undone {_words(done)}", *session.lines([WAITS] if done["state"] == "hidden" else []))


def list_all(session: Session, *, corpus: CorpusOption = None) -> None:
    """List what is hidden: by whom, why, and whether that is in force, waits, or has nothing to hide now."""
    workspace = session.workspace(corpus)
    from clausegraph.app.services.statements import hidden_status

    found = hidden_status(workspace, workspace.settings.corpus)
    columns = ("id", "statement", "page", "reason", "by", "decided", "in force")
    items: list[Any] = session.lines(
        ["nothing is hidden; `clausegraph statements hide ID --reason TEXT` hides a statement"]
    )
    if found["hidden"]:
        items = [table(columns, [_row(one) for one in found["hidden"]])]
    if found["returning"]:
        rows = [(one["words"], one["page"]) for one in found["returning"]]
        items += ["", "shown again at the next publish:", table(("statement", "page"), rows)]
    if any(one["state"] == "waits" for one in found["hidden"]) or found["returning"]:
        items += ["", *session.lines([WAITS])]
    session.emit(found, *items)


def _words(decision: dict[str, Any]) -> str:
    return f"{decision['id']}: {one_line(decision['words'] or 'what its page does not state now')}"


def _row(one: dict[str, Any]) -> list[object]:
    said = {"hidden": f"since epoch {one['since']}", "waits": "waits for the next publish"}
    words = one["words"] or f"({one['anchor']})"
    force = said.get(one["state"], "nothing to hide now")
    return [one["id"], words, one["page"], one["reason"], one["decided_by"], moment(one["decided"]), force]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = typer.Typer(no_args_is_help=True, help="Hide statements that are wrong, take that back, list them.")
    command(group, "hide")(hide)
    command(group, "undo")(undo)
    command(group, "list")(list_all)
    app.add_typer(group, name="statements")
