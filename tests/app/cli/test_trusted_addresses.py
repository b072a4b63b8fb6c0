"""A settings file that happens to lie in the working directory gets no secret from elsewhere for its servers."""

from pathlib import Path

import pytest

from clausegraph.core.errors import SettingsError
from clausegraph.core.settings import load_settings

PAIRS = [
    ("llm_url", "http://evil.example", "llm_key"),
    ("embedding_url", "http://evil.example", "embedding_key"),
    ("neo4j_uri", "bolt://evil.example", "neo4j_password"),
]
FILE = "clausegraph.toml"


@pytest.mark.parametrize(("address", "value", "secret"), PAIRS)
def test_a_found_file_gets_no_secret_from_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, address: str, value: str, secret: str
) -> None:
    (tmp_path / FILE).write_text(f'{address} = "{value}"\n')
    load_settings()  # an address alone is the file's to name
    with pytest.raises(SettingsError):
        load_settings(**{secret: "given-1234"})
    both = load_settings(**{secret: "given-1234", address: "http://mine.example"})
    assert getattr(both, address) == "http://mine.example"
    monkeypatch.setenv(f"CLAUSEGRAPH_{secret.upper()}", "env-secret-1234")
    with pytest.raises(SettingsError) as caught:
        load_settings()
    message = str(caught.value)
    assert all(part in message for part in (FILE, address, value, f"CLAUSEGRAPH_{secret.upper()}"))
    assert f"set CLAUSEGRAPH_CONFIG={FILE}" in message and f"set CLAUSEGRAPH_{address.upper()} yourself" in message
    assert "env-secret-1234" not in message
    (tmp_path / FILE).write_text(f'{address} = "{value}"\n{secret} = "of-the-file"\n')
    with pytest.raises(SettingsError):  # the environment's wins over the file's own
        load_settings()
    monkeypatch.setenv("CLAUSEGRAPH_CONFIG", FILE)  # who names the file or the address trusts it
    assert getattr(load_settings(), address) == value
    monkeypatch.delenv("CLAUSEGRAPH_CONFIG")
    monkeypatch.setenv(f"CLAUSEGRAPH_{address.upper()}", "bolt://mine.example")
    assert getattr(load_settings(), address) == "bolt://mine.example"


@pytest.mark.parametrize("name", ["serve_hosts", "serve_proxies", "crag_graph_url"])
def test_a_found_file_does_not_say_by_whom_this_machine_is_asked_and_whom_it_asks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    (tmp_path / FILE).write_text(f'{name} = "neo4j"' if name == "crag_graph_url" else f'{name} = ["192.0.2.1"]')
    with pytest.raises(SettingsError, match=f"sets {name}, and such a file does not .* CLAUSEGRAPH_CONFIG={FILE}"):
        load_settings()
    monkeypatch.setenv("CLAUSEGRAPH_CONFIG", FILE)
    assert getattr(load_settings(), name)
