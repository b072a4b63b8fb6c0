"""``clausegraph contradictions``: what pages say against each other, and what later ones have replaced."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from clausegraph.app.cli.session import CorpusOption, EpochOption, Session, command
from clausegraph.core.text import counted, one_line

_QUOTE = 240  # characters of a side's sentences
_KINDS = {"value": "another value", "polarity": "the opposite", "threshold": "another requirement"}


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
    session.emit(found, *session.lines(_lines(found, limit)))


def _lines(found: dict[str, Any], limit: int) -> list[Any]:
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
        lines.append(f"    “{one_line(one['quote'], _QUOTE)}”")
    return lines if found["replaced_pages"] else lines[:-1]


def _side(mark: str, side: dict[str, Any]) -> str:
    return f"  {mark} “{one_line(' … '.join(side['quotes']), _QUOTE)}” ({one_line(side['title'], 50)}{_dates(side)})"


def _dates(side: dict[str, Any]) -> str:
    """When it holds, and when the page was updated, as far as known."""
    said = [f"{word} {side[key]}" for word, key in (("from", "effective_from"), ("to", "effective_to")) if side[key]]
    said += [f"updated {side['updated']}"] if side["updated"] else []
    return "".join(f", {part}" for part in said)


def register(app: typer.Typer) -> None:
    """Add the command."""
    command(app, "contradictions")(contradictions)
