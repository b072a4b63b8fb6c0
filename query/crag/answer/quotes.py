"""What is quoted where nothing is asserted: of the nearest pieces the sentence or row nearest to the question."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set

from clausegraph.core.language.normalise import tokens
from clausegraph.core.models.embedding import Embedder
from clausegraph.core.types import Evidence
from clausegraph.indexes.lexical import stems
from clausegraph.query.crag.answer.sure import telling
from clausegraph.query.crag.types import Reference

_LOOKED_AT = 6  # pieces whose sentences are compared
_WORD = 0.15  # what a word that is shared counts beside the similarity, -1 to 1; chosen, not fitted


def nearest_quotes(
    question: str, references: Sequence[Reference], embedder: Embedder | None, most: int
) -> tuple[Evidence, ...]:
    """At most so many, the nearest first.

    With an embedder all sentences of the first pieces are compared, so that the one that decides is quoted whichever
    page it stands on.
    """
    cited = [one.evidence for one in references if one.evidence]
    asked = telling(question)
    if embedder is None:
        return tuple(each_once(_by_words(asked, evidence) for evidence in cited))[:most]
    quotes = each_once(quote for evidence in cited[:_LOOKED_AT] for quote in evidence)
    if not quotes:
        return ()
    alike = embedder.embed_texts([quote.quote for quote in quotes]) @ embedder.embed_query(question)
    shared = _shared(asked, quotes)
    ranked = sorted(range(len(quotes)), key=lambda number: -(float(alike[number]) + _WORD * shared[number]))
    return tuple(quotes[number] for number in ranked[:most])


def each_once(evidence: Iterable[Evidence]) -> list[Evidence]:
    """The evidence in its order, each quote once: pages of one search copy their sentences.

    Case and punctuation do not count. Of two quotes one of which contains the other the longer one is kept, in the
    place of the first.
    """
    kept: list[tuple[str, Evidence]] = []
    for one in evidence:
        words = f" {' '.join(tokens(one.quote))} "
        if any(words in other for other, _ in kept):
            continue
        shorter = [place for place, (other, _) in enumerate(kept) if other in words]
        place = shorter[0] if shorter else len(kept)
        kept = [pair for number, pair in enumerate(kept) if number not in shorter]
        kept.insert(place, (words, one))
    return [one for _, one in kept]


def _by_words(asked: Set[str], evidence: Sequence[Evidence]) -> Evidence:
    shared = _shared(asked, evidence)
    return evidence[max(range(len(evidence)), key=shared.__getitem__)]


def _shared(asked: Set[str], evidence: Sequence[Evidence]) -> list[int]:
    """Of each how many words of the question it has that title and headings do not say already."""
    above = {stem for one in evidence for stem in stems(" ".join((one.title or "", *one.headings)))}
    return [len((asked - above) & set(stems(one.quote))) for one in evidence]
