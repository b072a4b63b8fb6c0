"""Keys are in no text; wrong keys and addresses are told before the first call."""

from __future__ import annotations

import logging
import traceback

import pytest
from llama_index.core.base.llms.types import ChatMessage

from clausegraph.app.dev.fake_llm import FakeModelServer
from clausegraph.core.errors import ModelCallError, SettingsError
from clausegraph.core.models.calls import ModelOptions
from clausegraph.core.models.failures import Server
from clausegraph.core.models.guard import make_llm
from tests.core.models.stack.conftest import Make
from tests.core.models.stack.doubles import asked

KEY = "sk-Secret0123456789"


@pytest.mark.integration
@pytest.mark.parametrize("fault", ["none", "500", "html_body", "cut_connection"])
def test_the_key_is_in_no_text(
    fault: str, provider: str, fake: FakeModelServer, make: Make, caplog: pytest.LogCaptureFixture
) -> None:
    fake.set(fault=fault, key="another" if fault == "none" else None)
    options = ModelOptions(provider, "fake-small", fake.url, KEY, attempts=1)  # type: ignore[arg-type]
    with caplog.at_level(logging.DEBUG), make_llm(options) as llm, pytest.raises(ModelCallError) as raised:
        llm.chat([ChatMessage(role="user", content="hello")])
    shown = "".join(traceback.format_exception(raised.value))
    for text in (repr(options), repr(llm), str(llm), str(llm.fingerprint), repr(raised.value), shown, caplog.text):
        assert KEY not in text


@pytest.mark.unit
def test_bodies_that_echo_the_key_are_scrubbed_and_cut() -> None:
    server = Server("openai:x", "https://user:pass@host/", KEY)
    error = server.failed_with(401, {}, f"wrong key {KEY} in 'Authorization: Bearer {KEY}' " + "x" * 5000)
    assert KEY not in str(error) and "pass" not in str(error) and KEY not in repr(server)
    assert len(str(error)) < 600
    assert "Bearer abc" not in server.clean("sent Bearer abc.def")


@pytest.mark.unit
@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"provider": "mistral"}, "CLAUSEGRAPH_LLM_KEY"),
        ({"provider": "mistral", "key": "with space"}, "CLAUSEGRAPH_LLM_KEY"),
        ({"provider": "openai", "key": "line\nend"}, "CLAUSEGRAPH_LLM_KEY"),
        ({"provider": "openai", "url": "localhost:8000"}, "CLAUSEGRAPH_LLM_URL"),
    ],
)
def test_wrong_options_are_told_at_once(options: dict[str, str], says: str) -> None:
    with pytest.raises(SettingsError, match=says) as raised:
        make_llm(ModelOptions(model="x", **options))  # type: ignore[arg-type]
    assert options.get("key") is None or options["key"] not in str(raised.value)


@pytest.mark.integration
@pytest.mark.parametrize("suffix", ["", "/", "/v1", "/v1/"])
def test_addresses_with_and_without_v1(suffix: str, provider: str, fake: FakeModelServer, make: Make) -> None:
    assert asked(make(provider, url=fake.url + suffix), "hello") == "hello"


@pytest.mark.integration
def test_an_openai_like_server_needs_no_key(fake: FakeModelServer, make: Make) -> None:
    assert asked(make("openai", key=None), "hello") == "hello"
