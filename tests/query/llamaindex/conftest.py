"""A town whose two pages state the same things under different conditions, and views of it."""

from collections.abc import Iterator
from typing import Any

import pytest
from llama_index.core.llms import CompletionResponse, CustomLLM, LLMMetadata
from llama_index.core.llms.callbacks import llm_completion_callback

from clausegraph.core.models.embedding import HashingEmbedder
from clausegraph.indexes.views import View, open_view
from clausegraph.query.stores.llamaindex import EmbedderModel
from tests.contracts.graph.scripted import Town

EMBEDDER = HashingEmbedder(8)
HOSTILE = "likes` {x:1}]-() DETACH DELETE n //"


class Script(CustomLLM):
    """A model that says what it was told to."""

    says: str

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata()

    @llm_completion_callback()
    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        return CompletionResponse(text=self.says)

    @llm_completion_callback()
    def stream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> Any:
        raise NotImplementedError


@pytest.fixture
def embed_model() -> EmbedderModel:
    return EmbedderModel(EMBEDDER)


def stock(town: Town) -> None:
    town.write("grants", "winter grant | is paid to | pensioner | if you live here | unless in prison",
               "winter grant | amount | =£40", "winter grant | not is paid to | student")  # fmt: skip
    town.write("people", "pensioner | may ask | council", "winter grant | is paid to | pensioner",
               f"council | {HOSTILE} | pensioner")  # fmt: skip


@pytest.fixture
def town() -> Iterator[Town]:
    town = Town()
    stock(town)
    town.publish()
    yield town
    town.close()


@pytest.fixture
def view(town: Town) -> Iterator[View]:
    with open_view(town.ledger, town.corpus) as view:
        yield view
