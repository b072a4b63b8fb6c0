"""Numbers that no ledger holds and no loop ends are refused where they are given, with the name of the setting."""

from pathlib import Path

import pytest

from clausegraph.core.errors import SettingsError
from clausegraph.core.settings import Settings, load_settings
from tests.app.cli.conftest import SAMPLE, Cli

HUGE = str(10**23)
NUMBERS = sorted(name for name, field in Settings.model_fields.items() if field.annotation in (int, float))


@pytest.mark.parametrize("name", [*NUMBERS, "llm_budget_tokens", "llm_budget_money"])
def test_numbers_have_bounds(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    for value in (HUGE, "-1", "9" * 5000, "nan", "-inf", "1e309"):
        monkeypatch.setenv(f"CLAUSEGRAPH_{name.upper()}", value)
        with pytest.raises(SettingsError, match=f"'{name}' in CLAUSEGRAPH_{name.upper()} is wrong"):
            load_settings()


@pytest.mark.parametrize("name", ["limit", "batch_chunks", "lease", "retries", "retry_delay"])
def test_schedules_have_bounds(tmp_path: Path, name: str) -> None:
    for value in ("nan", HUGE):
        (tmp_path / "clausegraph.toml").write_text(f'[corpora.a]\nsource = "x"\n{name} = {value}\n')
        with pytest.raises(SettingsError, match=rf"corpora\.a\.{name}"):
            load_settings()


@pytest.mark.parametrize("prices", ['{"m": [-1, 1]}', '{"m": [NaN, 1]}', '{"m": [1, 1e300]}', '{"m": [1]}', "[" * 9999])
def test_prices_that_are_none(monkeypatch: pytest.MonkeyPatch, prices: str) -> None:
    monkeypatch.setenv("CLAUSEGRAPH_LLM_PRICES", prices)
    with pytest.raises(SettingsError, match=r"llm_prices(\.m)?"):
        load_settings()


@pytest.mark.parametrize("text", ["keep_epochs = " + "9" * 5000, "keep_epochs = " + "[" * 5000])
def test_a_file_that_python_refuses(tmp_path: Path, text: str) -> None:
    (tmp_path / "clausegraph.toml").write_text(text)
    with pytest.raises(SettingsError, match="is no TOML"):
        load_settings()


@pytest.mark.parametrize(
    ("prices", "said"),
    [("{}", "no price of 'fake-small'; set"), ('{"fake-smal": [1, 2]}', "is 'fake-smal' meant?")],
    ids=["none", "misspelt"],
)
def test_a_limit_on_money_needs_the_price(cli: Cli, tmp_path: Path, prices: str, said: str) -> None:
    limited = {"CLAUSEGRAPH_LLM": "openai:fake-small", "CLAUSEGRAPH_LLM_URL": "http://127.0.0.1:9"}
    limited |= {"CLAUSEGRAPH_LLM_BUDGET_MONEY": "5", "CLAUSEGRAPH_LLM_PRICES": prices}
    result = cli("ingest", str(SAMPLE), env=limited)
    assert result.exit_code == 2 and said in result.stderr
    assert "CLAUSEGRAPH_LLM_PRICES='{\"fake-small\": [0.1, 0.3]}'" in result.stderr
    assert not (tmp_path / "home").exists()


@pytest.mark.usefixtures("stocked")
def test_options_have_bounds(cli: Cli) -> None:
    for words in (
        "ask who --epoch", "search who --budget", "search who --limit", "epochs vacuum --keep-epochs",
        "epochs rollback", "entities review --limit",
    ):  # fmt: skip
        result = cli(*words.split(), HUGE)
        assert result.exit_code in (2, 3) and "Traceback" not in result.output
    for words in ("epochs vacuum --keep-days", "cypher RETURN --timeout"):
        assert cli(*words.split(), "nan").exit_code == 2
