"""A model's written answer in the console: prose with numbers, next and more, sources by number, sums below them."""

from dataclasses import replace

import lxml.html

from clausegraph.app.render import answer_text
from clausegraph.core.types import (
    Alternative,
    Answer,
    AnyOf,
    ConditionState,
    JudgedLeaf,
    Leaf,
    Not,
    Sentence,
    SentenceRole,
    Span,
)
from tests.core.presentation.faces import console_html
from tests.core.presentation.test_tables import row, written

RATE = row(1)
LEAD = replace(RATE, quote="You can get it if:", html="<p></p>", lead_in="", span=Span("p-1-0", 0, 18), position=2)
LEAD = replace(LEAD, items=("you are 70", "you rent"))
OLD = replace(LEAD, quote="you are 70", lead_in=LEAD.quote, span=Span("li-1-0", 0, 10), items=(), position=3)
FEES = JudgedLeaf(Leaf("p-2-0", 0, 4, "you pay all fees"), ConditionState.UNKNOWN, OLD)
HOME = JudgedLeaf(Leaf("p-3-0", 0, 4, "you live in a care home"), ConditionState.MET, OLD)


def drawn(answer: Answer, **asked: object) -> lxml.html.HtmlElement:
    return lxml.html.fromstring(console_html(answer, **asked))


def with_class(page: lxml.html.HtmlElement, name: str, below: str = "") -> list[lxml.html.HtmlElement]:
    return page.xpath(f".//*[contains(concat(' ', @class, ' '), ' {name} ')]{below}")


def words(found: list[lxml.html.HtmlElement]) -> list[str]:
    return [" ".join(one.text_content().split()) for one in found]


def test_a_written_answer_is_a_paragraph_a_list_and_what_comes_next() -> None:
    said = (
        Sentence("You need:", (LEAD,)),
        Sentence("a photo", (OLD,), SentenceRole.ITEM),
        Sentence("It costs £70.", (RATE,), calculations=("2 × £35 = £70",)),
        Sentence("Pay by card.", (OLD,), SentenceRole.NEXT),
        Sentence("Keep the receipt.", (OLD,), SentenceRole.NEXT),
        Sentence("Ask at the desk.", (OLD,), SentenceRole.MORE),
    )
    page = drawn(replace(written(), sentences=said))
    assert words(page.xpath("//*[@id='headline']/*")) == ["You need: [1]", "a photo [2]", "It costs £70. [3]"]
    assert "Next: Pay by card. [2] Keep the receipt. [2]" in words(page.xpath("//*[@id='answer']/p"))
    (folded,) = page.xpath("//details[@id='more']")
    assert words([folded]) == ["More Ask at the desk. [2]"] and folded.get("open") is None
    printed = answer_text(replace(written(), sentences=said)).splitlines()
    assert printed[-2].startswith("More: Ask at the desk.") and printed[-1].startswith("Worked out:")
    (card,) = with_class(page, "card")
    assert words(card.xpath(".//blockquote/p")) == [
        "[1] Rates: “You can get it if:”",
        "[2] “you are 70”",
        "“you rent”",
    ]
    assert words(with_class(card, "cited")) == ["1 to 50 [3]£35"]
    (last,) = page.xpath("//figure[last()]/following-sibling::p[1]")  # below the sources
    assert words([last]) == ["Worked out: 2 × £35 = £70"]


def test_a_tree_has_the_line_that_joins_its_conditions() -> None:
    verdict = Alternative("no", AnyOf((HOME, Not(FEES))), (OLD,))
    unless = replace(verdict, condition=AnyOf((replace(HOME, state=ConditionState.UNMET), Not(FEES))))
    page = drawn(replace(written(), alternatives=(unless,)))
    assert words(with_class(page, "verdict")) == ["No, unless you pay all fees. [1]"]
    assert words(with_class(page, "alternative", "/p")) == ["No, if any of these holds:"]


def test_once_a_condition_is_settled_its_items_are_drawn_once() -> None:
    both = AnyOf((replace(HOME, state=ConditionState.UNKNOWN), FEES))
    answer = replace(written((OLD,)), alternatives=(Alternative("no", both, (OLD,)),))
    page = drawn(answer, supposed={"you live in a care home": ConditionState.UNKNOWN})
    assert with_class(page, "prose")  # nothing is taken otherwise than it was
    page = drawn(answer, supposed={"you live in a care home": ConditionState.UNMET})
    assert words(page.xpath("//*[@id='headline']/*")) == ["No, if you pay all fees. [1]"]
    assert len(with_class(page, "leaf")) == 2 and not with_class(page, "items")


def test_an_answer_may_be_written_for_what_is_supposed() -> None:
    tree = AnyOf((FEES, HOME))
    open_answer = replace(written((OLD,)), alternatives=(Alternative("yes", Not(tree), (OLD,)),))
    assert not drawn(open_answer).xpath("//*[@id='write']")
    page = drawn(open_answer, supposed={"you pay all fees": ConditionState.UNMET, HOME.leaf.text: ConditionState.UNMET})
    (link,) = page.xpath("//*[@id='write']/@href")
    assert "Do+you+pay+all+fees" in link or "Do%20you%20pay%20all%20fees" in link
