"""A LlamaIndex model that somebody else made."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from llama_index.core.llms.llm import LLM

from clausegraph.core.models.clients.driver import Driver
from clausegraph.core.models.clients.failures import Server

_TRANSPORT = {"TransportError", "APIConnectionError", "NetworkError"}


@contextmanager
def given_errors(server: Server) -> Iterator[None]:
    """Translate what can be told of an unknown driver's errors: an HTTP status, or a broken connection."""
    try:
        yield
    except (TimeoutError, ConnectionError) as error:
        raise server.failed_on_the_way(error) from None
    except Exception as error:
        status = getattr(error, "status_code", None)
        if isinstance(status, int) and status >= 400:
            headers = getattr(error, "headers", None) or getattr(getattr(error, "response", None), "headers", {})
            raise server.failed_with(status, headers, str(error)) from None
        if {kind.__name__ for kind in type(error).__mro__} & _TRANSPORT:
            raise server.failed_on_the_way(error) from None
        raise


def given_client(llm: LLM, name: str, timeout_s: float) -> Driver:
    """The client around a model. Its own retries are turned off where it has the usual setting for them."""
    if getattr(llm, "max_retries", 0):
        llm = llm.model_copy(update={"max_retries": 0})
    server = Server(name, str(getattr(llm, "api_base", None) or "its server"), getattr(llm, "api_key", None))
    return Driver(llm, partial(given_errors, server), timeout_s, says_end=False)
