"""The command line: a table of commands. Only the module of the command that is run is loaded; ``--help`` loads all."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from clausegraph.app.cli.session import REGISTERED, HomeOption, JsonOption, QuietOption, Session, option, report_error

# Typer carries its own copy of click in some versions and not in others; either way this is its UsageError
_UsageError: type[Exception] = typer.BadParameter.__bases__[0]
_USAGE = 2
_ABOUT = "Policy pages to a knowledge graph and a vector index; answers with the conditions under which they hold."

COMMANDS: dict[str, tuple[str, str]] = {
    "ingest": ("ingest", ""),
    "ask": ("ask", ""),
    "search": ("ask", ""),
    "quarantine": ("quarantine", "Runs that a person must decide on: list, show, accept, drop."),
    "gate": ("gate", "Questions that an epoch must answer before readers get it: set, show, run, remove."),
    "schedule": ("gate", ""),
    "status": ("corpora", ""),
    "show": ("pages", ""),
    "pages": ("pages", "The pages of a corpus: list (also without a command), show, remove, refresh."),
    "facts": ("graph", ""),
    "rules": ("graph", ""),
    "entity": ("graph", ""),
    "path": ("graph", ""),
    "contradictions": ("graph", ""),
    "diff": ("graph", ""),
    "history": ("graph", ""),
    "corpora": ("corpora", "List or drop corpora."),
    "entities": ("curation", "Which names stand for one entity: review, decide, undo, apply."),
    "statements": ("curation", "Hide statements that are wrong, take that back, list them."),
    "epochs": ("corpora", "List epochs, roll back, vacuum."),
    "forget": ("forget", "Remove a page or a source for good, and keep it out: page, source, list, allow, check."),
    "export": ("corpora", ""),
    "move": ("corpora", ""),
    "audit": ("backup", ""),
    "backup": (
        "backup",
        "Copy a home while it is in use: to a folder or URL (also without a command), or list what is there.",
    ),
    "restore": ("backup", ""),
    "doctor": ("settings", ""),
    "settings": ("settings", ""),
    "eval": ("evaluate_open", "Measure the engine."),
    "questions": ("curation", "Judged answers as questions to measure engines on: list, export."),
    "watch": ("watch", "Questions asked again where pages change: add, list, show, approve, run, remove, feed."),
    "project": ("corpora", "Bring servers to what the ledger holds."),
    "cypher": ("graph", ""),
    "prompts": ("settings", "List, show or render prompts."),
    "serve": ("servers", ""),
    "mcp": ("servers", ""),
    "tokens": ("settings", "Who may ask the server: tokens with roles, made and revoked."),
    "server": ("servers", "Start and stop a Neo4j on this machine."),
    "dags": ("servers", "Airflow: the DAG file, an Airflow on this machine, its runs."),
    "dev": ("dev", "For developers: a fake model server, a replay of CRAG's API."),
}
"""First word of a command → the module that registers it, and the help of a group; in the order of the help."""


class ListsByDefault(TyperGroup):
    """A group that lists where no command is named: ``pages --json`` is ``pages list --json``."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put ``list`` before options that stand alone, and where nothing stands."""
        named = args and (not args[0].startswith("-") or args[0] in ctx.help_option_names)
        return super().parse_args(ctx, args if named else ["list", *args])


class MakesByDefault(TyperGroup):
    """A group that makes where no command is named: ``backup DIR`` is ``backup make DIR``."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put ``make`` before what is no command."""
        named = not args or args[0] in self.commands or args[0] in ctx.help_option_names
        return super().parse_args(ctx, args if named else ["make", *args])


_GROUPS = {"pages": ListsByDefault, "backup": MakesByDefault}


@cache
def made(name: str) -> Any:
    """The command or group of that first word; its module is loaded here, unless it is."""
    module, about = COMMANDS[name]
    if not any(words.split()[0] == name for words in REGISTERED):
        import_module(f"clausegraph.app.cli.{module}")
    outer = typer.Typer()
    group = typer.Typer(cls=_GROUPS.get(name, TyperGroup), help=about, no_args_is_help=name != "pages")
    for words, function in REGISTERED.items():
        first, _, rest = words.partition(" ")
        if first == name:
            (group.command(rest) if rest else outer.command(first))(function)
    if about:
        outer.add_typer(group, name=name)
    return typer.main.get_group(outer).commands[name]


class _Made(Mapping[str, Any]):
    """The commands of ``COMMANDS``, each made when it is looked up."""

    def __getitem__(self, name: str) -> Any:
        return made(name)

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS)

    def __len__(self) -> int:
        return len(COMMANDS)


class Root(TyperGroup):
    """Makes a command when it is looked up; usage errors are JSON too, when ``--json`` stands anywhere on the line."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        commands: Any = _Made()
        self.commands = commands

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
    helped = {"help_option_names": ["-h", "--help"]}
    app = typer.Typer(
        name="clausegraph", cls=Root, help=_ABOUT, no_args_is_help=True, pretty_exceptions_enable=False,
        context_settings=helped,
    )  # fmt: skip
    app.callback(help=_ABOUT)(root)
    return app


def _version(wanted: bool) -> None:
    if wanted:
        from clausegraph.app.process import version

        typer.echo(f"clausegraph {version()}")
        raise typer.Exit()


_Version = Annotated[bool, option("Print the version.", "--version", callback=_version, is_eager=True)]


def root(
    ctx: typer.Context,
    home: HomeOption = None,
    json: JsonOption = False,
    quiet: QuietOption = False,
    version: _Version = False,
) -> None:
    """Keep the global options for the command."""
    ctx.obj = Session(home, json, quiet)


def main() -> None:
    """Run the command line. Output that the terminal's encoding lacks is replaced, never a crash."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")
    make_app()(prog_name="clausegraph")
