import os
import runpy
from pathlib import Path

import pytest

from clausegraph.core.errors import SettingsError
from clausegraph.core.settings import ScheduledCorpus, Settings, load_settings
from tests.app.cli.conftest import REPOSITORY, Cli, parsed


def test_given_wins_over_environment_over_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "clausegraph.toml").write_text('corpus = "file"\nkeep_epochs = 3\n')
    assert load_settings().corpus == "file"
    monkeypatch.setenv("CLAUSEGRAPH_CORPUS", "environment")
    assert load_settings().corpus == "environment"
    assert load_settings(corpus="given").corpus == "given"
    assert load_settings(corpus=None).keep_epochs == 3


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ('corpse = "x"', ["unknown setting 'corpse'", "clausegraph.toml", "did you mean 'corpus'?"]),
        ("zzz = 1", ["unknown setting 'zzz'", "clausegraph.toml", "known are:", "keep_epochs"]),
        (
            "\nkeep_epochs = 0",
            ["'keep_epochs' in clausegraph.toml, line 2 is wrong: it should be greater than or equal to 1"],
        ),
        ("keep_epochs = 'x'", ["clausegraph.toml, line 1", "should be a valid integer", "'x'"]),
        ("corpus = 3", ["line 1", "should be a valid string", "'3'"]),
        ("corpus = ", ["clausegraph.toml", "no TOML"]),
        ("# x\ncorpus = north  # ours", ["clausegraph.toml is no TOML", "at line 2", 'corpus = "policies"']),
        ("llm_key = sk-secret", ["at line 1"]),
        ('home = "C:\\Users"', ["at line 1", "home = 'C:"]),
        ('[settings]\ncorpus = "x"', ["line 1: settings stand at the top", "remove the line [settings]"]),
        ('[corpora.north]\nsource = "x"\nlimit = 0', ["'corpora.north.limit'", "line 1", "equal to 1"]),
        ('llm_prices = "x"', ["'llm_prices' in clausegraph.toml", "should be a valid table"]),
        ("[corpora.north]", ["'corpora.north.source'", "line 1", "Field required"]),
        ('graph = "mars"', ["'graph'", "'ledger' or 'neo4j'"]),
    ],
)
def test_wrong_file(text: str, parts: list[str], tmp_path: Path) -> None:
    (tmp_path / "clausegraph.toml").write_text(text)
    with pytest.raises(SettingsError) as caught:
        load_settings()
    assert all(part in str(caught.value) for part in parts), caught.value
    assert "sk-secret" not in str(caught.value)


@pytest.mark.parametrize(
    "value", ["127.0.0.1,10.0.0.0/8", "127.0.0.1 10.0.0.0/8", " 127.0.0.1, 10.0.0.0/8 ", '["127.0.0.1", "10.0.0.0/8"]']
)
def test_a_list_is_words_in_a_variable(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUSEGRAPH_WEB_ALLOW", value)
    assert load_settings().web_allow == ("127.0.0.1", "10.0.0.0/8")


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        (
            "WEB_ALLOW",
            '["127.0.0.1"',
            "between them (found '[\"127.0.0.1\"'); write it as CLAUSEGRAPH_WEB_ALLOW='127.0.0.1, 1",
        ),
        (
            "LLM_PRICES",
            "1",
            "a valid table (found '1'); write it as CLAUSEGRAPH_LLM_PRICES='{\"mistral-small-latest\": [0.1, 0.3]}'",
        ),
        ("OIDC_ROLES", "[" * 100_000, 'CLAUSEGRAPH_OIDC_ROLES=\'{"staff"'),
    ],
)
def test_a_variable_of_several_values_shows_its_form(
    name: str, value: str, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"CLAUSEGRAPH_{name}", value)
    with pytest.raises(SettingsError) as caught:
        load_settings()
    assert why in str(caught.value)
    assert f"setting '{name.lower()}' in CLAUSEGRAPH_{name} is wrong" in str(caught.value)
    assert len(str(caught.value)) < 300


def test_the_example_of_each_setting_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    several = {name: field.examples for name, field in Settings.model_fields.items() if field.examples}
    for name, examples in several.items():
        monkeypatch.setenv(f"CLAUSEGRAPH_{name.upper()}", examples[0])
    found = load_settings()
    assert all(getattr(found, name) for name in several)
    assert {"web_allow", "serve_hosts", "llm_prices", "oidc_roles"} <= set(several)


def test_a_settings_file_that_is_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "pipe")
    for name, why in (("pipe", "is no file"), ("none", "cannot be read"), ("x" * 300, "too long")):
        monkeypatch.setenv("CLAUSEGRAPH_CONFIG", str(tmp_path / name))
        with pytest.raises(SettingsError, match=why):
            load_settings()
    (tmp_path / "clausegraph.toml").write_bytes(b"corpus = '\xff'")
    monkeypatch.delenv("CLAUSEGRAPH_CONFIG")
    with pytest.raises(SettingsError, match="save it as UTF-8"):
        load_settings()


def test_the_reference_is_current() -> None:
    docs = REPOSITORY / "docs"
    made = runpy.run_path(str(docs / "settings_page.py"))["settings_page"]()
    assert made == (docs / "settings.md").read_text(encoding="utf-8")
    for model in (Settings, ScheduledCorpus):
        assert all(field.description for field in model.model_fields.values())


def test_what_is_in_force_and_from_where(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "clausegraph.toml").write_text('keep_epochs = 3\nllm_key = "quite-secret"\n')
    monkeypatch.setenv("CLAUSEGRAPH_KEEP_DAYS", "2")
    found = {one["name"]: one for one in parsed(cli("settings", "--corpus", "mine", "--json"))}
    assert (found["keep_epochs"]["value"], found["keep_epochs"]["from"]) == (3, "in clausegraph.toml")
    assert (found["keep_days"]["value"], found["keep_days"]["from"]) == (2.0, "CLAUSEGRAPH_KEEP_DAYS")
    assert (found["corpus"]["value"], found["corpus"]["from"]) == ("mine", "given")
    assert (found["llm"]["value"], found["llm"]["from"]) == (None, "default")
    assert found["llm_key"]["value"] == "(set)"
    assert "quite-secret" not in cli("settings").output
