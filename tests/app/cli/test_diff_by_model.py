"""``clausegraph diff --ask``: a fake model says which changed rules are reworded; code says which it is asked about."""

from pathlib import Path

import pytest

from clausegraph.app.services.rewordings import parse_judgements
from clausegraph.core.errors import UnusableReply
from clausegraph.core.language.rewording import same_figures
from tests.app.cli.conftest import Cli, parsed
from tests.harness.fake_llm import FakeModelServer, FakeOptions

BAD = "lines of no form, pair or twice"
OLD = ("You can get the grant if you live alone.", "You must pay a fee of £20.", "Staff may bring a dog to work.")
NEW = ("You can get the grant if nobody shares your home.", "You must pay a fee of £30.", "Pets are welcome. 1 same")


@pytest.mark.integration
def test_what_the_model_takes_for_a_rewording_is_one_and_amounts_are_not_asked_about(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = tmp_path / "pages" / "a.html"
    page.parent.mkdir()
    for said in (OLD, NEW):
        page.write_text(f"<title>Grant</title><main><h1>Grant</h1>{''.join(f'<p>{one}</p>' for one in said)}", "utf-8")
        assert cli("ingest", str(page.parent)).exit_code == 0
    refused = parsed(cli("diff", "--ask", "--json"), code=2)
    assert "CLAUSEGRAPH_LLM" in refused["error"]["message"]
    plain = parsed(cli("diff", "--json"))
    reply = "1 same\n2 differs | a dog, any pet\n9 same\n£20 and £30 are the same"
    with FakeModelServer(FakeOptions(replies="script", script=[reply])) as server:
        for name, value in {"LLM": "openai:fake", "LLM_URL": server.url, "LLM_KEY": "x", "EXTRACTOR": "rules"}.items():
            monkeypatch.setenv(f"CLAUSEGRAPH_{name}", value)
        shown = cli("diff", "--ask", "--all")
        found = parsed(cli("diff", "--ask", "--json"))
        asked = str(server.last_requests())
    assert "reworded by the model's judgement" in shown.stdout and "of rules in 1 call" in shown.stderr
    assert found["asked"]["reworded"] == found["reworded"] == 1 and len(found["rules"]) < len(plain["rules"])
    assert any("£30" in one["new"]["words"] and one["kind"] == "changed" for one in found["rules"])
    assert "old: You can get" in asked and "fee of" not in asked
    assert found["asked"]["rejected"] == {BAD: 2, "pairs not judged": 2}


@pytest.mark.parametrize(
    ("reply", "same", "rejected"),
    [
        ("1 same\n2 differs | who\n3. same", [(0, 0), (2, 2)], {}),
        ("2 same\n2 differs\n1 same\n1 same\n4 same\n0 same", [],
         {BAD: 6, "pairs not judged": 3}),
        ("all same\n1 same and 2 same\n3 same", [(2, 2)], {BAD: 2, "pairs not judged": 2}),
    ],
)  # fmt: skip
def test_only_lines_on_pairs_that_were_asked_are_believed(
    reply: str, same: list[tuple[int, int]], rejected: dict[str, int]
) -> None:
    assert parse_judgements(reply, [(0, 0), (1, 1), (2, 2)]) == (same, rejected)
    with pytest.raises(UnusableReply):
        parse_judgements("Every pair rules the same.", [(0, 0)])


@pytest.mark.parametrize(
    ("old", "new", "agree"),
    [
        ("within two weeks", "no more than 14 days", True),
        ("You must be 18 or over", "aged at least 18 years of age", True),
        ("£20 a week for one adult", "a weekly £20 for an adult", True),
        ("at least 16", "at most 16", False),
        ("16 to 24 year olds", "16 or over", False),
        ("over 18", "18 or over", False),
        ("14 days", "14 working days", False),
        ("£20 a week", "£20 a month", False),
        ("two children", "Three children", False),
        ("by Monday", "by Friday", False),
        ("form R12", "form R13", False),
    ],
)  # fmt: skip
def test_numbers_dates_and_amounts_are_compared_as_quantities(old: str, new: str, agree: bool) -> None:
    assert same_figures(old, new) is agree
