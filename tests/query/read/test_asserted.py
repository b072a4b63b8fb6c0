"""What is asserted without a model, and which checks fail where nothing is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from clausegraph.core.inquiry import Inquiry
from clausegraph.core.types import AnswerStatus, leaves
from clausegraph.query.read.extractive import ExtractiveReader
from clausegraph.query.read.probability import ASSERTED, probability, with_counts
from clausegraph.query.read.questions import Parts, parts
from clausegraph.query.read.word_match import content_terms, coverage, same_word

pytestmark = pytest.mark.unit
READER = ExtractiveReader()
FEE = "<p>It costs £215 to apply for a stall licence.</p>"
SAVINGS = "<p>You can claim Rent Supplement if you have savings of £14,000 or less.</p>"
LOCKS = "<p>You must not change the locks while the tenant still lives there.</p>"
GRANT = "<p>You cannot get the study grant if you are an apprentice, unless you train as a nurse.</p>"
NOTICE = "<p>You must claim within 3 months of the death to get the full amount.</p>"
DEGREE = (
    "<p>You can get the study grant if you do not have a university degree, unless you are training to be a nurse.</p>"
)


def said(found: Any, question: str, scenario: str = "") -> tuple[str | None, list[str]]:
    """The asserted text, else None, and the failed checks."""
    result = READER.read(Inquiry(question, scenario), found.hits(), found)
    failed = result.reasons.get("failed_checks", [])
    assert (result.status is AnswerStatus.ANSWERED) == bool(result.alternatives)
    assert result.alternatives or result.quotes
    return (result.alternatives[0].text if result.alternatives else None), list(
        failed if isinstance(failed, list) else []
    )


@pytest.mark.parametrize(
    ("line", "question", "scenario", "answer"),
    [
        (FEE, "how much does a stall licence cost", "", "£215"),
        (FEE, "price of stall licence", "", "£215"),
        (LOCKS, "can i change the locks while the tenant lives there", "", "no"),
        ("<p>You do not have to renew the notice each year.</p>", "do i need to renew the notice", "", "no"),
        (
            "<p>You must have your own rod licence if you are aged 13 or over.</p>",
            "does my 12 year old need a rod licence",
            "",
            "no",
        ),
        ("<p>Tell your employer within 14 days of the birth.</p>", "how long to tell my boss of the birth", "", None),
    ],
)
def test_what_one_place_surely_says_is_asserted(
    page: Callable[..., Any], line: str, question: str, scenario: str, answer: str | None
) -> None:
    assert said(page(line), question, scenario) == (answer or "within 14 days", [])


@pytest.mark.parametrize(
    ("lines", "question", "scenario", "doubt"),
    [
        ((SAVINGS,), "rent supplement how much", "", "belongs to a condition"),
        ((FEE,), "how much does a pitch licence cost", "", "nothing there says “pitch”"),
        ((FEE, "<p>A stall licence costs £90 for charities.</p>"), "cost of stall licence", "", "another place says"),
        (("<p>Trading without a stall licence is fined with £900.</p>",), "stall licence cost", "", "fine"),
        (("<p>Claims are usually decided within 8 weeks.</p>",), "how long to decide claims", "", "as a rule"),
        ((NOTICE,), "will i get the full amount", "My wife's death was 5 months ago.", "5 months"),
        (
            ("<p>You must not study on this permit, except for a language course.</p>",),
            "can i do a course",
            "",
            "a language course",
        ),
        (("<p>If you hold a work permit, report a new address.</p>",), "do i need a work permit", "", "condition"),
    ],
)
def test_what_fails_a_check_is_quoted(
    page: Callable[..., Any], lines: tuple[str, ...], question: str, scenario: str, doubt: str
) -> None:
    text, failed = said(page(*lines), question, scenario)
    assert text is None
    assert failed


GET, COST, RENEW = "can i get the study grant", "how much is the stall licence", "do i have to renew the notice"


@pytest.mark.parametrize(
    ("question", "line", "doubt"),
    [
        (GET, "You may be able to get the study grant.", "only possible"),
        (GET, "You might get the study grant.", "only possible"),
        (GET, "It is not true that you can get the study grant.", "somebody says"),
        (GET, "Some people think you can get the study grant.", "somebody says"),
        (GET, "Until 2019 you could get the study grant.", "past"),
        (GET, "Ministers plan that you can get the study grant.", "planned"),
        (GET, "You can rarely get the study grant.", "hardly ever"),
        (GET, "Hardly anyone can get the study grant.", "hardly ever"),
        (GET, "Only nurses can get the study grant.", "said of “Only nurses”"),
        (GET, "Your partner can get the study grant.", "said of “Your partner”"),
        (GET, "Landlords can get the study grant.", "said of “Landlords”"),
        ("can i not get the study grant", "You can get the study grant.", "with “not”"),
        (RENEW, "You should renew the notice.", "advised"),
        (COST, "The stall licence used to cost £215.", "past"),
        (COST, "From 2030 the stall licence costs £215.", "still to come"),
        (COST, "The stall licence does not cost £215.", "“not”"),
        (COST, "The stall licence is no longer £215.", "“not”"),
        (COST, "A stall licence costs about £215.", "roughly"),
        (COST, "A stall licence may cost £215.", "only possible"),
        (COST, "A stall licence is free, not £215.", "free"),
        (COST, "For example, if a stall licence cost £215, you would pay in May.", "example"),
    ],
)
def test_what_does_not_plainly_hold_now_for_the_one_who_asks_is_quoted(
    page: Callable[..., Any], question: str, line: str, doubt: str
) -> None:
    found = page(f"<p>{line}</p>")
    result = READER.read(Inquiry(question, as_of=date(2026, 11, 22)), found.hits(), found)
    assert result.alternatives == ()
    assert result.reasons["failed_checks"]


@pytest.mark.parametrize(
    ("question", "line", "answer"),
    [
        (GET, "Since 2020 you can get the study grant.", "yes"),
        (GET, "Until 2030 you can get the study grant.", "yes"),
        (GET, "Anyone can get the study grant.", "yes"),
        ("im a nurse, can i get the study grant", "Only nurses can get the study grant.", "yes"),
        (COST, "From 2020 the stall licence costs £215.", "£215"),
        (COST, "In May a stall licence costs £215.", "£215"),
    ],
)
def test_what_holds_now_for_the_one_who_asks_leaves_none(
    page: Callable[..., Any], question: str, line: str, answer: str
) -> None:
    found = page(f"<p>{line}</p>")
    result = READER.read(Inquiry(question, as_of=date(2026, 11, 22)), found.hits(), found)
    assert [a.text for a in result.alternatives] == [answer], result.reasons


def test_an_unmet_requirement_whose_exception_nobody_tells_is_a_no(page: Callable[..., Any]) -> None:
    found = page(DEGREE)
    result = READER.read(Inquiry("can i get the study grant", "I have a university degree."), found.hits(), found)
    assert [a.text for a in result.alternatives] == ["no"]


def test_a_long_story_that_is_about_other_things_leaves_a_doubt(page: Callable[..., Any]) -> None:
    story = (
        "My aunt moved from Dunwater to a cottage near the harbour last spring, sold her boat, bought two goats, began"
        " a bakery, married a plumber, adopted a daughter, and broke her ankle while painting the garden fence."
    )
    assert said(page(LOCKS), "can i change the locks while the tenant lives there")[0] == "no"
    assert said(page(LOCKS), "can i change the locks while the tenant lives there", story)[0] is None


def test_the_row_that_is_told_is_the_value(page: Callable[..., Any]) -> None:
    found = page(
        "<p>How much notice to give</p>",
        "<tr>weekly | 4 weeks</tr>",
        "<tr>monthly | one calendar month</tr>",
    )
    (key, made), *_ = found.readings.items()
    rows = [replace(e, headers=("You pay rent", "Notice you must give")) if e.tag == "tr" else e for e in made.elements]
    found.readings[key] = replace(made, elements=tuple(rows))
    assert said(found, "how much notice do i give", "I pay my rent every week.")[0] == "4 weeks"
    assert said(found, "how much notice do i give")[0] is None


def test_a_bound_that_introduces_a_list_is_told_with_its_value(page: Callable[..., Any]) -> None:
    found = page("<p>You must give a minimum of:</p>", "<li>10 working days’ notice to cancel accommodation</li>")
    assert said(found, "how much notice to cancel accommodation")[0] == "a minimum of 10 working days"


def test_the_story_in_a_question_is_not_what_it_asks(page: Callable[..., Any]) -> None:
    told = parts("im a full time student can i get carers payment")
    assert (told.asks, told.case, told.scenario_text) == ("can i get carers payment", "", "im a full time student")
    assert parts("do i have to repay the grant if i leave because i am pregnant").case == "i leave"
    assert parts("How much does a stall licence cost?") == Parts("How much does a stall licence cost?", "", "")
    assert said(page(FEE), "my aunt bakes cakes in Dunwater, how much does a stall licence cost")[0] == "£215"


def test_what_no_page_has_a_word_for_is_refused(page: Callable[..., Any]) -> None:
    found = page("<p>You must put a salmon back.</p>")
    asked = Inquiry("how do i cook salmon in the oven")
    assert READER.read(asked, found.hits(similarity=0.47), found).status is AnswerStatus.NOT_ANSWERABLE
    asked = Inquiry("must i put the salmon back")
    assert READER.read(asked, found.hits(similarity=0.47), found).status is not AnswerStatus.NOT_ANSWERABLE


@pytest.mark.parametrize("kind", ["verdict", "value"])
def test_a_failed_check_never_raises_the_probability(kind: str) -> None:
    names = ("question words missing", "hedged", "figure not compared", "case is like an exception")
    chances = [
        probability(kind, with_counts({name: float(at < failed) for at, name in enumerate(names)}, 1.0))
        for failed in range(len(names) + 1)
    ]
    assert chances == sorted(chances, reverse=True)
    assert chances[0] >= ASSERTED > chances[1]


@pytest.mark.parametrize(
    ("question", "lines", "word"),
    [
        (
            "can i take my dog on board",
            (
                "Dogs need a ticket.",
                "Your dog needs a lead.",
                "Dog tickets are sold.",
                "You can take a bicycle on board.",
            ),
            "dog",
        ),
        ("can a carer park in the yard", ("You can park a vehicle in the yard.",), "carer"),
        ("can a widow claim the allowance", ("You can claim the allowance for a window.",), "widow"),
        ("how much is the contribution", ("The contract costs £40.",), "contribution"),
        ("how much is the contribution fee", ("The contract fee is £40.",), "contribution"),
        ("can i transfer my licence", ("You can transport your licence.",), "transfer"),
    ],
)
def test_a_word_like_another_or_said_elsewhere_on_the_page_is_not_said_there(
    page: Callable[..., Any], question: str, lines: tuple[str, ...], word: str
) -> None:
    text, failed = said(page(*(f"<p>{line}</p>" for line in lines)), question)
    assert text is None and "question words missing" in failed, word


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("apply", "application", True),
        ("stopped", "stop", True),
        ("renewal", "renew", True),
        ("driver", "driving", True),
        ("eligibility", "eligible", True),
        ("boss", "employer", True),
        ("care", "car", False),
        ("employer", "employee", False),
        ("interest", "international", False),
        ("application", "appliance", False),
        ("private", "privacy", False),
        ("registered", "registrar", False),
        ("limit", "date", False),
        ("study", "grant", False),
    ],
)
def test_words_meet_by_their_endings_and_groups_and_not_by_how_they_begin(first: str, second: str, same: bool) -> None:
    assert same_word(first, second) is same_word(second, first) is same


def test_everyday_words_meet_those_of_the_page() -> None:
    asked = content_terms("can my boss sack me when im ill")
    assert coverage(content_terms("does my boss pay"), "Your employer must pay you.") == 1.0
    assert coverage(asked, "Your employer must pay you.") < 1.0
    assert coverage(content_terms("emergancy passport"), "An emergency passport") == 1.0


@pytest.mark.parametrize(
    ("question", "line", "doubt"),
    [
        (
            "how long do i have to appeal a parking charge notice",
            "You have 28 days to pay a parking charge notice.",
            "nothing there says “appeal”",
        ),
        (
            "can i use the grant for an extension",
            "You can only use the grant for repairs - not an extension.",
            "the question is about what is excluded",
        ),
        (
            "can i pay the fee in cash",
            "You can pay the fee by card, but not in cash.",
            "the question is about what is excluded",
        ),
        (
            "can i send a copy of the deed",
            "You can send the deed rather than a copy.",
            "the question is about what is excluded",
        ),
    ],
)
def test_what_is_done_and_what_is_excluded_are_not_passed_over(
    page: Callable[..., Any], question: str, line: str, doubt: str
) -> None:
    found = page(f"<p>{line}</p>")
    result = READER.read(Inquiry(question), found.hits(), found)
    assert result.status is AnswerStatus.QUOTED
    assert result.reasons["failed_checks"]


PARTNER = (
    "<p>You can transfer up to 20 weeks of leave to your partner if your partner has worked there for at least 26"
    " weeks.</p>"
)
REPAY = (
    "<p>You must pay the relief back if you sell the barge to a friend.</p>",
    "<p>You do not have to pay the relief back if you have to move because of flooding or long-term illness.</p>",
)
AFLOAT = (
    "<p>You can claim mooring help if you are a skipper who has to stay aboard on at least 2 days a week because:</p>",
    "<li>the crew is ashore</li>",
    "<li>the harbour has no berth</li>",
    "<p>You cannot claim mooring help if you choose to stay aboard.</p>",
)


@pytest.mark.parametrize(
    ("lines", "question", "answer"),
    [
        ((PARTNER,), "can my partner take 6 weeks leave", None),
        (("<p>You must not sublet the whole of your barge.</p>",), "can i sublet the whole of my barge", "no"),
        (REPAY, "do i have to pay the relief back if i move because i am ill", None),
        (AFLOAT, "can i claim mooring help if i choose to stay aboard", "no"),
        (("<p>The Panel can go ahead without you.</p>",), "can they go ahead without me", "yes"),
        (("<p>You may get a sail loan of up to £600.</p>",), "how much is the sail loan", "up to £600"),
        (("<p>A fine may be £600.</p>",), "how much is the fine", None),
        (
            ("<p>A warden can take your pass away. You can appeal within 14 days.</p>",),
            "how long do i have to appeal if a warden takes my pass",
            "within 14 days",
        ),
        (("<p>You must not change the locks.</p>",), "can i chnage the locks", "no"),
    ],
)
def test_what_is_plain_is_asserted_and_what_it_is_said_of_is_not_passed_over(
    page: Callable[..., Any], lines: tuple[str, ...], question: str, answer: str | None
) -> None:
    text, failed = said(page(*lines), question)
    assert text == answer, failed


def test_the_case_of_a_section_that_is_asked_about_is_no_condition_to_show(page: Callable[..., Any]) -> None:
    found = page("<h2>If you go away</h2>", "<p>If you go abroad, sail payments stop after 4 weeks.</p>")
    key, made = next(iter(found.readings.items()))
    below = replace(made.elements[1], headings=("If you go away",))
    found = replace(found, readings={key: replace(made, elements=(made.elements[0], below))})
    inquiry = Inquiry("How long until sail payments stop if I go abroad?")
    (answer,) = READER.read(inquiry, found.hits(), found).alternatives
    shown = [one.leaf.text for one in leaves(answer.condition)]
    assert answer.text == "after 4 weeks" and "you go away" not in shown


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("how much does a stall licence cost", "£215"),
        ("how much does a stall licence cost and what if i am late", None),
        ("how much does a stall licence cost? and do i get a refund?", None),
        ("how much does a stall licence cost and whats the deadline", None),
    ],
)
def test_of_two_questions_one_is_not_answered_as_if_it_were_all(
    page: Callable[..., Any], question: str, answer: str | None
) -> None:
    assert said(page(FEE), question)[0] == answer
