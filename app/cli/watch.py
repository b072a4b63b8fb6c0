"""``watch``: questions that are asked again where a publish touches what their answers rest on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from clausegraph.app.cli.ingest import watched_lines
from clausegraph.app.cli.output import moment, table
from clausegraph.app.cli.session import (
    CorpusOption,
    QuestionArgument,
    ScenarioOption,
    Session,
    argument,
    command,
    option,
    user,
)
from clausegraph.core.text import one_line

if TYPE_CHECKING:
    from clausegraph.app.services.watches import ListedWatch

_ALL = 1_000_000
NumberArgument = Annotated[int, argument("As `watch list` shows it.", "ID", min=1)]
ByOption = Annotated[str | None, option("Who does it.", show_default="the user's name")]


@command("watch add", acts=True)
def watch_add(
    session: Session,
    *,
    question: QuestionArgument,
    scenario: ScenarioOption = "",
    corpus: CorpusOption = None,
    by: ByOption = None,
) -> None:
    """Watch a question: it is answered now, and again after each publish that touches what its answer rests on."""
    from clausegraph.app.services.watches import add

    made = session.act(corpus, "", add, " ".join(question), scenario, by or user())
    session.emit(made, f"watched as {_words(made)}", f"  {made.status}: {made.words}")


@command("watch list")
def watch_list(session: Session, *, corpus: CorpusOption = None) -> None:
    """List the watched questions with their answers, and how often these have changed since somebody approved them."""
    from clausegraph.app.services.watches import watch_slice

    found = session.call(corpus, watch_slice, _ALL).items
    rows = [
        (one.id, one_line(one.question), one.status or "to be asked", one_line(one.words), one.changed,
         one.approved_by, one.epoch)
        for one in found
    ]  # fmt: skip
    columns = ("id", "question", "status", "answer", "changed", "approved by", "epoch")
    session.emit(found, table(columns, rows, "no question is watched; `clausegraph watch add QUESTION` watches one"))


@command("watch show")
def watch_show(session: Session, number: NumberArgument, *, corpus: CorpusOption = None) -> None:
    """Show a watched question with its answer, and how that changed."""
    from clausegraph.app.services.watches import show

    found = session.call(corpus, show, number)
    lines = [_words(found), *([f"scenario: {one_line(found.scenario)}"] if found.scenario else [])]
    lines += [f"watched by {found.added_by} since {moment(found.created)}; holds up to epoch {found.epoch}"]
    if found.approved_by:
        lines.append(f"approved by {found.approved_by}" + (", but now another:" if found.unlike_approved else ""))
    lines += (one.line() for one in found.unlike_approved)
    gone = "its answer went with its epoch; `clausegraph watch run` asks it again"
    lines += ["", gone if found.answer is None else found.answer.presentation.text]
    lines += [line for one in found.changes for line in ("", *one.lines())]
    session.emit(found, *lines)


@command("watch remove", acts=True)
def watch_remove(session: Session, number: NumberArgument, *, corpus: CorpusOption = None) -> None:
    """Watch a question no more, and forget its answer and its changes."""
    from clausegraph.app.services.watches import remove

    session.emit(gone := session.act(corpus, str(number), remove, number), f"no longer watched: {_words(gone)}")


@command("watch approve", acts=True)
def watch_approve(
    session: Session, number: NumberArgument, *, corpus: CorpusOption = None, by: ByOption = None
) -> None:
    """Say that the present answer of a watched question is right; what changes later is held against it."""
    from clausegraph.app.services.watches import approve

    done = session.act(corpus, str(number), approve, number, by or user())
    session.emit(done, f"approved by {done.approved_by}: {_words(done)}", f"  {done.status}: {done.words}")


@command("watch run", stores=True)
def watch_run(
    session: Session,
    number: Annotated[int | None, argument("One question.", "[ID]", min=1, show_default="all")] = None,
    *,
    corpus: CorpusOption = None,
) -> None:
    """Ask the watched questions again now, whether a publish touched them or not, and report what changed."""
    from clausegraph.app.services.watches import changed_answers
    from clausegraph.app.services.watching import run

    workspace = session.workspace(corpus)
    name = workspace.settings.corpus
    with session.progress() as progress:
        report = run(workspace, name, number, progress)
    changed = changed_answers(workspace, name)
    newest = [next(one for one in changed if one.watch == number) for number in report.changed]
    session.emit(report, *watched_lines(report), *(line for one in newest for line in one.lines()))


@command("watch feed")
def watch_feed(session: Session, *, corpus: CorpusOption = None) -> None:
    """Print how watched answers changed as an Atom feed, newest first."""
    from clausegraph.app.change_report import answer_feed
    from clausegraph.app.services.watches import changed_answers

    workspace = session.workspace(corpus)
    found = changed_answers(workspace, workspace.settings.corpus)
    session.emit(found, answer_feed(workspace.settings.corpus, found).rstrip("\n"), verbatim=True)


def _words(one: ListedWatch) -> str:
    return f"{one.id}: {one_line(one.question)}"
