"""One page with several addresses, and pages that only look alike."""

import pytest

from clausegraph.indexes.fetches import FetchRow
from clausegraph.ingestion.sources.web.outcome import _BAND_SIZE, _BANDS, duplicates, sketch_of
from tests.ingestion.web.town import Town, fee, html

pytestmark = pytest.mark.integration
LONG = " ".join(fee(f"kind{number}", number) for number in range(12))


def same(town: Town, report: object) -> dict[str, str]:
    return {town.path(one): town.path(why) for one, why in report.pages_same.items()}  # type: ignore[attr-defined]


def test_equal_pages_are_one_and_the_report_says_which(town: Town) -> None:
    town.page("/", "Start", fee("town", 1), links=("/fees", "/fees?view=print", "/mirror/fees.html", "/other"))
    for path in ("/fees", "/fees?view=print"):
        town.page(path, "Fees", LONG)
    town.page("/mirror/fees.html", "Fees", LONG, links=("/elsewhere",))  # the same words in another frame
    town.page("/other", "Other", fee("other", 9))
    report = town.run()
    assert town.uris() == ["/", "/fees", "/other"]
    assert same(town, report) == {"/fees?view=print": "/fees: equal bytes", "/mirror/fees.html": "/fees: equal text"}
    assert town.run().epoch is None  # and it is no page of its own the next time either
    town.page("/fees?view=print", "Fees", LONG, "A paragraph of its own, which says that cash is not taken.")
    assert town.paths(town.run().pages_added) == ["/fees?view=print"]


def test_a_print_version_adds_nothing(town: Town) -> None:
    town.page("/", "Start", fee("town", 1), links=("/fees", "/print/fees"))
    town.page("/fees", "Fees", LONG, "Cash is not taken at the office, and cards are taken only above ten EUR.")
    town.page("/print/fees", "Fees", LONG)
    assert same(town, town.run()) == {"/print/fees": "/fees: nearly equal, and it adds nothing"}
    assert town.uris() == ["/", "/fees"]


def test_last_years_fees_are_not_this_years(town: Town) -> None:
    """They differ in one number of a thousand words."""
    town.page("/", "Start", fee("town", 1), links=("/2025", "/2026"))
    town.page("/2025", "Fees", LONG, "The fee is 120 EUR.")
    town.page("/2026", "Fees", LONG, "The fee is 130 EUR.")
    assert same(town, town.run()) == {}
    assert town.uris() == ["/", "/2025", "/2026"]


def test_the_address_that_a_page_calls_its_own(town: Town) -> None:
    def canonical(path: str) -> str:
        return f'<link rel="canonical" href="{path}">'

    town.page("/", "Start", fee("town", 1), links=("/a?x=1", "/a", "/liar", "/far"))
    town.page("/a", "A", LONG, head=canonical("/a"))
    town.page("/a?x=1", "A", LONG, "Seen by 17 people today.", head=canonical("/a"))
    town.page("/liar", "Another page", fee("liar", 77), head=canonical("/"))  # every page says so, by mistake
    town.page("/far", "Far", fee("far", 78), head=canonical("http://127.0.0.2/x"))
    report = town.run()
    assert same(town, report) == {"/a?x=1": "/a: it names this address as its own"}
    assert town.uris() == ["/", "/a", "/far", "/liar"]


def test_a_page_of_the_corpus_that_calls_another_address_its_own_stays_itself(town: Town) -> None:
    town.page("/", "Start", fee("town", 1), links=("/old",))
    town.page("/old", "A", LONG)
    town.run()
    town.page("/", "Start", fee("town", 1), links=("/old", "/new"))
    for path in ("/old", "/new"):
        town.page(path, "A", LONG, head='<link rel="canonical" href="/new">')
    report = town.run()
    assert (report.pages_added, report.pages_removed) == ([], [])
    assert town.uris() == ["/", "/old"]
    assert same(town, report) == {"/new": "/old: the page has moved here"}


def test_pages_of_one_template_are_each_looked_at_once() -> None:
    asked: list[str] = []
    words = [f"word{number}" for number in range(200)]

    def pieces(row: FetchRow) -> list[str]:
        asked.append(row.address)
        return [" ".join(words), row.address]

    rows = {
        name: FetchRow(name, raw_hash=name, text_hash=name, sketch=sketch_of([" ".join(words)])) for name in "abcdefgh"
    }
    assert duplicates(rows, frozenset(), pieces) == {}
    assert sorted(asked) == list("abcdefgh")


def test_a_wall_that_all_pages_show_for_a_day_removes_none(town: Town) -> None:
    town.pages(4)
    town.run()
    wall = html("Just a moment", "Checking that you are human before you may go on to the pages of the town.")
    for path in town.site.answers:
        town.site.page(path, wall)
    report = town.run()
    assert report.pages_removed == [] and len(town.uris()) >= 5


def test_sketches_are_those_of_datasketch() -> None:
    """Those that are stored were made by it; and pages are compared where its index has them compared."""
    from datasketch import MinHash, MinHashLSH

    for text in ("one two three", "Straße \ud800 und mehr", " ".join(f"word{number}" for number in range(500))):
        words = text.lower().split()
        theirs = MinHash(num_perm=64, scheme="affine64")
        theirs.update_batch([" ".join(words[at : at + 3]).encode("utf-8", "replace") for at in range(len(words) - 2)])
        assert sketch_of([text]) == theirs.hashvalues.astype("<u8").tobytes()
    index = MinHashLSH(threshold=0.8, num_perm=64)
    assert (index.b, index.r) == (_BANDS, _BAND_SIZE)
