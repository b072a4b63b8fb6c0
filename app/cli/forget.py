"""``forget``: pages and sources removed from every place, with a certificate, and kept out."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from clausegraph.app.cli.output import moment, table
from clausegraph.app.cli.session import CorpusOption, Session, argument, command, option, user
from clausegraph.core.errors import InputError
from clausegraph.core.text import counted

_Reason = Annotated[str, option("Why; it is kept, so leave out what goes.", "--reason")]
_Yes = Annotated[bool, option("Do not ask.", "--yes", "-y")]
_Folder = Annotated[Path, option("Folder for the certificate.", show_default="this one")]
_Source = Annotated[str | None, option("Its source, where several have it.", "--source", show_default="any")]
_HERE = Path()


@command("forget page", stores=True, acts=True)
def forget_page(
    session: Session,
    page: Annotated[str, argument("The page's uri, or an address of it.", "PAGE")],
    *,
    reason: _Reason,
    source: _Source = None,
    folder: _Folder = _HERE,
    yes: _Yes = False,
    corpus: CorpusOption = None,
) -> None:
    """Remove a page from every place, search for it, keep it out, and write a signed certificate.

    All older epochs go with it. The exit code is 4 where something of it is left: what and where is said, and the same
    command goes on.
    """
    _forget(session, corpus, page, source, reason, folder, yes)


@command("forget source", stores=True, acts=True)
def forget_source(
    session: Session,
    name: Annotated[str, argument("The source.", "SOURCE")],
    *,
    reason: _Reason,
    folder: _Folder = _HERE,
    yes: _Yes = False,
    corpus: CorpusOption = None,
) -> None:
    """Remove all pages of a source as `forget page` does, and refuse its runs from then on."""
    _forget(session, corpus, None, name, reason, folder, yes)


def _forget(
    session: Session, corpus: str | None, page: str | None, source: str | None, reason: str, folder: Path, yes: bool
) -> None:
    from clausegraph.app.services.forget import find_place, forget
    from clausegraph.indexes.forgotten import forgotten_key

    workspace = session.workspace(corpus)
    name = workspace.settings.corpus
    source, uri, count = find_place(workspace, name, page, source)
    called = uri or source
    if not yes and (session.json or not sys.stdin.isatty()):
        raise InputError(f"forgetting {called!r} cannot be undone; add --yes to do it")
    asked = f"Remove {counted(count, 'page')} of source {source} and every older epoch? Type {called} to go on"
    if not yes and typer.prompt(asked, err=True) != called:
        raise typer.Exit(1)
    with session.deed(workspace.settings, forgotten_key(source, uri), name):
        made = forget(workspace, name, uri, source, reason, user(), folder)
    said = made["certificate"]
    session.emit(
        made,
        f"corpus {name!r} has forgotten {called} ({said['key']})",
        f"  removed: {_listed(said['removed'])}",
        f"  searched: {_listed(said['searched'])}; found: nothing",
        f"  stays: {_listed(said['stays, as other pages state it'])}",
        *(f"  out of reach: {one}" for one in said["out of reach"]),
        *([f"certificate: {made['file']}"] if "file" in made else []),
    )


def _listed(counts: dict[str, int]) -> str:
    return ", ".join(f"{count} {what}" for what, count in counts.items() if count) or "nothing"


@command("forget list")
def forget_list(session: Session, *, corpus: CorpusOption = None) -> None:
    """List what stays out, by its key: a hash of its names."""
    from clausegraph.app.services.forget import list_items

    found = session.call(corpus, list_items)
    rows = [
        (one.key[:12], moment(one.forgotten), one.forgotten_by, "yes" if one.certificate else "not to the end",
         one.reason) for one in found
    ]  # fmt: skip
    session.emit(found, table(("key", "forgotten", "by", "certified", "reason"), rows, "nothing is forgotten"))


@command("forget allow", acts=True)
def forget_allow(
    session: Session, key: Annotated[str, argument("Its key, or how it begins.", "KEY")], *, corpus: CorpusOption = None
) -> None:
    """Let what was forgotten come back with the next run of its source."""
    from clausegraph.app.services.forget import allow

    found = session.act(corpus, key, allow, key)
    session.emit(found, f"{found.key} may come back: the next `clausegraph ingest` of its source takes it in")


@command("forget check")
def forget_check(
    session: Session,
    certificate: Annotated[Path, argument("The file of a certificate.", "CERTIFICATE")],
    *,
    key: Annotated[str, option("Public key of the home that signed it, in hex.", show_default="this home's")] = "",
) -> None:
    """Check that a certificate says what was signed, and by whom; the exit code is 2 where it does not."""
    from clausegraph.app.services.certificates import check_certificate

    said = check_certificate(session.settings().home, certificate, key)
    signer = "the key given" if key else "this home's key"
    session.emit(
        said,
        f"{certificate} is as it was signed with {signer}: corpus {said['corpus']!r} has forgotten {said['forgotten']} "
        f"({said['key']}) on {said['certified']}, asked by {said['forgotten by']}",
    )
