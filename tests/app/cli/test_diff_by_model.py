"""``clausegraph diff --ask``: a fake model says which rules are only reworded; code says which it is asked about."""

from pathlib import Path

import pytest

from clausegraph.app.services.rewordings import parse_judgements
from clausegraph.core.errors import UnusableReply
from clausegraph.core.language.rewording import same_figures
from tests.app.cli.conftest import Cli, parsed
from tests.harness.fake_model import fake_with

OLD = ("You can get the grant if you live alone.", "You must pay a fee of £20.", "Staff may bring a dog to work.")
NEW = ("You can get the grant if nobody shares your home.", "You must pay a fee of £30.", "Pets are welcome.")
REPLY = "1 same\n2 differs | a dog, any pet\n9 same\n£20 and £30 are the same"
BAD, LEFT = "lines of no form, pair or twice", "pairs not judged"


@pytest.mark.integration
def test_what_the_model_takes_for_a_rewording_is_one_and_amounts_are_not_asked_about(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = tmp_path / "pages" / "a.html"
    page.parent.mkdir()
    for said in (OLD, NEW):
        page.write_text(f"<title>Grant</title><main><h1>Grant</h1>{''.join(f'<p>{one}</p>' for one in said)}", "utf-8")
        assert cli("ingest", str(page.parent)).exit_code == 0
    assert "CLAUSEGRAPH_LLM" in parsed(cli("diff", "--ask", "--json"), code=2)["error"]["message"]
    plain = parsed(cli("diff", "--json"))
    assert sorted(one["kind"] for one in plain["rules"]) == ["changed", "changed", "gone", "new"]
    server = fake_with(replies="script", script=[REPLY])
    for name, value in {"LLM": "openai:fake", "LLM_URL": server.url, "LLM_KEY": "x", "EXTRACTOR": "rules"}.items():
        monkeypatch.setenv(f"CLAUSEGRAPH_{name}", value)
    shown, found = cli("diff", "--ask", "--all"), parsed(cli("diff", "--ask", "--json"))
    (asked,) = server.last_requests()
    assert "reworded by the model's judgement\n    - You can get" in shown.stdout
    assert "2 pairs of rules in 1 call" in shown.stderr and "asked" not in plain
    assert sorted(one["kind"] for one in found["rules"]) == ["changed", "gone", "new"] and found["reworded"] == 1
    assert "old: You can get" in str(asked) and "fee" not in str(asked)
    assert found["asked"]["rejected"] == {BAD: 2}


def test_only_lines_on_pairs_that_were_asked_are_believed() -> None:
    pairs = [(0, 0), (1, 1), (2, 2)]
    assert parse_judgements("2 same\n2 differs\n1 same\n1 same\n4 same\n0 same", pairs) == ([], {BAD: 6, LEFT: 3})
    assert parse_judgements("all same\n1 same and 2 same\n3. same", pairs) == ([(2, 2)], {BAD: 2, LEFT: 2})
    with pytest.raises(UnusableReply):
        parse_judgements("Every pair rules the same.", pairs)


SAME = """within two weeks = no more than 14 days; You must be 18 or over = aged at least 18 years of age
£20 a week for one adult = a weekly £20 for an adult; up to £1,000 = no more than 1,000 pounds"""
OTHER = """at least 16 = at most 16; 16 to 24 = 16 or over; over 18 = 18 or over; 14 days = 14 working days
£20 a week = £20 a month; two children = Three children; by Monday = by Friday; form R1 = form R2"""


@pytest.mark.parametrize(("pairs", "agree"), [(SAME, True), (OTHER, False)])
def test_numbers_dates_and_amounts_are_compared_as_quantities(pairs: str, agree: bool) -> None:
    for pair in pairs.replace("\n", "; ").split("; "):
        assert same_figures(*pair.split(" = ")) is agree, pair
