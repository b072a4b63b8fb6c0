"""``entities``, ``statements`` and ``questions``: what people decide about names, statements and answers."""

from __future__ import annotations

import getpass
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clausegraph.app.cli.output import moment, table
from clausegraph.app.cli.session import CorpusOption, Session, command
from clausegraph.core.errors import InputError
from clausegraph.core.text import one_line

if TYPE_CHECKING:
    from clausegraph.app.services.entities import ListedDecision, ListedDefinition, NameDecision
    from clausegraph.app.services.questions import JudgedQuestion
    from clausegraph.app.services.statements import HidingDecision
    from clausegraph.ingestion.report import RunReport

WAITS = "effective at the next publish: any ingest, or `clausegraph entities apply`, which publishes all decisions now"

ByOption = Annotated[str | None, typer.Option("--by", help="Who decides.", show_default="the user's name")]
_MOST = 100_000


@command("entities review")
def entities_review(
    session: Session,
    *,
    corpus: CorpusOption = None,
    of_type: Annotated[
        str | None, typer.Option("--type", help="Only entities of this type.", show_default="all types")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=1_000_000, help="Proposals to show.")] = 20,
    accept: Annotated[
        list[str] | None, typer.Option("--accept", help="Ids to accept, as 1,2 or repeated.", show_default="none")
    ] = None,
    reject: Annotated[
        list[str] | None, typer.Option("--reject", help="Ids to reject, as 1,2 or repeated.", show_default="none")
    ] = None,
    interactive: Annotated[bool, typer.Option("--interactive", "-i", help="Ask about one after the other.")] = False,
    by: ByOption = None,
) -> None:
    """Propose names that may stand for one entity, with evidence; or accept and reject proposals.

    Nothing is merged that was not accepted, and a rejected pair is never proposed again.
    """
    workspace = session.workspace(corpus)
    name = workspace.settings.corpus
    accepted, rejected = _ids(accept), _ids(reject)
    if interactive and (accepted or rejected):
        raise InputError("give --interactive, or ids with --accept and --reject, not both")
    if interactive and (session.json or not sys.stdout.isatty()):
        raise InputError("--interactive needs a terminal; use --accept and --reject with ids")
    from clausegraph.app.services import entities

    if accepted or rejected:
        done = entities.decide(workspace, name, accepted, rejected, by or user())
        session.emit(done, *(f"{one.state} {_name_words(one)}" for one in done), *session.lines([_effect(done)]))
        return
    found = entities.review(workspace, name, of_type, None if interactive else limit)
    if not interactive:
        session.emit(found, *_proposal_lines(found, session.hints.hint("entities review --accept ID,… --reject ID,…")))
        return

    def one_by_one(accepting: bool, number: int) -> None:
        entities.decide(workspace, name, [number] if accepting else [], [] if accepting else [number], by or user())

    decided = ask_each(session, found["proposals"], one_by_one, lambda text: str(typer.prompt(text, default="s")))
    waits = session.hints.complete(WAITS)
    session.emit(decided, f"{decided['accepted']} accepted, {decided['rejected']} rejected; {waits}")


def ask_each(
    session: Session, cards: Sequence[dict[str, Any]], decide: Callable[[bool, int], None], ask: Callable[[str], str]
) -> dict[str, int]:
    """Show one proposal after the other and do what is answered: y, n, s(kip) or q(uit)."""
    counts = {"accepted": 0, "rejected": 0}
    for card in cards:
        session.emit(card, *_card(card))
        answer = ""
        while answer not in ("y", "n", "s", "q"):
            answer = ask("One entity? y/n/s(kip)/q(uit)").strip().lower()[:1]
        if answer == "q":
            break
        if answer == "s":
            continue
        try:
            decide(answer == "y", card["id"])
        except InputError as error:
            session.note(f"not decided: {error}")
            continue
        counts["accepted" if answer == "y" else "rejected"] += 1
    return counts


@command("entities merges")
def entities_merges(
    session: Session,
    *,
    corpus: CorpusOption = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=1_000_000, help="Merges to show.")] = 50,
) -> None:
    """List what is one entity, best first: what pages define, with the sentence, what was decided, what is proposed."""
    workspace = session.workspace(corpus)
    from clausegraph.app.services import entities

    found = entities.merges(workspace, workspace.settings.corpus, limit)
    counts = f"{found['in_force']} in force, {found['proposed']} proposed"
    head = f"corpus {found['corpus']!r}, epoch {found['epoch']}: {counts}"
    columns = ("score", "name", "entity", "why", "sentence")
    rows = [
        (f"{one['score']:.2f}", *one["written"], _why_merged(one), one_line(one["quote"] or "", 160))
        for one in found["merges"]
    ]
    session.emit(found, head, *([table(columns, rows)] if rows else []))


def _why_merged(one: dict[str, Any]) -> str:
    words = {"defined": f"defined by {one['page']}", "accepted": f"accepted by {one['by']}", "follows": "by others"}
    return words.get(
        one["state"], f"proposed, id {one['id']}" if one["id"] else "proposed; `entities review` stores it"
    )


@command("entities merge")
def entities_merge(
    session: Session,
    *,
    name: Annotated[str, typer.Argument(help="The name, as the pages write it.")],
    entity: Annotated[str, typer.Argument(help="The name it is taken for.")],
    corpus: CorpusOption = None,
    by: ByOption = None,
) -> None:
    """Take NAME for ENTITY without a proposal."""
    workspace = session.workspace(corpus)
    from clausegraph.app.services import entities

    made = entities.merge(workspace, workspace.settings.corpus, name, entity, by or user())
    session.emit(made, f"accepted {_name_words(made)}", *session.lines([WAITS]))


@command("entities undo")
def entities_undo(
    session: Session,
    *,
    what: Annotated[str, typer.Argument(metavar="ID|NAME", help="Id of the decision, or the name it is about.")],
    corpus: CorpusOption = None,
    by: ByOption = None,
) -> None:
    """Take a decision back: one that was proposed is a proposal again, a direct merge is removed.

    What a page defines, as in "Disclosure and Barring Service (DBS)", is rejected; undone again, it is defined again.
    """
    workspace = session.workspace(corpus)
    from clausegraph.app.services import entities

    done = entities.undo(workspace, workspace.settings.corpus, what, by or user())
    was = done.decision
    after = "removed" if done.now == "removed" else "a proposal again"
    said = f"undone {_name_words(was)}, which was {was.state}: it is {after}"
    if done.now == "rejected":
        said = f"rejected {_name_words(was)}, as pages define it; `clausegraph entities undo {was.id}` takes that back"
    waits = done.now == "rejected" or was.evidence.get("origin") == "definition"
    session.emit(done, said, *session.lines([WAITS if waits else _effect([was])]))


@command("entities list")
def entities_list(
    session: Session,
    *,
    corpus: CorpusOption = None,
    state: Annotated[
        str | None, typer.Option(help="Only proposed, accepted or rejected ones.", show_default="all")
    ] = None,
) -> None:
    """List the decisions, and whether they are in force or wait for the next publish."""
    workspace = session.workspace(corpus)
    if state not in (None, "proposed", "accepted", "rejected"):
        raise InputError(f"no state {state!r}; take proposed, accepted or rejected")
    from clausegraph.app.services.entities import decisions_status

    found = decisions_status(workspace, workspace.settings.corpus, state)
    columns = ("id", "name", "entity", "state", "by", "decided", "in force")
    items: list[Any] = session.lines(["no decisions yet; `clausegraph entities review` proposes some"])
    if found.decisions:
        items = [table(columns, [_name_row(one) for one in found.decisions])]
    if found.defined:
        defined = [(one.name, one.entity, ", ".join(one.pages[:3]), _since(one)) for one in found.defined]
        items += ["", *session.lines(["defined by pages:"]), table(("name", "entity", "pages", "in force"), defined)]
    if found.pending:
        rows = [(change.name, change.before, change.after) for change in found.pending]
        items += ["", *session.lines([WAITS]), table(("name", "stands now for", "then for"), rows)]
    if found.published != found.newest:
        items.append(f"rolled back: readers get epoch {found.published}, the newest is {found.newest}")
    session.emit(found, *items)


@command("entities apply", stores=True)
def entities_apply(session: Session, *, corpus: CorpusOption = None) -> None:
    """Publish the decisions about names and statements now, without a run of a source."""
    workspace = session.workspace(corpus)
    from clausegraph.app.services.entities import run_apply

    with session.progress() as progress:
        report = run_apply(workspace, workspace.settings.corpus, progress)
    session.emit(report.as_dict(), *session.lines(_applied(report)))


def _applied(report: RunReport) -> list[str]:
    head = f"corpus {report.corpus!r}: "
    recovered = [f"{head}{report.recovered}"] if report.recovered else []
    recovered += [f"{head}{problem}" for problem in report.lagging]
    if report.epoch is None:
        return [*recovered, f"{head}every decision is in force already"]
    names, hidden = report.rows["entity_names"], report.rows["hidden_supports"]
    changes = f"{names['opened']} names merged, {names['closed']} as they were"
    changes += f", {report.rows['supports']['opened']} statements moved"
    if hidden["opened"] or hidden["closed"]:
        changes += f", {hidden['opened']} hidden, {hidden['closed']} shown again"
    return [*recovered, f"{head}published epoch {report.epoch}: {changes}"]


def _ids(given: Sequence[str] | None) -> list[int]:
    words = [word.strip() for text in given or () for word in text.split(",")]
    wrong = next((word for word in words if not (word.isascii() and word.isdigit() and len(word) < 19)), None)
    if wrong is not None:
        raise InputError(
            f"{wrong[:40]!r} is not the id of a proposal; give numbers as `clausegraph entities review` shows them"
        )
    return [int(word) for word in words]


def user() -> str:
    """Who runs the command."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # a process without a name, as in some containers
        return "unknown"


def _name_words(decision: NameDecision) -> str:
    return f"{decision.id}: {decision.name!r} is {decision.entity!r}"


def _effect(decided: Sequence[NameDecision]) -> str:
    return WAITS if any(one.state == "accepted" for one in decided) else "nothing changes for readers"


def _name_row(one: ListedDecision) -> list[object]:
    force = "" if one.state != "accepted" else _since(one)
    return [one.id, one.name, one.entity, one.state, one.decided_by, moment(one.decided), force]


def _since(one: ListedDecision | ListedDefinition) -> str:
    since = one.in_force_since
    return f"since epoch {since}" if since else "waits for the next publish"


def _proposal_lines(found: dict[str, Any], decide: str) -> list[Any]:
    shown = len(found["proposals"])
    head = f"corpus {found['corpus']!r}, epoch {found['epoch']}: {found['open']} open proposals, {found['new']} new"
    lines: list[Any] = [head if shown == found["open"] else f"{head}; the best {shown}:"]
    for card in found["proposals"]:
        lines += ["", *_card(card)]
    if shown:
        lines.append(f"\ndecide with {decide}")
    return lines


def _card(card: dict[str, Any]) -> list[str]:
    name, entity = card["name"], card["entity"]
    lines = [f"{card['id']}: {name['key']!r} is {entity['key']!r}?  score {card['score']:.2f} ({card['variant']})"]
    for side in (name, entity):
        written = ", ".join(f"“{surface}”" for surface in side["written"])
        lines.append(f"  {written}: {', '.join(side['types'])}, in {side['supports']} statements")
        if side["example"]:
            lines.append(f"    “{side['example']['quote']}” ({side['example']['page']})")
    return lines


@command("statements hide")
def statements_hide(
    session: Session,
    *,
    statement: Annotated[
        str, typer.Argument(metavar="ID", help="Its id, or how that begins; or that of a fact that it alone states.")
    ],
    reason: Annotated[str, typer.Option("--reason", help="Why it is wrong.")],
    corpus: CorpusOption = None,
    by: ByOption = None,
) -> None:
    """Hide a wrong statement, from the next publish on, in the graph, in search and in answers.

    The decision outlives new versions of the page as long as the element says the same and the same is read from it.
    The page itself keeps its words, which are still found and quoted.
    """
    workspace = session.workspace(corpus)
    from clausegraph.app.services import statements

    done = statements.hide(workspace, workspace.settings.corpus, statement, reason, by or user())
    said = f"hidden by decision {_statement_words(done)}"
    if not done.new:
        before = f"{done.decided_by} has hidden it before"
        said = f"{before}, by decision {_statement_words(done)}: {one_line(done.reason)}"
    session.emit(done, said, *session.lines([WAITS] if done.state == "waits" else []))


@command("statements undo")
def statements_undo(
    session: Session,
    *,
    number: Annotated[int, typer.Argument(metavar="NUMBER", min=1, help="Of the decision, as `statements list` says.")],
    corpus: CorpusOption = None,
) -> None:
    """Take the decision back: the next publish shows the statement again, if its page still states it."""
    workspace = session.workspace(corpus)
    from clausegraph.app.services import statements

    done = statements.undo(workspace, workspace.settings.corpus, number)
    session.emit(done, f"undone {_statement_words(done)}", *session.lines([WAITS] if done.state == "hidden" else []))


@command("statements list")
def statements_list(session: Session, *, corpus: CorpusOption = None) -> None:
    """List what is hidden: by whom, why, and whether that is in force, waits, or has nothing to hide now."""
    workspace = session.workspace(corpus)
    from clausegraph.app.services.statements import hidden_status

    found = hidden_status(workspace, workspace.settings.corpus)
    columns = ("id", "statement", "page", "reason", "by", "decided", "in force")
    items: list[Any] = session.lines(
        ["nothing is hidden; `clausegraph statements hide ID --reason TEXT` hides a statement"]
    )
    if found.hidden:
        items = [table(columns, [_statement_row(one) for one in found.hidden])]
    if found.returning:
        rows = [(one.words, one.page) for one in found.returning]
        items += ["", "shown again at the next publish:", table(("statement", "page"), rows)]
    if any(one.state == "waits" for one in found.hidden) or found.returning:
        items += ["", *session.lines([WAITS])]
    session.emit(found, *items)


def _statement_words(decision: HidingDecision) -> str:
    return f"{decision.id}: {one_line(decision.words or 'what its page does not state now')}"


def _statement_row(one: HidingDecision) -> list[object]:
    said = {"hidden": f"since epoch {one.since}", "waits": "waits for the next publish"}
    words = one.words or f"({one.anchor})"
    force = said.get(one.state, "nothing to hide now")
    return [one.id, words, one.page, one.reason, one.decided_by, moment(one.decided), force]


@command("questions list")
def questions_list(session: Session, *, corpus: CorpusOption = None) -> None:
    """List the answers that were judged on the console: by whom, of which epoch, and what would be right."""
    workspace = session.workspace(corpus)
    from clausegraph.app.services.questions import judged_slice

    found = judged_slice(workspace, workspace.settings.corpus, _MOST).items
    columns = ("id", "question", "answered", "judged", "expected", "by", "when")
    items: list[Any] = session.lines(["no answer was judged yet; a curator does so on the console's Ask"])
    if found:
        items = [table(columns, map(_question_row, found))]
    session.emit(found, *items)


@command("questions export")
def questions_export(
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


@command("questions remove")
def questions_remove(
    session: Session,
    *,
    number: Annotated[int, typer.Argument(metavar="ID", min=1, help="As `questions list` shows it.")],
    corpus: CorpusOption = None,
) -> None:
    """Forget a judged answer, with its question and scenario."""
    workspace = session.workspace(corpus)
    from clausegraph.app.services.questions import forget

    gone = forget(workspace, workspace.settings.corpus, number)
    session.emit(gone, f"forgot {gone.id}: {one_line(gone.question)}")


def _question_row(one: JudgedQuestion) -> list[object]:
    words = [one.id, one_line(one.question), one.status, one.verdict, one_line(one.expected)]
    return [*words, one.judged_by, moment(one.judged)]
