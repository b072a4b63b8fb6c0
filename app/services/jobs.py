"""What a server can be asked to read into a corpus: an order, which source it means, and a look at an address first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

from clausegraph.app.services import Record
from clausegraph.app.services.ingest import web_options
from clausegraph.app.services.pages import WEB, open_sources_of
from clausegraph.app.services.uploads import folder_of, is_of
from clausegraph.app.workspace import Workspace
from clausegraph.core.errors import InputError, NotFoundError
from clausegraph.core.types import HOLD_SHARE, WebMode
from clausegraph.indexes.corpora import find_corpus, get_corpus, list_sources
from clausegraph.indexes.jobs import last_order

if TYPE_CHECKING:
    from clausegraph.ingestion.sources import Source
    from clausegraph.ingestion.tools import Options

_LONGEST = 2000
_SHOWN = 200  # addresses of a preview
_Pattern = Annotated[str, Field(min_length=1, max_length=200)]


class WebOrder(BaseModel):
    """How an address is taken, as `ingest` has it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    mode: WebMode = Field(default="auto", description="auto: a sitemap or feed by its name, else one page.")
    depth: int = Field(default=10, ge=0, le=1000, description="Links from a site's first page to its last ones.")
    addresses: int = Field(default=2000, ge=1, le=100_000, description="Addresses that are asked at most.")
    include: list[_Pattern] = Field(default=[], max_length=50, description="Only pages of a site with such a path (*).")
    exclude: list[_Pattern] = Field(default=[], max_length=50)
    pdf: bool = Field(default=False, description="PDFs that a site links to, too.")


class RunOrder(BaseModel):
    """What a run is to read: a source that the corpus has, or that files were sent for; an address (`source` names it);
    or one page again. With `dry_run` it only says what it would do, and what that needs."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    source: str | None = Field(default=None, min_length=1, max_length=500)
    address: str | None = Field(default=None, max_length=_LONGEST, pattern=r"^https?://[^\s/]\S*$")
    page: str | None = Field(default=None, min_length=1, max_length=_LONGEST, description="A page's uri or title.")
    web: WebOrder | None = Field(default=None, description="How the address is taken; none: as it was taken last.")
    dry_run: bool = False
    force: bool = Field(default=False, description="Read every page again.")
    keep_missing: bool = Field(default=False, description="Keep pages that are gone.")
    allow_empty: bool = Field(default=False, description="A source without a page is meant: remove its pages.")
    hold_share: float = Field(default=HOLD_SHARE, ge=0, le=1, description="Hold a run by which more pages go.")

    @model_validator(mode="after")
    def _says_one_thing(self) -> RunOrder:
        if (self.page is None) == (self.source is None and self.address is None):
            raise ValueError("give a source, an address or a page")
        return self


class PreviewReply(Record):
    """What a run would ask of an address. `addresses` are the first ones of `found`, which for a site are those that
    its first pages link to."""

    address: str
    kind: str
    found: int
    addresses: list[str]
    problems: dict[str, str]


def opened(workspace: Workspace, corpus: str, order: RunOrder) -> tuple[Source, Options]:
    """The source that an order means, and how the run treats it; nothing is read yet.

    Raises:
        NotFoundError: there is no such source or page.
        InputError: how an address is to be taken is not known; or the source is another one.
    """
    from clausegraph.ingestion.changes import check_location
    from clausegraph.ingestion.sources import open_source
    from clausegraph.ingestion.tools import Options

    if order.page is not None:
        source, uris = open_sources_of(workspace, corpus, [order.page])[0]
        return source, Options(dry_run=order.dry_run, force=True, only=frozenset(uris))
    row = find_corpus(workspace.make_ledger(), corpus)
    taken: Mapping[str, Any] | None = order.web.model_dump() if order.web else None
    location, moved = order.address, False
    if location is None:
        location, taken, moved = _known(workspace, corpus, str(order.source), taken)
    source = open_source(location, order.source, web_options(workspace.settings, taken or {}))
    options = Options(
        order.keep_missing, order.dry_run, order.force, moved, allow_empty=order.allow_empty,
        hold_share=order.hold_share,
    )  # fmt: skip
    if row is not None:
        check_location(workspace.ledger, row, source, options)
    return source, options


def _known(
    workspace: Workspace, corpus: str, name: str, web: Mapping[str, Any] | None
) -> tuple[str, Mapping[str, Any] | None, bool]:
    """Where a source is, how it is taken if it is an address, and whether the home with its files was moved."""
    row = get_corpus(workspace.ledger, corpus)
    known = next((one for one in list_sources(workspace.ledger, row.id) if one.name == name), None)
    folder = folder_of(workspace, row, name)
    if folder.is_dir() and (known is None or is_of(folder, known.location)):
        return str(folder), None, known is not None and known.location != str(folder)
    if known is None:
        raise NotFoundError(f"corpus {corpus!r} has no source {name[:80]!r}; its status lists those it has")
    if known.kind != WEB or web is not None:
        return known.location, web, False
    last, scheduled = last_order(workspace.ledger, row.id, name), workspace.settings.corpora.get(corpus)
    if last is not None:
        return known.location, last.get("web"), False
    if scheduled is not None and scheduled.source_name in (name, None) and scheduled.source == known.location:
        return known.location, scheduled.model_dump(include={*WebOrder.model_fields, "alike"}), False
    raise InputError(
        f"source {name!r} is an address ({known.location}), and how it is taken is not stored; say it: web.mode page, "
        "site, sitemap or feed"
    )


def preview(workspace: Workspace, address: str, web: WebOrder) -> PreviewReply:
    """What a run would ask of an address, by a few requests; nothing is stored.

    Raises:
        SourceError: the address cannot be used, or is no list of the kind that is asked for.
    """
    from clausegraph.ingestion.sources.web.crawl import WebSource

    found = WebSource(address, None, web_options(workspace.settings, web.model_dump())).preview()
    listed = list(found.entries)
    return PreviewReply(
        address=address, kind=found.kind, found=len(listed), addresses=listed[:_SHOWN], problems=found.problems
    )
