"""A verdict rests on all rules on the same thing and their trees; assumptions change it without reading again."""

from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clausegraph.app.render import answer_markdown
from clausegraph.core.errors import InputError
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.presentation.wording import open_questions
from clausegraph.core.types import Answer, AnswerStatus, ConditionState, holds, leaves
from clausegraph.query.read.assume import assumed
from clausegraph.query.read.extractive import ExtractiveReader
from tests.harness.tables import rows
from tests.query.read.conftest import ALWAYS, Pages, ask, page

MET, UNMET, UNKNOWN = ConditionState.MET, ConditionState.UNMET, ConditionState.UNKNOWN
BARS = "You cannot get the boat loan if:\n- you were in prison\n- you live in a hostel, unless you pay your own rent"
LOAN_GRANT = "You can get the boat loan if all of these apply:\n- you are aged 18 or over\n- you own a mooring"
EXEMPT = (
    "You do not have to pay the mooring levy on:\n"
    "- a boat built more than 60 years ago, unless you use it for hire\n"
    "- a canoe or a kayak\n- a barge used only for farming or gritting"
)
REFUSED = (
    "You can have a mooring pass if your home is in the harbour.\nWe won’t give a mooring pass for:\n"
    "- a boat over 9 metres long\n- a raft or a pontoon"
)
GRANT = (
    "You can get the heating grant if all of these apply:\n"
    "- you were born on or before 30 September 1961\n- you live in Lethmoor"
)
CARE = "You cannot get the heating grant if you live in a care home, unless you pay all of your own fees."
EITHER = "You can get the heating grant if any of these apply:\n- you are 66 or over\n- you have a disability"
LOAN, LEVY, PASS = "Can I get the boat loan?", "Do I have to pay the mooring levy?", "Can I have a mooring pass"
ASKED = "Can I get the heating grant?"
HOME = "My mother lives in a care home."


def text(answer: Answer) -> str | None:
    return answer.alternatives[0].text if answer.alternatives else None


def state(answer: Answer) -> ConditionState:
    return holds(answer.alternatives[0].condition)


def conditions(answer: Answer) -> dict[str, ConditionState]:
    return {one.leaf.text: one.state for one in leaves(answer.alternatives[0].condition)}


def test_whom_nothing_excludes_is_not_thereby_granted() -> None:
    found = page(BARS)
    barred = ask(found, LOAN, "I live in a hostel.")
    assert text(barred) == "no" and "**No, unless you pay your own rent." in answer_markdown(barred)
    free = ask(found, LOAN, "I live in a hostel.", in_prison=UNMET, own_rent=MET)
    assert (text(free), state(free)) == ("not excluded", MET) and "**Not excluded." in answer_markdown(free)
    assert text(ask(found, LOAN, "I live in a hostel.", in_prison=UNMET, own_rent=UNMET)) == "no"
    paying = ask(found, LOAN, "I live in a hostel. I pay my own rent.")
    assert text(paying) == "no" and "Were you in prison?" in answer_markdown(paying)


@pytest.mark.parametrize("lines", [f"{LOAN_GRANT}\n{BARS}", f"{BARS}\n{LOAN_GRANT}"])
def test_with_rule_and_exclusion_both_are_in_the_tree(lines: str) -> None:
    found = page(lines)
    plain = ask(found, LOAN)
    assert text(plain) == "yes" and len(conditions(plain)) == 5
    barred = ask(found, LOAN, "I live in a hostel.")
    assert text(barred) == "no" and "**No, unless you pay your own rent." in answer_markdown(barred)
    waits = ask(found, LOAN, "I live in a hostel.", in_prison=UNMET, own_rent=MET)
    assert (text(waits), state(waits)) == ("yes", UNKNOWN)
    young = ask(found, LOAN, "I am 15 and I own a mooring.")
    assert text(young) == "no"
    assert [one.quote for one in young.alternatives[0].evidence] == ["you are aged 18 or over"]


def test_the_rule_of_a_list_item_is_no_verdict_on_the_whole_topic() -> None:
    found = page(EXEMPT)
    every = ask(found, LEVY)
    assert (text(every), state(every), len(conditions(every))) == ("no", UNKNOWN, 4)
    assert "Is it a canoe or a kayak?" in answer_markdown(every)
    named = ask(found, "Do I have to pay the mooring levy on my kayak?")
    assert (text(named), state(named)) == ("no", MET)
    part = ask(found, "Do I have to pay the mooring levy on my barge?")
    assert not part.alternatives or state(part) is UNKNOWN


def test_what_is_refused_below_belongs_to_what_is_granted_above() -> None:
    boat = ask(page(REFUSED), f"{PASS} for my boat?")
    assert text(boat) == "yes"
    assert set(conditions(boat)) == {"your home is in the harbour", "a boat over 9 metres long", "a raft or a pontoon"}
    raft = ask(page(REFUSED), f"{PASS} for my raft?")
    assert text(raft) == "no" and [one.quote for one in raft.alternatives[0].evidence] == ["a raft or a pontoon"]


@pytest.mark.parametrize(
    ("lines", "question", "scenario", "answer", "states"),
    rows(__file__, "lines of a page, question, scenario, verdict, and states of its conditions"),
)
def test_a_verdict_and_the_states_of_its_conditions(
    lines: str, question: str, scenario: str, answer: str, states: str
) -> None:
    made = ask(page(lines, updated="2026-03-03"), question, scenario, ALWAYS)
    assert text(made) == answer
    assert {f"{name}: {found}" for name, found in conditions(made).items()} >= set(filter(None, states.split("; ")))
    assert state(made) is not UNMET


@pytest.mark.parametrize(
    ("lines", "question", "scenario", "first"),
    rows(__file__, "lines of a page, question, scenario, and how the answer begins"),
)
def test_what_is_spoken_of_comes_first_and_what_is_told_both_ways_is_open(
    lines: str, question: str, scenario: str, first: str
) -> None:
    printed = answer_markdown(ask(page(lines), question, scenario))
    assert printed.startswith(first)
    assert ("You said: you left because of storm damage" in printed) is (first == "**No.")


_SAID = (
    *("I am 15.", "I am 40.", "I am 84 years old.", "I was born in 1972.", "I own a mooring.", "I hire it out."),
    *("I do not own a mooring.", "I live in a hostel.", "I never live in a hostel.", "I was in prison."),
    *("I pay my own rent.", "I have a canoe.", "My boat is 12 metres long.", "I like fishing.", "I live in Lethmoor."),
    *("I live in a care home.", "I do not live in a care home.", "I pay all of my own fees."),
)
_LEAVES = ("prison", "own rent", "hostel", "18 or over", "mooring", "canoe", "9 metres", "harbour", "own fees", "1961")
_PAGES = (
    *((f"{LOAN_GRANT}\n{BARS}", LOAN), (BARS, LOAN), (EXEMPT, LEVY), (REFUSED, f"{PASS} for my boat?")),
    *((LOAN_GRANT, LOAN), (f"{GRANT}\n{CARE}", ASKED), (CARE, ASKED), (GRANT, ASKED)),
    (f"You must be 18 or over to get the heating grant.\n{CARE}", ASKED),
)


@settings(max_examples=100, deadline=None)
@given(
    said=st.lists(st.sampled_from(_SAID), max_size=5),
    asked=st.sampled_from(_PAGES),
    states=st.dictionaries(st.sampled_from(_LEAVES), st.sampled_from((MET, UNMET)), max_size=4),
    reader=st.sampled_from((ExtractiveReader(asserted=0.01), ALWAYS)),
)
def test_no_verdict_is_refuted_by_its_own_tree_nor_by_what_is_assumed(
    said: list[str], asked: tuple[str, str], states: dict[str, ConditionState], reader: ExtractiveReader
) -> None:
    answer = ask(page(asked[0]), asked[1], " ".join(said), reader)
    words = [one.leaf.text for a in answer.alternatives for one in leaves(a.condition)]
    known = {name: state for name, state in states.items() if sum(name in text for text in words) == 1}
    for alternative in (*answer.alternatives, *assumed(answer, known).alternatives):
        assert holds(alternative.condition) is not UNMET
        if holds(alternative.condition) is MET:
            assert alternative.open_conditions == () or alternative not in answer.alternatives
            assert alternative.text != "yes" or asked[0] not in (BARS, EXEMPT, CARE)  # what only bars grants nothing


def test_a_value_whose_own_condition_is_not_met_is_not_asserted() -> None:
    found, asked = page("The heating grant is £210 if you are under 65."), "How much is the heating grant?"
    sure = ExtractiveReader(asserted=0.01)
    assert ask(found, asked, "I am 40.", sure).status is AnswerStatus.ANSWERED
    old = ask(found, asked, "I am 70.", sure)
    assert old.status is AnswerStatus.QUOTED and old.quotes


def test_the_condition_of_a_second_value_is_said_with_it() -> None:
    answer = ask(
        page("A late permit costs £70, or £35 if you pay within 14 days."), "How much is a late permit?", "", ALWAYS
    )
    assert text(answer) == "£70, or £35 if you pay within 14 days"
    assert answer.alternatives[0].condition is None


def test_an_assumption_is_evaluated_without_reading_again() -> None:
    answer = ask(page(CARE), "Can she get the heating grant?", HOME, ALWAYS)
    paying = assumed(answer, {"pay all of your own fees": MET})
    assert (text(paying), state(paying)) == ("not excluded", MET)
    poor = assumed(answer, {"pay all of your own fees": UNMET})
    assert (text(poor), state(poor)) == ("no", MET)
    no_such = "no condition of the answer has the words 'rent'; its conditions are 'you live"
    for words, message in (("rent", no_such), ("you", "2 conditions of the answer have")):
        with pytest.raises(InputError, match=message):
            assumed(answer, {words: MET})


def test_a_value_whose_condition_is_assumed_away_is_quoted() -> None:
    found = page("The heating grant is £210 if you live alone.")
    gone = ask(found, "How much is the heating grant?", "", ALWAYS, you_live_alone=UNMET)
    assert (gone.status, gone.alternatives) == (AnswerStatus.QUOTED, ())
    assert gone.quotes[0].quote == "The heating grant is £210 if you live alone."


def test_an_assumption_reaches_branches_that_the_scenario_had_settled() -> None:
    answer = ask(page(EITHER), ASKED, "I am 70 years old.", ALWAYS)
    for states, verdict, questions in (
        ({}, "yes", []),
        ({"66 or over": UNMET}, "yes", ["Do you have a disability?"]),
        ({"66 or over": UNMET, "disability": UNMET}, "no", []),
    ):
        (made,) = assumed(answer, states).alternatives
        assert (made.text, open_questions(made)) == (verdict, questions)


def test_ages_count_from_the_day_of_the_question_not_of_the_page() -> None:
    found: Pages = page("You can get the heating grant if you are 18 or over.", updated="2020-05-01")
    asked = Inquiry(ASKED, "I was born on 3 May 2004.")
    assert ALWAYS.read(asked, found.hits(), found).alternatives[0].text == "yes"
    assert ALWAYS.read(replace(asked, as_of=date(2022, 5, 2)), found.hits(), found).alternatives[0].text == "no"
