"""``clausegraph doctor``: is everything sound?"""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from clausegraph.app.cli.output import table
from clausegraph.app.cli.session import Session, command

_MARKS = {"ok": "✓", "warning": "!", "broken": "✗"}
_BROKEN = 1


def doctor(
    session: Session,
    *,
    repair: Annotated[bool, typer.Option("--repair", help="Rebuild damaged vector segments from the ledger.")] = False,
) -> None:
    """Check installation, model, ledger, vectors and disk; the exit code is 1 when something is broken."""
    settings = session.settings()
    from clausegraph.app.services.doctor import BROKEN, examine

    findings = examine(settings, repair=repair)
    sound = all(finding.state != BROKEN for finding in findings)
    rows = [(_MARKS[finding.state], finding.check, session.hints.complete(finding.detail)) for finding in findings]
    value = {"sound": sound, "findings": [asdict(finding) for finding in findings]}
    session.emit(value, table(("", "check", "finding"), rows), "all sound" if sound else "something is broken")
    if not sound:
        raise typer.Exit(_BROKEN)


def register(app: typer.Typer) -> None:
    """Add the command."""
    command(app, "doctor")(doctor)
