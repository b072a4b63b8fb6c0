"""A verdict rests on all rules of its matter: who is not excluded is not granted, and a list is one rule."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clausegraph.app.render import answer_markdown
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.types import Answer, AnswerStatus, ConditionState, holds, leaves
from clausegraph.query.read.assume import assumed
from clausegraph.query.read.extractive import ExtractiveReader
from tests.query.read.conftest import Pages, reading

pytestmark = pytest.mark.unit
READER = ExtractiveReader()
MET, UNMET, UNKNOWN = ConditionState.MET, ConditionState.UNMET, ConditionState.UNKNOWN
BARS = (
    "<p>You cannot get the boat loan if:</p>",
    "<li>you were in prison</li>",
    "<li>you live in a hostel, unless you pay your own rent</li>",
)
GRANT = (
    "<p>You can get the boat loan if all of these apply:</p>",
    "<li>you are aged 18 or over</li>",
    "<li>you own a mooring</li>",
)
EXEMPT = (
    "<p>You do not have to pay the mooring levy on:</p>",
    "<li>a boat built more than 60 years ago, unless you use it for hire</li>",
    "<li>a canoe or a kayak</li>",
    "<li>a barge used only for farming or gritting</li>",
)
REFUSED = (
    "<p>You can have a mooring pass if your home is in the harbour.</p>",
    "<p>We won’t give a mooring pass for:</p>",
    "<li>a boat over 9 metres long</li>",
    "<li>a raft or a pontoon</li>",
)
LOAN, LEVY, PASS = "Can I get the boat loan?", "Do I have to pay the mooring levy?", "Can I have a mooring pass"


def ask(found: Any, question: str, scenario: str = "", **states: ConditionState) -> Answer:
    inquiry = Inquiry(question, scenario)
    result = READER.read(inquiry, found.hits(), found)
    answer = Answer(inquiry, result.status, result.alternatives, "test", 1, quotes=result.quotes)
    return assumed(answer, {name.replace("_", " "): state for name, state in states.items()})


def text(answer: Answer) -> str | None:
    return answer.alternatives[0].text if answer.alternatives else None


def test_whom_nothing_excludes_is_not_thereby_granted(page: Callable[..., Any]) -> None:
    found = page(*BARS)
    barred = ask(found, LOAN, "I live in a hostel.")
    assert text(barred) == "no" and "**No, unless you pay your own rent." in answer_markdown(barred)
    free = ask(found, LOAN, "I live in a hostel.", in_prison=UNMET, own_rent=MET)
    assert text(free) == "not excluded" and holds(free.alternatives[0].condition) is MET
    assert "**Not excluded." in answer_markdown(free)
    assert text(ask(found, LOAN, "I live in a hostel.", in_prison=UNMET, own_rent=UNMET)) == "no"
    paying = ask(found, LOAN, "I live in a hostel. I pay my own rent.")
    assert text(paying) == "no" and "Were you in prison?" in answer_markdown(paying)


def test_with_rule_and_exclusion_both_are_in_the_tree(page: Callable[..., Any]) -> None:
    for lines in ((*GRANT, *BARS), (*BARS, *GRANT)):
        found = page(*lines)
        plain = ask(found, LOAN)
        assert text(plain) == "yes" and len(list(leaves(plain.alternatives[0].condition))) == 5
        barred = ask(found, LOAN, "I live in a hostel.")
        assert text(barred) == "no" and "**No, unless you pay your own rent." in answer_markdown(barred)
        waits = ask(found, LOAN, "I live in a hostel.", in_prison=UNMET, own_rent=MET)
        assert text(waits) == "yes" and holds(waits.alternatives[0].condition) is UNKNOWN
        young = ask(found, LOAN, "I am 15 and I own a mooring.")
        assert text(young) == "no"
        assert [one.quote for one in young.alternatives[0].evidence] == ["you are aged 18 or over"]


def test_the_rule_of_a_list_item_is_no_verdict_on_the_whole_topic(page: Callable[..., Any]) -> None:
    found = page(*EXEMPT)
    every = ask(found, LEVY)
    assert text(every) == "no" and holds(every.alternatives[0].condition) is UNKNOWN
    assert len(list(leaves(every.alternatives[0].condition))) == 4
    assert "Is it a canoe or a kayak?" in answer_markdown(every)
    named = ask(found, "Do I have to pay the mooring levy on my kayak?")
    assert text(named) == "no" and holds(named.alternatives[0].condition) is MET
    part = ask(found, "Do I have to pay the mooring levy on my barge?")
    assert not part.alternatives or holds(part.alternatives[0].condition) is UNKNOWN


def test_what_is_refused_below_belongs_to_what_is_granted_above(page: Callable[..., Any]) -> None:
    found = page(*REFUSED)
    boat = ask(found, f"{PASS} for my boat?")
    assert text(boat) == "yes"
    assert {one.leaf.text for one in leaves(boat.alternatives[0].condition)} == {
        "your home is in the harbour",
        "a boat over 9 metres long",
        "a raft or a pontoon",
    }
    raft = ask(found, f"{PASS} for my raft?")
    assert text(raft) == "no" and [one.quote for one in raft.alternatives[0].evidence] == ["a raft or a pontoon"]


@pytest.mark.parametrize(
    ("lines", "scenario", "verdict"),
    [
        (("<p>You must also hold a pilot card.</p>",), "", "yes"),
    ],
)
def test_what_is_required_besides(
    page: Callable[..., Any], lines: tuple[str, ...], scenario: str, verdict: str
) -> None:
    answer = ask(page(*GRANT, *lines), LOAN, scenario)
    assert text(answer) == verdict
    assert any("pilot" in one.leaf.text for one in leaves(answer.alternatives[0].condition))


@pytest.mark.parametrize(
    ("lines", "question", "scenario"),
    [
        (("<p>You may do any job on a boat pass except diving.</p>",), "Can I get a boat pass?", ""),
        (
            ("<p>You can lend your oars to others, but you cannot lend your pass.</p>",),
            "can i lend my oars and pass",
            "",
        ),
        (("<p>You can get harbour leave if you have a boat.</p>",), "can i get harbour pay", ""),
        (("<p>No refund is given for the first month.</p>",), "do i get a refund", ""),
        (("<p>Apply by 31 May if you have a boat, and by 30 June if you have none.</p>",), "when do i apply", ""),
    ],
)
def test_what_is_said_of_another_thing_or_case_is_not_asserted(
    page: Callable[..., Any], lines: tuple[str, ...], question: str, scenario: str
) -> None:
    assert ask(page(*lines), question, scenario).status is AnswerStatus.QUOTED


@pytest.mark.parametrize(
    ("condition", "scenario"),
    [
        ("you lived here for at least one day during May 2026", "I moved here in 2019."),
        ("your landlord has not repaired the boat within 28 days", "My landlord did not repair the boat for 6 weeks."),
    ],
)
def test_a_figure_that_a_condition_does_not_bound_leaves_it_open(
    page: Callable[..., Any], condition: str, scenario: str
) -> None:
    answer = ask(page(f"<p>You can get the boat loan if {condition}.</p>"), LOAN, scenario)
    assert not answer.alternatives or holds(answer.alternatives[0].condition) is UNKNOWN


def test_a_part_of_a_condition_does_not_meet_it(page: Callable[..., Any]) -> None:
    found = page("<p>You cannot get the boat loan if:</p>", "<li>you have been at sea, without pay, for a year</li>")
    assert holds(ask(found, LOAN, "I have been at sea.").alternatives[0].condition) is UNKNOWN


def test_a_line_that_dates_the_page_is_no_quote_and_a_kind_comes_first(page: Callable[..., Any]) -> None:
    found = page(
        "<p>Last updated: 20 March 2026</p>",
        "<p>The harbour levy is for people who keep a boat in the harbour of the town.</p>",
        "<p>Boats pay £40, and £60 with an engine, as harbour levy.</p>",
    )
    quotes = [one.quote for one in ask(found, "how much is the harbour levy for a boat").quotes]
    assert quotes[0].startswith("Boats pay £40") and len(quotes) == 2


def test_the_reason_of_an_exception_is_part_of_it(page: Callable[..., Any]) -> None:
    found = page(
        "<p>You must repay the boat loan if you leave the crew, unless you left because of illness or age.</p>"
    )
    answer = ask(found, "Must I repay the boat loan if I leave the crew?", "I left.")
    states = {one.leaf.text: one.state for one in leaves(answer.alternatives[0].condition)}
    assert states == {"you leave the crew": MET, "you left because of illness or age": UNKNOWN}


@pytest.mark.parametrize(
    ("lines", "question", "scenario", "first"),
    [
        (
            (*GRANT, "<p>You cannot get the boat loan if you were convicted of theft at sea.</p>"),
            LOAN,
            "I was convicted of theft.",
            "**No, if this holds:",
        ),
        (("<p>You cannot dive here except for rescue.</p>",), "can i dive here", "", "**No, unless this holds:"),
        (
            ("<p>You can get the boat loan if you have never crashed a boat.</p>",),
            LOAN,
            "I never crashed a boat.",
            "**Yes.",
        ),
        (
            ("<p>You can get the boat loan if you have never crashed a boat.</p>",),
            LOAN,
            "My wife crashed a boat, I never crashed a boat.",
            "**Yes, if you have never crashed a boat.",
        ),
    ],
)
def test_what_is_spoken_of_comes_first_and_what_is_told_both_ways_is_open(
    page: Callable[..., Any], lines: tuple[str, ...], question: str, scenario: str, first: str
) -> None:
    assert answer_markdown(ask(page(*lines), question, scenario)).startswith(first)


_SAID = (
    "I am 15.",
    "I am 40.",
    "I own a mooring.",
    "I do not own a mooring.",
    "I live in a hostel.",
    "I was in prison.",
)
_MORE = (
    "I pay my own rent.",
    "I never live in a hostel.",
    "I have a canoe.",
    "My boat is 12 metres long.",
    "I hire it out.",
)
_LEAVES = ("prison", "own rent", "hostel", "18 or over", "mooring", "canoe", "9 metres", "harbour")
_PAGES = (((*GRANT, *BARS), LOAN), (BARS, LOAN), (EXEMPT, LEVY), (REFUSED, f"{PASS} for my boat?"), (GRANT, LOAN))


@settings(max_examples=60, deadline=None)
@given(
    said=st.lists(st.sampled_from((*_SAID, *_MORE)), max_size=4),
    asked=st.sampled_from(_PAGES),
    states=st.dictionaries(st.sampled_from(_LEAVES), st.sampled_from((MET, UNMET)), max_size=4),
)
def test_no_verdict_is_refuted_by_its_own_tree_nor_by_what_is_assumed(
    said: list[str], asked: tuple[tuple[str, ...], str], states: dict[str, ConditionState]
) -> None:
    found = Pages(dict([reading("page", asked[0])]))
    inquiry = Inquiry(asked[1], " ".join(said))
    result = ExtractiveReader(asserted=0.01).read(inquiry, found.hits(), found)
    answer = Answer(inquiry, result.status, result.alternatives, "test", 1)
    words = [one.leaf.text for a in answer.alternatives for one in leaves(a.condition)]
    known = {name: state for name, state in states.items() if sum(name in text for text in words) == 1}
    for alternative in (*answer.alternatives, *assumed(answer, known).alternatives):
        assert holds(alternative.condition) is not UNMET
        if alternative.text == "yes" and holds(alternative.condition) is MET:
            assert asked[0] not in (BARS, EXEMPT)  # what only bars or exempts grants nothing


@pytest.mark.parametrize(
    ("items", "scenario"),
    [
        (("<li>harbours that have a deal with us</li>", "<li>you own a berth</li>"), ""),
    ],
)
def test_a_condition_that_cannot_be_put_as_a_question_leaves_a_doubt(
    page: Callable[..., Any], items: tuple[str, ...], scenario: str
) -> None:
    found = page("<p>You can get the boat loan if any of these apply:</p>", *items)
    answer = ask(found, LOAN, scenario)
    assert answer.status is AnswerStatus.QUOTED and answer.quotes
