"""Which chunks share a call: neighbours of one page, up to about a number of tokens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clausegraph.core.extraction import ExtractionInput

_CHARACTERS = 4  # of English per token, near enough to decide what shares a call
_PER_ELEMENT = 3  # tokens of an element's number and line


def grouped(inputs: Sequence[ExtractionInput], limit: int) -> Iterator[tuple[ExtractionInput, ...]]:
    """Cut the inputs, in order, into groups of at most about ``limit`` tokens each.

    A chunk above the limit has a call of its own; with limit 0 every chunk has. The groups of a page are about
    equal, because a run waits for the longest reply.
    """
    sizes = [_tokens(chunk_input) for chunk_input in inputs]
    left = sum(sizes)
    calls = -(-left // limit) if limit else 0
    group: list[ExtractionInput] = []
    filled = 0
    for chunk_input, size in zip(inputs, sizes, strict=True):
        share = left / max(calls, 1)  # of the groups that are still to be made, this one included
        if group and (filled + size > limit or filled + size / 2 > share):
            yield tuple(group)
            group, left, calls, filled = [], left - filled, calls - 1, 0
        group.append(chunk_input)
        filled += size
    if group:
        yield tuple(group)


def _tokens(chunk_input: ExtractionInput) -> int:
    return sum(len(element.text) // _CHARACTERS + _PER_ELEMENT for element in chunk_input.elements if element.is_own)
