"""A model server that hangs, refuses or is gone is told where the answer would be, with what to do."""

import anyio
import anyio.to_thread
import httpx
import pytest

from clausegraph.core.settings import Settings
from tests.app.console.conftest import answered, looking
from tests.harness.fake_llm import FakeModelServer

pytestmark = pytest.mark.integration

KEY = "fake-key-1234"


def test_a_model_server_that_hangs_refuses_or_dies_is_told_on_screen(settings: Settings) -> None:
    with FakeModelServer() as model:

        async def look(client: httpx.AsyncClient) -> None:
            for fault in ("hang", "429", "dead"):
                if fault == "dead":
                    await anyio.to_thread.run_sync(model.close)
                else:
                    model.set(fault=fault, retry_after=0.1)
                _, shown = await answered(client, "Can I get the Winter Heating Grant?")
                assert "event: answer" in shown and 'role="alert"' in shown, (fault, shown)
                assert "The model does not answer" in shown and KEY not in shown, (fault, shown)

        asks = {"llm": "mistral:fake-small", "llm_key": KEY, "llm_attempts": 1, "llm_timeout": 1, "llm_cache_mb": 0}
        looking(Settings(**(settings.model_dump() | asks | {"llm_url": model.url})), look)
