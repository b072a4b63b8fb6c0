"""Which sections a model is shown, in which calls, and what of its reply is believed."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from clausegraph.core.errors import UnusableReply
from clausegraph.core.types import Chunk, Element, PageKey, Reading, Span
from clausegraph.indexes.views import View
from clausegraph.query.model_contradictions import PageSection, batches, near_sections, parse_pairs


def nearest(limit: int, **pages: Sequence[Sequence[float]]) -> list[str]:
    """The pairs of pages whose sections, of a line each with its vector, are nearest."""
    named = {(PageKey("s", page), f"p-{n}"): one for page, own in pages.items() for n, one in enumerate(own)}
    readings = {}
    for name, vectors in pages.items():
        elements = tuple(Element(f"p-{n}", "p", "", "line") for n in range(len(vectors)))
        chunks = tuple(Chunk(one.anchor, (), (Span(one.anchor, 0, 4),), "", "") for one in elements)
        readings[PageKey("s", name)] = Reading(name, None, elements, chunks)
    stored = list(named), np.array(list(named.values()), np.float32)
    view = SimpleNamespace(page_keys=lambda: tuple(readings), reading=readings.get, vectors=lambda kind: stored)
    return [f"{one.page.uri}-{other.page.uri}" for one, other in near_sections(cast(View, view), limit)]


HUB, A, B = [1, 0, 0, 0, 0], [0.7, 0.714, 0, 0, 0], [0.7, 0.28, 0.657, 0, 0]
C, D = [0.7, 0, 0, 0.714, 0], [0.7, 0, 0, 0.28, 0.657]  # two pairs of cosine 0.69; the hub has 0.7 with each


def test_what_is_near_to_everything_comes_after_what_is_near_to_one() -> None:
    found = nearest(10, hub=[HUB], a=[A], b=[B], c=[C], d=[D])
    assert set(found[:2]) == {"a-b", "c-d"} and "hub-a" in found
    assert nearest(2, hub=[HUB], a=[A], b=[B], c=[C], d=[D]) == found[:2]


def test_sections_of_one_page_and_distant_ones_are_no_pair() -> None:
    assert nearest(10, a=[A, A], far=[[0, 0, 0, 1, 0]]) == []
    assert nearest(10, a=[A, A], b=[B]) == ["a-b", "a-b"]


def section(name: str, lines: int) -> PageSection:
    elements = tuple(Element(f"p-{n}", "p", "", "text") for n in range(lines))
    return PageSection(PageKey("s", name), Reading(name, None, elements), (), elements)


def test_every_pair_is_in_a_call_and_a_call_has_sixty_lines() -> None:
    some = [section(str(number), 14) for number in range(8)]
    pairs = [(one, other) for n, one in enumerate(some) for other in some[n + 1 :]]
    calls = batches(pairs)
    assert all(any(one in call and other in call for call in calls) for one, other in pairs)
    assert all(len(set(call)) == len(call) == 4 for call in calls) and len(calls) < len(pairs) / 3
    large = section("a", 50), section("b", 40)
    assert batches([large, (some[0], some[1])]) == [list(large), some[:2]]


LINES = [
    (PageKey("s", "a"), Element("p-1", "p", "", "Nobody else may use the card.")),
    (PageKey("s", "a"), Element("tr-1", "tr", "", "Wasp nest | £62", headers=("Pest", "Price"))),
    (PageKey("s", "b"), Element("p-2", "p", "", "You may lend the card; a nest costs you £68.")),
]


def test_pairs_are_read_with_their_words() -> None:
    reply = '1 | "Nobody else" | 3 | "You may lend the card" | who may use it\n2. | “Price: £62” | 3 | "£68" | price'
    named, rejected = parse_pairs(reply, LINES)
    said = [(pair.one.element.anchor, pair.other.quote, pair.differs) for pair in named]
    assert said == [("p-1", "You may lend the card", "who may use it"), ("tr-1", "£68", "price")]
    assert not rejected and parse_pairs("none", LINES) == ([], {})


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('1 | "Nobody else" | 4 | "You may" | x', "no such pair"),
        ('0 | "£68" | 3 | "You may" | x', "no such pair"),
        ('1 | "Nobody else" | 2 | "£62" | x', "no such pair"),
        ('1 | "Everybody" | 3 | "You may" | x', "words that"),
        ('1 | "the card" | 3 | "the card" | x', "words that"),
        ('1 | "." | 3 | "You may" | x', "words that"),
        ("1 and 3 contradict each other", "not of the form"),
    ],
)
def test_what_the_lines_do_not_say_is_rejected_and_counted(line: str, reason: str) -> None:
    named, rejected = parse_pairs(f'1 | "Nobody else" | 3 | "You may" | use\n{line}', LINES)
    assert len(named) == rejected.total() == 1 and next(iter(rejected)).startswith(reason)
    with pytest.raises(UnusableReply):
        parse_pairs("I found two contradictions.", LINES)
