"""A model server that hangs, refuses or is gone is told where the answer would be, with what to do."""

from __future__ import annotations

import re

import anyio
import anyio.to_thread
import httpx
import pytest

from clausegraph.app.access.tokens import Role, Tokens
from clausegraph.app.api.application import create_app
from clausegraph.app.console.face import face
from clausegraph.app.dev.fake_llm import FakeModelServer, FakeOptions
from clausegraph.app.workspace import Workspace
from clausegraph.core.settings import Settings
from tests.app.api.conftest import client_of

pytestmark = pytest.mark.integration

KEY = "fake-key-1234"


def test_a_model_server_that_hangs_refuses_or_dies_is_told_on_screen(settings: Settings) -> None:
    _, token = Tokens(settings.home).add("failing", Role.READER)

    async def ask(client: httpx.AsyncClient) -> str:
        asked = await client.post("/c/default/asked", data={"question": "Can I get the Winter Heating Grant?"})
        events = re.search(r'sse-connect="([^"]+)"', asked.text)
        assert events is not None
        return (await client.get(events[1])).text

    async def look() -> None:
        asks = {"llm": "mistral:fake-small", "llm_key": KEY, "llm_attempts": 1, "llm_timeout": 1, "llm_cache_mb": 0}
        with FakeModelServer(FakeOptions()) as model:
            here = Settings(**(settings.model_dump() | asks | {"llm_url": model.url}))
            async with client_of(create_app(Workspace(here), [face()]), Authorization=f"Bearer {token}") as client:
                for fault in ("hang", "429", "dead"):
                    if fault == "dead":
                        await anyio.to_thread.run_sync(model.close)
                    else:
                        model.set(fault=fault, retry_after=0.1)
                    shown = await ask(client)
                    assert "event: answer" in shown and 'role="alert"' in shown, (fault, shown)
                    assert "The model does not answer" in shown and KEY not in shown, (fault, shown)

    anyio.run(look)
