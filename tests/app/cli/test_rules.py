"""What the pages rule about a topic, on the sample corpus."""

from typing import Any

import pytest

from tests.app.cli.conftest import Cli, parsed

pytestmark = pytest.mark.usefixtures("stocked")

GRANT, PERMIT = "winter heating grant", "resident parking permit"


@pytest.mark.parametrize(
    ("topic", "taken", "as_named"),
    [
        ("Winter Heating Grants", GRANT, True),
        ("heating grant", GRANT, False),
        ("the grant for heating", GRANT, False),
        ("winter heeting grant", GRANT, False),
        ("winter heating grant deadline", GRANT, False),
        ("parking permit for residents", PERMIT, False),
        ("leave", "new parent leave", False),
        ("tenant", "tenant", True),
        ("heating-grant.html", None, True),
        ("Vehicle tax", "vehicle tax", True),
    ],
)
def test_a_topic_is_an_entity_or_a_page(cli: Cli, topic: str, taken: str | None, as_named: bool) -> None:
    found = parsed(cli("rules", topic, "--json"))
    assert (found["entity"], found["taken"] == "") == (taken, as_named)
    assert found["of_page"] == (None if taken else "corpus:heating-grant.html")
    assert (found["taken"] or found["corpus"]) in cli("rules", topic).stdout or as_named


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("zebra",), 3, "no entity, page or rule about 'zebra'"),
        (("zebra",), 3, "`clausegraph facts` shows the largest"),
        (("tenant", "-k", "colour"), 2, "no kind of rules 'colour'; there are: eligibility, exclusion"),
    ],
)
def test_what_is_not_there_is_told_with_what_is_near(cli: Cli, words: tuple[str, ...], code: int, said: str) -> None:
    result = cli("rules", *words)
    assert (result.exit_code, said in result.stderr) == (code, True), result.output


@pytest.mark.parametrize(
    ("words", "kinds", "found", "note"),
    [
        ((GRANT, "-k", "deadlines"), {"deadline"}, 1, ""),
        (("private tenancy", "-k", "step"), set(), 0, "no procedure step among its rules; there are: "),
        (("private tenancy", "-k", "deadline", "--for", "Tenants"), {"deadline"}, 2, ""),
        (("rent supplement", "--for", "applicant", "-k", "exclusion"), set(), 3, ""),
        ((GRANT, "--for", "dentist"), set(), 0, "none of these rules names 'dentist'; they name: winter heating grant"),
    ],
)
def test_rules_are_narrowed_by_kind_and_by_whom_they_name(
    cli: Cli, words: tuple[str, ...], kinds: set[str], found: int, note: str
) -> None:
    reply = parsed(cli("rules", *words, "--json"))
    assert (reply["found"], len(reply["rules"])) == (found, found)
    assert all(kinds <= set(one["kinds"]) for one in reply["rules"])
    assert reply["note"].startswith(note) and (reply["note"] or "updated") in cli("rules", *words).stdout


def _rules(cli: Cli, *words: str) -> dict[str, dict[str, Any]]:
    return {one["words"]: one for one in parsed(cli("rules", *words, "--json"))["rules"]}


def test_a_rule_has_its_words_condition_values_roles_links_and_place(cli: Cli) -> None:
    grant = _rules(cli, GRANT)
    row = next(words for words in grant if words.startswith("Your household: You live alone"))
    assert row.endswith("| Born 1 October 1946 to 30 September 1961: £210 | Born before 1 October 1946: £310")
    excluded = next(one for one in grant.values() if one["section"] == "Who cannot get it")
    assert "; you live in a care home, unless you pay all of your own fees" in excluded["words"]
    assert excluded["links"][0]["words"].startswith("You can get the grant if all of the following apply: you were")
    assert excluded["id"] in [one["id"] for one in grant[excluded["links"][0]["words"]]["exceptions"]]
    assert (excluded["title"], excluded["updated"]) == ("Winter Heating Grant", "2026-03-03")
    assert {"role": "about", "entity": GRANT, "written": "Winter Heating Grant"} in excluded["roles"]
    notice = _rules(cli, "tenant")["You must give your tenant 8 weeks’ written notice."]
    assert notice["condition"] == notice["elsewhere"] == "you are the landlord"
    late = grant[
        "We cannot accept a late claim unless you were too ill to claim or your partner died during the winter."
    ]
    assert late["condition"].startswith("not you were too ill") and late["elsewhere"] == ""


def test_rules_about_a_topic_come_before_those_that_name_it_and_no_more_than_asked_for(cli: Cli) -> None:
    found = parsed(cli("rules", "rent supplement", "--json"))["rules"]
    about = [
        any(role["role"] == "about" and role["entity"] == "rent supplement" for role in one["roles"]) for one in found
    ]
    assert about == sorted(about, reverse=True) and set(about) == {True, False}
    said = cli("rules", "rent supplement", "-n", str(len(found) - 1)).stdout
    assert "1 more; raise --limit, or narrow with --kind or --for" in said
    assert said.index("Who can claim") < said.index("Who cannot claim") < said.index("How it is paid")


@pytest.mark.parametrize(
    ("topic", "said", "has"),
    [
        ("refund", "these rules have its words", "We refund a season licence only if you return it before 1 June"),
        ("change of address", "these rules have its words", "report a new address within 10 days"),
        ("winter heating grant evidence", "was taken for", "Winter Heating Grant"),
    ],
)
def test_a_topic_that_is_no_entity_finds_rules_by_their_words(cli: Cli, topic: str, said: str, has: str) -> None:
    found = parsed(cli("rules", topic, "--json"))
    assert said in found["taken"] and any(has in one["words"] for one in found["rules"])
    assert has in cli("rules", topic).stdout


def test_facts_near_a_text_come_with_the_rules_near_it(cli: Cli) -> None:
    assert "rules near it:" in cli("facts", "--about", "refund of a fishing licence").stdout
    assert parsed(cli("facts", "--about", "zebra", "--json"))["rules"] == []
