"""What is embedded of a fact: what each page says of it, under its title, heading and condition."""

from clausegraph.core.extraction import extraction_inputs
from clausegraph.core.types import PageKey
from clausegraph.indexes.derive import derive_rows, fact_vectors, stated_texts
from clausegraph.indexes.views import open_view
from tests.law.world import CORPUS, World

COSTS = "The Winter Card costs £35 a year."
PAGES = {"a": [COSTS, "Students can get the Garden Grant if you are over 65."], "b": [COSTS]}


def fact_names(world: World, epoch: int | None = None) -> list[tuple[PageKey | None, str]]:
    with open_view(world.ledger, CORPUS, epoch) as view:
        return view.vectors("fact")[0]


def shared(world: World) -> str:
    """The fact that both pages state."""
    pages: dict[str, set[PageKey | None]] = {}
    for page, ref in fact_names(world):
        pages.setdefault(ref, set()).add(page)
    (ref,) = (ref for ref, stating in pages.items() if len(stating) == 2)
    return ref


def texts_of(world: World) -> dict[str, list[str]]:
    """What is embedded of the facts of each page, by its title."""
    found = {}
    with open_view(world.ledger, CORPUS) as view:
        for page in view.page_keys():
            reading = view.reading(page)
            inputs = extraction_inputs(reading)
            extracted = {one.key: world.extractor.extract(one) for one, _ in inputs}
            rows = derive_rows(reading, extracted, "rules")
            made = fact_vectors(rows.supports, rows.texts)
            assert made == fact_vectors(rows.supports[::-1], stated_texts(reading, rows.supports[::-1]))
            found[reading.title] = [row.text for row in made]
    return found


def test_the_text_has_title_heading_and_condition(world: World) -> None:
    world.write("c", ["Students can get the Garden Grant if you are over 65."])
    texts = [text for found in texts_of(world).values() for text in found if "Grant" in text]
    assert texts and all(text.splitlines()[-1].endswith("if you are over 65") for text in texts)
    assert all(text.startswith(title) for title, found in texts_of(world).items() for text in found)


def test_a_fact_has_a_vector_on_each_page_and_is_found_once(world: World) -> None:
    ref = shared(world)
    with open_view(world.ledger, CORPUS) as view:
        vector = world.embedder.embed_query(COSTS)
        pages = [hit.page for hit in view.search("fact", vector, 100) if hit.ref == ref]
        assert sorted(map(str, pages)) == ["pages:a.html", "pages:b.html"]
        hits = view.search_facts(vector, 100)
        assert len({hit.ref for hit in hits}) == len(hits) and {hit.page for hit in hits} == {None}
        assert max(hit.score for hit in view.search("fact", vector, 1)) == hits[0].score
        assert view.search_facts(vector, 2) == hits[:2]


def test_a_fact_that_one_page_loses_stays_on_the_other(world: World) -> None:
    ref = shared(world)
    world.write("b", ["Contact the office."])
    world.ingest()
    assert [str(page) for page, name in fact_names(world) if name == ref] == ["pages:a.html"]
    world.assert_lawful()
