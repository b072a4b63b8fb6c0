"""Steps of a question before a fake model server."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from clausegraph.core.models.calls import ModelOptions
from clausegraph.core.models.guard import GuardedLLM, make_llm
from clausegraph.core.prompts import PromptLibrary
from tests.core.models.stack.doubles import MemoryCache
from tests.harness.fake_llm import FakeModelServer

PROMPT = """{#
purpose = "a test"
inputs = ["question"]
output = "a JSON object"
since = "0.3.0"
#}
=== system ===
Say what is asked.
=== user ===
{{ question }}
"""


@pytest.fixture
def cache() -> MemoryCache:
    return MemoryCache()


@pytest.fixture
def llm(fake: FakeModelServer, cache: MemoryCache) -> Iterator[GuardedLLM]:
    options = ModelOptions("openai", "fake-small", fake.url, "none", max_output=500, attempts=2, price=(2.0, 4.0))
    with make_llm(options, cache=cache) as made:
        yield made


@pytest.fixture
def prompts(tmp_path: Path) -> PromptLibrary:
    (tmp_path / "say.v1.jinja").write_text(PROMPT, encoding="utf-8")
    return PromptLibrary((tmp_path, "yours"))
