"""Two versions of a page beside each other: elements that differ, and what is stated otherwise."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Any

from clausegraph.app.services.browse import open_shelf
from clausegraph.app.services.changes import CHANGED, GONE, NEW, page_statements
from clausegraph.app.services.versions import page_versions_of
from clausegraph.app.workspace import Workspace
from clausegraph.core.errors import NotFoundError
from clausegraph.core.types import Element, PageKey, Reading

SAME = "same"
_ALIKE = 0.5  # share of common characters from which on an element was changed, not replaced


def compare_versions(
    workspace: Workspace,
    corpus: str,
    uri: str,
    source: str | None = None,
    old: int | None = None,
    new: int | None = None,
) -> dict[str, Any]:
    """What differs between two versions of a page, each taken at the newest retained epoch that has it.

    Args:
        old, new: ids as ``page_versions_of`` has them; none for the newest two.

    Returns:
        ``versions`` (newest first), ``old`` and ``new`` (one of them each, none where there is but one version),
        ``elements`` (kind, old, new: as they stand) and ``statements`` (kind, old, new; see ``changes``).

    Raises:
        NotFoundError: no such corpus, no retained epoch has the page, or it has no such version.
    """
    versions = page_versions_of(workspace, corpus, uri, source)
    key = PageKey(versions[0]["source"], uri)
    versions = [one for one in versions if one["source"] == key.source]
    newest = versions[0]
    title = (
        newest["title"] or open_shelf(workspace.ledger, corpus, newest["epochs"][0]).reading(newest["version"]).title
    )
    found: dict[str, Any] = {"corpus": corpus, "page": str(key), "title": title, "versions": versions}
    if len(versions) < 2 and old is None and new is None:
        return found | {"old": None, "new": None, "elements": [], "statements": []}
    after = _version(versions, new) if new is not None else versions[0]
    before = _version(versions, old) if old is not None else next((v for v in versions if v is not after), after)
    then, now = (open_shelf(workspace.ledger, corpus, one["epochs"][0]) for one in (before, after))
    return found | {
        "old": before,
        "new": after,
        "elements": list(_elements(then.reading(before["version"]), now.reading(after["version"]))),
        "statements": list(page_statements(then, now, key)),
    }


def _version(versions: Sequence[dict[str, Any]], wanted: int) -> dict[str, Any]:
    found = next((one for one in versions if one["version"] == wanted), None)
    if found is None:
        there = ", ".join(str(one["version"]) for one in versions)
        raise NotFoundError(f"the page has no version {wanted} in a retained epoch (there are: {there})")
    return found


def _elements(before: Reading, after: Reading) -> Iterator[dict[str, Any]]:
    """The elements of both in their order: alike ones beside each other."""
    old, new = before.elements, after.elements
    matcher = SequenceMatcher(None, [_words(one) for one in old], [_words(one) for one in new], autojunk=False)
    for kind, i, j, k, m in matcher.get_opcodes():
        if kind == "equal":
            yield from (_row(SAME, left, right) for left, right in zip(old[i:j], new[k:m], strict=True))
        else:
            yield from _paired(old[i:j], list(new[k:m]))


def _paired(old: Sequence[Element], new: list[Element]) -> Iterator[dict[str, Any]]:
    """Each old element with the first new one that it became; what comes before that one is new."""
    for left in old:
        at = next((n for n, right in enumerate(new) if _became(left, right)), None)
        if at is None:
            yield _row(GONE, left, None)
            continue
        yield from (_row(NEW, None, right) for right in new[:at])
        yield _row(CHANGED, left, new[at])
        del new[: at + 1]
    yield from (_row(NEW, None, right) for right in new)


def _became(left: Element, right: Element) -> bool:
    return left.tag == right.tag and SequenceMatcher(None, left.text, right.text).ratio() >= _ALIKE


def _words(element: Element) -> tuple[str, str]:
    return element.tag, element.text


def _row(kind: str, old: Element | None, new: Element | None) -> dict[str, Any]:
    return {"kind": kind, "old": _told(old), "new": _told(new)}


def _told(element: Element | None) -> dict[str, Any] | None:
    return None if element is None else {"tag": element.tag, "anchor": element.anchor, "text": element.text}
