"""Pages as a view that ends with the question, and as ranked references in batches."""

import time
from collections.abc import Sequence
from typing import Any

from clausegraph.core.models.embedding import HashingEmbedder, Vectors
from clausegraph.query.crag.text import CragPage, PagesText
from clausegraph.query.crag.times import parse_time
from clausegraph.query.crag.types import CragQuestion, ReferenceKind
from tests.query.crag.conftest import MakePage

QUESTION = CragQuestion("when did the Alder bridge open?", parse_time("2024-03-05T10:00Z"))


def test_the_best_piece_comes_first_with_page_heading_and_sentence(bridges: list[CragPage]) -> None:
    found = PagesText(bridges, HashingEmbedder()).find(QUESTION, 0, 5)
    assert found[0].text == "The Alder bridge opened in 1931. It is 412 m long. It carries two lanes."
    assert found[0].source == "Alder"
    assert found[0].modified == "2024-02-01"
    cited = found[0].evidence[0]
    assert (cited.page.uri, cited.headings, cited.quote) == (
        "https://Alder.example/",
        ("Alder",),
        "The Alder bridge opened in 1931.",
    )


def test_tables_are_references_of_their_own_or_left_out(bridges: list[CragPage]) -> None:
    asked = CragQuestion("what is the toll for a car or a lorry?", QUESTION.time)
    found = PagesText(bridges, HashingEmbedder()).find(asked, 0, 9)
    table = next(one for one in found if one.kind is ReferenceKind.TABLE)
    assert table.text == "Birch\n| Car | Lorry |\n| --- | --- |\n| 4 | 9 |"
    assert table.source == "Birch > Tolls"
    without = PagesText(bridges, HashingEmbedder(), tables=False).find(asked, 0, 9)
    assert all(one.kind is ReferenceKind.WEB for one in without)


def test_snippets_alone_or_left_out(bridges: list[CragPage]) -> None:
    asked = CragQuestion("is the Cedar bridge closed to cars?", QUESTION.time)
    alone = PagesText(bridges, HashingEmbedder(), snippets="only").find(asked, 0, 9)
    assert [one.text for one in alone] == ["The Cedar bridge is closed to cars."]
    without = PagesText(bridges, HashingEmbedder(), snippets="off").find(asked, 0, 9)
    assert alone[0].text not in [one.text for one in without]


def test_snippets_are_read_as_text(make_page: MakePage) -> None:
    page = make_page("Oak", "<p>Nothing of it.</p>", "<ol><li>The <b>Oak</b> bridge &amp; its pier</li></ol> x < y")
    assert page.snippet_text == "The Oak bridge & its pier x < y"
    assert make_page("Oak", "<p>Nothing.</p>").snippet_text == ""


def test_batches_add_pages_the_best_first_and_an_address_counts_once(bridges: list[CragPage]) -> None:
    text = PagesText([bridges[1], bridges[2], bridges[0], bridges[1]], HashingEmbedder(), batch=1)
    assert text.batches == 3
    seen = [{one.evidence[0].page.uri for one in text.find(QUESTION, batch, 50)} for batch in (0, 1, 7)]
    assert seen[0] == {bridges[0].url}  # the question's words are all in one piece of it
    assert seen[1] == {bridges[0].url, bridges[2].url}
    assert bridges[1].url not in seen[2]  # has none of them


def test_nothing_is_embedded_when_time_is_over(bridges: list[CragPage]) -> None:
    class Counted(HashingEmbedder):
        texts = 0

        def embed_texts(self, texts: Sequence[str]) -> Vectors:
            self.texts += len(texts)
            return super().embed_texts(texts)

    embedder = Counted()
    late = PagesText(bridges, embedder).find(QUESTION, 0, 9, until=time.monotonic())
    assert embedder.texts == 0
    assert late[0].text.startswith("The Alder bridge opened in 1931.")  # by its words
    in_time = PagesText(bridges, embedder).find(QUESTION, 0, 9, until=time.monotonic() + 600)
    assert embedder.texts > 1
    assert in_time == PagesText(bridges, embedder).find(QUESTION, 0, 9)


def test_lists_of_references_take_no_place_among_pieces(make_page: Any) -> None:
    listed = "<h2>References[edit]</h2><ol><li>When the Alder bridge opened, Bridges 12, 1931.</li></ol>"
    page = make_page("Alder", f"<p>The Alder bridge has lamps.</p>{listed}")
    found = PagesText([page], HashingEmbedder(), snippets="off").find(QUESTION, 0, 9)
    assert [one.text for one in found] == ["The Alder bridge has lamps."]
    alone = PagesText([make_page("Alder", listed)], HashingEmbedder(), snippets="off").find(QUESTION, 0, 9)
    assert len(alone) == 1  # where there is nothing else they are better than nothing
