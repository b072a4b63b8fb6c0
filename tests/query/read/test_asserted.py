"""What is asserted without a model, and what is quoted because a check fails."""

from __future__ import annotations

from dataclasses import replace

import pytest

from clausegraph.core.inquiry import Inquiry
from clausegraph.core.types import AnswerStatus, Element, PageKey, Reading, leaves
from clausegraph.query.read.probability import ASSERTED, probability, with_counts
from tests.query.read.conftest import READER, TODAY, Pages, ask, page

pytestmark = pytest.mark.unit
FEE = "It costs £215 to apply for a stall licence."
LOCKS = "You must not change the locks while the tenant still lives there."
LOCKS_ASKED = "can i change the locks while the tenant lives there"
STORY = (
    "My aunt moved from Dunwater to a cottage near the harbour last spring, sold her boat, bought two goats, began"
    " a bakery, married a plumber, adopted a daughter, and broke her ankle while painting the garden fence."
)
DEGREE = "You can get the study grant if you do not have a university degree, unless you are training to be a nurse."
GET, COST, RENEW = "can i get the study grant", "how much is the stall licence", "do i have to renew the notice"
PARTNER = (
    "You can transfer up to 20 weeks of leave to your partner if your partner has worked there for at least 26 weeks."
)
REPAY = (
    "You must pay the relief back if you sell the barge to a friend.\n"
    "You do not have to pay the relief back if you have to move because of flooding or long-term illness."
)
AFLOAT = (
    "You can claim mooring help if you are a skipper who has to stay aboard on at least 2 days a week because:\n"
    "- the crew is ashore\n- the harbour has no berth\n"
    "You cannot claim mooring help if you choose to stay aboard."
)
REGISTER = (
    "You can join the register if you live in the Isles.\n"
    "If you are 16 or 17, you can join the register only if a social worker supports you.\n"
    "You cannot join the register if your household income is more than £52,000 a year."
)
DOGS = "Dogs need a ticket.\nYour dog needs a lead.\nDog tickets are sold.\nYou can take a bicycle on board."
ROD = "You must have your own rod licence if you are aged 13 or over."
BERTH = "The winter berth grant is between £90 and £310 a year."
COUPLE = f"{BERTH}\nIf your partner has a berth, too, you get £105."
PILOT = (
    "You can claim Pilot Pay if all of these apply:\n- you are aged 16 or over\n"
    "- you spend at least 30 hours a week steering the boat"
)
TAKEN = "A warden can take your pass away. You can appeal within 14 days."
NOTICE = "You must claim within 3 months of the death to get the full amount."
SAVINGS = "You can claim Rent Supplement if you have savings of £14,000 or less."
COURSE = "You must not study on this permit, except for a language course."

# Lines of a page, question, scenario, and what is asserted: nothing where the page is quoted.
CASES: list[tuple[str, str, str, str | None]] = [
    # what one place surely says
    (FEE, "how much does a stall licence cost", "", "£215"),
    (FEE, "price of stall licence", "", "£215"),
    (FEE, "my aunt bakes cakes in Dunwater, how much does a stall licence cost", "", "£215"),
    (LOCKS, LOCKS_ASKED, "", "no"),
    (LOCKS, LOCKS_ASKED, STORY, None),
    ("You do not have to renew the notice each year.", "do i need to renew the notice", "", "no"),
    (ROD, "does my 12 year old need a rod licence", "", "no"),
    ("Tell your employer within 14 days of the birth.", "how long to tell my boss of the birth", "", "within 14 days"),
    (DEGREE, GET, "I have a university degree.", "no"),
    ("You must not sublet the whole of your barge.", "can i sublet the whole of my barge", "", "no"),
    (AFLOAT, "can i claim mooring help if i choose to stay aboard", "", "no"),
    ("The Panel can go ahead without you.", "can they go ahead without me", "", "yes"),
    ("You may get a sail loan of up to £600.", "how much is the sail loan", "", "up to £600"),
    (TAKEN, "how long do i have to appeal if a warden takes my pass", "", "within 14 days"),
    (REGISTER, "Can I join the register?", "My household income is £55,000 a year.", "no"),
    (PILOT, "How many hours must I steer the boat to claim Pilot Pay?", "", "at least 30 hours a week"),
    # a value for whom, of what, and under which condition
    (
        f"{BERTH}\nIt is paid in May.",
        "How much is the winter berth grant for a couple?",
        "",
        "between £90 and £310 a year",
    ),
    (f"{BERTH}\nIt is paid in May.", "How much winter berth grant do couples get?", "", "between £90 and £310 a year"),
    (COUPLE, "How much is the winter berth grant for a couple?", "", None),
    (COUPLE, "How much winter berth grant do couples get?", "", None),
    (SAVINGS, "rent supplement how much", "", None),
    (FEE, "how much does a pitch licence cost", "", None),
    (f"{FEE}\nA stall licence costs £90 for charities.", "cost of stall licence", "", None),
    ("Trading without a stall licence is fined with £900.", "stall licence cost", "", None),
    ("Claims are usually decided within 8 weeks.", "how long to decide claims", "", None),
    (NOTICE, "will i get the full amount", "My wife's death was 5 months ago.", None),
    (COURSE, "can i do a course", "", None),
    ("If you hold a work permit, report a new address.", "do i need a work permit", "", None),
    (PARTNER, "can my partner take 6 weeks leave", "", None),
    (REPAY, "do i have to pay the relief back if i move because i am ill", "", None),
    ("A fine may be £600.", "how much is the fine", "", None),
    # what does not plainly hold now for the one who asks
    ("You may be able to get the study grant.", GET, "", None),
    ("You might get the study grant.", GET, "", None),
    ("It is not true that you can get the study grant.", GET, "", None),
    ("Some people think you can get the study grant.", GET, "", None),
    ("Until 2019 you could get the study grant.", GET, "", None),
    ("Ministers plan that you can get the study grant.", GET, "", None),
    ("You can rarely get the study grant.", GET, "", None),
    ("Hardly anyone can get the study grant.", GET, "", None),
    ("Only nurses can get the study grant.", GET, "", None),
    ("Your partner can get the study grant.", GET, "", None),
    ("Landlords can get the study grant.", GET, "", None),
    ("You can get the study grant.", "can i not get the study grant", "", None),
    ("You should renew the notice.", RENEW, "", None),
    ("The stall licence used to cost £215.", COST, "", None),
    ("From 2030 the stall licence costs £215.", COST, "", None),
    ("The stall licence does not cost £215.", COST, "", None),
    ("The stall licence is no longer £215.", COST, "", None),
    ("A stall licence costs about £215.", COST, "", None),
    ("A stall licence may cost £215.", COST, "", None),
    ("A stall licence is free, not £215.", COST, "", None),
    ("For example, if a stall licence cost £215, you would pay in May.", COST, "", None),
    ("Since 2020 you can get the study grant.", GET, "", "yes"),
    ("Until 2030 you can get the study grant.", GET, "", "yes"),
    ("Anyone can get the study grant.", GET, "", "yes"),
    ("Only nurses can get the study grant.", "im a nurse, can i get the study grant", "", "yes"),
    ("From 2020 the stall licence costs £215.", COST, "", "£215"),
    ("In May a stall licence costs £215.", COST, "", "£215"),
    # a word like another, or said elsewhere on the page, is not said there
    (DOGS, "can i take my dog on board", "", None),
    ("You can park a vehicle in the yard.", "can a carer park in the yard", "", None),
    ("You can claim the allowance for a window.", "can a widow claim the allowance", "", None),
    ("The contract costs £40.", "how much is the contribution", "", None),
    ("The contract fee is £40.", "how much is the contribution fee", "", None),
    ("You can transport your licence.", "can i transfer my licence", "", None),
    # what is done, and what is excluded
    (
        "You have 28 days to pay a parking charge notice.",
        "how long do i have to appeal a parking charge notice",
        "",
        None,
    ),
    ("You can only use the grant for repairs - not an extension.", "can i use the grant for an extension", "", None),
    ("You can pay the fee by card, but not in cash.", "can i pay the fee in cash", "", None),
    ("You can send the deed rather than a copy.", "can i send a copy of the deed", "", None),
    # another thing or case
    ("You may do any job on a boat pass except diving.", "Can I get a boat pass?", "", None),
    ("You can lend your oars to others, but you cannot lend your pass.", "can i lend my oars and pass", "", None),
    ("You can get harbour leave if you have a boat.", "can i get harbour pay", "", None),
    ("No refund is given for the first month.", "do i get a refund", "", None),
    ("Apply by 31 May if you have a boat, and by 30 June if you have none.", "when do i apply", "", None),
    (
        "You can get the boat loan if any of these apply:\n- harbours that have a deal with us\n- you own a berth",
        "Can I get the boat loan?",
        "",
        None,
    ),
    # of two questions one is not answered as if it were all
    (FEE, "how much does a stall licence cost and what if i am late", "", None),
    (FEE, "how much does a stall licence cost? and do i get a refund?", "", None),
]


@pytest.mark.parametrize(("lines", "question", "scenario", "answer"), CASES)
def test_what_is_asserted(lines: str, question: str, scenario: str, answer: str | None) -> None:
    found = page(lines)
    result = READER.read(Inquiry(question, scenario, as_of=TODAY), found.hits(), found)
    assert [one.text for one in result.alternatives] == ([answer] if answer else []), result.reasons
    assert (result.status is AnswerStatus.ANSWERED) is (answer is not None) is not bool(result.quotes)
    assert bool(result.reasons.get("failed_checks", True)) is (answer is None)


def test_what_one_need_not_have_is_no_no_to_who_gets_it() -> None:
    found = page("You do not need to get one of these benefits if your main home is in the Far Isles.")
    answer = ask(found, "Do I get it even if not on benefits?", "I live in the Far Isles.")
    assert [one.text for one in answer.alternatives] != ["no"]


@pytest.mark.parametrize(("scenario", "answer"), [("I pay my rent every week.", "4 weeks"), ("", None)])
def test_the_row_that_is_told_is_the_value(scenario: str, answer: str | None) -> None:
    rows = ("<tr>weekly | 4 weeks</tr>", "<tr>monthly | one calendar month</tr>")
    found = page("How much notice to give", *rows, headers=("You pay rent", "Notice you must give"))
    made = ask(found, "how much notice do i give", scenario).alternatives
    assert [one.text for one in made] == ([answer] if answer else [])


def test_a_value_of_a_place_that_says_none_of_the_question_is_doubted() -> None:
    text = "A locked account can be opened after 30 minutes."
    places = (
        Element("a", "p", "", text, ("Rules", "Passwords")),
        Element("b", "p", "", "Write to us.", ("Rules", "Us")),
    )
    found = Pages({PageKey("test", "it"): Reading("Rules", None, places)})
    assert ask(found, "How long must my password be?").status is not AnswerStatus.ANSWERED
    again = ask(found, "How long until a locked account can be opened?")
    assert [one.text for one in again.alternatives] == ["after 30 minutes"]


def test_the_case_of_a_section_that_is_asked_about_is_no_condition_to_show() -> None:
    found = page("<h2>If you go away</h2>", "If you go abroad, sail payments stop after 4 weeks.")
    key, made = next(iter(found.readings.items()))
    below = replace(made.elements[1], headings=("If you go away",))
    found = replace(found, readings={key: replace(made, elements=(made.elements[0], below))})
    (answer,) = ask(found, "How long until sail payments stop if I go abroad?").alternatives
    assert answer.text == "after 4 weeks"
    assert "you go away" not in [one.leaf.text for one in leaves(answer.condition)]


@pytest.mark.parametrize(
    ("question", "refused"), [("how do i cook salmon in the oven", True), ("must i put the salmon back", False)]
)
def test_what_no_page_has_a_word_for_is_refused(question: str, refused: bool) -> None:
    found = page("You must put a salmon back.")
    status = READER.read(Inquiry(question), found.hits(similarity=0.47), found).status
    assert (status is AnswerStatus.NOT_ANSWERABLE) is refused


@pytest.mark.parametrize("kind", ["verdict", "value"])
def test_a_failed_check_never_raises_the_probability(kind: str) -> None:
    names = ("question words missing", "hedged", "figure not compared", "case is like an exception")
    chances = [
        probability(kind, with_counts({name: float(at < failed) for at, name in enumerate(names)}, 1.0))
        for failed in range(len(names) + 1)
    ]
    assert chances == sorted(chances, reverse=True)
    assert chances[0] >= ASSERTED > chances[1]
