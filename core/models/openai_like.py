"""Servers that speak OpenAI's protocol, through LlamaIndex's ``OpenAILike`` and OpenAI's own client."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import httpx
import openai
from llama_index.llms.openai_like import OpenAILike

from clausegraph.core.errors import ModelCallError
from clausegraph.core.models.calls import ModelOptions
from clausegraph.core.models.driver import Driver
from clausegraph.core.models.failures import Server, http_errors, open_http, reply_limit

NO_KEY = "none"  # the driver insists on one


@contextmanager
def openai_errors(server: Server) -> Iterator[None]:
    """Translate the driver's errors; their own texts may quote headers, so none is kept as a cause."""
    with http_errors(server, httpx):
        try:
            yield
        except openai.APIStatusError as error:
            body = error.response.text if error.response.is_closed else error.message
            raise server.failed_with(error.status_code, error.response.headers, body) from None
        except openai.APIConnectionError as error:  # a time-out is one too, and what our own hook raises
            if isinstance(error.__cause__, ModelCallError):
                raise error.__cause__ from None
            raise server.failed_on_the_way(error.__cause__ or error) from None
        except openai.APIError as error:
            raise server.unreadable(error) from None


def openai_client(server: Server, options: ModelOptions) -> Driver:
    """The client of a model behind OpenAI's protocol. The longest reply is said in every call's options."""
    http = open_http(httpx, server, options.timeout_s, options.concurrency, reply_limit(options.max_output))
    inner = OpenAILike(
        model=options.model,
        api_base=f"{server.url}/v1",
        api_key=server.key or NO_KEY,
        api_version="",
        temperature=options.temperature,
        max_tokens=None,  # the driver would prefer it to the call's own
        context_window=options.context_window,
        is_chat_model=True,
        is_function_calling_model=True,
        max_retries=0,
        timeout=options.timeout_s,
        additional_kwargs={"stream_options": {"include_usage": True}},
        async_http_client=http,
    )
    _ = inner._get_aclient().chat.completions  # imports half a second of modules: not on the loop, not in a time-out
    return Driver(inner, partial(openai_errors, server), options.timeout_s, close=http.aclose)
