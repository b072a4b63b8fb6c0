"""Lists of addresses: sitemaps, indexes of sitemaps, feeds, and files with an address a line."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from lxml import etree

from clausegraph.ingestion.fetch import host_of, normalised
from clausegraph.ingestion.fetch.bodies import BodyRefusedError, gunzipped
from clausegraph.ingestion.fetch.client import WebReply

LIST_TYPES = (
    "application/xml", "text/xml", "application/rss+xml", "application/atom+xml", "application/rdf+xml",
    "application/gzip", "application/x-gzip", "application/octet-stream", "text/plain", "text/html",
)  # fmt: skip
LIST_BYTES = 50 * 1024 * 1024  # what a sitemap may have by its standard
_MOST_SITEMAPS = 200
_DEEPEST = 3  # indexes in indexes


@dataclass(frozen=True, slots=True)
class ListedAddress:
    """An address of a list, and when it changed last, as the list says."""

    address: str
    stated: str = ""


@dataclass(slots=True)
class Listing:
    """What a list holds; ``problems`` by address of a part that could not be read: its addresses are not known."""

    entries: dict[str, ListedAddress] = field(default_factory=dict)
    problems: dict[str, str] = field(default_factory=dict)
    elsewhere: int = 0  # addresses of other sites, which a sitemap has no say in
    kind: str = "sitemap"


def read_list(address: str, fetch: Callable[[str], WebReply], most: int) -> Listing | None:
    """The sitemap, or the feed, at an address, with the sitemaps that it names; None where it is neither.

    At most ``most`` addresses are taken; what a list holds beyond is a problem of its, not silence.
    """
    made = Listing()
    waiting, seen = [(address, 0)], {address}
    while waiting:
        at, depth = waiting.pop(0)
        reply = fetch(at)
        body = _body(at, reply, made)
        if body is None:
            continue
        hosts = {host_of(at), host_of(reply.address)}  # where the list is, and where a redirect led to it
        root, damage = _parsed(body)
        kind = etree.QName(root).localname.lower() if root is not None else ""
        if kind in ("rss", "feed", "rdf") and at == address:
            return _feed(body, address, hosts, most)
        if root is None or kind not in ("urlset", "sitemapindex"):
            if at == address:
                return None
            made.problems[at] = "it is no sitemap"
            continue
        if damage:
            made.problems[at] = f"it is damaged, so it may name more than was read: {damage}"
        if kind == "urlset":
            _take(root, at, hosts, most, made)
        else:
            for inner in (one.address for one in _entries(root, "sitemap")):
                if inner in seen:
                    continue
                seen.add(inner)
                if host_of(inner) not in hosts or depth >= _DEEPEST or len(seen) > _MOST_SITEMAPS:
                    made.problems[at] = f"not every sitemap that it names is read: {inner} is not"
                else:
                    waiting.append((inner, depth + 1))
    return made


def _body(address: str, reply: WebReply, made: Listing) -> bytes | None:
    if reply.outcome != "page":
        made.problems[address] = reply.reason
        return None
    if not reply.body.startswith(b"\x1f\x8b"):
        return reply.body
    try:
        return gunzipped(reply.body, LIST_BYTES)
    except BodyRefusedError as error:
        made.problems[address] = str(error)
        return None


def _parsed(body: bytes) -> tuple[etree._Element | None, str]:
    """The root of an XML file, of which no entity is expanded and nothing else loaded, and what is wrong with it."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, recover=True)
    try:
        root = etree.fromstring(body.strip(), parser)
    except (etree.XMLSyntaxError, ValueError):
        return None, ""
    fatal = next((one for one in parser.error_log if one.level == etree.ErrorLevels.FATAL), None)
    damage = f"{fatal.message.strip()[:100]}, line {fatal.line}" if fatal is not None else ""
    return (root if root is not None and isinstance(root.tag, str) else None), damage


def _take(root: etree._Element, at: str, hosts: set[str], most: int, made: Listing) -> None:
    for entry in _entries(root, "url"):
        if host_of(entry.address) not in hosts:
            made.elsewhere += 1
        elif entry.address not in made.entries and len(made.entries) >= most:
            made.problems[at] = f"it lists more than {most} addresses; those beyond are not asked"
            return
        else:
            made.entries.setdefault(entry.address, entry)


def _entries(root: etree._Element, name: str) -> Iterator[ListedAddress]:
    for element in root.iter(f"{{*}}{name}"):
        found = {etree.QName(child).localname: child.text or "" for child in element if isinstance(child.tag, str)}
        if address := normalised(found.get("loc", "")):
            yield ListedAddress(address, found.get("lastmod", "").strip()[:100])


def _feed(body: bytes, address: str, hosts: set[str], most: int) -> Listing:
    import feedparser

    made = Listing(kind="feed")
    for one in feedparser.parse(body, response_headers={"content-location": address}).entries:
        found = normalised(str(one.get("link", "")))
        if found is None:
            continue
        if host_of(found) not in hosts:
            made.elsewhere += 1
        elif len(made.entries) < most:
            stated = str(dict.get(one, "updated") or dict.get(one, "published") or "")[:100]  # its own get() guesses
            made.entries.setdefault(found, ListedAddress(found, stated))
    return made


def read_address_file(text: str) -> tuple[list[str], list[str]]:
    """The addresses of a file, one a line, each once, and the lines that are none; ``#`` begins a remark."""
    lines = [line.strip() for line in text.splitlines()]
    given = [line for line in lines if line and not line.startswith("#")]
    found = {line: normalised(line) for line in given}
    return list(dict.fromkeys(one for one in found.values() if one)), [line for line in given if found[line] is None]
