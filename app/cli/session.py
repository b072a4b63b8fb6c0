"""What every command shares: the global options, the settings, hints, and how errors end a command."""

from __future__ import annotations

import functools
import inspect
import math
import os
import re
import shlex
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from clausegraph.app.cli.output import Step, bars, note, progress_lines, show, show_json
from clausegraph.core.errors import ClauseGraphError, InputError
from clausegraph.core.text import is_text

if TYPE_CHECKING:
    from rich.console import RenderableType

    from clausegraph.app.workspace import Workspace
    from clausegraph.core.settings import Settings

INTERRUPTED = 130
OUTPUT_CLOSED = 141  # what a shell reports of a command that SIGPIPE ended
_FLUSH_INTERRUPTED = 0.5  # seconds: who pressed Ctrl-C does not wait for a collector
_PANEL = "Global options"
_HINT = re.compile(r"`clausegraph ([^`]+)`")
_WITHOUT_CORPUS = {"corpora", "dags", "dev", "doctor", "prompts", "server", "settings"}
_WITHOUT_HOME = {"dags", "dev", "prompts", "server"}
REGISTERED: dict[str, Callable[..., None]] = {}
"""Commands by their words, as "epochs list", once their module is loaded; in the order of a group's help."""

HomeOption = Annotated[
    Path | None,
    typer.Option(
        "--home",
        help="Folder of the ledger and the vectors.",
        rich_help_panel=_PANEL,
        show_default="the setting home: ~/.clausegraph",
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON document.", rich_help_panel=_PANEL)]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no notes.", rich_help_panel=_PANEL)]
QuestionArgument = Annotated[list[str], typer.Argument(metavar="QUESTION", help="The question; quotes are optional.")]
ScenarioOption = Annotated[str, typer.Option("--scenario", "-s", help="Who asks, in plain words.", show_default="none")]
CorpusOption = Annotated[
    str | None, typer.Option("--corpus", "-c", help="Name of the corpus.", show_default="the setting corpus: default")
]
EpochOption = Annotated[
    int | None, typer.Option("--epoch", min=1, max=10**15, help="A retained epoch.", show_default="the published one")
]


def a_number(value: float | None) -> float | None:
    """An option's value; NaN passes every check of a range."""
    if value is not None and math.isnan(value):
        raise typer.BadParameter("nan is no number")
    return value


@dataclass(frozen=True)
class Hints:
    """Hints such as "run `clausegraph entities apply`", so that whoever pastes one stays with the same corpus and home.

    What a command must be told that the settings would not say by themselves; None where they do.
    """

    corpus: str | None = None
    home: Path | None = None

    def complete(self, text: str) -> str:
        """The text with ``--corpus`` and ``--home`` in each command between backticks that needs them."""
        return _HINT.sub(lambda found: self.hint(found[1]), text)

    def hint(self, words: str) -> str:
        """A command to paste, between backticks; ``words`` are those after ``clausegraph``."""
        name = words.split(maxsplit=1)[0]
        if self.corpus is not None and name not in _WITHOUT_CORPUS and "--corpus" not in words:
            words += f" --corpus {shlex.quote(self.corpus)}"
        if self.home is not None and name not in _WITHOUT_HOME and "--home" not in words:
            words += f" --home {shlex.quote(str(self.home))}"
        return f"`clausegraph {words}`"


@dataclass
class Session:
    """The global options of one command."""

    home: Path | None = None
    json: bool = False
    quiet: bool = False
    name: str = ""  # of the command: "ask", "epochs.list"
    stores: bool = False  # work that a second run of the command goes on with
    hints: Hints = field(default_factory=Hints)
    watched: ExitStack = field(default_factory=ExitStack, repr=False, compare=False)  # closed when the command ends

    def settings(self, corpus: str | None = None) -> Settings:
        """Settings with what the command line gave on top; from here on the command is logged and traced."""
        from clausegraph.app.process import observe
        from clausegraph.core.settings import load_settings

        settings = load_settings(home=self.home, corpus=corpus)
        usual = settings if self.home is None and corpus is None else load_settings()
        self.hints = Hints(
            settings.corpus if settings.corpus != usual.corpus else None,
            settings.home if settings.home != usual.home else None,
        )
        observe(settings)
        self.watched.enter_context(_command_span(self.name, settings.corpus))
        return settings

    def workspace(self, corpus: str | None = None, **updates: object) -> Workspace:
        """A workspace of the settings, with ``updates`` to them; closed when the command ends."""
        settings = self.settings(corpus).model_copy(update=updates)
        from clausegraph.app.workspace import Workspace

        return self.watched.enter_context(Workspace(settings))

    @contextmanager
    def progress(self) -> Iterator[Step | None]:
        """What a pipeline calls with (stage, done, total); None where nothing but the result was asked for."""
        if self.quiet or self.json:
            yield None
            return
        with bars() if sys.stderr.isatty() else progress_lines(self.note) as step:
            yield step

    def emit(self, value: Any, *items: RenderableType) -> None:
        """The result: ``value`` as JSON where it was asked for, else ``items`` for people."""
        if self.json:
            show_json(value)
        else:
            show(*items)

    def note(self, text: str) -> None:
        """A remark on stderr, unless quiet; its hints are completed."""
        if not self.quiet and not self.json:
            note(self.hints.complete(text))

    def lines(self, items: Iterable[RenderableType]) -> list[RenderableType]:
        """Lines of our own words, among tables, with their hints completed."""
        return [self.hints.complete(item) if isinstance(item, str) else item for item in items]


def command(name: str, *, stores: bool = False) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Register ``function(session, ...)`` as the command of these words, with the global options after its own.

    ``stores`` says that an interrupted one keeps its work, and goes on with it when it is run again.
    """

    def register(function: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(function)
        def run(ctx: typer.Context, home: Path | None, json: bool, quiet: bool, **values: Any) -> None:
            before: Session = ctx.obj or Session()
            words = ctx.command_path.removeprefix(ctx.find_root().command_path).split()
            session = Session(home or before.home, json or before.json, quiet or before.quiet, ".".join(words), stores)
            if not session.quiet:
                _tell_misspelt()
            guarded(session, lambda: function(session, **_checked(values)))

        hints = get_type_hints(function, include_extras=True)
        own = list(inspect.signature(function).parameters.values())[1:]
        parameters = [
            parameter.replace(annotation=hints[parameter.name], kind=inspect.Parameter.KEYWORD_ONLY)
            for parameter in own
        ]
        added = {"ctx": typer.Context, "home": HomeOption, "json": JsonOption, "quiet": QuietOption}
        for key, annotation in added.items():
            default = {"ctx": inspect.Parameter.empty, "home": None}.get(key, False)
            parameters.append(
                inspect.Parameter(key, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
            )
        described: Any = run
        described.__signature__ = inspect.Signature(parameters)
        described.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        REGISTERED[name] = described
        return function

    return register


def _checked(values: dict[str, Any]) -> dict[str, Any]:
    """What the command line gave, once it is text: bytes that are no UTF-8 cannot be stored, asked or shown."""
    for name, value in values.items():
        for word in value if isinstance(value, list) else [value]:
            if isinstance(word, str) and not is_text(word):
                raise InputError(f"{name.replace('_', '-')} {word[:80]!a} is not valid UTF-8; give it as UTF-8 text")
    return values


def guarded(session: Session, work: Callable[[], None]) -> None:
    """Do the work; a known error is one message and its exit code, never a traceback."""
    from clausegraph.core.telemetry.spans import FLUSH_SECONDS, stop_telemetry

    wait = FLUSH_SECONDS
    try:
        with session.watched:
            work()
            sys.stdout.flush()  # here, where a closed pipe is known for what it is
    except BrokenPipeError as error:  # whoever reads the output has enough, as in "| head"
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python writes the rest when it ends
        raise typer.Exit(OUTPUT_CLOSED) from error
    except ClauseGraphError as error:
        _trace()
        report_error(session.json, type(error).__name__, session.hints.complete(str(error)))
        raise typer.Exit(error.exit_code) from error
    except KeyboardInterrupt as error:
        wait = _FLUSH_INTERRUPTED
        kept = "; stored work is kept, run the command again to go on" if session.stores else ""
        report_error(session.json, "KeyboardInterrupt", f"stopped{kept}")
        raise typer.Exit(INTERRUPTED) from error
    except UnicodeEncodeError as error:  # of the terminal's own encoding
        if error.encoding.lower() in ("utf-8", "utf8"):
            raise  # which can write whatever we print: this is a defect of ours
        report_error(
            False, "InputError", f"the output cannot be written as {error.encoding}; set PYTHONIOENCODING=utf-8"
        )
        raise typer.Exit(InputError.exit_code) from error
    finally:
        stop_telemetry(wait)


@contextmanager
def _command_span(name: str, corpus: str) -> Iterator[None]:
    """The root of all spans of a command. An exit code of its own choice is no failure of the command."""
    from clausegraph.core.telemetry.spans import span

    chosen: typer.Exit | None = None
    with span(f"cli.{name}", corpus=corpus) as root:
        try:
            yield
        except typer.Exit as leaving:
            root.set(exit_code=leaving.exit_code)
            chosen = leaving
    if chosen is not None:
        raise chosen


def _tell_misspelt() -> None:
    """One line about variables that look like settings and are none; also beside JSON, as it goes to stderr."""
    from clausegraph.core.settings import misspelt_variables

    if found := misspelt_variables():
        note(f"Warning: {found}")


def report_error(as_json: bool, kind: str, message: str) -> None:
    """The error: a JSON document on stdout where JSON was asked for, else a line on stderr."""
    from clausegraph.core.secrets import mask_reply

    message = mask_reply(message)  # of a server's texts, whichever way they came into an error
    if as_json:
        show_json({"error": {"type": kind, "message": message}})
    else:
        note(f"Error: {message}")


def _trace() -> None:
    from clausegraph.core.settings import debug_enabled

    if debug_enabled():
        traceback.print_exc(file=sys.stderr)
