"""``ask --web``: folders, addresses and files of addresses, without a corpus."""

import re
from pathlib import Path

import pytest

from tests.app.cli.conftest import Cli, parsed
from tests.harness.site import NAME, local_site

pytestmark = pytest.mark.integration

PAGE = (
    "<html><head><title>Alder bridge</title></head><body><main><h1>Alder bridge</h1><h2>History</h2>"
    "<p>The Alder bridge opened in 1931. It was paid for by the guild of salt merchants.</p></main></body></html>"
)
QUESTION = "When did the Alder bridge open?"


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    folder = tmp_path / "pages"
    folder.mkdir()
    (folder / "alder.html").write_text(PAGE, encoding="utf-8")
    (folder / "empty.html").write_text("", encoding="utf-8")
    return folder


def test_a_folder_answers_without_a_ledger(cli: Cli, pages: Path, tmp_path: Path) -> None:
    result = cli("ask", QUESTION, "--web", str(pages), "--at", "2024-03-05T10:00-08:00", "--json", "--trace")
    found = parsed(result)
    evidence = found["quotes"][0]
    assert found["status"] == "quoted"  # no language model is set
    assert (evidence["title"], evidence["headings"][-1]) == ("Alder bridge", "History")
    assert evidence["quote"] == "The Alder bridge opened in 1931."
    assert [step["name"] for step in found["trace"]][:3] == ["read pages", "attributes", "pages"]
    assert "Not read: empty.html: the file is empty" in result.stderr
    assert not (tmp_path / "home").exists()


def test_addresses_are_fetched_by_the_guarded_client(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with local_site() as site:
        site.page("/alder", PAGE)
        addresses = tmp_path / "addresses.txt"
        addresses.write_text(site.url("/alder") + "\n", encoding="utf-8")
        refused = cli("ask", QUESTION, "--web", f"http://127.0.0.1:{site.port}/alder")
        assert refused.exit_code == 2
        assert "there is no page to answer from" in refused.stderr
        assert not site.asked
        monkeypatch.setenv("CLAUSEGRAPH_WEB_ALLOW", f"127.0.0.1, {NAME}=127.0.0.1")
        monkeypatch.setenv("CLAUSEGRAPH_WEB_INTERVAL", "0")
        for place in (site.url("/alder"), str(addresses)):
            found = parsed(cli("ask", QUESTION, "--web", place, "--json"))
            assert found["quotes"][0]["url"] == site.url("/alder")


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["--web", "PAGES", "--at", "yesterday"], "time 'yesterday' is not understood"),
        (["--web", "PAGES", "--at", "2024-03-05T10:00"], "has no zone"),
        (["--web", "PAGES", "--epoch", "3"], "--epoch is of a corpus"),
        (["--web", "PAGES", "--engine", "loop"], "--engine is of a corpus"),
        (["--at", "2024-03-05T10:00Z"], "give --web PLACE too"),
        (["--web", "nowhere"], "does not exist"),
    ],
)
def test_what_does_not_go_together(cli: Cli, pages: Path, words: list[str], problem: str) -> None:
    result = cli("ask", QUESTION, *(str(pages) if word == "PAGES" else word for word in words))
    assert result.exit_code == 2
    assert problem in result.stderr


def test_the_example_of_the_docs(cli: Cli, capsys: pytest.CaptureFixture[str]) -> None:
    page = (Path(__file__).parents[3] / "docs" / "crag.md").read_text(encoding="utf-8")
    code = re.search(r"```python\n(.*?)```", page, re.DOTALL)
    assert code is not None
    exec(code[1], {})
    assert capsys.readouterr().out == "The Alder bridge opened in 1931.\n"
