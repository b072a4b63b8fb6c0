"""``clausegraph settings``: what is in force, and from where."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from clausegraph.app.cli.output import table
from clausegraph.app.cli.session import CorpusOption, Session, command


def settings(
    session: Session,
    *,
    corpus: CorpusOption = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print the reference: every setting's meaning.")] = False,
) -> None:
    """Show every setting with its value and where that comes from."""
    from clausegraph.app.services.settings import list_settings, settings_page

    if markdown:
        page = settings_page()
        session.emit({"markdown": page}, page.rstrip())
        return
    found = list_settings(session.settings(corpus))
    rows = [(one["name"], _written(one["value"]), one["from"]) for one in found]
    session.emit(found, table(("setting", "value", "from"), rows))


def _written(value: object) -> str:
    return "" if value is None else value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def register(app: typer.Typer) -> None:
    """Add the command."""
    command(app, "settings")(settings)
