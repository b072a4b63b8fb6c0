"""JSON responses: whole, in parts of one epoch, and unchanged for a client that has it already."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from clausegraph.app.api.problems import as_json, refusal
from clausegraph.app.api.served import Served
from clausegraph.app.process import version
from clausegraph.app.services.browse import open_shelf
from clausegraph.app.services.records import Key, Slice
from clausegraph.app.workspace import Workspace
from clausegraph.indexes.ledger.store import ledger_id

EPOCH_HEADER = "ClauseGraph-Epoch"
ASKED_AGAIN = "private, no-cache"  # whoever keeps it asks again whether it still holds


def reply(value: Any, *, epoch: int | None = None, etag: str | None = None, location: str = "") -> Response:
    """A JSON response; what is of an epoch says so, and whoever keeps it asks again whether it still holds.

    ``location`` is where the same can be had again.
    """
    headers = {"Cache-Control": ASKED_AGAIN if etag else "no-store"}
    if epoch is not None:
        headers[EPOCH_HEADER] = str(epoch)
    if etag is not None:
        headers["ETag"] = etag
    if location:
        headers["Content-Location"] = location
    return Response(as_json(value), 200, headers, "application/json")


@dataclass(frozen=True, slots=True)
class Pin:
    """The epoch that a request reads, and the tag of everything that is of it."""

    epoch: int
    etag: str


async def pinned(held: Served, corpus: str, epoch: int | None) -> Pin:
    """The published epoch of a corpus now, or a retained one.

    Raises:
        NotFoundError: no such corpus or epoch, or nothing was published yet.
    """
    return await held.reads.run(_pin, held.workspace, corpus, epoch)


def _pin(workspace: Workspace, corpus: str, epoch: int | None) -> Pin:
    shelf = open_shelf(workspace.ledger, corpus, epoch)
    # what an epoch holds never changes; how it is shown does with the settings and the version
    shown = f"{ledger_id(shelf.ledger)} {version()} {workspace.settings.model_dump_json()}"
    short = hashlib.sha256(shown.encode()).hexdigest()[:12]
    return Pin(shelf.epoch, f'W/"{short}-{shelf.corpus.id}-{shelf.epoch}"')


async def of_epoch(
    request: Request, held: Served, corpus: str, epoch: int | None, read: Callable[[int], dict[str, Any]]
) -> Response:
    """What ``read`` has of an epoch; 304 for a client that has it. It is read on a thread."""
    pin = await pinned(held, corpus, epoch)
    if has_it(request, pin.etag):
        return unchanged(pin.etag, pin.epoch)
    return reply(await held.reads.run(read, pin.epoch), epoch=pin.epoch, etag=pin.etag)


async def part_of_epoch(
    request: Request,
    held: Served,
    corpus: str,
    epoch: int | None,
    cursor: str | None,
    read: Callable[[int, Key | None], Slice],
) -> Response:
    """A part of a list; its cursor stays in the epoch in which the list was begun.

    Raises:
        Refusal: the cursor is of another list or epoch.
    """
    begun, after = _opened(request, cursor)
    if epoch is not None and begun not in (None, epoch):
        raise _foreign("it is of another epoch")
    pin = await pinned(held, corpus, begun or epoch)
    if has_it(request, pin.etag):
        return unchanged(pin.etag, pin.epoch)
    found = await held.reads.run(read, pin.epoch, after)
    value = {"corpus": corpus, "epoch": pin.epoch} | part(request, found, pin.epoch)
    return reply(value, epoch=pin.epoch, etag=pin.etag)


def part(request: Request, found: Slice, epoch: int | None = None) -> dict[str, Any]:
    """The items of a part, and the cursor of the next one; null at the end."""
    if found.after is None:
        return {"items": found.items, "next": None}
    key = json.dumps([_list_of(request), epoch, found.after], separators=(",", ":")).encode()
    return {"items": found.items, "next": base64.urlsafe_b64encode(key).decode().rstrip("=")}


def after_cursor(request: Request, cursor: str | None) -> Key | None:
    """The key after which the part begins, of a list that is of no epoch.

    Raises:
        Refusal: the cursor is of another list.
    """
    return _opened(request, cursor)[1]


def _opened(request: Request, cursor: str | None) -> tuple[int | None, Key | None]:
    if cursor is None:
        return None, None
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        of, epoch, after = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
    except (ValueError, TypeError, binascii.Error, RecursionError) as error:
        raise _foreign("it is none of this server's") from error
    if of != _list_of(request) or not _is_key(after) or not isinstance(epoch, int | None):
        raise _foreign("it is of another list")
    return epoch, after


def _is_key(after: object) -> bool:
    return isinstance(after, list) and 1 <= len(after) <= 2 and all(isinstance(x, str | int | float) for x in after)


def _list_of(request: Request) -> str:
    """What makes two requests parts of one list."""
    asked = sorted((key, value) for key, value in request.query_params.multi_items() if key not in _NOT_THE_LIST)
    return hashlib.sha256(json.dumps([request.url.path, asked]).encode()).hexdigest()[:16]


_NOT_THE_LIST = ("cursor", "limit", "epoch")


def _foreign(why: str) -> Exception:
    return refusal("CursorInvalid", 400, "Not a cursor of this list", f"cursor: {why}; take `next` of the part before")


def by_content(request: Request, value: Any, epoch: int | None = None) -> Response:
    """What may become another within an epoch, tagged by what it says; 304 for a client that has it."""
    whole = reply(value, epoch=epoch)
    etag = f'W/"{hashlib.sha256(whole.body).hexdigest()[:24]}"'
    if has_it(request, etag):
        return unchanged(etag, epoch)
    whole.headers.update({"ETag": etag, "Cache-Control": ASKED_AGAIN})
    return whole


def has_it(request: Request, etag: str) -> bool:
    """Whether the client says that it has what is tagged so."""
    given = [tag.strip() for tag in request.headers.get("if-none-match", "").split(",")]
    return etag in given or "*" in given


def unchanged(etag: str, epoch: int | None) -> Response:
    """The response to a client that has it."""
    headers = {"ETag": etag, "Cache-Control": ASKED_AGAIN}
    return Response(status_code=304, headers=headers if epoch is None else headers | {EPOCH_HEADER: str(epoch)})
