"""Reports of changed answers: a signed POST or a mail to each address of the setting ``notify``, once."""

from __future__ import annotations

import hmac
import json
import smtplib
import socket
import ssl
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from email.message import EmailMessage
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit

from clausegraph.app.models import web_limits
from clausegraph.core.extraction import Reject
from clausegraph.core.hashing import content_hash
from clausegraph.core.secrets import mask, register_secret
from clausegraph.core.text import counted, one_line
from clausegraph.indexes.watches import Watch, WatchChange, give_back, list_watches, take_unsent

if TYPE_CHECKING:
    from clausegraph.app.workspace import Workspace
    from clausegraph.core.settings import Settings
    from clausegraph.indexes.corpora import CorpusRow
    from clausegraph.ingestion.fetch import WebLimits

SIGNATURE = "ClauseGraph-Signature"
_MAIL = "smtps"


class ChangeReport(Protocol):
    """How an answer changed, for programs and in words."""

    def as_json(self) -> dict[str, Any]: ...

    def lines(self) -> list[str]: ...


@dataclass(frozen=True, slots=True)
class _Address:
    """An address of the setting. ``name`` and ``key`` (a hash) tell it from others and hold no secret."""

    parts: SplitResult
    name: str
    key: str
    secret: str


class _NotSent(Exception):
    """A report that could not be delivered, and why."""


def addressees(settings: Settings) -> list[str]:
    """The keys of the addresses to which a change is to be reported."""
    return [one.key for one in _addresses(settings)]


def report_changes(
    workspace: Workspace, row: CorpusRow, shown: Callable[[Watch, WatchChange], ChangeReport]
) -> list[Reject]:
    """Report to each address the changed answers that it does not know yet; returns those that could not be told.

    A process that is killed while it sends does not send again: an address gets no report twice.
    """
    ledger, unsent = workspace.ledger_to_change(), list[Reject]()
    for address in _addresses(workspace.settings):
        changes = take_unsent(ledger, row.id, address.key)
        if not changes:
            continue
        watches = {one.id: one for one in list_watches(ledger, row.id)}
        try:
            send = _mail if address.parts.scheme == _MAIL else _post
            told = [shown(watches[one.watch_id], one) for one in changes]
            send(address, web_limits(workspace.settings), row.name, told)
        except _NotSent as error:
            unsent.append(Reject(address.name, mask(one_line(error, 200))))
            give_back(ledger, changes, address.key)
    return unsent


def _addresses(settings: Settings) -> list[_Address]:
    return [_address(one) for one in settings.notify.get_secret_value().split()] if settings.notify else []


def _address(text: str) -> _Address:
    """One address; a secret in it is masked from now on wherever it would leave the process."""
    parts = urlsplit(text)
    secret = unquote((parts.password if parts.scheme == _MAIL else parts.fragment) or "")
    register_secret(secret)
    at = f"{parts.scheme}://{parts.hostname}" + (f":{parts.port}" if parts.port else "")
    return _Address(parts, at, content_hash(at, parts.path, parts.query)[:16], secret)


def _post(address: _Address, limits: WebLimits, corpus: str, changes: Sequence[ChangeReport]) -> None:
    from clausegraph.ingestion.fetch import WebClient

    body = json.dumps({"corpus": corpus, "changes": [one.as_json() for one in changes]}).encode()
    at = str(int(time.time()))
    signed = hmac.new(address.secret.encode(), f"{at}.".encode() + body, "sha256").hexdigest()
    headers = {"Content-Type": "application/json"} | ({SIGNATURE: f"t={at},v1={signed}"} if address.secret else {})
    with WebClient(limits) as client:
        reply = client.post(address.parts._replace(fragment="").geturl(), body, headers)
    if reply.outcome != "page":
        raise _NotSent(reply.reason)


def _mail(address: _Address, limits: WebLimits, corpus: str, changes: Sequence[ChangeReport]) -> None:
    fields = parse_qs(address.parts.query)
    message = EmailMessage()
    message["From"], message["To"] = one_line(fields["from"][0]), one_line(", ".join(fields["to"]))
    message["Subject"] = f"{counted(len(changes), 'watched answer')} changed in {one_line(corpus)}"
    message.set_content("\n\n".join("\n".join(one.lines()) for one in changes) + "\n")
    try:
        with _Mailer(address.parts, limits) as server:
            if address.parts.username:
                server.login(unquote(address.parts.username), address.secret)
            server.send_message(message)
    except (OSError, smtplib.SMTPException) as error:
        raise _NotSent(str(error)) from error


class _Mailer(smtplib.SMTP_SSL):
    """A mail server over TLS, at an address that the guard of the web client allows; its name is verified."""

    def __init__(self, parts: SplitResult, limits: WebLimits) -> None:
        self._limits = limits
        verified = ssl.create_default_context()
        super().__init__(
            parts.hostname or "", parts.port or smtplib.SMTP_SSL_PORT, timeout=limits.seconds, context=verified
        )

    def _get_socket(self, host: str, port: int, timeout: float) -> socket.socket:
        from clausegraph.ingestion.fetch.guard import AddressGuard, AddressRefusedError, UnknownHostError

        try:
            address = AddressGuard(self._limits).checked(host, port)[0]
        except (AddressRefusedError, UnknownHostError) as error:
            raise OSError(str(error)) from error
        return self.context.wrap_socket(socket.create_connection((address, port), timeout), server_hostname=host)
