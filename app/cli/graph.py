"""``facts``, ``entity``, ``path``, ``contradictions``, ``diff`` and ``cypher``: looking at the graph."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clausegraph.app.cli.output import step_words, table
from clausegraph.app.cli.session import CorpusOption, EpochOption, Session, a_number, command
from clausegraph.core.errors import InputError
from clausegraph.core.text import counted, one_line

if TYPE_CHECKING:
    from rich.console import RenderableType

    from clausegraph.app.services.changes import ChangedPage, ChangedStatement, ChangesReply
    from clausegraph.app.services.records import ShownFact

_NEIGHBOURS = 20  # of an entity that are listed
_PAGES = 5  # of an entity that are listed
_QUOTE = 200  # characters of a quote
_PAIR_QUOTE = 240  # characters of a side's sentences
_KINDS = {"value": "another value", "polarity": "the opposite", "threshold": "another requirement"}
_QUOTE = 200


@command("facts")
def facts(
    session: Session,
    *,
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[ENTITY|PAGE]", help="An entity's name, or a page's uri or title.", show_default="none"
        ),
    ] = None,
    relation: Annotated[
        str | None, typer.Option("--relation", "-r", help="Facts of this relation only.", show_default="all")
    ] = None,
    about: Annotated[
        str | None,
        typer.Option("--about", "-a", metavar="TEXT", help="The facts nearest in meaning.", show_default="none"),
    ] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=100_000, help="Facts at most.")] = 50,
    corpus: CorpusOption = None,
    epoch: EpochOption = None,
) -> None:
    """List facts of an entity, a page, a relation or near a text; without any of these, what the graph is about."""
    workspace = session.workspace(corpus)
    from clausegraph.app.services.explore import find_facts, overview

    asked = workspace.settings.corpus
    if name is None and relation is None and about is None:
        found = overview(workspace, asked, epoch)
        session.emit(found, *session.lines(_overview_lines(found)))
        return
    found = find_facts(workspace, asked, name=name, relation=relation, about=about, limit=limit, epoch=epoch)
    lines: list[Any] = [_fact_table(found["facts"])] if found["facts"] else ["no facts"]
    if found["more"]:
        lines.append(f"\nthere are more than {counted(limit, 'fact')}; raise --limit, or narrow with --relation")
    session.emit(found, *lines)


@command("entity")
def entity(
    session: Session,
    *,
    name: Annotated[str, typer.Argument(metavar="NAME", help="The entity, as a page writes it.")],
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=100_000, help="Facts that are listed.")] = 50,
    corpus: CorpusOption = None,
    epoch: EpochOption = None,
) -> None:
    """Show an entity: types, ways of writing it, pages, what is stated of it, and its neighbours."""
    workspace = session.workspace(corpus)
    from clausegraph.app.services.explore import show_entity

    found = show_entity(workspace, workspace.settings.corpus, name, epoch)
    session.emit(found, *session.lines(_entity_lines(found, limit)))


@command("path")
def path(
    session: Session,
    *,
    start: Annotated[str, typer.Argument(metavar="FROM", help="An entity.")],
    goal: Annotated[str, typer.Argument(metavar="TO", help="Another one.")],
    hops: Annotated[int, typer.Option("--hops", min=1, max=6, help="Facts a path has at most.")] = 4,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=100, help="Paths at most.")] = 3,
    corpus: CorpusOption = None,
    epoch: EpochOption = None,
) -> None:
    """Show how two entities hang together: the shortest chains of facts between them, with the sentences."""
    workspace = session.workspace(corpus)
    from clausegraph.app.services.connections import find_paths

    found = find_paths(workspace, workspace.settings.corpus, start, goal, hops=hops, limit=limit, epoch=epoch)
    session.emit(found, *_path_lines(found))


def _overview_lines(found: dict[str, Any]) -> list[Any]:
    counts = ", ".join((counted(found["entities"], "entity"), counted(found["facts"], "fact")))
    return [
        f"corpus {found['corpus']}, epoch {found['epoch']}: {counts}, {counted(found['statements'], 'statement')}\n",
        table(("statements", "entity"), [(one.statements, one_line(one.entity, 80)) for one in found["largest"]]),
        "",
        table(
            ("statements", "relation"),
            [(one["statements"], one_line(one["relation"], 80)) for one in found["relations"]],
        ),
        "\n`clausegraph facts NAME` lists the facts of an entity or a page, `clausegraph entity NAME` shows one whole",
    ]


def _fact_table(found: list[ShownFact]) -> Any:
    rows = [
        (
            fact.id[:8],
            one_line(statement.words, 240) + step_words(statement.step, statement.procedure),
            one_line(statement.title or statement.page, 50),
        )
        for fact in found
        for statement in fact.statements
    ]
    return table(("fact", "states", "page"), rows)


def _entity_lines(found: dict[str, Any], limit: int) -> list[Any]:
    shown = found["facts"][:limit]
    lines: list[Any] = [one_line(found["entity"])]
    about = f": {one_line(found['about'], 80)}" if found["about"] else ""
    lines.append(f"  type: {_counted_names(found['types'])}{about}")
    lines.append(f"  written: {_counted_names(found['written'])}")
    if found["merged"]:
        lines.append(f"  also: {_some(found['merged'], _NEIGHBOURS)}")
    if found["own_page"]:
        lines.append(f"  its page: {one_line(found['own_page']['title'])} ({one_line(found['own_page']['page'])})")
    lines.append(f"  pages: {_some(found['pages'], _PAGES)}")
    lines += ["", _fact_table(shown)]
    if len(found["facts"]) > limit:
        lines.append(f"\n{len(found['facts'])} facts in all; raise --limit to see more")
    near = [f"{one_line(one['entity'], 60)} ({one['facts']})" for one in found["neighbours"][:_NEIGHBOURS]]
    more = len(found["neighbours"]) - len(near)
    if near:
        lines.append(f"\nneighbours: {', '.join(near)}" + (f" and {more} more" if more else ""))
    return lines


def _some(names: list[str], most: int) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(map(one_line, names[:most])) + more


def _counted_names(found: dict[str, int]) -> str:
    return ", ".join(f"{one_line(name, 60)} ({count})" for name, count in list(found.items())[:10])


def _path_lines(found: dict[str, Any]) -> list[Any]:
    lines: list[Any] = []
    for number, steps in enumerate(found["paths"], start=1):
        lines.append(f"{number}. {counted(len(steps), 'fact')}")
        for step in steps:
            statement = step.statements[0]
            lines.append(f"   {one_line(statement.words, 240)}")
            lines.append(f"     “{one_line(' … '.join(statement.quotes), _QUOTE)}” ({one_line(statement.title, 50)})")
    if not lines:
        ends = f"{one_line(found['from'])} and {one_line(found['to'])}"
        lines = [f"no path of up to {counted(found['hops'], 'fact')} between {ends}"]
        if found["together"]:
            lines.append("\npages that speak of both:")
        for page in found["together"]:
            lines += [f"   {one_line(page['title'], 50)}", *(f"     “{one_line(q, _QUOTE)}”" for q in page["quotes"])]
    if found["cut"]:
        lines.append("\na large entity on the way has more facts than were looked at; there may be other paths")
    return lines


@command("contradictions")
def contradictions(
    session: Session,
    *,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=100_000, help="Pairs of each kind at most.")] = 50,
    corpus: CorpusOption = None,
    epoch: EpochOption = None,
) -> None:
    """List statements that cannot both hold, and those that later ones replace, with sentences, pages and dates.

    Pages that another one says it replaces are listed, too.
    """
    workspace = session.workspace(corpus)
    from clausegraph.app.services.connections import contradictions as find

    found = find(workspace, workspace.settings.corpus, epoch)
    session.emit(found, *session.lines(_pair_lines(found, limit)))


def _pair_lines(found: dict[str, Any], limit: int) -> list[Any]:
    lines: list[Any] = []
    for name, one, what, order in (
        ("contradictions", "contradiction", "≠", ("newer", "older")),
        ("superseded", "superseded statement", "→", ("older", "newer")),
    ):
        pairs = found[name]
        lines.append(counted(len(pairs), one))
        for pair in pairs[:limit]:
            lines.append(f"\n  {_KINDS[pair['kind']]}: {one_line(pair['newer']['words'], 160)}")
            lines += [_side(mark, pair[side]) for mark, side in zip((" ", what), order, strict=True)]
        if len(pairs) > limit:
            lines.append(f"\n  and {len(pairs) - limit} more; raise --limit")
        lines.append("")
    lines += [counted(len(found["replaced_pages"]), "replaced page")] if found["replaced_pages"] else []
    for one in found["replaced_pages"][:limit]:
        lines.append(f"\n  {one_line(one['older']['title'], 60)} → {one_line(one['newer']['title'], 60)}")
        lines.append(f"    “{one_line(one['quote'], _PAIR_QUOTE)}”")
    return lines if found["replaced_pages"] else lines[:-1]


def _side(mark: str, side: dict[str, Any]) -> str:
    return (
        f"  {mark} “{one_line(' … '.join(side['quotes']), _PAIR_QUOTE)}” ({one_line(side['title'], 50)}{_dates(side)})"
    )


def _dates(side: dict[str, Any]) -> str:
    """When it holds, and when the page was updated, as far as known."""
    said = [f"{word} {side[key]}" for word, key in (("from", "effective_from"), ("to", "effective_to")) if side[key]]
    said += [f"updated {side['updated']}"] if side["updated"] else []
    return "".join(f", {part}" for part in said)


@command("diff")
def diff(
    session: Session,
    *,
    since: Annotated[
        int | None,
        typer.Argument(metavar="[EPOCH]", min=1, help="The older epoch.", show_default="the one before the other"),
    ] = None,
    until: Annotated[
        int | None,
        typer.Argument(metavar="[EPOCH]", min=1, help="The newer epoch.", show_default="the published one"),
    ] = None,
    corpus: CorpusOption = None,
) -> None:
    """Show what differs between two retained epochs: pages and statements that are new, gone or changed."""
    workspace = session.workspace(corpus)
    from clausegraph.app.services.changes import changes

    found = changes(workspace, workspace.settings.corpus, since, until)
    session.emit(found, *_difference_lines(found))


def _difference_lines(found: ChangesReply) -> Iterator[RenderableType]:
    yield f"corpus {found.corpus!r}, epoch {found.since} to {found.until}"
    if not found.pages and not found.statements:
        yield "nothing differs"
        return
    yield f"pages: {_kind_counts(found.pages)}; statements: {_kind_counts(found.statements)}"
    if found.pages:
        rows = [(one.kind, one_line(one.title, 60), f"{one.source}:{one.uri}") for one in found.pages]
        yield table(("what", "title", "page"), rows)
    for one in found.statements:
        yield f"\n{one.kind}, on {one_line(one.page)}"
        for mark, said in (("-", one.old), ("+", one.new)):
            if said is not None:
                quoted = " … ".join(quote.quote for quote in said.quotes)
                yield f"  {mark} {one_line(said.words, 240)}\n      “{one_line(quoted, _QUOTE)}”"


def _kind_counts(found: Sequence[ChangedPage | ChangedStatement]) -> str:
    return ", ".join(f"{count} {kind}" for kind, count in Counter(one.kind for one in found).items()) or "none"


@command("cypher")
def cypher(
    session: Session,
    *,
    query: Annotated[str, typer.Argument(help="One query that reads; - takes it from standard input.")],
    corpus: CorpusOption = None,
    epoch: EpochOption = None,
    param: Annotated[
        list[str] | None,
        typer.Option("--param", "-p", help="name=value for $name, JSON or text; may be repeated.", show_default="none"),
    ] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=100_000, help="Rows at most.")] = 1000,
    timeout: Annotated[
        float, typer.Option("--timeout", min=0.1, max=3600, help="Seconds at most.", callback=a_number)
    ] = 30.0,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV that a spreadsheet can open.")] = False,
) -> None:
    """Query the graph in Neo4j; $corpus and $epoch are given. Nothing is written, loaded or called."""
    if as_csv and session.json:
        raise InputError("--csv and --json exclude each other; give one")
    workspace = session.workspace(corpus)
    from clausegraph.app.services.cypher import display, parameters, run_query, unpinned, write_csv

    text = sys.stdin.read() if query == "-" else query
    name, given = workspace.settings.corpus, parameters(param or ())
    found = run_query(workspace, name, text, given, epoch=epoch, limit=limit, timeout=timeout)
    if warning := unpinned(text):
        session.note(warning)
    if as_csv:
        write_csv(found, sys.stdout)
    else:
        rows = [[display(value) for value in row] for row in found.rows]
        session.emit(
            {"corpus": found.corpus, "epoch": found.epoch, "columns": found.columns, "is_cut": found.is_cut,
             "rows": [dict(zip(found.columns, row, strict=True)) for row in found.rows]},
            table(found.columns, rows) if rows else "no rows",
        )  # fmt: skip
    if found.is_cut:
        session.note(f"there are more than {limit} rows; --limit shows more")
