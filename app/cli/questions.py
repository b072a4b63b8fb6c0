"""``clausegraph questions``: answers that people judged right or wrong, as questions to measure engines on."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from clausegraph.app.cli.output import table
from clausegraph.app.cli.session import CorpusOption, Session, command
from clausegraph.app.cli.status import moment
from clausegraph.core.text import one_line

_MOST = 100_000


def list_all(session: Session, *, corpus: CorpusOption = None) -> None:
    """List the answers that were judged on the console: by whom, of which epoch, and what would be right."""
    workspace = session.workspace(corpus)
    from clausegraph.app.services.questions import judged_slice

    found = judged_slice(workspace, workspace.settings.corpus, _MOST).items
    columns = ("id", "question", "answered", "judged", "expected", "by", "when")
    items: list[Any] = session.lines(["no answer was judged yet; a curator does so on the console's Ask"])
    if found:
        items = [table(columns, map(_row, found))]
    session.emit(found, *items)


def export(
    session: Session,
    *,
    output: Annotated[Path, typer.Option("--output", "-o", help="File to write, as `eval conditionalqa` reads it.")],
    corpus: CorpusOption = None,
) -> None:
    """Write what was judged as questions with their gold answers, in ConditionalQA's form.

    A right answer is gold as long as the pages say what it rests on; a wrong one where somebody said what is right.
    """
    workspace = session.workspace(corpus)
    from clausegraph.app.services import questions

    name = workspace.settings.corpus
    done = questions.export(workspace, name, output)
    left = [f"left out {one['id']} ({one_line(one['question'])}): {one['why']}" for one in done["left_out"]]
    command_words = f"clausegraph eval conditionalqa --engine loop --questions {output} --corpus {name}"
    hint = f"`{command_words}` measures an engine on them"
    session.emit(done, f"{done['written']} questions written to {output}", *left, *session.lines([hint]))


def remove(
    session: Session,
    *,
    number: Annotated[int, typer.Argument(metavar="ID", min=1, help="As `questions list` shows it.")],
    corpus: CorpusOption = None,
) -> None:
    """Forget a judged answer, with its question and scenario."""
    workspace = session.workspace(corpus)
    from clausegraph.app.services.questions import forget

    gone = forget(workspace, workspace.settings.corpus, number)
    session.emit(gone, f"forgot {gone['id']}: {one_line(gone['question'])}")


def _row(one: dict[str, Any]) -> list[object]:
    words = [one["id"], one_line(one["question"]), one["status"], one["verdict"], one_line(one["expected"])]
    return [*words, one["judged_by"], moment(one["judged"])]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = typer.Typer(no_args_is_help=True, help="Judged answers as questions to measure engines on: list, export.")
    command(group, "list")(list_all)
    command(group, "export")(export)
    command(group, "remove")(remove)
    app.add_typer(group, name="questions")
