"""The BM25 index: found words, order, and a cache that may be damaged or gone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from clausegraph.core.types import PageKey, Reading
from clausegraph.indexes.ledger.store import Ledger
from clausegraph.indexes.lexical import FORMAT, LexicalIndex, build_index, lexical_index
from clausegraph.indexes.views import View, open_view


class NoPages:
    """A view of an empty corpus."""

    def __init__(self, cache_dir: Path) -> None:
        self.cache_dir = cache_dir

    def page_keys(self) -> tuple[PageKey, ...]:
        return ()

    def reading(self, page: PageKey) -> Reading:
        raise AssertionError(page)


def test_finds_the_chunk_that_shares_stems(view: View) -> None:
    hits = lexical_index(view).search("Who can apply for allotments?", 10)
    assert view.reading(hits[0].page).title == "Allotment licence"
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert all(hit.score > 0 for hit in hits)


def test_a_smaller_limit_gives_the_head_of_the_same_list(view: View) -> None:
    index = lexical_index(view)
    hits = index.search("apply for a grant, a licence or a permit", 100)
    assert len(hits) > 2
    for limit in range(len(hits)):
        assert index.search("apply for a grant, a licence or a permit", limit) == hits[:limit]


@pytest.mark.parametrize(
    "damage",
    [
        lambda whole: b"",
        lambda whole: b"PK\x03\x04 not an archive",
        lambda whole: whole[: len(whole) // 2],
        lambda whole: whole[: len(whole) // 2] + bytes([whole[len(whole) // 2] ^ 0xFF]) + whole[len(whole) // 2 + 1 :],
        None,
    ],
    ids=["empty", "foreign", "cut", "flipped", "missing"],
)
def test_a_damaged_cache_is_built_again(ledger: Ledger, view: View, damage: Callable[[bytes], bytes] | None) -> None:
    built = lexical_index(view)
    stored = view.cache_dir / f"{FORMAT}.npz"
    whole = stored.read_bytes()
    stored.unlink() if damage is None else stored.write_bytes(damage(whole))
    with open_view(ledger, "town") as again:
        assert same(lexical_index(again), built)
    assert len(stored.read_bytes()) == len(whole)


def test_an_empty_corpus_has_an_index_that_finds_nothing(tmp_path: Path) -> None:
    assert lexical_index(NoPages(tmp_path)).search("grant", 5) == []
    assert build_index(NoPages(tmp_path)).refs == ()


def same(one: LexicalIndex, other: LexicalIndex) -> bool:
    text = "apply for a mooring grant, licence or permit by March"
    return one.refs == other.refs and one.search(text, 99) == other.search(text, 99)


def test_what_cannot_be_kept_is_still_found(ledger: Ledger, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (ledger.home / "cache").write_text("in the way")
    with open_view(ledger, "town") as again:
        assert lexical_index(again).search("Who can apply for allotments?", 10)
    assert "cannot be kept" in caplog.text
