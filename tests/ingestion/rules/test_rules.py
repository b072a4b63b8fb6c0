"""What pages rule: kinds, conditions, roles, values and links, read without a model."""

from dataclasses import replace

import pytest

from clausegraph.core.language.rule_kinds import RuledClause, kinds_of
from clausegraph.core.language.wording import condition_words
from clausegraph.core.page_rules import PageNodes, page_rules
from clausegraph.core.pages.chunks import chunk_reading
from clausegraph.core.pages.read import SourceDocument, read_document
from clausegraph.core.pages.steps import PageSteps
from clausegraph.core.serial import rule_from_json, rule_to_json
from clausegraph.core.types import LITERAL, Literal, Mention, Reading, Rule, RuleKind, Span, Statement
from clausegraph.ingestion.extract.rules.extractor import read_rules
from tests.harness.tables import rows
from tests.ingestion.rules.sketch import written

HEAD = "<title>Harbour Grant - Port Ashby Council</title><h1>Harbour Grant</h1>"


def read(body: str, head: str = HEAD) -> tuple[Reading, list[Rule]]:
    html = f"<html><body><main>{head}{body}</main></body></html>"
    reading = chunk_reading(read_document(SourceDocument("page.html", html.encode()))[0])
    steps = PageSteps.of(reading)
    return reading, page_rules([steps.placed(rule) for rule in read_rules(reading)], reading)


def words(rule: Rule, reading: Reading) -> str:
    """The words of a rule in page order."""
    place = {element.anchor: at for at, element in enumerate(reading.elements)}
    spans = sorted(rule.spans, key=lambda span: (place[span.anchor], span.start))
    return " / ".join(reading.elements[place[span.anchor]].text[span.start : span.end] for span in spans)


@pytest.mark.parametrize(("text", "kinds"), rows(__file__, "kinds of a clause without its condition"))
def test_kinds_main_one_first(text: str, kinds: str) -> None:
    assert " ".join(kinds_of(RuledClause(text))) == kinds


@pytest.mark.parametrize(
    ("clause", "kinds"),
    [
        (RuledClause("You must be 18 or over.", heading="Who can apply"), "eligibility duty"),
        (RuledClause("You must be 18 or over."), "duty eligibility"),
        (RuledClause("The form must be signed.", heading="Who can apply"), "duty"),
        (RuledClause("You do not have to be a lawyer.", heading="Who can apply"), "eligibility"),
        (RuledClause("Fill in the form.", heading="How to apply"), "duty procedure step"),
        (RuledClause("The grant is paid to your landlord", has_condition=True), "consequence"),
        (RuledClause("The fee is returned to you", has_condition=True), "amount"),
        (RuledClause("ask about an advance", has_condition=True), "duty"),
    ],
)
def test_kinds_by_place_and_condition(clause: RuledClause, kinds: str) -> None:
    assert " ".join(kinds_of(clause)) == kinds


def test_values_are_what_is_ruled_and_not_how_often() -> None:
    said = "You can work more than 48 hours a week, for £5 a day and a year at most, and pay £200,000, if you like."
    values = [value.text for value in RuledClause(said).values]
    assert values == ["more than 48 hours", "£5 a day", "a year", "£200,000,"]
    whole = RuledClause("You can wait 2 to 3 years, but no more than 4 weeks.").values
    assert [value.text for value in whole] == ["2 to 3 years", "no more than 4 weeks"]


@pytest.mark.parametrize(("text", "case"), rows(__file__, "what a sentence holds for"))
def test_the_case_that_a_sentence_opens_with_is_its_condition(text: str, case: str) -> None:
    _, (rule,) = read(f"<p>{text}</p>")
    assert written(rule.condition) == case


def test_what_follows_on_or_is_no_case_and_however_is_before_one() -> None:
    _, rules = read("<p>You must cancel within 30 days if you stop trading or you may be fined £5.</p>")
    assert [written(rule.condition) for rule in rules] == ["you stop trading", ""]
    _, (rule,) = read("<p>However, if the owner has a mooring, they must pay a fee.</p>")
    assert written(rule.condition) == "the owner has a mooring"


def test_a_lead_in_sets_the_case_of_its_list() -> None:
    _, rules = read("<p>In Wales:</p><ul><li>pay the fee by card</li><li>send the form by post</li></ul>")
    assert [written(rule.condition) for rule in rules] == ["In Wales", "In Wales"]


def test_the_list_of_a_rule_gives_it_values_and_entities_and_whole_items() -> None:
    reading, rules = read(
        "<p>The fees are:</p><ul><li>£5 for a boat</li><li>£3 for a canoe</li></ul><p>We accept:</p><ul><li>a Barclays"
        " Statement</li></ul><p>You must:</p><ul><li>tell us about:<ul><li>births</li></ul></li><li>pay</li></ul>"
    )
    assert [value.value for value in rules[0].values] == ["£5", "£3"]
    assert "object: Barclays Statement" in roles(rules[1]) or "document: Barclays Statement" in roles(rules[1])
    assert words(rules[2], reading) == "You must: / tell us about: / births"


def test_a_list_of_conditions_is_one_rule() -> None:
    reading, (rule,) = read("<p>You can get the grant if you:</p><ul><li>are 21 or over</li><li>own a boat</li></ul>")
    assert rule.kind is RuleKind.ELIGIBILITY
    assert words(rule, reading) == "You can get the grant if you: / are 21 or over / own a boat"
    assert condition_words(rule.condition) == "(are 21 or over and own a boat)"


def test_a_list_of_duties_is_a_rule_for_each() -> None:
    reading, rules = read("<p>You must:</p><ul><li>keep the permit dry</li><li>return it within 7 days</li></ul>")
    assert [words(rule, reading) for rule in rules] == [
        "You must: / keep the permit dry",
        "You must: / return it within 7 days",
    ]
    assert [[value.value for value in rule.values] for rule in rules] == [[], ["7 days"]]


def test_a_row_is_a_rule_under_its_headers() -> None:
    _, rules = read("<table><tr><th>Boat</th><th>Fee</th></tr><tr><td>Small</td><td>£15</td></tr></table>")
    assert [(rule.kind, [value.value for value in rule.values]) for rule in rules] == [(RuleKind.AMOUNT, ["£15"])]
    assert condition_words(rules[0].condition) == "Boat: Small"


def test_a_row_has_what_the_sentence_or_the_heading_above_its_table_says_of_when_it_is() -> None:
    table = "<table><tr><th>Boat</th><th>Fee</th></tr><tr><td>Small</td><td>£15</td></tr></table>"
    reading, rules = read(f"<p>From 6 April 2026 the rates are:</p>{table}")
    assert words(rules[-1], reading) == "From 6 April 2026 the rates are: / Small | £15"
    assert rules[-1].effective_from == "2026-04-06"
    _, rules = read(f"<p>If you have no mooring, the fee depends on your boat:</p>{table}")
    assert condition_words(rules[-1].condition) == "(you have no mooring and Boat: Small)"
    _, rules = read(f"<h2>Fees for 2026/27</h2>{table}")
    assert condition_words(rules[-1].condition) == "(for 2026/27 and Boat: Small)"


def test_a_sentence_that_points_back_has_what_it_goes_on_from() -> None:
    reading, rules = read("<p>You can get a rebate. This does not apply if you rent.</p>")
    assert words(rules[-1], reading) == "You can get a rebate. / This does not apply if you rent."
    assert rules[-1].kind is RuleKind.EXCLUSION and not rules[-1].polarity


@pytest.mark.parametrize(
    ("text", "sentences"), rows(__file__, "a paragraph, and of how many sentences the words of its last rule are")
)
def test_a_rule_has_the_sentence_that_its_words_lean_on(text: str, sentences: str) -> None:
    reading, rules = read(f"<p>{text}</p>")
    told = text.replace(". ", ".|").replace("? ", "?|").split("|")
    assert words(rules[-1], reading) == " / ".join(told[-int(sentences) :])


UNDER = {  # a heading and a sentence below it: the words of its rule and its condition
    ("If you live abroad", "You must send a form."): ("You must send a form.", "you live abroad"),
    ("If you lose your boat", "You must tell us."): ("You must tell us.", "you lose your boat"),
    ("If you lose your boat", "We cancel a permit if you lied."): (
        "If you lose your boat / We cancel a permit if you lied.",
        "you lied",
    ),
    ("If you cannot pay", "Complaints must be made within 3 months."): (
        "If you cannot pay / Complaints must be made within 3 months.",
        "",
    ),
    ("Seasonal permit", "You must leave within 6 months."): ("Seasonal permit / You must leave within 6 months.", ""),
    ("How to apply", "You must send a form."): ("You must send a form.", ""),
    ("Prices from 1 April 2026", "You can have two bookings."): ("You can have two bookings.", ""),
    ("Moorings in Ashby, Sandby and Wells", "You must pay £5 in Ashby."): (
        "Moorings in Ashby, Sandby and Wells / You must pay £5 in Ashby.",
        "",
    ),
    **{
        (heading, text): (f"{heading} / {text}", "")
        for heading, text in (
            ("Crew", "You must tell us within 7 days."),
            ("Returning to harbour", "Contact the steward and say when."),
            ("Moorings and berths", "Tell us within 7 days."),
            ("How many passes can I have?", "Up to 20 for three weeks."),
            ("I've lost my pass", "You must pay £5."),
            ("What if I am late?", "We charge £5 a day."),
        )
    },
    ("Can you sail alone?", "You must pay £5."): ("You must pay £5.", ""),
}


@pytest.mark.parametrize(("heading", "text"), UNDER, ids=[" > ".join(one) for one in UNDER])
def test_a_heading_is_a_condition_or_shown_or_neither(heading: str, text: str) -> None:
    reading, (rule,) = read(f"<h2>{heading}</h2><p>{text}</p>")
    assert (words(rule, reading), condition_words(rule.condition)) == UNDER[heading, text]


def roles(rule: Rule) -> list[str]:
    return [f"{role.name}: {role.entity.surface}" for role in rule.roles]


def test_roles_are_short_names_that_rules_share() -> None:
    _, rules = read(
        "<p>You must tell us if your landlord moves.</p><p>The council pays the Harbour Relief Fund.</p>"
        "<p>You must send the renewal letter.</p>"
    )
    assert roles(rules[0]) == [
        "about: Harbour Grant",
        "actor: Harbour Grant applicant",
        "authority: Port Ashby Council",  # "us"
        "names: landlord",
    ]
    assert "document: renewal letter" not in roles(rules[-1])  # no other rule of the page names it


@pytest.mark.parametrize(("text", "parts"), rows(__file__, "a sentence, and the roles of its rule"))
def test_a_part_needs_the_grammar_to_say_it(text: str, parts: str) -> None:
    _, rules = read(f"<p>{text}</p><p>The court, a tribunal and the 16 to 19 Craft Grant may be named.</p>")
    assert roles(rules[0]) == ["about: Harbour Grant", *parts.split(", ")]


def test_the_publisher_is_the_site_or_its_host() -> None:
    html = "<html><head><link rel='canonical' href='https://www.ashby.example/a'></head><body><h1>Moorings</h1>%s"
    page = SourceDocument("a.html", (html % "<p>We will reply within 5 days.</p>").encode())
    reading = chunk_reading(read_document(page)[0])
    (rule,) = page_rules(list(read_rules(reading)), reading)
    assert "authority: ashby.example" in roles(rule)
    assert page_rules(list(read_rules(replace(reading, url=None))), replace(reading, url=None))[0].roles[-1:] == (
        rule.roles[0],
    )


def test_an_exclusion_is_an_exception_of_what_it_narrows_alone() -> None:
    reading, rules = read(
        "<p>You can get a mooring discount if you live here.</p><p>You can claim for fuel.</p>"
        "<p>You cannot claim for paint.</p><p>The deposit is not refunded.</p>"
        "<p>Owners pay £4 a day. They are not paid for repairs.</p>"
    )
    told = {(rule.spans[0].anchor, rule.spans[0].start): words(rule, reading) for rule in rules}
    found = {words(rule, reading): told[link.anchor, link.start] for rule in rules for link in rule.links}
    assert found == {
        "You cannot claim for paint.": "You can claim for fuel.",
        "Owners pay £4 a day. / They are not paid for repairs.": "Owners pay £4 a day.",
    }


def test_links_between_rules() -> None:
    reading, rules = read(
        "<p>You must keep a log book.</p><h2>Who can get it</h2><p>You can get the grant if you own a boat.</p>"
        "<h2>Who cannot</h2><p>You cannot get the grant if you rent it out. However, you can keep a deposit.</p>"
        "<h2>Loans</h2><p>You can get a mooring loan if you own a boat.</p>"
        "<h2>Log books</h2><p>You do not need to keep a log book if your boat has no engine.</p>"
        "<h2>How to claim</h2><ol><li>Fill in the form.</li><li>Send it to us.</li></ol>"
        "<h2>Rules</h2><p>4.1 You must keep the boat clean.</p><p>4.2 You must pay a fine if clause 4.1 is broken.</p>"
    )
    told = {(rule.spans[0].anchor, rule.spans[0].start): words(rule, reading) for rule in rules}
    found = [
        (link.name.value, words(rule, reading)[-23:], told[link.anchor, link.start][-23:])
        for rule in rules
        for link in rule.links
    ]
    assert found == [
        ("exception of", "ant if you rent it out.", "rant if you own a boat."),
        ("exception of", "you can keep a deposit.", "ant if you rent it out."),
        ("exception of", "our boat has no engine.", "u must keep a log book."),
        ("step after", "Send it to us.", "Fill in the form."),
        ("refers to", "f clause 4.1 is broken.", "st keep the boat clean."),
    ]
    assert [rule.kind for rule in rules if rule.step] == [RuleKind.STEP, RuleKind.STEP]


def test_rules_survive_the_ledger() -> None:
    _, rules = read("<p>From 6 April 2026 you cannot get the grant, unless you own a boat.</p><ol><li>Apply.</li></ol>")
    assert rules and [rule_from_json(rule_to_json(rule)) for rule in rules] == rules


@pytest.mark.parametrize(
    ("subject", "target", "nodes"),
    [
        (("parking permit", "document"), ("fee", "thing"), ("parking permit", LITERAL + "fee")),
        (
            ("first parking permit for 12 months", "document"),
            ("council", "organisation"),
            ("parking permit", "council"),
        ),
        (("whatever you do", "thing"), ("season ticket", "document"), ("parking", "season ticket")),
    ],
)
def test_statements_are_of_nodes_that_rules_share(
    subject: tuple[str, str], target: tuple[str, str], nodes: tuple[str, str]
) -> None:
    shared = PageNodes(frozenset({"parking permit", "council", "parking"}), "parking")
    ends = [Mention(surface, surface, kind) for surface, kind in (subject, target)]
    placed = shared.placed(Statement(ends[0], "has", ends[1], (Span("p", 0, 1),)))
    assert isinstance(placed.object, Mention)
    assert (placed.subject.node_key, placed.object.node_key) == nodes
    valued = Statement(ends[0], "costs", Literal("£5", "amount"), (Span("p", 0, 1),))
    assert shared.placed(valued).object == valued.object
    assert PageNodes(frozenset()).placed(valued) == valued
