"""``clausegraph facts``, ``entity`` and ``path``: looking at the graph."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from clausegraph.app.cli.output import step_words, table
from clausegraph.app.cli.session import CorpusOption, EpochOption, Session, command
from clausegraph.core.text import counted, one_line

_NEIGHBOURS = 20  # of an entity that are listed
_PAGES = 5  # of an entity that are listed
_QUOTE = 200  # characters of a quote


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
        table(("statements", "entity"), [(one["statements"], one_line(one["entity"], 80)) for one in found["largest"]]),
        "",
        table(
            ("statements", "relation"),
            [(one["statements"], one_line(one["relation"], 80)) for one in found["relations"]],
        ),
        "\n`clausegraph facts NAME` lists the facts of an entity or a page, `clausegraph entity NAME` shows one whole",
    ]


def _fact_table(found: list[dict[str, Any]]) -> Any:
    rows = [
        (
            fact["id"][:8],
            one_line(statement["words"], 240) + step_words(statement),
            one_line(statement["title"] or statement["page"], 50),
        )
        for fact in found
        for statement in fact["statements"]
    ]
    return table(("fact", "states", "page"), rows)


def _entity_lines(found: dict[str, Any], limit: int) -> list[Any]:
    shown = found["facts"][:limit]
    lines: list[Any] = [one_line(found["entity"])]
    about = f": {one_line(found['about'], 80)}" if found["about"] else ""
    lines.append(f"  type: {_counts(found['types'])}{about}")
    lines.append(f"  written: {_counts(found['written'])}")
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


def _counts(found: dict[str, int]) -> str:
    return ", ".join(f"{one_line(name, 60)} ({count})" for name, count in list(found.items())[:10])


def _path_lines(found: dict[str, Any]) -> list[Any]:
    lines: list[Any] = []
    for number, steps in enumerate(found["paths"], start=1):
        lines.append(f"{number}. {counted(len(steps), 'fact')}")
        for step in steps:
            statement = step["statements"][0]
            lines.append(f"   {one_line(statement['words'], 240)}")
            lines.append(
                f"     “{one_line(' … '.join(statement['quotes']), _QUOTE)}” ({one_line(statement['title'], 50)})"
            )
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


def register(app: typer.Typer) -> None:
    """Add the commands."""
    command(app, "facts")(facts)
    command(app, "entity")(entity)
    command(app, "path")(path)
