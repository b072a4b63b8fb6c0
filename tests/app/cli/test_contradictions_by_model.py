"""``clausegraph contradictions --ask``: a fake model names pairs of lines; what code checks of it is shown."""

from pathlib import Path

import pytest

from tests.app.cli.conftest import Cli, parsed
from tests.harness.fake_model import fake_with

pytestmark = pytest.mark.integration

PAGES = {
    "a": ("Fuel cards", "Nobody but the driver may use the card.", "The fuel card costs £5 a year."),
    "b": ("Fuel cards for teams", "You may lend the card to a colleague.", "The fuel card costs £8 a year."),
}
REPLY = """1 | "Nobody but the driver" | 3 | "You may lend the card" | who may use it
2 | "£5 a year" | 4 | "£8 a year" | price
1 | "Only the driver" | 3 | "You may lend" | who may use it"""
LINK = '<p>These rules replace our older <a href="b.html">rules for teams</a>.</p>'


def test_what_the_model_finds_is_beside_what_code_finds(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pages").mkdir()
    for name, (title, *said) in PAGES.items():
        html = f"<title>{title}</title><main><h1>{title}</h1>{''.join(f'<p>{text}</p>' for text in said)}"
        (tmp_path / "pages" / f"{name}.html").write_text(html, "utf-8")
    assert cli("ingest", str(tmp_path / "pages")).exit_code == 0
    refused = parsed(cli("contradictions", "--ask", "--json"), code=2)
    assert "CLAUSEGRAPH_LLM" in refused["error"]["message"]
    server = fake_with(replies="script", script=[REPLY])
    for name, value in {"LLM": "openai:fake", "LLM_URL": server.url, "LLM_KEY": "x", "EXTRACTOR": "rules"}.items():
        monkeypatch.setenv(f"CLAUSEGRAPH_{name}", value)
    first = cli("contradictions", "--ask")
    assert "asking about 1 pair of sections in 1 call" in first.stderr
    assert "2 contradictions" in first.stdout and "by the model: who may use it" in first.stdout
    found, plain = (parsed(cli("contradictions", *ask, "--json")) for ask in (["--ask"], []))
    assert server.counters()["requests"] == 1
    assert found["contradictions"][:-1] == plain["contradictions"] and "asked" not in plain
    by_model, asked = found["contradictions"][-1], found["asked"]
    sides = [by_model[side] for side in ("newer", "older")]
    assert [side["quotes"] for side in sides] == [[PAGES["a"][1]], [PAGES["b"][1]]]
    assert all(side["rule"] and side["anchor"].startswith("p-") for side in sides)
    assert (by_model["kind"], asked["pairs"], asked["calls"], asked["cached"]) == ("model", 1, 1, 1)
    assert asked["rejected"] == {"words that a line does not have, or both have": 1}
    page = tmp_path / "pages" / "a.html"
    page.write_text(page.read_text("utf-8") + LINK, "utf-8")
    assert cli("ingest", str(tmp_path / "pages")).exit_code == 0
    server.set(script=['4 | "You may lend" | 1 | "Nobody but the driver" | who'])
    (old,) = (one for one in parsed(cli("contradictions", "--ask", "--json"))["superseded"] if "differs" in one)
    assert [old[side]["title"] for side in ("newer", "older")] == [PAGES["a"][0], PAGES["b"][0]]
