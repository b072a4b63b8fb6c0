"""Anchors: names of elements that survive edits elsewhere on the page."""

from __future__ import annotations

from collections import Counter

from clausegraph.core.hashing import content_hash


class AnchorMaker:
    """Makes the anchors of one page, in document order."""

    def __init__(self) -> None:
        self._seen: Counter[str] = Counter()

    def make(self, tag: str, text: str) -> str:
        """``tag-hash-n``: 8 hex digits of the text's hash, and the ordinal among equal ones, from 0.

        Counted by tag and short hash, so that two texts whose short hashes collide still differ.
        """
        stem = f"{tag}-{content_hash(text)[:8]}"
        ordinal = self._seen[stem]
        self._seen[stem] += 1
        return f"{stem}-{ordinal}"
