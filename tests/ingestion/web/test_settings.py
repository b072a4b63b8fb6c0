"""What settings say of the web, from each way in."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from clausegraph.app.services.ingest import web_options
from clausegraph.core.errors import SettingsError
from clausegraph.core.settings import load_settings
from tests.harness.cli import made_app
from tests.harness.site import NAME
from tests.ingestion.web.town import Town

pytestmark = pytest.mark.integration


@pytest.fixture
def settled(town: Town, monkeypatch: pytest.MonkeyPatch) -> Town:
    """Settings under which the town is found."""
    values = {
        "WEB_ALLOW": f"127.0.0.1, {NAME}=127.0.0.1", "WEB_INTERVAL": "0",
        "EMBEDDING_MODEL": "hashing", "HOME": str(town.root / "home"), "WEB_CONTACT": "ops@town.example",
    }  # fmt: skip
    for name, value in values.items():
        monkeypatch.setenv(f"CLAUSEGRAPH_{name}", value)
    monkeypatch.chdir(town.root)
    return town


def test_settings_become_limits(settled: Town) -> None:
    options = web_options(load_settings(), {"mode": "site", "include": ["/a*"], "exclude": None})
    assert (options.mode, options.include, options.exclude) == ("site", ("/a*",), ())
    assert (options.limits.allow, options.limits.names) == (("127.0.0.1", NAME), {NAME: ("127.0.0.1",)})


def test_one_pattern_may_be_a_word() -> None:
    """Not its letters, of which a star would fit everything."""
    options = web_options(load_settings(), {"include": "/docs/a*", "exclude": "*"})
    assert (options.include, options.exclude) == (("/docs/a*",), ("*",))


def test_a_command_ingests_a_site(settled: Town) -> None:
    links = ("/permits/0.html", "/permits/1.html", "/permits/copy.html", "/x.pdf")
    settled.pages(2)
    settled.site.answers["/permits/copy.html"] = settled.site.answers["/permits/0.html"]
    settled.page("/", "Permits", "The town has permits of some kinds.", links=links)
    done = CliRunner().invoke(
        made_app(), ["ingest", settled.site.url("/"), "--as", "site", "--corpus", "town", "--alike", "7"]
    )
    assert done.exit_code == 0, done.output
    assert "pages: 3 added" in done.output
    assert "fetched: 5 requests, 4 received" in done.output
    assert "one page with several addresses: 1 more" in done.output and "equal bytes" in done.output
    assert "1 file not read: 1 .pdf" in done.output
    assert settled.site.asked[-1].headers["User-Agent"].endswith("(+ops@town.example)")


def test_private_addresses_need_a_setting(settled: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CLAUSEGRAPH_WEB_ALLOW")
    settled.pages(1)
    done = CliRunner().invoke(made_app(), ["ingest", f"http://127.0.0.1:{settled.site.port}/", "--corpus", "town"])
    assert done.exit_code == 2 and "no public address" in " ".join(done.output.split())
    assert settled.site.asked == []


@pytest.mark.parametrize("line", ['web_allow = ["10.0.0.0/8"]', 'web_allow = ["a.example=10.0.0.1"]'])
def test_a_file_that_merely_lies_there_opens_no_network(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "clausegraph.toml"
    path.write_text(line, encoding="utf-8")
    with pytest.raises(SettingsError, match="does not decide which networks"):
        load_settings()
    monkeypatch.setenv("CLAUSEGRAPH_CONFIG", str(path))
    load_settings()
