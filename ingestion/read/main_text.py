"""Which blocks of a page are its main text."""

from __future__ import annotations

from collections.abc import Sequence

from ingestion.read.blocks import Block


def main_blocks(blocks: Sequence[Block], page: str) -> list[Block]:
    """The blocks that are main text, in document order; ``page`` is the decoded page they come from."""
    return [block for block in blocks if not block.boilerplate]
