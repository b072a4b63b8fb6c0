"""``clausegraph prompts``: list, show, render."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from clausegraph.app.cli.output import table
from clausegraph.app.cli.session import Session, command

NameArgument = Annotated[str, typer.Argument(help="As task (its newest version) or task.vN.", show_default=False)]


def list_all(session: Session) -> None:
    """List the prompts: the shipped ones and those of your folder."""
    from clausegraph.app.services.settings import list_prompts

    found = list_prompts(session.settings().prompts)
    columns = ("id", "purpose", "origin", "digest")
    session.emit(found, table(columns, [[one[column] for column in columns] for one in found]))


def show(session: Session, *, name: NameArgument) -> None:
    """Print a prompt's file."""
    from clausegraph.app.services.settings import get_prompt

    found = get_prompt(session.settings().prompts, name)
    session.emit(found, found["source"])


def render(
    session: Session,
    *,
    name: NameArgument,
    given: Annotated[
        list[str] | None,
        typer.Option("--input", "-i", help="KEY=VALUE, or KEY=@FILE; @@ for a plain @.", show_default="none"),
    ] = None,
    inputs: Annotated[
        Path | None, typer.Option("--inputs", help="JSON file of inputs; --input wins.", show_default="none")
    ] = None,
) -> None:
    """Print the messages as the model gets them. Examples come from the prompt's own where none are given."""
    from clausegraph.app.services.settings import render_prompt

    found = render_prompt(session.settings().prompts, name, given or (), inputs)
    session.emit(found, *(f"=== {message['role']} ===\n{message['content']}" for message in found["messages"]))


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = typer.Typer(no_args_is_help=True, help="List, show or render prompts.")
    command(group, "list")(list_all)
    command(group, "show")(show)
    command(group, "render")(render)
    app.add_typer(group, name="prompts")
