"""Asking addresses, each once in a crawl, and storing what they answer before anything else is done."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from urllib.parse import urlsplit

from clausegraph.core.pages.read import HTML
from clausegraph.indexes.fetches import ASIDE, FetchRow
from clausegraph.indexes.truth import raw_hash_of
from clausegraph.ingestion.fetch import Validators, WebClient, WebReply
from clausegraph.ingestion.formats.formats import FORMATS, PDF, Unreadable, recognised
from clausegraph.ingestion.reading.facts import is_shell, wall
from clausegraph.ingestion.reading.process import PageLook
from clausegraph.ingestion.rendering.process import PageRenderer
from clausegraph.ingestion.sources.shelf import FetchShelf
from clausegraph.ingestion.sources.web.outcome import sketch_of, text_hash_of
from clausegraph.ingestion.tools import Progress, no_progress

_XHTML = "application/xhtml+xml"
_HOPS = 10
ASKED_BEFORE = "asked before by a run that was killed"
_LOGIN = re.compile(
    r"(?:^|[/_.-])(?:log-?in|log-?on|sign-?in|sso|saml2?|oauth2?|authenticate)(?:$|[/_.-])", re.IGNORECASE
)
Allowed = Callable[[str], str]  # why an address is not asked, empty where it may be


class Visits:
    """The addresses of one crawl: what is known of each, in which order they were asked, and what went wrong."""

    def __init__(
        self,
        client: WebClient,
        shelf: FetchShelf,
        look: PageLook,
        most: int,
        *,
        pdf: bool = False,
        browser: PageRenderer | None = None,
        progress: Progress = no_progress,
    ) -> None:
        """Go on with the shelf's crawl; ``look`` sees pages, ``most`` bounds the addresses that are asked, and
        ``browser`` renders pages that only their scripts fill."""
        self.rows = shelf.rows()
        self.touched: dict[str, None] = {}
        self.problems: dict[str, str] = {}  # by address
        self.cut = ""  # why not every address was asked
        self.counts: Counter[str] = Counter()
        self._client = client
        self._shelf = shelf
        self._look = look
        self._browser = browser
        self._most = most
        self._progress = progress
        self._accept = (HTML, _XHTML, *([PDF] if pdf else []))

    def reach(self, address: str, allowed: Allowed, stated: str = "") -> FetchRow | None:
        """What is at an address, redirects followed as far as they may be; None where nothing is. ``stated``, when it
        last changed as somebody else says, is kept with what it answers."""
        hops: list[str] = []
        at = address
        while (row := self.ask(at, stated)) is not None and row.outcome == "moved":
            hops.append(at)
            if problem := self._why_not_follow(row, hops, allowed):
                self.problems[at] = problem
                return row if row.raw_hash else None
            at = row.target
        return row if row is not None and row.raw_hash else None

    def ask(self, address: str, stated: str = "") -> FetchRow | None:
        """What an address answers, or has answered in this crawl; None where there is no room to ask it."""
        row = self.rows.get(address, FetchRow(address))
        if address in self.touched:
            return row
        if row.crawl == self._shelf.crawl != ASIDE and row.outcome in ("page", "moved"):
            self.counts[ASKED_BEFORE] += 1  # of this crawl, which was cut off; what it could not get is asked again
            self.touched[address] = None
            return row
        if len(self.touched) >= self._most:
            self.cut = f"the crawl ended at its limit of {self._most} addresses"
            return None
        self.touched[address] = None
        failed = self.counts["failed"] + self.counts["refused"]
        self._progress("fetch", len(self.touched), 0, failed)
        validators = Validators(row.etag, row.last_modified) if row.raw_hash else Validators()
        reply = self._filled(row, self._client.fetch(address, self._accept, validators))
        made, raw = self._taken(row, reply, stated)
        made = replace(made, crawl=row.crawl if self._shelf.crawl == ASIDE else self._shelf.crawl)
        self._shelf.keep(made, raw)
        self.rows[address] = made
        is_page = made.outcome == "page"
        self.counts[("not modified" if reply.outcome == "unchanged" else "received") if is_page else made.outcome] += 1
        return made

    def _filled(self, row: FetchRow, reply: WebReply) -> WebReply:
        """The reply as a browser renders it, where the page is a shell that its scripts fill.

        It comes without validators: that the shell has not changed says nothing of what fills it.
        """
        if self._browser is None or reply.outcome not in ("page", "unchanged"):
            return reply
        kind = reply.content_type if reply.outcome == "page" else row.content_type
        raw = reply.body if reply.outcome == "page" else self._shelf.load(row.raw_hash)
        if kind.partition(";")[0] not in (HTML, _XHTML, "") or not is_shell(raw, row.address):
            return reply
        found = self._browser.render(row.address, raw)
        if found.problem:
            self.problems[row.address] = f"it is a shell that only a script fills, and {found.problem}"
            return reply
        self.counts["rendered"] += 1
        return WebReply(
            row.address, "page", status=reply.status, body=found.html, content_type=f"{HTML}; charset=utf-8"
        )

    def _taken(self, row: FetchRow, reply: WebReply, stated: str) -> tuple[FetchRow, bytes | None]:
        """The row after a reply, and the bytes to be stored."""
        if reply.outcome == "page":
            return self._with_page(row, reply, stated)
        if reply.outcome in ("failed", "refused"):  # where it led stays: that it leads there no more nobody said
            return _failed(row, reply, reply.outcome, reply.reason), None
        if reply.outcome == "gone":
            row = FetchRow(row.address, uri=row.uri)  # what it had is not held on to
        is_unchanged = reply.outcome == "unchanged"
        made = replace(
            row,
            outcome="page" if is_unchanged else reply.outcome,
            status=reply.status,
            reason=reply.reason,
            target=reply.target,
            permanent=reply.permanent,
            stated=stated if is_unchanged else row.stated,
            failures=0,
        )
        return made, None

    def _with_page(self, row: FetchRow, reply: WebReply, stated: str) -> tuple[FetchRow, bytes | None]:
        """The row with the page that came; as it was where that is no HTML, or a wall before a page that was none."""
        base, _, charset = reply.content_type.partition("; charset=")
        raw, raw_hash, kind = reply.body, raw_hash_of(reply.body), base
        canonical, text_hash, sketch = "", "", b""
        if base in (HTML, _XHTML, ""):
            why = _why_not_html(raw)
            if not why and row.raw_hash not in ("", raw_hash) and (why := wall(raw, row.address)):
                why = "" if wall(self._shelf.load(row.raw_hash), row.address) else why
            if why:
                return _failed(row, reply, "refused", why), None
            kind = HTML if charset in ("", "utf-8", "utf8") else f"{HTML}; charset={charset}"
            facts = self._look(raw, row.address)
            canonical, text_hash, sketch = facts.canonical, text_hash_of(facts.pieces), sketch_of(facts.pieces)
        made = FetchRow(
            row.address,
            outcome="page",
            status=reply.status,
            uri=row.uri,
            raw_hash=raw_hash,
            content_type=kind,
            etag=reply.etag,
            last_modified=reply.last_modified,
            stated=stated,
            fetched=time.time(),
            canonical=canonical,
            text_hash=text_hash,
            sketch=sketch,
        )
        return made, raw

    def _why_not_follow(self, row: FetchRow, hops: list[str], allowed: Allowed) -> str:
        if row.target in hops or len(hops) > _HOPS:
            return "it redirects in a circle"
        if not row.permanent and row.raw_hash:
            return f"it redirects to {row.target} for now"
        if _LOGIN.search(urlsplit(row.target).path):
            return f"it asks to log in, at {row.target}"
        why = allowed(row.target)
        return f"it redirects to {row.target}: {why}" if why else ""


def _failed(row: FetchRow, reply: WebReply, outcome: str, reason: str) -> FetchRow:
    return replace(row, outcome=outcome, status=reply.status, reason=reason, failures=row.failures + 1)


def _why_not_html(raw: bytes) -> str:
    """Why a body that is said to be HTML is none; empty where it is."""
    try:
        kind = recognised("page.html", raw)
    except Unreadable as error:
        return error.reason
    return "" if kind == HTML else f"not HTML: the content is {FORMATS[kind].name if kind in FORMATS else kind}"
