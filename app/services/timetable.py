"""What keeps a corpus up to date where no Airflow runs: a line for cron, and a systemd service with its timer."""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from pydantic import Field

from clausegraph.app.services import Record
from clausegraph.app.services.cron import RANGES, is_field
from clausegraph.app.services.pages import WEB
from clausegraph.app.services.scheduling import settings_file
from clausegraph.app.workspace import Workspace
from clausegraph.core.errors import InputError
from clausegraph.core.settings import PREFIX, ScheduledCorpus
from clausegraph.indexes.corpora import get_corpus, list_sources

_TIMES = {"day": "0 3 * * *", "hour": "0 * * * *"}
_WEEK = ("Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_FLAGS = {"source_name": "--source-name", "mode": "--as", "depth": "--depth", "addresses": "--addresses",
          "alike": "--alike", "include": "--include", "exclude": "--exclude", "pdf": "--pdf", "limit": "--limit",
          "hold_share": "--hold-share"}  # fmt: skip
_WRITTEN = (f"{PREFIX}CONFIG", f"{PREFIX}HOME", f"{PREFIX}CORPUS")
_CODES = "exit codes: 0 done; 7 a person must decide, see `clausegraph quarantine list`; 4 another run has the corpus, "


class Timetable(Record):
    """Texts to be put where cron and systemd look."""

    corpus: str
    about: list[str] = Field(description="What whoever installs them must know.")
    command: str = Field(description="What is run, for /bin/sh.")
    cron: str
    units: dict[str, str] = Field(description="Files of systemd, by name.")


def make_timetable(workspace: Workspace, corpus: str, every: str) -> Timetable:
    """Mirror the source of the table ``[corpora.NAME]``, else each source that the corpus has, again and again.

    Args:
        every: "day", "hour", or the five fields of cron.

    Raises:
        InputError: the fields are wrong; or a source is a site, and no table says how it is taken.
    """
    fields = _fields(every)
    settings = workspace.settings
    scheduled = settings.corpora.get(corpus)
    sources = [_words(scheduled)] if scheduled else _known_sources(workspace, corpus)
    config = settings_file()
    named = f"{PREFIX}CONFIG={shlex.quote(str(config))} " if config else ""
    home = ["--quiet", "--home", str(settings.home.absolute()), "--corpus", corpus]
    runs = [named + shlex.join([*_program(), "ingest", *words, *home]) for words in sources]
    shell = runs[0] if len(runs) == 1 else f"e=0; {'; '.join(f'{run} || e=$?' for run in runs)}; exit $e"
    if "\n" in shell:
        raise InputError(f"a path of corpus {corpus!r} has a line break, which no crontab can have; rename it")
    about = [f"{_CODES}or the disk is full; 5 a model failed; 1 and 2 see the message. Runs never overlap: the"]
    about += ["second is refused, and changes nothing. What is given to a person is printed: cron mails it."]
    about += [f"Settings are those of {config}." if config else "There is no settings file: settings are the defaults."]
    if own := sorted(name for name in os.environ if name.startswith(PREFIX) and name not in _WRITTEN):
        about.append(f"Only this shell has {', '.join(own)}: put them into a settings file that you alone can read.")
    name = "clausegraph-" + re.sub(r"[^\w.-]+", "_", corpus, flags=re.ASCII)
    said = f"ClauseGraph: keep the corpus {corpus} up to date".replace("%", "%%")
    units = {
        f"{name}.service": f"[Unit]\nDescription={said}\n\n"
        f"[Service]\nType=oneshot\nExecStart=/bin/sh -c {_quoted(shell)}",
        f"{name}.timer": f"[Unit]\nDescription={said}\n\n[Timer]\nOnCalendar={_calendar(fields)}\nPersistent=true\n\n"
        "[Install]\nWantedBy=timers.target",
    }
    line = f"{' '.join(fields)} {shell}".replace("%", r"\%")  # which cron would take for the end of the line
    return Timetable(corpus=corpus, about=about, command=shell, cron=line, units=units)


def _program() -> list[str]:
    """How this program is run from anywhere."""
    path = Path(sys.executable).parent / "clausegraph"
    return [str(path)] if path.is_file() else [sys.executable, "-c", "import clausegraph; clausegraph.main()"]


def _known_sources(workspace: Workspace, corpus: str) -> list[list[str]]:
    rows = list_sources(workspace.ledger, get_corpus(workspace.ledger, corpus).id)
    if not rows:
        raise InputError(f"corpus {corpus!r} has no source; `clausegraph ingest SOURCE` first")
    for row in rows:
        if row.kind == WEB:
            raise InputError(
                f"source {row.name!r} is an address ({row.location}), and how it is taken is not stored; write it into "
                f"a table [corpora.{corpus}] of the settings file, as docs/airflow.md has it"
            )
    return [[row.location, "--source-name", row.name] for row in rows]


def _words(scheduled: ScheduledCorpus) -> list[str]:
    """The source with the options of ``ingest`` that are not as they would be anyway."""
    is_path = "://" not in scheduled.source
    words = [str(Path(scheduled.source).expanduser().absolute()) if is_path else scheduled.source]
    for name, flag in _FLAGS.items():
        value = getattr(scheduled, name)
        if value == ScheduledCorpus.model_fields[name].default:
            continue
        words += [flag] if value is True else []
        words += [part for one in value for part in (flag, one)] if isinstance(value, tuple) else []
        words += [flag, str(value)] if isinstance(value, (str, int, float)) and value is not True else []
    return words


def _fields(every: str) -> list[str]:
    """The five fields of cron.

    Raises:
        InputError: they are none.
    """
    fields = _TIMES.get(every, every).split()
    whole = len(fields) == len(RANGES) and all(map(is_field, fields, RANGES))
    if not whole:
        raise InputError(f"--every {every!r} is not understood; give day, hour, or five fields as '0 3 * * 1-5'")
    return fields


def _calendar(fields: Sequence[str]) -> str:
    """The same moments as systemd writes them."""
    minute, hour, day, month, week = fields
    if "*" not in (day, week):
        raise InputError("a day of the month and of the week together mean 'or' to cron and 'and' to systemd; give one")
    days = "" if week == "*" else re.sub(r"\d", lambda number: _WEEK[int(number[0])], week).replace("-", "..") + " "
    parts = [_systemd(one, first) for one, first in ((month, 1), (day, 1), (hour, 0), (minute, 0))]
    return f"{days}*-{parts[0]}-{parts[1]} {parts[2]}:{parts[3]}:00"


def _systemd(field: str, first: int) -> str:
    return field.replace("*/", f"{first}/").replace("-", "..")


def _quoted(shell: str) -> str:
    """A shell's line as an argument in a unit, where "%" and "$" mean something too."""
    return '"' + shell.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$") + '"'
