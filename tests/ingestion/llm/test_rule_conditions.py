"""The ``if`` of a rule: its tree, what its leaves mean, and what makes it unreadable."""

import pytest

from clausegraph.core.embedding_texts import is_within
from clausegraph.core.language.wording import condition_words
from clausegraph.core.serial import condition_from_json, condition_to_json
from clausegraph.core.types import leaves
from clausegraph.ingestion.extract.llm.numbering import number_call
from clausegraph.ingestion.extract.llm.rules_reply import parse_rules
from tests.harness.tables import rows
from tests.ingestion.llm.calls import grant_call, only_rule, read, reasons
from tests.ingestion.rules.sketch import page, written


@pytest.mark.parametrize(("condition", "tree"), rows(__file__, "the condition of a rule, and its tree"))
def test_trees(condition: str, tree: str) -> None:
    assert written(only_rule(f"11b duty if {condition}").condition) == tree


def test_two_conditions_hold_together_and_a_rules_own_words_are_none() -> None:
    assert written(only_rule("11b duty if 2b or 4 if 6").condition) == (
        "all[any[you rent your home; you live in a care home]; you get Basic Support]"
    )
    assert written(only_rule("2a permission if 2a and 2b").condition) == "you rent your home"
    assert only_rule("4 exclusion if 4").condition is None


@pytest.mark.parametrize(
    ("condition", "reason"),
    [
        ("2b and", "cannot be read at"),
        ("and 2b", "cannot be read at"),
        ("(2b", "lacks a bracket"),
        ("2b)", "cannot be read at"),
        ("2b 4", "lacks a bracket"),
        ("2b, 4", "lacks a bracket"),
        ("you rent your home", "cannot be read at you"),
        ("3ſ", "lacks a bracket"),  # no letter of ours
        ("99", "cites what its section does not have: 99"),
        ("2z", "cites what its section does not have: 2z"),
        ("9" * 1500, "cites what its section does not have"),
        ('2"you own a boat"', 'has no words "you own a boat" in 2'),
        ('2"you do not rent your home"', "has no words"),
        ('5"not over 16"', "has no words"),  # another number
        ("6-4", "has no list '6-4'"),
        ("1-99", "has no list '1-99'"),
        ("any 4-99999999999999999999", "has no list"),
        ("any 4-6 and not 5", "says and denies the same: 'your partner is not over 18'"),
        ("3", "only points to other lines"),
        ("3 or 4", "only points to other lines"),
        ("(" * 9 + "4" + ")" * 9, "is nested more than 8 deep"),
        ("not " * 9 + "4", "is nested more than 8 deep"),
        (" or ".join(["4"] * 51), "has more than 50 parts"),
    ],
)
def test_a_rule_without_its_condition_would_be_false(condition: str, reason: str) -> None:
    found = read(f"11b duty if {condition}")
    assert not found.rules and not found.statements
    (reject,) = found.rejects
    assert reject.reason.startswith("its condition") and reason in reject.reason


def test_a_condition_of_another_chunk_is_kept_in_its_words() -> None:
    call = grant_call()
    lead_in = read("6 eligibility if 1", call=call)  # of the second chunk, which the first has none of
    assert not lead_in.rules and not lead_in.rejects
    (rule,) = read("5 exclusion if 6", call=call).rules
    (leaf,) = leaves(rule.condition)
    assert leaf.words == "you rent your home from a private landlord" and leaf.anchor == rule.spans[0].anchor
    assert rule.effective_from == "2026-03-31" and not is_within(leaf, rule.spans)  # so that it is shown beside them
    listed = parse_rules('8 step if 1 and 2-3 or 5 and not 6="you rent from a landlord"', call, cut_off=False)[2]
    assert listed is not None and not listed.rejects  # its lead-in, which only points to the items, is left out
    assert condition_words(listed.rules[0].condition) == (
        "((you are 18 or over and you live in Lethmoor) or "
        "(You cannot claim after 31 March 2026. and not you rent from a landlord))"
    )
    assert reasons("5 exclusion if 99", call=call) == ["its condition cites what its section does not have: 99"]


# Meanings: what a condition's words leave open is said in full.

PERMITS = number_call(
    [
        page(
            """\
You must apply for a new permit if any of these things change:
- name
- nationality
If you think the job is suitable but they do not take it within 4 weeks, they might lose their pay.
The employer decides. They pay for the visit, unless it is urgent. Tell the landlord if you do not have one.""",
            "Permits of an employee",
        )
    ]
)


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        ('4a="the employer thinks the job is suitable"', "the employer thinks the job is suitable"),
        ('4"the job is suitable"="The job is suitable"', "the job is suitable"),  # which only repeats it
        ('2="the name changes" or 3', "(the name changes or nationality)"),
        ('2="the name does not change"', "the name does not change"),  # a lead-in may deny it
        ('5c="the visit is urgent"', "the visit is urgent"),
        ('5b="the pay is for a visit"', "the pay is for a visit"),  # the case that a rule speaks of
    ],
)
def test_a_leaf_keeps_the_words_of_the_page_and_says_what_they_mean(condition: str, words: str) -> None:
    tree = only_rule(f"5d duty if {condition}", call=PERMITS).condition
    assert condition_words(tree) == words
    assert condition_from_json(condition_to_json(tree)) == tree


@pytest.mark.parametrize(
    ("condition", "reason"),
    [
        ('4b="they do not take the job"', "lacks a number"),
        ('4b="they take the job within 4 weeks"', "round"),
        ('4"the job is suitable"="the job is not suitable"', "round"),
        ('4"the job is suitable"="the pay of the employee"', "is not what"),
        ('4"the job is suitable"="the landlord of Paris lives in the Eiffel Tower"', "not stated"),
        ('4"the job is suitable"=" "', "no text, empty or too long"),
        ('4"the job is suitable"="' + "the job is suitable " * 40 + '"', "no text, empty or too long"),
    ],
)
def test_a_meaning_that_says_something_else_is_left_out(condition: str, reason: str) -> None:
    """The page's own words still say the condition."""
    found = read(f"5d duty if {condition}", call=PERMITS)
    (rule,) = found.rules
    assert [leaf.meaning for leaf in leaves(rule.condition)] == [""]
    (reject,) = found.rejects
    assert reject.reason.startswith("left out: ") and reason in reject.reason
