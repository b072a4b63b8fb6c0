"""Mistral's API through LlamaIndex's ``MistralAI`` and Mistral's own client."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import httpx2
from llama_index.core.base.llms.types import ChatResponse, LLMMetadata
from llama_index.llms.mistralai import MistralAI
from mistralai.client import Mistral
from mistralai.client.errors import MistralError, NoResponseError, ResponseValidationError

from clausegraph.core.models.calls import ModelOptions
from clausegraph.core.models.driver import Driver
from clausegraph.core.models.failures import Server, http_errors, open_http, reply_limit


@contextmanager
def mistral_errors(server: Server) -> Iterator[None]:
    """Translate the driver's errors; their own texts may quote headers, so none is kept as a cause."""
    with http_errors(server, httpx2):
        try:
            yield
        except ResponseValidationError as error:
            raise server.unreadable(error) from None
        except MistralError as error:
            if error.status_code < 400:
                raise server.unreadable(error.body) from None
            raise server.failed_with(error.status_code, dict(error.headers), error.body) from None
        except NoResponseError as error:
            raise server.failed_on_the_way(error) from None


class _MistralAI(MistralAI):  # type: ignore[misc]
    """With metadata of its own: LlamaIndex raises for a model name that it does not know."""

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(
            model_name=self.model, num_output=self.max_tokens, is_chat_model=True, is_function_calling_model=True
        )


def connect(server: Server, http: httpx2.AsyncClient, timeout_s: float) -> Mistral:
    """Mistral's client over our connections."""
    timeout_ms = int(timeout_s * 1000)
    return Mistral(api_key=server.key, server_url=server.url, async_client=http, timeout_ms=timeout_ms)


def mistral_client(server: Server, options: ModelOptions) -> Driver:
    """The client of a Mistral model."""
    timeout_s = options.timeout_s
    inner = _MistralAI(
        model=options.model,
        endpoint=server.url,
        api_key=server.key,
        temperature=min(options.temperature, 1.0),  # LlamaIndex allows no more; the server does
        max_tokens=options.max_output,
        timeout=timeout_s,
        max_retries=0,
        additional_kwargs={"temperature": options.temperature, "timeout_ms": int(timeout_s * 1000)},
    )
    http = open_http(httpx2, server, timeout_s, options.concurrency, reply_limit(options.max_output))
    inner._client = connect(server, http, timeout_s)
    _ = inner._client.chat  # imports its modules: not on the loop, not in a time-out
    return Driver(inner, partial(mistral_errors, server), timeout_s, whole=_whole, close=http.aclose)


def _whole(chunk: ChatResponse) -> ChatResponse:
    """The message so far. LlamaIndex keeps the text of every chunk before: of each kind, the last is the whole."""
    chunk.message.blocks = list({type(block): block for block in chunk.message.blocks}.values())
    return chunk
