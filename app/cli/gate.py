"""``gate``: questions that an epoch must answer before readers get it; and ``schedule``: runs without Airflow."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from clausegraph.app.cli.output import moment
from clausegraph.app.cli.session import CorpusOption, EpochOption, Session, a_number, argument, command, option, user
from clausegraph.core.errors import FloorMissed, InputError
from clausegraph.core.text import counted

_FILE = argument("A file of questions, one a line, as JSON.", "QUESTIONS.jsonl", show_default=False)
_FLOOR = option("Share of the questions that must be right.", min=0.01, max=1, callback=a_number)
_MISSED = option("What becomes of an epoch that misses it: keep the last one, or publish and tell it.")


@command("gate set", acts=True)
def gate_set(
    session: Session,
    questions: Annotated[Path | None, _FILE] = None,
    *,
    watched: Annotated[bool, option("The watched questions, each as its answer was approved.")] = False,
    floor: Annotated[float, _FLOOR] = 1.0,
    missed: Annotated[Literal["keep", "flag"], _MISSED] = "keep",
    corpus: CorpusOption = None,
) -> None:
    """Have every publish of a corpus ask these questions first, in place of those it asked so far.

    A line has "question", perhaps "scenario", and what is expected: "status", "verdict", and lists of words or values
    that the answer "has" or "lacks".
    """
    from clausegraph.app.services.gate import read_questions, set_gate, watched_questions

    if questions is None and not watched:
        raise InputError("say what is asked: `clausegraph gate set QUESTIONS.jsonl`, --watched, or both")
    found = read_questions(questions) if questions else []
    workspace = session.workspace(corpus)
    name = workspace.settings.corpus
    found += watched_questions(workspace, name) if watched else []
    with session.deed(workspace.settings, str(questions or "watched"), name):
        made = set_gate(workspace, name, found, floor, missed, f"{user()} (command line)")
    asked = counted(len(found), "question")
    session.emit(made.as_json(), f"corpus {name!r}: every publish asks {asked} first, floor {floor:.0%}, then {missed}")
    session.note("`clausegraph gate run` asks them of what readers get now")


@command("gate show")
def gate_show(session: Session, *, corpus: CorpusOption = None) -> None:
    """Show the gate of a corpus: its floor, and each question with what is expected."""
    from clausegraph.app.services.gate import show_gate

    found = session.call(corpus, show_gate)
    lines = [f"floor {found.floor:.0%}, then {found.missed}; set by {found.set_by}, {moment(found.created)}"]
    lines += [one.model_dump_json(exclude_defaults=True) for one in found.questions]
    session.emit(found.as_json(), *lines)


@command("gate run")
def gate_run(session: Session, *, corpus: CorpusOption = None, epoch: EpochOption = None) -> None:
    """Ask the gate's questions of the published or another retained epoch. Exit code 6: it misses the floor."""
    from clausegraph.app.cli.ingest import gate_words
    from clausegraph.app.services.gate import run_gate

    found = session.call(corpus, run_gate, epoch)
    lines = [f"epoch {found.epoch}: {gate_words(found.as_json())}", *(f"  missed: {one}" for one in found.missed)]
    session.emit(found.as_json(), *lines)
    if not found.is_met:
        raise typer.Exit(FloorMissed.exit_code)


@command("gate remove", acts=True)
def gate_remove(session: Session, *, corpus: CorpusOption = None) -> None:
    """Publish a corpus without questions from now on."""
    from clausegraph.app.services.gate import remove_gate

    found = session.act(corpus, "", remove_gate)
    session.emit(found.as_json(), f"corpus {found.corpus!r} has no gate any more; it asked {len(found.questions)}")


@command("schedule")
def schedule(
    session: Session,
    *,
    every: Annotated[str, option("day (at 3 o'clock), hour, or five fields as cron has them.")] = "day",
    cron: Annotated[bool, option("Only the line for crontab.")] = False,
    systemd: Annotated[bool, option("Only the units for systemd.")] = False,
    corpus: CorpusOption = None,
) -> None:
    """Print what keeps a corpus up to date where no Airflow runs: a line for cron, and a service with its timer.

    It mirrors the source of the table [corpora.NAME] of the settings file, as Airflow's DAG does, else every source
    that the corpus has.
    """
    from clausegraph.app.services.timetable import make_timetable

    if cron and systemd:
        raise InputError("--cron and --systemd are each alone; leave both out to see both")
    made = session.call(corpus, make_timetable, every)
    session.emit(
        made.as_json(),
        *(f"# {line}" for line in made.about),
        *(["", "# add this line with `crontab -e`:", made.cron] if not systemd else []),
        *(line for name, text in made.units.items() for line in ("", f"# {name}", text) if not cron),
        verbatim=True,
    )
