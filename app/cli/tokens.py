"""``clausegraph tokens``: who may ask the server."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from clausegraph.app.access.roles import Role
from clausegraph.app.cli.output import table
from clausegraph.app.cli.session import Session, a_number, command


def add(
    session: Session,
    *,
    name: Annotated[str, typer.Argument(help="Whom or what it is for.")],
    role: Annotated[
        str, typer.Option("--role", help="reader: asks and looks; curator: corrects, too; admin: everything.")
    ] = "reader",
    corpora: Annotated[
        list[str] | None,
        typer.Option("--for", metavar="CORPUS", help="Only this corpus; may be given again.", show_default="every one"),
    ] = None,
    days: Annotated[
        float | None,
        typer.Option("--days", min=0.001, max=36525, callback=a_number, help="Days for which it works."),
    ] = 90.0,
    never_expires: Annotated[bool, typer.Option("--never-expires", help="Until it is revoked.")] = False,
) -> None:
    """Make a token. It is shown this once; only its hash is kept."""
    from clausegraph.app.services.tokens import add_token, unknown_corpora

    made, text = add_token(session.settings(), name, role, corpora or [], None if never_expires else days)
    unknown = unknown_corpora(session.settings(), corpora or [])
    session.emit(made | {"token": text, "unknown_corpora": unknown}, text)
    session.note(f"token {made['name']!r} for {Role(made['role']).person}, {_until(made)}; it is shown this once")
    for corpus in unknown:
        session.note(f"there is no corpus {corpus!r} yet: the token opens it when there is; `clausegraph corpora list`")


def show_all(session: Session) -> None:
    """List the tokens, without anything secret."""
    from clausegraph.app.services.tokens import list_tokens

    found = list_tokens(session.settings())
    rows = [(one["name"], one["role"], ", ".join(one["corpora"] or ["every one"]), _until(one)) for one in found]
    session.emit(found, table(("name", "role", "corpora", "works"), rows) if rows else "there are no tokens")


def revoke(session: Session, *, name: Annotated[str, typer.Argument(help="Name of the token.")]) -> None:
    """Take a token away; a running server refuses it from the next request on."""
    from clausegraph.app.services.tokens import revoke_token

    found = revoke_token(session.settings(), name)
    session.emit({"revoked": found["name"]}, f"token {found['name']!r} is refused from now on")


def _until(token: dict[str, Any]) -> str:
    from clausegraph.app.cli.status import moment

    if token["expires"] is None:
        return "until it is revoked"
    return f"{'expired' if token['expired'] else 'until'} {moment(token['expires'])}"


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = typer.Typer(no_args_is_help=True, help="Who may ask the server: tokens with roles, made and revoked.")
    command(group, "add")(add)
    command(group, "list")(show_all)
    command(group, "revoke")(revoke)
    app.add_typer(group, name="tokens")
