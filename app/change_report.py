"""What differs between two epochs, page by page: for the terminal, as Markdown, and as an Atom feed."""

from __future__ import annotations

import html
import uuid
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from xml.etree import ElementTree

from clausegraph.app.render import markdown_text
from clausegraph.app.services.answer_changes import AnswerDifference, ChangedAnswer
from clausegraph.app.services.changes import ChangedPage, ChangesReply
from clausegraph.app.services.page_history import FIRST, HistoryReply
from clausegraph.app.services.rule_changes import ChangedRule, RuleDifference
from clausegraph.core.text import clean_xml, counted, one_line

_WORDS = 600  # characters of a rule
_PART = 160  # characters of what differs
_ATOM = "http://www.w3.org/2005/Atom"


def change_lines(found: ChangesReply) -> Iterator[str]:
    """The changes for a terminal, line by line."""
    yield f"corpus {found.corpus!r}, epoch {found.since} to {found.until}"
    yield _summary(found)
    for page, changed in _by_page(found):
        yield ""
        yield one_line(f"{_heading(page)} ({page.source}:{page.uri})")
        for one in changed:
            yield f"  {change_words(one)}"
            yield from (f"    {mark} {words}" for mark, words in _sides(one))
        if not changed:
            yield "  no rule differs"


def change_markdown(found: ChangesReply) -> str:
    """The changes as Markdown; nothing of a page is taken for markup."""
    blocks = [
        f"# Changes of {markdown_text(found.corpus)}, epoch {found.since} to {found.until}",
        markdown_text(_summary(found)),
    ]
    for page, changed in _by_page(found):
        lines = [line for one in changed for line in _markdown_item(one)]
        place = markdown_text(one_line(f"{page.source}:{page.uri}"))
        blocks += [f"## {markdown_text(_heading(page))}", place, *(["\n".join(lines)] if lines else [])]
    return "\n\n".join(blocks) + "\n"


def _markdown_item(one: ChangedRule) -> Iterator[str]:
    yield f"* {markdown_text(change_words(one))}"
    yield from (f"  * {'before' if mark == '-' else 'now'}: {markdown_text(words)}" for mark, words in _sides(one))


def change_feed(found: ChangesReply) -> str:
    """The changes as an Atom feed (RFC 4287), an entry for each page; the same changes have the same ids."""
    feed = _feed(_urn(found.corpus), f"Changes of {found.corpus}", found.published)
    for page, changed in _by_page(found):
        name = _urn(found.corpus, found.since, found.until, found.published, page.source, page.uri)
        entry = _entry(feed, name, _heading(page), found.published)
        if page.url and page.url.startswith(("https://", "http://")):
            ElementTree.SubElement(entry, f"{{{_ATOM}}}link", href=clean_xml(page.url))
        _add(entry, "content", "".join(map(_html, changed)) or "<p>No rule differs.</p>", type="html")
    return _written(feed)


def answer_feed(corpus: str, found: Sequence[ChangedAnswer]) -> str:
    """How watched answers changed as an Atom feed, an entry for each change, which keeps its id."""
    feed = _feed(
        _urn(corpus, "watch"), f"Changed answers of {corpus}", max((one.created for one in found), default=0.0)
    )
    for one in found:
        name = _urn(corpus, "watch", one.watch, one.id, one.created)
        entry = _entry(feed, name, one_line(one.question, _WORDS), one.created)
        parts = (f"<p>{html.escape(_difference(each))}</p>" for each in one.differences)
        _add(entry, "content", f"<p>Epoch {one.since} to {one.epoch}</p>{''.join(parts)}", type="html")
    return _written(feed)


def _feed(name: str, title: str, updated: float) -> ElementTree.Element:
    ElementTree.register_namespace("", _ATOM)
    feed = ElementTree.Element(f"{{{_ATOM}}}feed")
    _head(feed, name, title, updated)
    _add(ElementTree.SubElement(feed, f"{{{_ATOM}}}author"), "name", "ClauseGraph")
    return feed


def _entry(feed: ElementTree.Element, name: str, title: str, updated: float) -> ElementTree.Element:
    entry = ElementTree.SubElement(feed, f"{{{_ATOM}}}entry")
    _head(entry, name, title, updated)
    return entry


def _head(parent: ElementTree.Element, name: str, title: str, updated: float) -> None:
    _add(parent, "id", name)
    _add(parent, "title", title)
    _add(parent, "updated", datetime.fromtimestamp(updated, UTC).isoformat(timespec="seconds"))


def _written(feed: ElementTree.Element) -> str:
    return ElementTree.tostring(feed, encoding="unicode", xml_declaration=True) + "\n"


def change_html(found: ChangesReply) -> str:
    """The changes as an HTML page that needs nothing else."""
    title = html.escape(f"Changes of {found.corpus}, epoch {found.since} to {found.until}")
    parts = [f'<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>{title}</title>', f"<h1>{title}</h1>"]
    parts.append(f"<p>{html.escape(_summary(found))}</p>")
    for page, changed in _by_page(found):
        parts += [f"<h2>{html.escape(_heading(page))}</h2>", f"<p>{html.escape(f'{page.source}:{page.uri}')}</p>"]
        parts += map(_html, changed)
    return "\n".join(parts) + "\n</html>\n"


def history_lines(found: HistoryReply) -> Iterator[str]:
    """The history of a page or a rule for a terminal, line by line."""
    yield one_line(
        f"corpus {found.corpus!r}, page {found.page}"
        + (f", rule {found.followed[0]}" if len(found.followed) == 1 else "")
    )
    for step in found.steps:
        day = datetime.fromtimestamp(step.published, UTC).astimezone().strftime("%Y-%m-%d %H:%M")
        kind = "the oldest that is kept" if step.kind == FIRST else f"page {step.kind}"
        yield f"epoch {step.epoch}, {day}: {kind}"
        for one in step.rules:
            yield f"  {change_words(one)}"
            yield from (f"    {mark} {words}" for mark, words in _sides(one))


def _add(parent: ElementTree.Element, name: str, text: str, **attributes: str) -> None:
    ElementTree.SubElement(parent, f"{{{_ATOM}}}{name}", attributes).text = clean_xml(text)


def _urn(*parts: object) -> str:
    return uuid.uuid5(uuid.NAMESPACE_URL, repr(parts)).urn


def _html(one: ChangedRule) -> str:
    tags = {"-": "del", "+": "ins"}
    sides = (f"<p><{tags[mark]}>{html.escape(words)}</{tags[mark]}></p>" for mark, words in _sides(one))
    return f"<p>{html.escape(change_words(one))}</p>{''.join(sides)}"


def _summary(found: ChangesReply) -> str:
    """How many pages and rules differ, by kind."""
    if not found.pages and not found.rules:
        return "nothing differs"
    said = [f"pages: {_counts(found.pages)}", f"rules: {_counts(found.rules)}"]
    if found.reworded and not any(one.kind == "reworded" for one in found.rules):
        said.append(f"{counted(found.reworded, 'reworded rule')} not listed")
    if found.asked:
        said.append(f"{found.asked['reworded']} reworded by the model's judgement")
    return "; ".join(said)


def _counts(found: Iterable[ChangedPage | ChangedRule]) -> str:
    return ", ".join(f"{count} {kind}" for kind, count in Counter(one.kind for one in found).items()) or "none"


def _by_page(found: ChangesReply) -> Iterator[tuple[ChangedPage, Sequence[ChangedRule]]]:
    """Each page with what changed on it; one of which only the extraction is another was read again."""
    changed: dict[str, list[ChangedRule]] = {f"{one.source}:{one.uri}": [] for one in found.pages}
    pages = dict(zip(changed, found.pages, strict=True))
    for one in found.rules:
        changed.setdefault(one.page, []).append(one)
    for name, listed in changed.items():
        source, _, uri = name.partition(":")
        again = ChangedPage(kind="read again", source=source, uri=uri, title=uri, url=None, moved_from=None)
        yield pages.get(name, again), listed


def _heading(page: ChangedPage) -> str:
    moved = f", from {page.moved_from}" if page.moved_from else ""
    return one_line(f"{page.kind}: {page.title or page.uri}{moved}", _WORDS)


def change_words(one: ChangedRule) -> str:
    """What kind of change it is, and what differs."""
    shown = one.new or one.old
    section = f" under {one_line(shown.section, _PART)}" if shown is not None and shown.section else ""
    kind = f"{one.kind} by the model's judgement" if one.by_model else one.kind
    return f"{kind}{section}{': ' if one.differences else ''}{'; '.join(map(_difference, one.differences))}"


def _difference(one: RuleDifference | AnswerDifference) -> str:
    old, new = (one_line(words, _PART) for words in (one.old, one.new))
    return f"{one.what} {old} → {new}" if old and new else f"{one.what} {'removed' if old else 'added'}: {old or new}"


def _sides(one: ChangedRule) -> Iterator[tuple[str, str]]:
    """The old and the new words, each with its mark."""
    for mark, said in (("-", one.old), ("+", one.new)):
        if said is not None:
            yield mark, one_line(said.words, _WORDS)
