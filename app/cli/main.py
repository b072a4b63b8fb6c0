"""The command line: every command module registers itself here. Loads nothing but Typer for ``--help``."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from clausegraph.app.cli import (
    ask,
    contradictions,
    corpora,
    cypher,
    dags,
    dev,
    diff,
    doctor,
    entities,
    epochs,
    evaluate,
    explore,
    export,
    ingest,
    mcp,
    pages,
    project,
    prompts,
    questions,
    search,
    serve,
    servers,
    settings,
    show,
    statements,
    status,
    tokens,
    train,
)
from clausegraph.app.cli.session import HomeOption, JsonOption, QuietOption, Session, report_error

# Typer carries its own copy of click in some versions and not in others; either way this is its UsageError
_UsageError: type[Exception] = typer.BadParameter.__bases__[0]
_USAGE = 2

COMMANDS: list[Callable[[typer.Typer], None]] = [
    ingest.register,
    ask.register,
    search.register,
    status.register,
    show.register,
    pages.register,
    explore.register,
    contradictions.register,
    diff.register,
    corpora.register,
    entities.register,
    statements.register,
    epochs.register,
    export.register,
    doctor.register,
    settings.register,
    evaluate.register,
    questions.register,
    project.register,
    cypher.register,
    prompts.register,
    train.register,
    serve.register,
    mcp.register,
    tokens.register,
    servers.register,
    dags.register,
    dev.register,
]
"""In the order of the help."""


class JsonAwareGroup(TyperGroup):
    """Usage errors as JSON too, when ``--json`` stands anywhere on the line."""

    def main(self, args: Sequence[str] | None = None, *more: Any, **options: Any) -> Any:
        words = list(sys.argv[1:] if args is None else args)
        if "--json" not in words:
            return super().main(words, *more, **options)
        try:
            code = super().main(words, *more, **(options | {"standalone_mode": False}))
        except _UsageError as error:
            describe: Any = error
            report_error(True, "UsageError", describe.format_message())
            code = _USAGE
        sys.exit(code if isinstance(code, int) else 0)


def make_app() -> typer.Typer:
    """The whole command line."""
    app = typer.Typer(
        name="clausegraph",
        cls=JsonAwareGroup,
        help="Policy pages to a knowledge graph and a vector index; answers with the conditions under which they hold.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(root)
    for register in COMMANDS:
        register(app)
    return app


def _version(wanted: bool) -> None:
    if wanted:
        from clausegraph.app.process import version

        typer.echo(f"clausegraph {version()}")
        raise typer.Exit()


def root(
    ctx: typer.Context,
    home: HomeOption = None,
    json: JsonOption = False,
    quiet: QuietOption = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Policy pages to a knowledge graph and a vector index; answers with the conditions under which they hold."""
    ctx.obj = Session(home, json, quiet)


def main() -> None:
    """Run the command line. Output that the terminal's encoding lacks is replaced, never a crash."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")
    make_app()(prog_name="clausegraph")
