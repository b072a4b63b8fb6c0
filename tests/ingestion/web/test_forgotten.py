"""A crawl stores nothing of a page that was forgotten, under none of its addresses, and follows its links."""

from __future__ import annotations

import pytest
from sqlalchemy import insert, select

from clausegraph.indexes.corpora import count_pages, get_corpus
from clausegraph.indexes.forgotten import forgotten_key
from clausegraph.indexes.ledger.schema import blobs, fetches, forgotten, page_versions
from tests.ingestion.web.town import CORPUS, Town, fee

pytestmark = pytest.mark.integration


def test_no_bytes_and_no_address_are_stored(town: Town) -> None:
    town.page("/", "Permits of the town", fee("town", 11))
    town.run()
    out, copy = town.site.url("/out"), "/copy"
    ledger = town.ledger
    with ledger.write() as connection:
        row = {"corpus_id": get_corpus(ledger, CORPUS).id, "key": forgotten_key("town", out), "created": 1.0}
        connection.execute(insert(forgotten).values(**row, forgotten_by="tester", reason="asked", certificate="{}"))
    town.page("/", "Permits of the town", fee("town", 11), links=("/out", copy))
    town.page("/out", "Out", fee("out", 12), links=("/behind",))
    town.page("/behind", "Behind", fee("behind", 13))
    town.page(copy, "Out", fee("out", 12), links=("/behind",), head=f'<link rel="canonical" href="{out}">')
    for _ in range(2):
        report = town.run()
        assert "/out" in town.site.counts()
        assert {reject.what for reject in report.rejects} == {"a page of source town"}
        assert sorted(town.paths(town.uris())) == ["/", "/behind"]
        assert list(count_pages(ledger, 1).values()) == [2]
        assert {row.address for row in ledger.rows(select(fetches))} == {town.site.url("/"), town.site.url("/behind")}
        used = {row.raw_hash for row in ledger.rows(select(page_versions))}
        assert {row.hash for row in ledger.rows(select(blobs))} <= used
