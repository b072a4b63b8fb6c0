"""Replies of rules, one a line: what comes of each line, and to which chunk it goes."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clausegraph.core.errors import UnusableReply
from clausegraph.core.extraction import Extraction
from clausegraph.core.language.normalise import entity_key
from clausegraph.core.language.wording import relation_words
from clausegraph.core.types import (
    Literal,
    Mention,
    Modality,
    Role,
    RoleName,
    Rule,
    Statement,
    leaves,
)
from clausegraph.ingestion.extract.llm.numbering import Call, number_call
from clausegraph.ingestion.extract.llm.rules_reply import parse_rules
from tests.ingestion.llm.calls import ENTITIES, PAGE, PAGE_CALL, TITLE, grant_call, only_rule, read, reasons
from tests.ingestion.rules.sketch import page

CALL = grant_call()
LINES = [line.lstrip("#-| ") for line in PAGE.splitlines()]


def words_of(rule: Rule) -> list[str]:
    """The words of a rule of ``PAGE``, its own first."""
    return [LINES[int(span.anchor[1:])][span.start : span.end] for span in rule.spans]


def roles_of(rule: Rule) -> list[str]:
    shown = ((role.name, role.entity.surface, role.entity.written) for role in rule.roles)
    return [f"{name} {surface}{f' ({spoken})' if spoken else ''}" for name, surface, spoken in shown]


# Where a rule stands.


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("2 permission", [LINES[1]]),
        ("2a permission", ["You can get the Heating Grant"]),
        ("2A: Permission", ["You can get the Heating Grant"]),
        ("- 2a   permission", ["You can get the Heating Grant"]),
        ("8b duty", ["Tenants must send form HG1 to the council within 3 months of 1 May 2026."]),
        ('8b"send form HG1" duty', ["send form HG1", "Tenants must"]),
        ('8b"send … council" duty', ["send form HG1 to the council", "Tenants must"]),
        ('8b"send … onths" duty', ["send form HG1 to the council within 3 months", "Tenants must"]),
        ('8b"send ... 3 months" duty', ["send form HG1 to the council within 3 months", "Tenants must"]),
        ("10b amount", ["£12", "Single", "Each week"]),  # a cell
        ("3,4-6 exclusion", [LINES[2], *LINES[3:6]]),
        ("6 exclusion", [LINES[5], LINES[2]]),  # an item goes on from its lead-in
        ("8a,10b amount", ["We pay £210 a year.", "£12"]),  # said twice
        ("2a permission if 2b", ["You can get the Heating Grant if you rent your home"]),
        ("2a permission if not 2c", [LINES[1].removesuffix(".")]),
        ("2a permission if 4", ["You can get the Heating Grant"]),
        ("10b amount if 10a", ["£12", "Each week"]),  # its row is its condition
    ],
)
def test_places(line: str, words: list[str]) -> None:
    assert words_of(only_rule(line)) == words


# Its kinds, and how strongly it holds.


@pytest.mark.parametrize(
    ("line", "kinds", "modality", "holds"),
    [
        ("2a eligibility", ["eligibility"], "may", True),
        ("2a eligibility amount", ["eligibility", "amount"], "may", True),
        ("2a amount, eligibility, amount", ["amount", "eligibility"], "is", True),
        ("2a permission need not", ["permission"], "need not", False),
        ("8b procedure step deadline", ["procedure step", "deadline"], "must", True),
        ("8b step should", ["procedure step"], "should", True),
        ("8b duty", ["duty"], "must", True),
        ("3 exclusion", ["exclusion"], "cannot", False),
        ("3 prohibition must", ["prohibition"], "must", False),
        ("8b contact", ["contact"], "is", True),
        ("8b definition SHALL", ["definition"], "must", True),
        ("8b consequence can not", ["consequence"], "cannot", False),
    ],
)
def test_kinds_and_modality(line: str, kinds: list[str], modality: str, holds: bool) -> None:
    rule = only_rule(line)
    assert (list(rule.kinds), rule.modality, rule.polarity) == (kinds, modality, holds)


def test_a_fact_that_is_left_out_still_says_how_strongly_its_rule_holds() -> None:
    found = read("8b duty: B need not send D")  # within three months
    assert (found.rules[0].modality, found.rules[0].polarity) == (Modality.NEED_NOT, False) and not found.statements


def test_values_and_dates_are_those_of_its_words() -> None:
    rule = only_rule("8b duty deadline")
    assert rule.values == (Literal("3 months", "duration"), Literal("1 May 2026", "date"))
    assert only_rule("5 exclusion").values == (Literal("over 18", "age"),)
    assert not only_rule('5 exclusion if 5"over 18"').values  # those of its condition stay there
    found = read("5 exclusion", call=CALL).rules[0]
    assert (found.effective_from, found.effective_to) == ("2026-03-31", None)


# Entities and roles.


@pytest.mark.parametrize(
    ("fields", "roles"),
    [
        ("", ["about Heating Grant", "actor tenant (you)"]),
        ("actor B", ["about Heating Grant", "actor tenant (you)"]),
        ("about D", ["about form HG1", "actor tenant (you)"]),
        ("Actor B, authority C", ["about Heating Grant", "actor tenant (you)", "authority the publisher (we)"]),
        (
            "counterparty E document D",
            ["about Heating Grant", "counterparty council", "document form HG1", "actor tenant (you)"],
        ),
        (
            "object D, E | place E",
            ["about Heating Grant", "object form HG1", "object council", "place council", "actor tenant (you)"],
        ),
        ("actor B, actor B", ["about Heating Grant", "actor tenant (you)"]),
    ],
)
def test_roles(fields: str, roles: list[str]) -> None:
    assert roles_of(only_rule(f"2a permission {fields}" if fields else "2a permission")) == roles


def test_you_is_written_where_the_line_does_not_name_the_person() -> None:
    assert roles_of(only_rule("8a amount")) == ["about Heating Grant", "authority the publisher (we)"]
    assert roles_of(only_rule("8b duty actor B")) == ["about Heating Grant", "actor tenant"]
    assert only_rule("8b duty").roles == (Role(RoleName.ABOUT, Mention(TITLE, entity_key(TITLE), "benefit")),)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("form HG1", None),
        ("council office", None),  # half of its words
        ("payment", None),  # another form of "pay"
        ("boiler makers", "not stated: 'boiler makers'"),
        ("grant of 2019", "not stated: 'grant of 2019'"),  # a number that the page does not have
        ("Eiffel Tower", "not stated: 'Eiffel Tower'"),
        ("it", "it names a pronoun: 'it'"),
        ("You", "it names a pronoun: 'You'"),
        ("anyone who rents a home", "it names nobody that other pages could: 'anyone who rents a home'"),
        ("!!!", "it names I, which the reply does not say"),
        ("x" * 300, "it names I, which the reply does not say"),
    ],
)
def test_a_name_that_the_page_does_not_state_is_left_out_of_its_rule(name: str, reason: str | None) -> None:
    found = read(f"thing: I {name}", "8b duty object I")
    (rule,) = found.rules
    assert len(rule.roles) == (2 if reason is None else 1)
    assert [reject.reason for reject in found.rejects] == ([] if reason is None else [f"left out: {reason}"])


def test_names_may_be_in_capitals_and_the_reader_need_not_be_named() -> None:
    found = read("document: A HG1; I form HG1", "person: B householder", "2a permission")
    assert roles_of(found.rules[0]) == ["about HG1", "actor householder (you)"] and not found.rejects
    assert reasons("person: B Attacker Bank", "2a permission actor B") == ["left out: not stated: 'Attacker Bank'"]
    topic = read("benefit: A Winter Fuel Scheme", "8b duty", "10b amount")  # which the page does not name
    assert [roles_of(rule) for rule in topic.rules] == [[], []] and len(topic.rejects) == 2
    assert not parse_rules("8b duty", PAGE_CALL, cut_off=False)[0].rules[0].roles  # type: ignore[union-attr]


# Facts.


def told_of(sentence: str, *lines: str) -> Extraction:
    """What a reply says of a page of one sentence, whose names are those of ``PAGE``."""
    return read(ENTITIES, *lines, call=number_call([page(sentence)]))


@pytest.mark.parametrize(
    ("sentence", "fact", "stated"),
    [
        ("You may get the Heating Grant.", "B may get A", "tenant may get Heating Grant"),
        ("Tenants must also send us form HG1.", "B must send D.", "tenant must send form HG1"),
        ("You cannot use form HG1.", "B cannot use D", "tenant cannot use form HG1"),
        ("2.1 You need not send form HG1.", "B need not send D", "tenant need not send form HG1"),
        ("It does not cover form HG1.", "A does not cover D", "Heating Grant does not cover form HG1"),
        (
            "The grant is paid by the council, for example weekly.",
            "A are paid by E",
            "Heating Grant is paid by council",
        ),
        ("The grant is £210 a year.", 'A is "£210 a year"', "Heating Grant is £210 a year"),
        (
            "Send form HG1 within 3 months.",
            'B must send form HG1 within "3 months"',
            "tenant must send form hg1 within 3 months",
        ),
    ],
)
def test_facts(sentence: str, fact: str, stated: str) -> None:
    found = told_of(sentence, f"1 duty: {fact}")
    (one,) = found.statements
    target = one.object.value if isinstance(one.object, Literal) else one.object.surface
    assert f"{one.subject.surface} {relation_words(one)} {target}" == stated
    (rule,) = found.rules
    assert one.spans == rule.spans and one.modality in (rule.modality, Modality.IS) and not found.rejects


@pytest.mark.parametrize(
    ("place", "fact", "gap"),
    [
        ("1a", "B may get A", "all of its rule, but leaves out twice, winter"),
        ('1a if 1a="it is winter and the grant was got twice"', "B may get A", ""),
        ('1"the grant"', "B may get A", "all of its rule, but leaves out twice, winter"),  # which is not all of 1a
        ("1b", 'E pays "£210" A', "cannot be read"),
        ("1b", 'E pays by cheque the sum of "£210"', "its rule, but cheque, sum"),
        ("1c", 'B must not "use it abroad"', "what is done: 'must not' is no verb"),
        ("3b", 'A costs "£12"', "all of its rule, but leaves out couple"),  # a cell's row and column are said
        ("3b", 'A has for a couple a rate of "£12"', ""),
        ("3b if 3a", 'A has a rate of "£12"', ""),
    ],
)
def test_a_fact_that_says_less_or_more_than_its_rule_is_left_out(place: str, fact: str, gap: str) -> None:
    text = "In winter you may get the grant twice. The council pays £210. You must not use it abroad."
    call = number_call([page(f"{text}\n|# Who | Rate\n| Couple | £12")])
    number, _, condition = place.partition(" if ")
    found = read(ENTITIES, f"{number} amount {condition and f'if {condition}'}: {fact}", call=call)
    assert bool(found.statements) == (gap == "") and all(gap in one.reason for one in found.rejects)


@pytest.mark.parametrize(
    ("fact", "reason"),
    [
        ('A is "£999"', "left out: not stated: value '£999'"),
        ('A is "the moon"', "left out: not stated: value 'the moon'"),
        ('A is "%s"' % ("£210 " * 50), "left out: not stated: value None"),
        ("B may get ZZ", "left out: it names ZZ, which the reply does not say"),
        ("B dances", "left out: its fact cannot be read: B dances"),
        ("B " + "may get " * 30 + "A", "left out: its fact cannot be read"),
        ("B", "left out: its fact cannot be read: B"),
    ],
)
def test_a_fact_that_is_not_stated_is_left_out(fact: str, reason: str) -> None:
    found = read(f"8a amount: {fact}")
    assert len(found.rules) == 1 and not found.statements
    assert [one.reason[: len(reason)] for one in found.rejects] == [reason]


def test_a_rule_may_come_to_several_facts() -> None:
    found = told_of("You should send form HG1.", "1 consequence: B should send D: D should be sent by B")
    assert [one.relation for one in found.statements] == ["sends", "is sent by"]
    assert found.rules[0].modality is Modality.SHOULD
    assert {one.spans for one in found.statements} == {found.rules[0].spans} and not found.rejects


ALL = "all of its rule"  # it is clear alone
FEES = number_call(
    [
        page(
            """\
A deposit of £200 is paid by the tenant within 7 days, or 50% of it. A second permit costs £40 more than the charge.
Tenants may carry over up to 20 days of annual leave. Managers check this every year. They pay this charge.
- in that time you may appeal to the panel
- the payment that you get"""
        )
    ]
)
FEE_NAMES = [
    "benefit: A deposit; F payment", "document: C permit", "person: B tenant; D manager", "organisation: E panel",
]  # fmt: skip


@pytest.mark.parametrize(
    ("fact", "gap"),
    [
        (': A is "£200"', ALL),
        (': B must pay as a deposit "£200"', ALL),
        (': B must pay "£200"', "of what '£200' is"),
        (': B must pay within "7 days"', "of what '7 days' is"),
        (': B must pay a deposit within "7 days"', ALL),
        (': B may carry over "20 days"', "of what '20 days' is"),
        (': D checks "every year"', "of what 'every year' is"),
        (': C costs "£40"', ALL),
        (': C is "£40"', "of what '£40' is"),  # no amount by its name
        (': F is "£40"', ALL),
        (': A is "50%"', "of what '50%' is"),
        (': C costs "£40 more than this charge"', "what 'costs £40 more than this charge' points to"),
        (': C costs "more than the charge shown"', "what 'costs more than the charge shown' points to"),
        ("if 3: B may appeal to E", "what 'in that time you may appeal to the panel' points to"),
        ("if 4: B may appeal to E", ALL),  # no pointer: "that" follows a noun
    ],
)
def test_a_fact_that_does_not_say_the_rule_alone_is_left_out(fact: str, gap: str) -> None:
    found = read(*FEE_NAMES, f"2a duty {fact}", call=FEES)
    assert len(found.rules) == 1 and not found.statements
    (reject,) = found.rejects
    assert reject.reason.startswith(f"left out: its fact does not say {gap}")


def test_a_fact_about_the_publisher_is_none_who_has_no_name_yet() -> None:
    found = read("8a amount actor C: C pays A")
    assert len(found.rules) == 1 and not found.statements and not found.rejects


# What cannot be read, and what is left of it.


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("99 permission", "it cites no line of its own section"),
        ("2z permission", "it cites a line that its section does not have"),
        ('2"you … boat" permission', "it cites a line that its section does not have"),
        ('2"you own a boat" permission', "it cites a line that its section does not have"),
        ("2-999 permission", "it has no lines 2 to 999"),
        ("6-4 permission", "it has no lines 6 to 4"),
        ("2a", "it names no entities and is no rule"),
        ("3ſ permission", "it names no entities and is no rule"),
        ("You can get the grant.", "it names no entities and is no rule"),
        ("2a nonsense", "its kind is none of eligibility, exclusion"),
        ("2a permission " + "x" * 3000, "the line is too long"),
    ],
)
def test_a_line_that_cannot_be_read_is_rejected(line: str, reason: str) -> None:
    found = read(line, "8a amount")
    assert len(found.rules) == 1
    assert [one.reason[: len(reason)] for one in found.rejects] == [reason]


def test_a_place_that_is_lost_from_a_rule_is_told() -> None:
    found = read('2a,99,8b"the moon" permission')
    assert words_of(found.rules[0]) == ["You can get the Heating Grant"]
    lost = "left out: its section does not have what it cites of "
    assert [one.reason for one in found.rejects] == [lost + "99", lost + "8b"]
    assert [one.reason for one in parse_rules("1,8 step", CALL, cut_off=False)[0].rejects] == [lost + "8"]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "field", ["unless 2c", "if", "when 2b", "only if 2b", "2b", "condition: 2b", "unless you rent"]
)
def test_a_field_that_may_be_a_condition_rejects_its_rule(field: str) -> None:
    found = read(f"2a permission {field}")
    assert not found.rules and found.rejects


def test_a_field_that_is_none_is_left_out() -> None:
    assert reasons("2a permission | perhaps actr B")[0].startswith("left out: its modality is none of is, may")
    assert read("2a permission | perhaps").rules == read("2a permission").rules


def test_lines_beyond_the_most_that_are_read_are_told() -> None:
    (found,) = parse_rules("2a permission\n" * 5001, PAGE_CALL, cut_off=False)
    assert found is not None and [one.reason for one in found.rejects] == [
        "of its 5,001 items only the first 5,000 are read"
    ]


def test_a_rule_said_twice_is_one() -> None:
    assert read("2a permission may", "2a permission").rules == (only_rule("2a permission"),)


@pytest.mark.parametrize("text", ["", "I cannot help with that.", "{}", '{"rules": []}', "99", "RULES", "```\n```"])
def test_nothing_to_read(text: str) -> None:
    with pytest.raises(UnusableReply):
        parse_rules(text, CALL, cut_off=False)


@pytest.mark.parametrize("text", ["none", "None.", "```\nnone\n```", "RULES\nnothing"])
def test_a_reply_may_say_there_is_none(text: str) -> None:
    assert parse_rules(text, CALL, cut_off=False) == (Extraction(()),) * 3


# Several chunks in one call.


def placed(*lines: str, cut_off: bool = False, call: Call = CALL) -> list[set[str] | None]:
    """The first anchors of the rules of each chunk that the reply covers."""
    found = parse_rules("\n".join(lines), call, cut_off=cut_off)
    return [one and {rule.spans[0].anchor for rule in one.rules} for one in found]  # type: ignore[misc]


def test_each_chunk_gets_its_own_in_any_order() -> None:
    lines = ["1 eligibility", "6 eligibility", "7 amount", "8 step", "organisation: E council"]
    for order in itertools.permutations(lines):
        assert placed(*order) == [{"e0"}, {"e0", "e1"}, {"e0"}]
    assert placed("6,1 eligibility") == [set(), {"e0"}, set()]
    assert placed("1,8 eligibility") == [{"e0"}, set(), set()]  # of the chunk that owns the first line it cites


def test_a_cut_off_reply_covers_the_chunks_before_its_last() -> None:
    lines = ["1 eligibility", "7 amount", "8 step"]
    assert placed(*lines[:2], "8 st", cut_off=True) == [{"e0"}, None, None]  # its last line is not whole
    assert placed(*lines, "9", cut_off=True) == [{"e0"}, {"e1"}, None]
    with pytest.raises(UnusableReply):
        placed(lines[0], cut_off=True)
    assert placed(*lines[:2]) == [{"e0"}, {"e1"}, set()]


PIECES = st.one_of(
    st.sampled_from(
        [
            *ENTITIES.splitlines(),
            *(f"{place} permission" for place in ("1", "2a", "3b", "4,6", "6", "7", "8-9", "1")),
        ]
    ),
    st.lists(
        st.one_of(
            st.sampled_from(
                [
                    *"()=\"-,|'",
                    *("1", "2a", "6", "8", "1-3", "A", "B"),
                    *("if", "and", "or", "not", "any", "actor", "duty", "may"),
                ]
            ),
            st.text(max_size=4),
        ),
        max_size=12,
    ).map(" ".join),
)


@given(st.lists(PIECES, max_size=6), st.booleans())
def test_any_lines_stay_within_the_call(lines: list[str], cut_off: bool) -> None:
    """Whatever the reply, spans and leaves lie in the chunk's own input."""
    try:
        found = parse_rules("\n".join(lines), CALL, cut_off=cut_off)
    except UnusableReply:
        return
    assert len(found) == len(CALL.inputs)
    for source, extraction in zip(CALL.inputs, found, strict=True):
        texts = {element.label: element.text for element in source.elements}
        made: list[Rule | Statement] = []
        made += [*extraction.rules, *extraction.statements] if extraction else []
        for one in made:
            assert one.spans and all(0 <= n.start < n.end <= len(texts[n.anchor]) for n in one.spans)
            for leaf in leaves(one.condition):
                assert leaf.text and leaf.text == texts[leaf.anchor][leaf.start : leaf.end]
