"""A draft is worth what its labels, quotes and tree are worth; nothing unverified reaches an answer."""

import json
from typing import Any

import pytest

from clausegraph.core.errors import UnusableReply
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.types import AnswerStatus, ConditionState, leaves
from clausegraph.query.read.model.check import check_draft
from clausegraph.query.read.model.reader import attempt_of, result_of
from clausegraph.query.read.model.schema import parse_draft
from clausegraph.query.read.model.shown import Shown, shown_of
from clausegraph.query.read.protocol import ReadResult
from tests.query.read.conftest import Pages
from tests.query.read.model.drafts import ASKED, BORN, FEES, HOME, RENT, RULE, answer, condition, reply


@pytest.fixture
def shown(grant: Pages) -> Shown:
    return shown_of(grant.hits(), grant.reading, 10_000)


def read(shown: Shown, pages: Pages, said: object, asked: Inquiry = ASKED) -> ReadResult:
    text = said if isinstance(said, str) else json.dumps(said)
    attempt = attempt_of(text, lambda draft: check_draft(draft, shown, asked, pages.reading))
    return result_of(attempt, shown, pages.reading, {})


def problems(result: ReadResult) -> str:
    found = result.reasons["problems"]
    assert isinstance(found, list)
    return "; ".join(found)


def test_the_open_leaf_of_the_rule_is_what_the_answer_hangs_on(shown: Shown, grant: Pages) -> None:
    said = reply(answer("Yes.", "e3", RULE, ["e3", "e4", "e5"]), conditions=[BORN, RENT, HOME, FEES])
    result = read(shown, grant, said)
    (only,) = result.alternatives
    assert (only.text, result.status) == ("yes", AnswerStatus.ANSWERED)
    assert [e.span.anchor for e in only.evidence] == ["grant-2", "grant-3", "grant-4"]
    assert only.open_conditions == ("<li>you live in a care home, unless you pay all of your own fees</li>",)
    assert [(j.leaf.text, j.state.value) for j in leaves(only.condition)] == [
        ("you were born on or before 30 September 1961", "met"),
        ("you get Rent Supplement", "met"),
        ("you live in a care home", "met"),
        ("you pay all of your own fees", "unknown"),
    ]
    assert result.reasons["questions"] == {"fees": "Does she pay all of her own fees?"}


def test_only_a_gate_turns_round(shown: Shown, grant: Pages) -> None:
    unmet = condition("born", "e4", "contradicted", "born in 1942")
    for said in (
        reply(answer("yes", "e3", "born"), conditions=[unmet], kind="fact"),
        reply(answer("£210 a year", "e9", "born"), conditions=[unmet]),
    ):
        result = read(shown, grant, said)
        assert (result.status, result.alternatives) == (AnswerStatus.UNKNOWN, ())


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (reply(answer("yes", "e99")), "none of its evidence was shown"),
        (reply(answer("a lot of money", "e9")), "its words do not stand in e9"),
        (reply(answer("yes", "e3", "c9")), "'c9' is not among the conditions"),
        (reply(answer("yes", "e3", "c"), conditions=[condition("c", "e77", "open")]), "cites 'e77'"),
        (
            reply(answer("yes", "e3", "c"), conditions=[condition("c", "e4", "open", quote="you are rich")]),
            "does not stand in e4",
        ),
        (reply(answer("yes", "e3", "c"), conditions=[condition("c", "e4", "perhaps")]), "has no state"),
        (
            reply(answer("yes", "e3", "c"), conditions=[condition("c", "e4", "contradicted", "born in 1970")]),
            "by no words of the scenario",
        ),
        (reply(answer("yes", "e3", {"all": []}, ["e3"]) | {"if": {"any": []}}), "empty"),
        (reply(answer("yes", "e3", {"perhaps": ["c"]})), "cannot be read"),
        (reply(answer("yes", "e3", {"not": None})), "cannot be read"),
        (reply(answer("yes", "e3", json.loads('{"not":' * 12 + '"c"' + "}" * 12))), "nested more than 8 deep"),
        ('{"answers": [1, "yes", {"text": ""}]}', 'no item of "answers"'),
        ("I cannot help with that.", "no JSON"),
    ],
)
def test_what_cannot_be_verified_is_told_and_not_asserted(shown: Shown, grant: Pages, said: Any, why: str) -> None:
    result = read(shown, grant, said)
    assert (result.status, result.alternatives) == (AnswerStatus.UNKNOWN, ())
    assert why in problems(result)


def test_met_without_words_of_the_scenario_is_taken_for_granted(shown: Shown, grant: Pages) -> None:
    said = reply(answer("yes", "e3", "c"), conditions=[condition("c", "e4", "met", "She is old enough")])
    (only,) = read(shown, grant, said).alternatives
    (leaf,) = leaves(only.condition)
    assert (leaf.state, leaf.decisive, only.open_conditions) == (ConditionState.UNKNOWN, False, ())


def test_a_span_is_the_pages_words(shown: Shown, grant: Pages) -> None:
    (only,) = read(shown, grant, reply(answer("INTO YOUR ACCOUNT", "e9", None, ["E9", "[e8]"]))).alternatives
    assert only.text == "into your account"
    assert grant.readings[only.evidence[0].page].elements[8].text[slice(*span(only.evidence[0]))] == only.text
    assert only.evidence[0].quote == "It is paid into your account by 31 January."


def span(evidence: Any) -> tuple[int, int]:
    return evidence.span.start, evidence.span.end


def test_invented_evidence_is_left_out_of_an_answer_that_has_other(shown: Shown, grant: Pages) -> None:
    result = read(shown, grant, reply(answer("no", "e6", None, ["e6", "e55"])))
    assert [e.span.anchor for e in result.alternatives[0].evidence] == ["grant-5"]
    assert "left out evidence 'e55': not shown" in str(result.reasons["notes"])


def test_no_answers_is_an_answer(shown: Shown, grant: Pages) -> None:
    assert read(shown, grant, reply()).status is AnswerStatus.NOT_ANSWERABLE


def test_equal_answers_are_one(shown: Shown, grant: Pages) -> None:
    words = ["You", "get", "£210", "a year", "paid", "account", "January"]
    said = reply(*(answer(text, "e9") for text in [*words, *words]), kind="list")
    assert [a.text for a in read(shown, grant, said).alternatives] == words


def test_conditions_without_a_tree_are_open_elements(shown: Shown, grant: Pages) -> None:
    said = {"answers": [{"text": "yes", "element": "e3", "evidence": ["e3"], "conditions": ["e4", "e5"]}]}
    (only,) = read(shown, grant, said).alternatives
    assert only.open_conditions == (
        "<li>you were born on or before 30 September 1961</li>",
        "<li>you get Rent Supplement</li>",
    )


def test_a_reply_is_read_to_its_limits() -> None:
    many = parse_draft(
        json.dumps(reply(*[answer("yes", "e3")] * 500, conditions=[BORN | {"id": i} for i in range(500)]))
    )
    assert (len(many.answers), len(many.conditions)) == (20, 60)
    with pytest.raises(UnusableReply):
        parse_draft('{"answers": "yes"}')
