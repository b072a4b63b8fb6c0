"""``clausegraph prompts``: list, show, render."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clausegraph.app.cli.output import table
from clausegraph.app.cli.session import Session, command
from clausegraph.core.errors import InputError

if TYPE_CHECKING:
    from clausegraph.core.prompts import Prompt, PromptLibrary

NameArgument = Annotated[str, typer.Argument(help="As task (its newest version) or task.vN.", show_default=False)]


def _library(session: Session) -> PromptLibrary:
    from clausegraph.core.prompts import library

    return library(session.settings().prompts)


def _described(prompt: Prompt) -> dict[str, Any]:
    return {
        "id": prompt.id,
        "purpose": prompt.purpose,
        "inputs": list(prompt.inputs),
        "output": prompt.output,
        "since": prompt.since,
        "origin": prompt.origin,
        "digest": prompt.digest,
        "path": str(prompt.path),
    }


def list_all(session: Session) -> None:
    """List the prompts: the shipped ones and those of your folder."""
    found = [_described(prompt) for prompt in _library(session).all()]
    columns = ("id", "purpose", "origin", "digest")
    session.emit(found, table(columns, [[one[column] for column in columns] for one in found]))


def show(session: Session, *, name: NameArgument) -> None:
    """Print a prompt's file."""
    prompt = _library(session).get(name)
    session.emit(_described(prompt) | {"source": prompt.source}, prompt.source)


def render(
    session: Session,
    *,
    name: NameArgument,
    given: Annotated[
        list[str] | None,
        typer.Option("--input", "-i", help="KEY=VALUE, or KEY=@FILE; @@ for a plain @.", show_default=False),
    ] = None,
    inputs: Annotated[
        Path | None, typer.Option("--inputs", help="JSON file of inputs; --input wins.", show_default=False)
    ] = None,
) -> None:
    """Print the messages as the model gets them. Examples come from the prompt's own where none are given."""
    prompt = _library(session).get(name)
    values = (_from_file(inputs) if inputs else {}) | dict(_pair(text) for text in given or [])
    if "examples" in prompt.inputs and "examples" not in values:
        from clausegraph.core.prompts import shipped_examples

        values["examples"] = shipped_examples(prompt)
    messages = prompt.render(**values)
    listed = [{"role": message.role, "content": message.content} for message in messages]
    session.emit(
        {"prompt": prompt.reference, "messages": listed},
        *(f"=== {message.role} ===\n{message.content}" for message in messages),
    )


def _pair(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals or not key:
        raise InputError(f"--input {text!r} is not KEY=VALUE or KEY=@FILE")
    if value.startswith("@@"):
        return key, value[1:]
    return key, _text(Path(value[1:])) if value.startswith("@") else value


def _from_file(path: Path) -> dict[str, Any]:
    try:
        values = json.loads(_text(path))
    except (ValueError, RecursionError) as error:
        raise InputError(f"--inputs {path} is not JSON: {error}") from error
    if not isinstance(values, dict):
        raise InputError(f"--inputs {path} must be a JSON object of names and values")
    return values


def _text(path: Path) -> str:
    try:
        return path.expanduser().read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read: {error}") from error


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = typer.Typer(no_args_is_help=True, help="List, show or render prompts.")
    command(group, "list")(list_all)
    command(group, "show")(show)
    command(group, "render")(render)
    app.add_typer(group, name="prompts")
