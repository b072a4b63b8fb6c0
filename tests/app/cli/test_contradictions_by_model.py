"""``clausegraph contradictions --ask``: a fake model names pairs of lines; what code checks of it is shown."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.app.cli.conftest import Cli, parsed
from tests.harness.fake_llm import FakeModelServer, FakeOptions

pytestmark = pytest.mark.integration

PAGES = {
    "a": ("Fuel cards", "Nobody but the driver may use the card.", "The fuel card costs £5 a year."),
    "b": ("Fuel cards for teams", "You may lend the card to a colleague.", "The fuel card costs £8 a year."),
}
REPLY = """1 | "Nobody but the driver" | 3 | "You may lend the card" | who may use it
2 | "£5 a year" | 4 | "£8 a year" | price
1 | "Only the driver" | 3 | "You may lend" | who may use it"""


@pytest.fixture(scope="module")
def server() -> Iterator[FakeModelServer]:
    with FakeModelServer(FakeOptions(replies="script", script=[REPLY])) as running:
        yield running


def test_what_the_model_finds_is_shown_beside_what_code_finds(
    cli: Cli, server: FakeModelServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pages").mkdir()
    for name, (title, *said) in PAGES.items():
        body = "".join(f"<p>{text}</p>" for text in said)
        html = f"<title>{title}</title><main><h1>{title}</h1>{body}</main>"
        (tmp_path / "pages" / f"{name}.html").write_text(html, "utf-8")
    assert cli("ingest", str(tmp_path / "pages")).exit_code == 0
    refused = parsed(cli("contradictions", "--ask", "--json"), code=2)
    assert "CLAUSEGRAPH_LLM" in refused["error"]["message"]
    for name, value in {"LLM": "openai:fake", "LLM_URL": server.url, "LLM_KEY": "x"}.items():
        monkeypatch.setenv(f"CLAUSEGRAPH_{name}", value)
    first = cli("contradictions", "--ask")
    assert "asking about 1 pair of sections in 1 call" in first.stderr
    assert "2 contradictions" in first.stdout and "by the model: who may use it" in first.stdout
    found = parsed(cli("contradictions", "--ask", "--json"))
    assert server.counters()["requests"] == 1
    plain = parsed(cli("contradictions", "--json"))
    assert found["contradictions"][:-1] == plain["contradictions"] and "asked" not in plain
    by_model = found["contradictions"][-1]
    sides = [by_model[side] for side in ("newer", "older")]
    assert [side["quotes"] for side in sides] == [[PAGES["a"][1]], [PAGES["b"][1]]]
    assert all(side["rule"] and side["anchor"].startswith("p-") for side in sides)
    asked = found["asked"]
    assert (by_model["kind"], asked["model"], asked["pairs"]) == ("model", "openai:fake", 1)
    assert (asked["calls"], asked["cached"], asked["money"]) == (1, 1, 0.0)
    assert asked["rejected"] == {"words that a line does not have, or both have": 1}
