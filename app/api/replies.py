"""JSON responses of a corpus: whole, of one epoch, in parts, and unchanged for a client that has it already."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Depends
from pydantic import create_model
from starlette.requests import Request
from starlette.responses import Response

from clausegraph.app.api.parameters import CorpusPath, CursorQuery, EpochQuery, LimitQuery
from clausegraph.app.api.problems import as_json, refusal
from clausegraph.app.api.served import Held, Who
from clausegraph.app.api.work import Ticket, waited
from clausegraph.app.process import version
from clausegraph.app.services import Key, Record, Slice
from clausegraph.app.services.browse import open_shelf
from clausegraph.app.workspace import Workspace
from clausegraph.indexes.ledger.store import ledger_id

EPOCH_HEADER = "ClauseGraph-Epoch"
_ASKED_AGAIN = "private, no-cache"  # whoever keeps it asks again whether it still holds


def reply(
    value: Any, status: int = 200, *, epoch: int | None = None, etag: str | None = None, location: str = "",
    made: str = "",
) -> Response:  # fmt: skip
    """A JSON response; what is of an epoch says so, and whoever keeps it asks again whether it still holds.

    ``location`` is where the same can be had again, ``made`` is where it was made.
    """
    headers = {"Cache-Control": _ASKED_AGAIN if etag else "no-store"}
    known = {EPOCH_HEADER: None if epoch is None else str(epoch), "ETag": etag, "Content-Location": location}
    known["Location"] = made
    headers |= {name: text for name, text in known.items() if text}
    return Response(as_json(value), status, headers, "application/json")


def if_changed(request: Request, etag: str, epoch: int | None) -> Response | None:
    """304 for a client that says that it has what is tagged so; else None."""
    given = [tag.strip() for tag in request.headers.get("if-none-match", "").split(",")]
    if etag not in given and "*" not in given:
        return None
    headers = {"ETag": etag, "Cache-Control": _ASKED_AGAIN}
    return Response(status_code=304, headers=headers if epoch is None else headers | {EPOCH_HEADER: str(epoch)})


def by_content(request: Request, value: Any, epoch: int | None = None) -> Response:
    """What may become another within an epoch, tagged by what it says; 304 for a client that has it."""
    etag = f'W/"{hashlib.sha256(as_json(value).encode()).hexdigest()[:24]}"'
    return if_changed(request, etag, epoch) or reply(value, epoch=epoch, etag=etag)


class PartOfList(Record):
    """A part of a list; `next` is the cursor of the next one."""

    corpus: str
    next: str | None


class WholeList(Record):
    """A list of a corpus."""

    corpus: str


def list_reply(name: str, about: str, item: type[Record], base: type[Record] = PartOfList, **more: Any) -> type[Record]:
    """What the OpenAPI document says of a list: by what items go, the form of one, and what stands beside them."""
    return create_model(name, __base__=base, __doc__=about, **more, items=list[item])  # type: ignore[valid-type]


@dataclass
class CorpusRequest:
    """A request about a corpus: who asks the server, and for which."""

    request: Request
    held: Held
    who: Who
    corpus: CorpusPath

    async def run(self, read: Callable[..., Any], *values: Any, **named: Any) -> Any:
        """What ``read`` of workspace, corpus and these values gives, on a thread for looking things up."""
        return await self.held.reads.run(lambda: read(self.held.workspace, self.corpus, *values, **named))

    async def work(self, work: Callable[[Ticket], Any]) -> Any:
        """The result of work that embeds, asks a model or publishes; errors as of ``waited``."""
        return await waited(self.request, self.held.work, self.held.workspace.settings.serve_seconds, work)

    async def reply(self, read: Callable[..., Any], *values: Any, **named: Any) -> Response:
        """What ``read`` gives, as a response that nobody keeps."""
        return reply(await self.run(read, *values, **named))


@dataclass
class EpochRequest(CorpusRequest):
    """A request about an epoch of a corpus: the published one, or a retained one."""

    epoch: EpochQuery = None

    async def reply(self, read: Callable[..., Any], *values: Any, **named: Any) -> Response:
        """What ``read`` has of the epoch; 304 for a client that has it."""
        epoch, etag = await self.run(_pin, self.epoch)
        if (same := if_changed(self.request, etag, epoch)) is not None:
            return same
        return reply(await self.run(read, *values, epoch=epoch, **named), epoch=epoch, etag=etag)


@dataclass
class EpochPartRequest(EpochRequest):
    """A request for a part of a list; its cursor stays in the epoch in which the list was begun."""

    cursor: CursorQuery = None
    limit: LimitQuery = 50

    async def reply(self, read: Callable[..., Any], *values: Any, **named: Any) -> Response:
        """The part that ``read`` has of the list; a cursor of another list or epoch is refused."""
        begun, after = _opened(self.request, self.cursor)
        if self.epoch is not None and begun not in (None, self.epoch):
            raise _foreign("it is of another epoch")
        epoch, etag = await self.run(_pin, begun or self.epoch)
        if (same := if_changed(self.request, etag, epoch)) is not None:
            return same
        found: Slice = await self.run(read, *values, epoch=epoch, limit=self.limit, after=after, **named)
        value = {"corpus": self.corpus, "epoch": epoch} | part(self.request, found, epoch)
        return reply(value, epoch=epoch, etag=etag)


@dataclass
class PartRequest(CorpusRequest):
    """A request for a part of a list that is of no epoch."""

    cursor: CursorQuery = None
    limit: LimitQuery = 50

    async def reply(self, read: Callable[..., Any], *values: Any, **named: Any) -> Response:
        """The part that ``read`` has of the list, beside what ``named`` says; errors as of :func:`after_cursor`."""
        after = after_cursor(self.request, self.cursor)
        found: Slice = await self.run(read, *values, limit=self.limit, after=after)
        return reply({"corpus": self.corpus} | named | part(self.request, found))


OfCorpus = Annotated[CorpusRequest, Depends()]
AtEpoch = Annotated[EpochRequest, Depends()]
PartOfEpoch = Annotated[EpochPartRequest, Depends()]
OfPart = Annotated[PartRequest, Depends()]


def _pin(workspace: Workspace, corpus: str, epoch: int | None) -> tuple[int, str]:
    """The epoch that a request reads, and the tag of everything that is of it."""
    shelf = open_shelf(workspace.ledger, corpus, epoch)
    # what an epoch holds never changes; how it is shown does with the settings and the version
    shown = f"{ledger_id(shelf.ledger)} {version()} {workspace.settings.model_dump_json()}"
    short = hashlib.sha256(shown.encode()).hexdigest()[:12]
    return shelf.epoch, f'W/"{short}-{shelf.corpus.id}-{shelf.epoch}"'


def part(request: Request, found: Slice, epoch: int | None = None) -> dict[str, Any]:
    """The items of a part, and the cursor of the next one; null at the end."""
    if found.after is None:
        return {"items": found.items, "next": None}
    key = json.dumps([_list_of(request), epoch, found.after], separators=(",", ":")).encode()
    return {"items": found.items, "next": base64.urlsafe_b64encode(key).decode().rstrip("=")}


def after_cursor(request: Request, cursor: str | None) -> Key | None:
    """The key after which the part begins, of a list that is of no epoch; a cursor of another list is refused."""
    return _opened(request, cursor)[1]


def _opened(request: Request, cursor: str | None) -> tuple[int | None, Key | None]:
    if cursor is None:
        return None, None
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        of, epoch, after = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
    except (ValueError, TypeError, binascii.Error, RecursionError) as error:
        raise _foreign("it is none of this server's") from error
    is_key = isinstance(after, list) and 1 <= len(after) <= 2 and all(isinstance(x, str | int | float) for x in after)
    if of != _list_of(request) or not is_key or not isinstance(epoch, int | None):
        raise _foreign("it is of another list")
    return epoch, after


def _list_of(request: Request) -> str:
    """What makes two requests parts of one list."""
    pairs = request.query_params.multi_items()
    asked = sorted((key, value) for key, value in pairs if key not in ("cursor", "limit", "epoch"))
    return hashlib.sha256(json.dumps([request.url.path, asked]).encode()).hexdigest()[:16]


def _foreign(why: str) -> Exception:
    return refusal("CursorInvalid", 404, "Not a cursor of this list", f"cursor: {why}; take `next` of the part before")
