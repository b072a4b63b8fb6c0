"""The ranking formula on plain values."""

import math
from dataclasses import replace

import pytest

from clausegraph.core.types import Chunk, Element, PageKey, Reading, Span
from clausegraph.query.retrieve.bank import Hit, within
from clausegraph.query.retrieve.score import DEFAULT_WEIGHTS, Signals, Weights, rank

ONE, TWO = PageKey("town", "one"), PageKey("town", "two")


def reading(*elements: Element) -> Reading:
    parts = tuple(Span(element.anchor, 0, len(element.text)) for element in elements)
    return Reading("A page", None, elements, (Chunk("c", (), parts, "text", "hash"),))


def paragraph(anchor: str, text: str = "same length") -> Element:
    return Element(anchor, "p", f"<p>{text}</p>", text)


def item(anchor: str, lead_in: str | None, parent: str | None = None) -> Element:
    return Element(anchor, "li", "<li>same length</li>", "same length", lead_in=lead_in, parent=parent)


def anchors(ranked: list[Hit]) -> list[str]:
    return [item.key for item in ranked]


def test_the_score_is_the_formula_and_the_sum_of_its_parts() -> None:
    weights = Weights(keyword=0.25, fact=0.5, rule=0.3, heading=0.2, length=0.02)
    head = Element("h", "h2", "<h2>Costs</h2>", "Costs")
    signals = Signals(
        elements={(ONE, "h"): 0.4, (ONE, "p"): 0.6},
        chunks={(ONE, "c"): 0.5},
        keywords={(ONE, "c"): 3.0, (TWO, "c"): 6.0},
        facts={(ONE, "p"): 0.8},
        rules=frozenset({(ONE, "p"), (TWO, "h")}),
    )
    page = reading(head, paragraph("p"))
    ranked = rank({ONE: page, TWO: reading(paragraph("x"))}, signals, weights)
    by_anchor = {item.key: item for item in ranked}
    chunk = 0.5 + 0.25 * 3 / 6
    assert by_anchor["p"].score == pytest.approx(0.6 + chunk + chunk + 0.5 * 0.8 + 0.3 - 0.02 * math.log(11))
    assert by_anchor["h"].score == pytest.approx(0.4 + chunk + chunk - 0.2 - 0.02 * math.log(5))
    for item in ranked:
        assert sum(item.parts.values()) == pytest.approx(item.score)


def test_what_introduces_items_gets_a_share_of_the_best_one() -> None:
    page = reading(paragraph("lead"), item("a", "lead"), item("b", "lead"), item("inner", None, "b"))
    signals = Signals(
        elements={(ONE, "lead"): 0.1, (ONE, "a"): 0.2, (ONE, "b"): 0.1, (ONE, "inner"): 0.9}, chunks={(ONE, "c"): 0.5}
    )
    scores = {item.key: item for item in rank({ONE: page}, signals, replace(DEFAULT_WEIGHTS, lead_in=0.5))}
    assert scores["b"].parts["items"] == pytest.approx(0.4)  # half way to 0.9
    assert scores["lead"].parts["items"] == pytest.approx(0.2)  # half way to 0.5, what b has now
    assert scores["a"].parts["items"] == 0


def test_what_one_statement_has_shares_the_best_of_it() -> None:
    page = reading(paragraph("a"), paragraph("b"), paragraph("c"))
    scores = {(ONE, "a"): 0.9, (ONE, "b"): 0.1, (ONE, "c"): 0.1}
    signals = Signals(elements=scores, chunks={(ONE, "c"): 0.5}, joined={ONE: [("a", "b", "gone"), ("b", "c")]})
    ranked = {item.key: item for item in rank({ONE: page}, signals, replace(DEFAULT_WEIGHTS, joined=0.5))}
    assert {key: round(item.parts["joined"], 6) for key, item in ranked.items()} == {"a": 0.0, "b": 0.4, "c": 0.0}
    for item in ranked.values():
        assert sum(item.parts.values()) == pytest.approx(item.score)


def test_ties_go_by_page_and_anchor_whatever_the_order_of_the_input() -> None:
    pages = {TWO: reading(paragraph("b"), paragraph("a")), ONE: reading(paragraph("z"))}
    places = [(TWO, "b"), (TWO, "a"), (ONE, "z")]
    chunks = {(TWO, "c"): 0.5, (ONE, "c"): 0.5}
    ranked = rank(pages, Signals(dict.fromkeys(places, 0.3), chunks))
    again = rank(
        dict(reversed(pages.items())),
        Signals(dict.fromkeys(reversed(places), 0.3 + 1e-08), dict(reversed(chunks.items()))),
    )
    assert [(item.page, item.key) for item in ranked] == [(ONE, "z"), (TWO, "a"), (TWO, "b")]
    assert anchors(again) == anchors(ranked)


def test_a_budget_takes_whole_elements_until_the_next_would_not_fit() -> None:
    texts = ["one two three", "four five", "six seven eight nine", "ten"]
    ranked = [Hit.of_element(ONE, paragraph(str(n), text), 1.0 - n, {}) for n, text in enumerate(texts)]
    assert anchors(within(ranked, budget=5)) == ["0", "1"]
    assert anchors(within(ranked, budget=8)) == ["0", "1"]  # "ten" would fit, but comes after what does not
    assert anchors(within(ranked, budget=9)) == ["0", "1", "2"]
    assert within(ranked, budget=2) == []
    assert anchors(within(ranked, budget=9, limit=1)) == ["0"]
    assert within(ranked) == ranked
