"""``settings``, ``prompts``, ``tokens``, ``doctor``: what is in force, who may ask the server, whether all is sound."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated, Any

import typer

from clausegraph.app.access.tokens import AccessRole
from clausegraph.app.cli.output import moment, table
from clausegraph.app.cli.session import CorpusOption, Session, a_number, argument, command, option

NameArgument = Annotated[str, argument("As task (its newest version) or task.vN.", show_default=False)]
_MARKS = {"ok": "✓", "warning": "!", "broken": "✗"}
_BROKEN = 1


@command("settings")
def settings(
    session: Session,
    *,
    corpus: CorpusOption = None,
) -> None:
    """Show every setting with its value and where that comes from; with --json its meaning, too."""
    from clausegraph.app.services.settings import list_settings

    found = list_settings(session.settings(corpus))
    rows = []
    for one in found:
        value = one["value"]
        said = "" if value is None else value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        rows.append((one["name"], said, one["from"]))
    session.emit(found, table(("setting", "value", "from"), rows))


@command("prompts list")
def prompts_list(session: Session) -> None:
    """List the prompts: the shipped ones and those of your folder."""
    from clausegraph.app.services.settings import list_prompts

    found = list_prompts(session.settings().prompts)
    columns = ("id", "purpose", "origin", "digest")
    session.emit(found, table(columns, [[one[column] for column in columns] for one in found]))


@command("prompts show")
def prompts_show(session: Session, *, name: NameArgument) -> None:
    """Print a prompt's file."""
    from clausegraph.app.services.settings import get_prompt

    found = get_prompt(session.settings().prompts, name)
    session.emit(found, found["source"], verbatim=True)


@command("prompts render")
def prompts_render(
    session: Session,
    *,
    name: NameArgument,
    given: Annotated[list[str] | None, option("KEY=VALUE, or KEY=@FILE; @@ for a plain @.", "--input", "-i")] = None,
) -> None:
    """Print the messages as the model gets them. Examples come from the prompt's own where none are given."""
    from clausegraph.app.services.settings import render_prompt

    found = render_prompt(session.settings().prompts, name, given or ())
    lines = [f"=== {message['role']} ===\n{message['content']}" for message in found["messages"]]
    session.emit(found, *lines, verbatim=True)


_ROLE = option("reader: asks and looks; curator: corrects, too; admin: everything.")
_FOR = option("Only this corpus; may be given again.", "--for", metavar="CORPUS", show_default="every one")


@command("tokens add", acts=True)
def tokens_add(
    session: Session,
    *,
    name: Annotated[str, argument("Whom or what it is for.")],
    role: Annotated[str, _ROLE] = "reader",
    corpora: Annotated[list[str] | None, _FOR] = None,
    days: Annotated[float | None, option("Days for which it works.", min=0.001, max=36525, callback=a_number)] = 90.0,
    never_expires: Annotated[bool, option("Until it is revoked.")] = False,
) -> None:
    """Make a token. It is shown this once; only its hash is kept."""
    from clausegraph.app.services.tokens import add_token, unknown_corpora

    settings = session.settings()
    with session.deed(settings, f"{name} ({role})"):
        made, text = add_token(settings, name, role, corpora or [], None if never_expires else days)
    unknown = unknown_corpora(settings, corpora or [])
    session.emit(made | {"token": text, "unknown_corpora": unknown}, text)
    session.note(f"token {made['name']!r} for {AccessRole(made['role']).person}, {_until(made)}; it is shown this once")
    for corpus in unknown:
        session.note(f"there is no corpus {corpus!r} yet: the token opens it when there is; `clausegraph corpora list`")


@command("tokens list")
def tokens_list(session: Session) -> None:
    """List the tokens, without anything secret."""
    from clausegraph.app.services.tokens import list_tokens

    found = list_tokens(session.settings())
    rows = [(one["name"], one["role"], ", ".join(one["corpora"] or ["every one"]), _until(one)) for one in found]
    session.emit(found, table(("name", "role", "corpora", "works"), rows, "there are no tokens"))


@command("tokens revoke", acts=True)
def tokens_revoke(session: Session, *, name: Annotated[str, argument("Name of the token.")]) -> None:
    """Take a token away; a running server refuses it from the next request on."""
    from clausegraph.app.services.tokens import revoke_token

    settings = session.settings()
    with session.deed(settings, name):
        found = revoke_token(settings, name)
    session.emit({"revoked": found["name"]}, f"token {found['name']!r} is refused from now on")


def _until(token: dict[str, Any]) -> str:
    if token["expires"] is None:
        return "until it is revoked"
    return f"{'expired' if token['expired'] else 'until'} {moment(token['expires'])}"


@command("doctor")
def doctor(session: Session) -> None:
    """Check installation, model, ledger, vectors and disk; the exit code is 1 when something is broken."""
    from clausegraph.app.services.doctor import BROKEN, examine

    findings = examine(session.settings())
    sound = all(finding.state != BROKEN for finding in findings)
    rows = [(_MARKS[finding.state], finding.check, session.hints.complete(finding.detail)) for finding in findings]
    value = {"sound": sound, "findings": [asdict(finding) for finding in findings]}
    session.emit(value, table(("", "check", "finding"), rows), "all sound" if sound else "something is broken")
    if not sound:
        raise typer.Exit(_BROKEN)
