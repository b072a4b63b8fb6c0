"""Which sentences of a page came in place of which, and whether they are written anew in other words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property

from clausegraph.core.language.clauses import sentence_spans
from clausegraph.core.language.normalise import common_share, content, tokens
from clausegraph.core.language.rewording import ALIKE, base_words
from clausegraph.core.types import Reading

_RUNS = 3  # places that differ, from which on sentences are written anew: who changes one thing touches one or two
_APART = 0.5  # or two places, where less than this share of the words, in their order, is the same
_ABOUT_THE_SAME = 0.2  # share of common words below which sentences have nothing to do with each other
_FOUND = 1 / 3  # share of the words of a condition below which the other version does not speak of it


@dataclass(frozen=True)
class Edit:
    """Neighbouring sentences of the old version of a page, and those of the new one that stand in their place."""

    old: str
    new: str

    @cached_property
    def alike(self) -> bool:
        """Whether both are about the same."""
        return common_share(base_words(self.old), base_words(self.new)) >= _ABOUT_THE_SAME

    @cached_property
    def rewritten(self) -> bool:
        """Whether they are about the same in other words throughout: no single thing can be named that differs."""
        matcher = SequenceMatcher(None, tokens(self.old), tokens(self.new), autojunk=False)
        runs = sum(kind != "equal" for kind, *_ in matcher.get_opcodes())
        return self.alike and (runs >= _RUNS or (runs == _RUNS - 1 and matcher.ratio() < _APART))

    def holds(self, old: str | None, new: str | None) -> bool:
        """Whether sentences of the two versions lie in it, or it in them."""
        pairs = ((self.old, old), (self.new, new))
        return all(side and said and (side in said or said in side) for side, said in pairs if said is not None)

    def lacks(self, old: str, new: str) -> bool:
        """Whether the old version does not speak of new words, nor the new version of old ones."""
        pairs = [(base_words(said), base_words(side)) for said, side in ((old, self.new), (new, self.old)) if said]
        return all(len(words & others) < _FOUND * len(words) for words, others in pairs)

    def is_above(self, old: str, new: str, own: str) -> bool:
        """Whether words that a rule does not have itself come from it: it stands above the rule."""
        pairs = ((self.old, old), (self.new, new))
        return self.alike and all(base_words(said) - base_words(own) <= base_words(side) for side, said in pairs)


def page_edits(before: Reading, after: Reading) -> list[Edit]:
    """The sentences of two versions of a page that differ, and stand in the place of others.

    An element is compared with the one that came in its place; of several that became more or fewer, all sentences.
    """
    old, new = ([(element.tag, element.text) for element in reading.elements] for reading in (before, after))
    found = list[Edit]()
    for i, j, k, m in _replaced(old, new):
        if j - i == m - k:
            pairs = [([was], [now]) for was, now in zip(old[i:j], new[k:m], strict=True)]
        else:
            pairs = [(old[i:j], new[k:m])]
        found += (edit for was, now in pairs for edit in _edits(_sentences(was), _sentences(now)))
    return found


def _replaced(old: Sequence[object], new: Sequence[object]) -> Iterator[tuple[int, int, int, int]]:
    """Where something of both came in place of the other: start and end in each."""
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    return ((i, j, k, m) for kind, i, j, k, m in matcher.get_opcodes() if kind == "replace")


def _sentences(elements: Sequence[tuple[str, str]]) -> list[str]:
    return [text[start:end] for _, text in elements for start, end in sentence_spans(text)]


def _edits(old: Sequence[str], new: Sequence[str]) -> Iterator[Edit]:
    """One sentence for one where all that differ are alike in their order, else all of them together."""
    for i, j, k, m in _replaced(old, new):
        pairs = list(zip(old[i:j], new[k:m], strict=False))
        if j - i == m - k and all(common_share(content(was), content(now)) >= ALIKE for was, now in pairs):
            yield from (Edit(was, now) for was, now in pairs)
        else:
            yield Edit(" ".join(old[i:j]), " ".join(new[k:m]))
