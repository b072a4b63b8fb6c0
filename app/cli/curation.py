"""``entities``, ``statements`` and ``questions``: what people decide about names, statements and answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from clausegraph.app.cli.ingest import end_with, gate_words, report_lines, watched_lines
from clausegraph.app.cli.output import moment, table
from clausegraph.app.cli.session import CorpusOption, Session, argument, command, option, user
from clausegraph.core.errors import InputError
from clausegraph.core.text import one_line

if TYPE_CHECKING:
    from clausegraph.app.services.entities import NameDecision
    from clausegraph.app.services.statements import HidingDecision

WAITS = "effective at the next publish: any ingest, or `clausegraph entities apply`, which publishes all decisions now"
ByOption = Annotated[str | None, option("Who decides.", show_default="the user's name")]
_MOST = 100_000


@command("entities review", acts=True)
def entities_review(
    session: Session,
    *,
    corpus: CorpusOption = None,
    of_type: Annotated[str | None, option("Only entities of this type.", "--type", show_default="all types")] = None,
    limit: Annotated[int, option("Proposals to show.", min=1, max=1_000_000)] = 20,
    accept: Annotated[list[str] | None, option("Ids to accept, as 1,2 or repeated.")] = None,
    reject: Annotated[list[str] | None, option("Ids to reject, as 1,2 or repeated.")] = None,
    by: ByOption = None,
) -> None:
    """Propose names that may stand for one entity, with evidence; or accept and reject proposals.

    Nothing is merged that was not accepted, and a rejected pair is never proposed again.
    """
    from clausegraph.app.services import entities

    accepted, rejected = _ids(accept), _ids(reject)
    if accepted or rejected:
        what = f"accept {accepted}, reject {rejected}"
        done = session.act(corpus, what, entities.decide, accepted, rejected, by or user())
        session.emit(done, *(f"{one.state} {_name_words(one)}" for one in done), _effect(done))
        return
    found = session.call(corpus, entities.review, of_type, limit)
    shown = len(found["proposals"])
    head = f"corpus {found['corpus']!r}, epoch {found['epoch']}: {found['open']} open proposals, {found['new']} new"
    lines = [head if shown == found["open"] else f"{head}; the best {shown}:"]
    for card in found["proposals"]:
        lines += ["", *_card(card)]
    lines += ["\ndecide with `clausegraph entities review --accept ID,… --reject ID,…`"] if shown else []
    session.emit(found, *lines)


@command("entities merges")
def entities_merges(
    session: Session,
    *,
    corpus: CorpusOption = None,
    limit: Annotated[int, option("Merges to show.", "--limit", "-n", min=1, max=1_000_000)] = 50,
) -> None:
    """List what is one entity, best first: what pages define, with the sentence, what was decided, what is proposed."""
    from clausegraph.app.services.entities import merges

    found = session.call(corpus, merges, limit)
    rows = []
    for one in found["merges"]:
        proposed = f"proposed, id {one['id']}" if one["id"] else "proposed; `entities review` stores it"
        known = {"defined": f"defined by {one['page']}", "accepted": f"accepted by {one['by']}", "follows": "by others"}
        why = known.get(one["state"], proposed)
        rows.append((f"{one['score']:.2f}", *one["written"], why, one_line(one["quote"] or "", 160)))
    head = f"corpus {found['corpus']!r}, epoch {found['epoch']}: {found['in_force']} in force, "
    items = [table(("score", "name", "entity", "why", "sentence"), rows)] if rows else []
    session.emit(found, f"{head}{found['proposed']} proposed", *items)


@command("entities merge", acts=True)
def entities_merge(
    session: Session,
    *,
    name: Annotated[str, argument("The name, as the pages write it.")],
    entity: Annotated[str, argument("The name it is taken for.")],
    corpus: CorpusOption = None,
    by: ByOption = None,
) -> None:
    """Take NAME for ENTITY without a proposal."""
    from clausegraph.app.services.entities import merge

    made = session.act(corpus, f"{name!r} is {entity!r}", merge, name, entity, by or user())
    session.emit(made, f"accepted {_name_words(made)}", WAITS)


@command("entities undo", acts=True)
def entities_undo(
    session: Session,
    *,
    what: Annotated[str, argument("Id of the decision, or the name it is about.", "ID|NAME")],
    corpus: CorpusOption = None,
    by: ByOption = None,
) -> None:
    """Take a decision back: one that was proposed is a proposal again, a direct merge is removed.

    What a page defines, as in "Disclosure and Barring Service (DBS)", is rejected; undone again, it is defined again.
    """
    from clausegraph.app.services.entities import undo

    done = session.act(corpus, what, undo, what, by or user())
    was = done.decision
    after = "removed" if done.now == "removed" else "a proposal again"
    said = f"undone {_name_words(was)}, which was {was.state}: it is {after}"
    if done.now == "rejected":
        said = f"rejected {_name_words(was)}, as pages define it; `clausegraph entities undo {was.id}` takes that back"
    waits = done.now == "rejected" or was.evidence.get("origin") == "definition"
    session.emit(done, said, WAITS if waits else _effect([was]))


_STATE = option("Only proposed, accepted or rejected ones.", show_default="all")


@command("entities list")
def entities_list(
    session: Session, *, corpus: CorpusOption = None, state: Annotated[str | None, _STATE] = None
) -> None:
    """List the decisions, and whether they are in force or wait for the next publish."""
    from clausegraph.app.services.entities import decisions_status

    if state not in (None, "proposed", "accepted", "rejected"):
        raise InputError(f"no state {state!r}; take proposed, accepted or rejected")
    found = session.call(corpus, decisions_status, state)
    rows = [
        (one.id, one.name, one.entity, one.state, one.decided_by, moment(one.decided),
         _since(one.in_force_since) if one.state == "accepted" else "")
        for one in found.decisions
    ]  # fmt: skip
    columns = ("id", "name", "entity", "state", "by", "decided", "in force")
    items: list[Any] = [table(columns, rows, "no decisions yet; `clausegraph entities review` proposes some")]
    if found.defined:
        defined = [
            (one.name, one.entity, ", ".join(one.pages[:3]), _since(one.in_force_since)) for one in found.defined
        ]
        items += ["", "defined by pages:", table(("name", "entity", "pages", "in force"), defined)]
    if found.pending:
        pending = [(change.name, change.before, change.after) for change in found.pending]
        items += ["", WAITS, table(("name", "stands now for", "then for"), pending)]
    if found.published != found.newest:
        items.append(f"rolled back: readers get epoch {found.published}, the newest is {found.newest}")
    session.emit(found, *items)


def _since(epoch: int | None) -> str:
    return f"since epoch {epoch}" if epoch else "waits for the next publish"


@command("entities apply", stores=True, acts=True)
def entities_apply(session: Session, *, corpus: CorpusOption = None) -> None:
    """Publish the decisions about names and statements now, without a run of a source."""
    from clausegraph.app.services.entities import run_apply

    with session.progress() as progress:
        report = session.act(corpus, "", run_apply, progress)
    if report.held:
        session.emit(report.as_dict(), *report_lines(report))
        end_with(session, report)
    said = [*([report.recovered] if report.recovered else []), *report.lagging]
    if report.gate:
        said.append(f"gate: {gate_words(asdict(report.gate))}")
    if report.epoch is None:
        said.append("every decision is in force already")
    else:
        names, hidden = report.rows["entity_names"], report.rows["hidden_supports"]
        changes = f"{names['opened']} names merged, {names['closed']} as they were"
        changes += f", {report.rows['supports']['opened']} statements moved"
        if hidden["opened"] or hidden["closed"]:
            changes += f", {hidden['opened']} hidden, {hidden['closed']} shown again"
        said.append(f"published epoch {report.epoch}: {changes}")
    watched = watched_lines(report.watched) if report.watched else []
    session.emit(report.as_dict(), *(f"corpus {report.corpus!r}: {line}" for line in said), *watched)


def _ids(given: Sequence[str] | None) -> list[int]:
    words = [word.strip() for text in given or () for word in text.split(",")]
    wrong = next((word for word in words if not (word.isascii() and word.isdigit() and len(word) < 19)), None)
    if wrong is not None:
        raise InputError(
            f"{wrong[:40]!r} is not the id of a proposal; give numbers as `clausegraph entities review` shows them"
        )
    return [int(word) for word in words]


def _name_words(decision: NameDecision) -> str:
    return f"{decision.id}: {decision.name!r} is {decision.entity!r}"


def _effect(decided: Sequence[NameDecision]) -> str:
    return WAITS if any(one.state == "accepted" for one in decided) else "nothing changes for readers"


def _card(card: dict[str, Any]) -> list[str]:
    name, entity = card["name"], card["entity"]
    lines = [f"{card['id']}: {name['key']!r} is {entity['key']!r}?  score {card['score']:.2f} ({card['variant']})"]
    for side in (name, entity):
        written = ", ".join(f"“{surface}”" for surface in side["written"])
        lines.append(f"  {written}: {', '.join(side['types'])}, in {side['supports']} statements")
        if side["example"]:
            lines.append(f"    “{side['example']['quote']}” ({side['example']['page']})")
    return lines


_STATEMENT = argument("Its id, or how that begins; or that of a fact that it alone states.", "ID")


@command("statements hide", acts=True)
def statements_hide(
    session: Session,
    *,
    statement: Annotated[str, _STATEMENT],
    reason: Annotated[str, option("Why it is wrong.")],
    corpus: CorpusOption = None,
    by: ByOption = None,
) -> None:
    """Hide a wrong statement, from the next publish on, in the graph, in search and in answers.

    The decision outlives new versions of the page as long as the element says the same and the same is read from it.
    The page itself keeps its words, which are still found and quoted.
    """
    from clausegraph.app.services.statements import hide

    done = session.act(corpus, statement, hide, statement, reason, by or user())
    said = f"hidden by decision {_statement_words(done)}"
    if not done.new:
        before = f"{done.decided_by} has hidden it before"
        said = f"{before}, by decision {_statement_words(done)}: {one_line(done.reason)}"
    session.emit(done, said, *([WAITS] if done.state == "waits" else []))


@command("statements undo", acts=True)
def statements_undo(
    session: Session,
    *,
    number: Annotated[int, argument("Of the decision, as `statements list` says.", "NUMBER", min=1)],
    corpus: CorpusOption = None,
) -> None:
    """Take the decision back: the next publish shows the statement again, if its page still states it."""
    from clausegraph.app.services.statements import undo

    done = session.act(corpus, str(number), undo, number)
    session.emit(done, f"undone {_statement_words(done)}", *([WAITS] if done.state == "hidden" else []))


@command("statements list")
def statements_list(session: Session, *, corpus: CorpusOption = None) -> None:
    """List what is hidden: by whom, why, and whether that is in force, waits, or has nothing to hide now."""
    from clausegraph.app.services.statements import hidden_status

    found = session.call(corpus, hidden_status)
    rows = [
        (one.id, one.words or f"({one.anchor})", one.page, one.reason, one.decided_by, moment(one.decided),
         _since(one.since) if one.state in ("hidden", "waits") else "nothing to hide now")
        for one in found.hidden
    ]  # fmt: skip
    columns = ("id", "statement", "page", "reason", "by", "decided", "in force")
    empty = "nothing is hidden; `clausegraph statements hide ID --reason TEXT` hides a statement"
    items: list[Any] = [table(columns, rows, empty)]
    if found.returning:
        returning = [(one.words, one.page) for one in found.returning]
        items += ["", "shown again at the next publish:", table(("statement", "page"), returning)]
    if any(one.state == "waits" for one in found.hidden) or found.returning:
        items += ["", WAITS]
    session.emit(found, *items)


def _statement_words(decision: HidingDecision) -> str:
    return f"{decision.id}: {one_line(decision.words or 'what its page does not state now')}"


@command("questions list")
def questions_list(session: Session, *, corpus: CorpusOption = None) -> None:
    """List the answers that were judged on the console: by whom, of which epoch, and what would be right."""
    from clausegraph.app.services.questions import judged_slice

    found = session.call(corpus, judged_slice, _MOST).items
    rows = [
        (one.id, one_line(one.question), one.status, one.verdict, one_line(one.expected), one.judged_by,
         moment(one.judged))
        for one in found
    ]  # fmt: skip
    columns = ("id", "question", "answered", "judged", "expected", "by", "when")
    session.emit(found, table(columns, rows, "no answer was judged yet; a curator does so on the console's Ask"))


@command("questions export")
def questions_export(
    session: Session,
    *,
    output: Annotated[Path, option("File to write, as `eval conditionalqa` reads it.", "--output", "-o")],
    corpus: CorpusOption = None,
) -> None:
    """Write what was judged as questions with their gold answers, in ConditionalQA's form.

    A right answer is gold as long as the pages say what it rests on; a wrong one where somebody said what is right.
    """
    from clausegraph.app.services.questions import export

    done = session.call(corpus, export, output)
    left = [f"left out {one['id']} ({one_line(one['question'])}): {one['why']}" for one in done["left_out"]]
    words = f"clausegraph eval conditionalqa --engine loop --questions {output} --corpus {done['corpus']} --as-answered"
    said = f"{done['written']} questions written to {output}"
    session.emit(done, said, *left, f"`{words}` measures an engine on them")


@command("questions remove", acts=True)
def questions_remove(
    session: Session,
    *,
    number: Annotated[int, argument("As `questions list` shows it.", "ID", min=1)],
    corpus: CorpusOption = None,
) -> None:
    """Forget a judged answer, with its question and scenario."""
    from clausegraph.app.services.questions import forget

    gone = session.act(corpus, str(number), forget, number)
    session.emit(gone, f"forgot {gone.id}: {one_line(gone.question)}")
