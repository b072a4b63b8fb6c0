"""BM25: found words, order, the formula by hand; that each epoch has its own words is part of the law."""

import math
from dataclasses import dataclass

import pytest

from clausegraph.core.errors import StorageError
from clausegraph.core.types import PageKey
from clausegraph.indexes.ledger.schema import postings
from clausegraph.indexes.ledger.store import Ledger
from clausegraph.indexes.lexical import CountedWords, search_words
from clausegraph.indexes.views import View
from clausegraph.indexes.words import count_words

TEXT = "apply for a mooring grant, licence or permit by March"


def test_finds_the_chunk_that_shares_stems(view: View) -> None:
    hits = search_words(view.words, "Who can apply for allotments?", 10)
    assert view.reading(hits[0].page).title == "Allotment licence"
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert all(hit.score > 0 for hit in hits)


@pytest.mark.parametrize("text", ["zyzzyva", "", "the of and"])
def test_unknown_words_and_stop_words_find_nothing(view: View, text: str) -> None:
    assert search_words(view.words, text, 10) == []


def test_a_smaller_limit_gives_the_head_of_the_same_list(view: View) -> None:
    hits = search_words(view.words, TEXT, 100)
    assert len(hits) > 2
    for limit in range(len(hits)):
        assert search_words(view.words, TEXT, limit) == hits[:limit]


@dataclass(frozen=True)
class Piece:
    key: str
    text: str


def test_scores_are_those_of_the_formula() -> None:
    pieces = [Piece("a", "Grants for boats: boats and boats"), Piece("b", "a boat"), Piece("c", "the licence of dogs")]
    words = count_words(pieces)  # type: ignore[arg-type]
    assert words.lengths == [4, 1, 2]

    class OnePage(CountedWords):
        def __init__(self) -> None:
            super().__init__([])
            self.pages = [(PageKey("pages", "one"), words)]

    idf = math.log(1 + (3 - 2 + 0.5) / (2 + 0.5))
    wanted = {
        key: idf * count / (count + 1.5 * (0.25 + 0.75 * length / (7 / 3)))
        for key, count, length in (("a", 3, 4), ("b", 1, 1))
    }
    found = {hit.ref: hit.score for hit in search_words(OnePage(), "boating", 5)}
    assert found == {key: pytest.approx(score, abs=1e-6) for key, score in wanted.items()}


def test_what_is_stored_scores_as_what_is_counted_anew(view: View) -> None:
    counted = CountedWords((page, view.reading(page)) for page in view.page_keys())
    assert search_words(view.words, TEXT, 99) == search_words(counted, TEXT, 99)
    assert (view.words.shown.chunks, view.words.shown.terms) == (counted.shown.chunks, counted.shown.terms)
    assert {term for letter in "agm" for term in view.words.starting(letter)} == {
        term for _, words in counted.pages for term in words.counts if term[0] in "agm"
    }


def test_a_damaged_row_is_named(ledger: Ledger, view: View) -> None:
    with ledger.write() as connection:
        connection.execute(postings.update().where(postings.c.term == "allot").values(entries=b"12345"))
    with pytest.raises(StorageError, match=r"table postings, row .'allot'.*column entries cannot be read \(5 bytes\)"):
        search_words(view.words, "allotments", 5)


def test_an_empty_corpus_finds_nothing() -> None:
    words = CountedWords([])
    assert search_words(words, "grant", 5) == [] and words.having(["grant"]) == {}
