"""What every command shares: the global options, the settings, hints, and how errors end a command."""

from __future__ import annotations

import copy
import functools
import getpass
import inspect
import math
import os
import re
import shlex
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field
from inspect import Parameter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Concatenate, ParamSpec, TypeVar, get_args, get_type_hints

import typer

from clausegraph.app.cli.output import bars, note, show, show_json
from clausegraph.core.errors import ClauseGraphError, InputError
from clausegraph.core.text import is_text

if TYPE_CHECKING:
    from rich.console import RenderableType

    from clausegraph.app.workspace import Workspace
    from clausegraph.core.settings import Settings
    from clausegraph.ingestion.progress import Gauge

P = ParamSpec("P")
T = TypeVar("T")
INTERRUPTED, TERMINATED = 130, 143  # what a shell reports of a command that SIGINT or SIGTERM ended
OUTPUT_CLOSED = 141  # what a shell reports of a command that SIGPIPE ended
_FLUSH_INTERRUPTED = 0.5  # seconds: who pressed Ctrl-C does not wait for a collector
_HINT = re.compile(r"`clausegraph ([^`]+)`")
_WITHOUT_CORPUS = {"backup", "corpora", "dags", "dev", "doctor", "prompts", "restore", "server", "settings"}
_WITHOUT_HOME = {"dags", "dev", "prompts", "server"}
REGISTERED: dict[str, Callable[..., None]] = {}
"""Commands by their words, as "epochs list", once their module is loaded; in the order of a group's help."""


def option(help: str, *flags: str, **more: Any) -> Any:
    """An option with its help. :func:`command` gives it the flag and the shown default where none is named here."""
    made: Any = typer.Option(help=help, **more)
    made.param_decls = flags
    return made


def argument(help: str, metavar: str | None = None, **more: Any) -> Any:
    """An argument with its help."""
    return typer.Argument(help=help, metavar=metavar, **more)


def a_number(value: float | None) -> float | None:
    """An option's value; NaN passes every check of a range."""
    if value is not None and math.isnan(value):
        raise typer.BadParameter("nan is no number")
    return value


_GLOBAL: dict[str, Any] = {"rich_help_panel": "Global options"}
_HOME = option(
    "Folder of the ledger and the vectors.", "--home", show_default="the setting home: ~/.clausegraph", **_GLOBAL
)
HomeOption = Annotated[Path | None, _HOME]
JsonOption = Annotated[bool, option("Print one JSON document.", "--json", **_GLOBAL)]
QuietOption = Annotated[bool, option("No progress, no notes.", "--quiet", "-q", **_GLOBAL)]
QuestionArgument = Annotated[list[str], argument("The question; quotes are optional.", "QUESTION")]
ScenarioOption = Annotated[str, option("Who asks, in plain words.", "--scenario", "-s", show_default="none")]
_CORPUS = option("Name of the corpus.", "--corpus", "-c", show_default="the setting corpus: default")
CorpusOption = Annotated[str | None, _CORPUS]
_EPOCH = option("A retained epoch.", "--epoch", min=1, max=10**15, show_default="the published one")
_REASON = option("Why; the audit log keeps it.", "--reason", show_default="none", **_GLOBAL)
EpochOption = Annotated[int | None, _EPOCH]


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
        for value, flag, without in ((self.corpus, "--corpus", _WITHOUT_CORPUS), (self.home, "--home", _WITHOUT_HOME)):
            if value is not None and name not in without and flag not in words:
                words += f" {flag} {shlex.quote(str(value))}"
        return f"`clausegraph {words}`"


@dataclass
class Session:
    """The global options of one command."""

    home: Path | None = None
    json: bool = False
    quiet: bool = False
    name: str = ""  # of the command: "ask", "epochs.list"
    stores: bool = False  # work that a second run of the command goes on with
    reason: str = ""  # of what it changes
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

    def call(
        self,
        corpus: str | None,
        service: Callable[Concatenate[Workspace, str, P], T],
        /,
        *args: P.args,
        **options: P.kwargs,
    ) -> T:
        """What a use case returns for the corpus that the option names, else for that of the settings."""
        workspace = self.workspace(corpus)
        return service(workspace, workspace.settings.corpus, *args, **options)

    def act(
        self,
        corpus: str | None,
        target: str | None,
        service: Callable[Concatenate[Workspace, str, P], T],
        /,
        *args: P.args,
        **options: P.kwargs,
    ) -> T:
        """As :meth:`call`, of what changes something: the audit log has who did what, why, and how it ended."""
        workspace = self.workspace(corpus)
        name = workspace.settings.corpus
        with self.deed(workspace.settings, target, name):
            return service(workspace, name, *args, **options)

    def deed(self, settings: Settings, target: str | None, corpus: str = "") -> AbstractContextManager[None]:
        """Have the audit log say who does what the block does, why, and how it ended; without a target nothing is
        changed, as by a dry run."""
        if target is None:
            return nullcontext()
        from clausegraph.app.access.rules import Deed, writing_down

        deed = Deed(f"{user()} (command line)", self.name.replace(".", " "), target, "done", corpus, why=self.reason)
        return writing_down(settings, deed)

    @contextmanager
    def progress(self) -> Iterator[Gauge]:
        """What long work tells how far it is; silent where nothing but the result was asked for."""
        from clausegraph.ingestion.progress import Gauge, progress_lines

        if self.quiet or self.json:
            yield Gauge()
            return
        with bars() if sys.stderr.isatty() else progress_lines(self.note) as step:
            yield step

    def emit(self, value: Any, *items: RenderableType, verbatim: bool = False) -> None:
        """The result: ``value`` as JSON where it was asked for, else ``items`` for people.

        Hints in texts are completed; not so where the texts are ``verbatim``, of documents.
        """
        if self.json:
            show_json(value)
        else:
            show(*(self.hints.complete(one) if isinstance(one, str) and not verbatim else one for one in items))

    def note(self, text: str) -> None:
        """A remark on stderr, unless quiet; its hints are completed."""
        if not self.quiet and not self.json:
            note(self.hints.complete(text))


def command(
    words: str, *, stores: bool = False, acts: bool = False
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Register ``function(session, ...)`` as the command of these words, with the global options after its own.

    ``stores`` says that an interrupted one keeps its work, and goes on with it when it is run again; ``acts`` that it
    changes something, so that it takes a reason for the audit log.
    """

    def register(function: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(function)
        def run(ctx: typer.Context, home: Path | None, json: bool, quiet: bool, **values: Any) -> None:
            from clausegraph.core.settings import misspelt_variables

            before: Session = ctx.obj or Session()
            name = ".".join(ctx.command_path.removeprefix(ctx.find_root().command_path).split())
            session = Session(
                home or before.home, json or before.json, quiet or before.quiet, name, stores, values.get("reason", "")
            )
            if not session.quiet and (wrong := misspelt_variables()):  # also beside JSON, as it goes to stderr
                note(f"Warning: {wrong}")
            guarded(session, lambda: function(session, **_checked(values, names)))

        hints = get_type_hints(function, include_extras=True)
        own = list(inspect.signature(function).parameters.values())[1:]
        names = {parameter.name for parameter in own}
        parameters = [_described(parameter, hints[parameter.name]) for parameter in own]
        keyword = Parameter.KEYWORD_ONLY
        if acts and "reason" not in names:
            parameters.append(Parameter("reason", keyword, default="", annotation=Annotated[str, _REASON]))
        parameters += [
            Parameter("ctx", keyword, annotation=typer.Context),
            Parameter("home", keyword, default=None, annotation=HomeOption),
            Parameter("json", keyword, default=False, annotation=JsonOption),
            Parameter("quiet", keyword, default=False, annotation=QuietOption),
        ]
        described: Any = run
        described.__signature__ = inspect.Signature(parameters)
        described.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        REGISTERED[words] = described
        return function

    return register


def _described(parameter: Parameter, hint: Any) -> Parameter:
    """The parameter with its flag, as ``--at-once``, and "none" as the shown default of None, unless told otherwise."""
    kind, info = get_args(hint)
    info = copy.copy(info)
    if isinstance(info, typer.models.OptionInfo):
        info.param_decls = info.param_decls or (f"--{parameter.name.replace('_', '-')}",)
    if parameter.default is None and info.show_default is True:
        info.show_default = "none"
    return parameter.replace(annotation=Annotated[kind, info], kind=Parameter.KEYWORD_ONLY)


def _checked(values: dict[str, Any], names: set[str]) -> dict[str, Any]:
    """What the command line gave for these names, once all is text: bytes that are no UTF-8 cannot be stored, asked or
    shown."""
    for name, value in values.items():
        for word in value if isinstance(value, list) else [value]:
            if isinstance(word, str) and not is_text(word):
                raise InputError(f"{name.replace('_', '-')} {word[:80]!a} is not valid UTF-8; give it as UTF-8 text")
    return {name: value for name, value in values.items() if name in names}


def shown_place(place: str) -> str:
    """A folder as it is; a URL without user, password and query."""
    scheme, is_url, rest = place.partition("://")
    return f"{scheme}://{rest.rpartition('@')[2].partition('?')[0]}" if is_url else place


def user() -> str:
    """Who runs the command."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # a process without a name, as in some containers
        return "unknown"


def guarded(session: Session, work: Callable[[], None]) -> None:
    """Do the work; a known error is one message and its exit code, never a traceback."""
    from clausegraph.core.settings import debug_enabled
    from clausegraph.core.telemetry.spans import FLUSH_SECONDS, stop_telemetry

    wait = FLUSH_SECONDS
    try:
        with _sigterm_raised(), session.watched:
            work()
            sys.stdout.flush()  # here, where a closed pipe is known for what it is
    except BrokenPipeError as error:  # whoever reads the output has enough, as in "| head"
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python writes the rest when it ends
        raise typer.Exit(OUTPUT_CLOSED) from error
    except ClauseGraphError as error:
        if debug_enabled():
            traceback.print_exc(file=sys.stderr)
        report_error(session.json, type(error).__name__, session.hints.complete(str(error)))
        raise typer.Exit(error.exit_code) from error
    except KeyboardInterrupt as error:
        wait = _FLUSH_INTERRUPTED
        kept = ["stored work is kept, run the command again to go on"] if session.stores else []
        said = "; ".join(["stopped", *getattr(error, "__notes__", ()), *kept])
        report_error(session.json, type(error).__name__, said)
        raise typer.Exit(TERMINATED if isinstance(error, Terminated) else INTERRUPTED) from error
    except UnicodeEncodeError as error:  # of the terminal's own encoding
        if error.encoding.lower() in ("utf-8", "utf8"):
            raise  # which can write whatever we print: this is a defect of ours
        said = f"the output cannot be written as {error.encoding}; set PYTHONIOENCODING=utf-8"
        report_error(False, "InputError", said)
        raise typer.Exit(InputError.exit_code) from error
    finally:
        stop_telemetry(wait)


class Terminated(KeyboardInterrupt):
    """SIGTERM, which ends a command as Ctrl-C does."""


def _terminate(*_: object) -> None:
    raise Terminated


@contextmanager
def _sigterm_raised() -> Iterator[None]:
    """SIGTERM raises ``Terminated`` in the main thread; a handler of somebody else's stays."""
    is_main = threading.current_thread() is threading.main_thread()
    is_ours = is_main and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    if is_ours:
        signal.signal(signal.SIGTERM, _terminate)
    try:
        yield
    finally:
        if is_ours:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)


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


def report_error(as_json: bool, kind: str, message: str) -> None:
    """The error: a JSON document on stdout where JSON was asked for, else a line on stderr."""
    from clausegraph.core.secrets import mask_reply

    message = mask_reply(message)  # of a server's texts, whichever way they came into an error
    if as_json:
        show_json({"error": {"type": kind, "message": message}})
    else:
        note(f"Error: {message}")
