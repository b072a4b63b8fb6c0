"""What sends a call: clients of servers that speak OpenAI's protocol, as Mistral's does, and of LlamaIndex models.

A reply is put into our own form: all that is left of the server's are a text without secrets, and checked figures. So
it reads the same whether it came now or from the cache.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import aclosing, asynccontextmanager, contextmanager
from typing import Any

import httpx
from llama_index.core.base.llms.types import ChatResponse
from llama_index.core.llms.llm import LLM

from clausegraph.core.errors import ModelUnavailable
from clausegraph.core.models.calls import ModelCall, ModelOptions, Usage
from clausegraph.core.models.failures import Server
from clausegraph.core.models.loop import close_when_dropped
from clausegraph.core.models.replies import finish_reason, reply_of, usage_of
from clausegraph.core.secrets import mask_reply, safe_length

_MARGIN = 1_000_000  # bytes of a body beside what was asked for
_TOKEN_BYTES = 512  # of a reply token on the wire: a streamed one has an event of its own
_ERROR_BYTES = 10_000
_TRANSPORT = {"TransportError", "APIConnectionError", "NetworkError"}
# How a body fails that is no reply of the protocol: no JSON, fields that are missing or of another type, numbers and
# nesting beyond all bounds; and a prompt that UTF-8 has no form for
UNREADABLE = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)


class ServerClient:
    """Chats of a server. ``options.timeout_s`` is for a whole reply, streamed or not.

    A redirect or a compressed body is an error, and no more is read of a body than ``most_bytes``.
    """

    def __init__(self, server: Server, options: ModelOptions, most_bytes: int = 0) -> None:
        self.server, self.options = server, options
        self._most_bytes = _MARGIN + (most_bytes or _TOKEN_BYTES * options.max_output)
        headers = {"accept-encoding": "identity"}  # what is not compressed cannot grow
        if server.key:
            headers["authorization"] = f"Bearer {server.key}"
        limits = httpx.Limits(max_connections=options.concurrency, max_keepalive_connections=options.concurrency)
        self._http = httpx.AsyncClient(headers=headers, timeout=options.timeout_s, limits=limits)
        close_when_dropped(self, self._http.aclose)

    async def chat(self, call: ModelCall) -> ChatResponse:
        """The reply; streamed from the server where somebody listens."""
        messages = [{"role": one.role.value, "content": one.content or ""} for one in call.messages]
        body = {"model": self.options.model, "temperature": self.options.temperature, "messages": messages}
        body |= call.options
        if call.listen is None:
            reply = await self.post("chat/completions", body)
            return reply_of(mask_reply(_text(reply["choices"][0]["message"])), usage_of(reply), finish_reason(reply))
        body["stream"] = True
        if self.options.provider == "openai":  # Mistral tells it anyway
            body["stream_options"] = {"include_usage": True}
        async with self._sent("chat/completions", body) as pieces:
            return await heard(_chunks(pieces, self.server), call.listen, says_end=True)

    async def post(self, path: str, body: dict[str, Any]) -> Any:
        """The JSON that the server answers."""
        async with self._sent(path, body) as pieces:
            return json.loads(b"".join([piece async for piece in pieces]))

    @asynccontextmanager
    async def _sent(self, path: str, body: dict[str, Any]) -> AsyncIterator[AsyncIterator[bytes]]:
        """The body of the answer in pieces, in the time that a reply may take; errors are translated."""
        with self._errors():
            async with (
                asyncio.timeout(self.options.timeout_s),
                self._http.stream("POST", f"{self.server.url}/v1/{path}", json=body) as response,
            ):
                if 300 <= response.status_code < 400:
                    raise self.server.redirected(response.status_code, response.headers.get("location", ""))
                coding = response.headers.get("content-encoding", "identity")
                if coding.strip().lower() not in ("", "identity"):
                    raise self.server.unreadable(f"its body is compressed ({coding[:40]}), which was not asked for")
                if response.status_code >= 400:
                    raise self.server.failed_with(response.status_code, response.headers, await _beginning(response))
                yield self._bounded(response)

    async def _bounded(self, response: httpx.Response) -> AsyncIterator[bytes]:
        left = self._most_bytes
        async for piece in response.aiter_raw():
            left -= len(piece)
            if left < 0:
                raise self.server.unreadable(
                    f"more than {self._most_bytes:,} bytes, which no reply that was asked for has"
                )
            yield piece

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """Translate what goes wrong; the library's own texts may quote headers, so none is kept as a cause."""
        try:
            yield
        except (httpx.HTTPError, httpx.StreamError, httpx.InvalidURL, TimeoutError) as error:
            raise self.server.failed_on_the_way(error) from None
        except UNREADABLE as error:
            raise self.server.unreadable(error) from None

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()


async def _beginning(response: httpx.Response) -> str:
    """The first bytes of a body, as text; what came of one that breaks off."""
    found = b""
    try:
        async for piece in response.aiter_raw():
            found += piece
            if len(found) >= _ERROR_BYTES:
                break
    except httpx.HTTPError:
        pass
    return found[:_ERROR_BYTES].decode("utf-8", "replace")


async def _chunks(pieces: AsyncIterator[bytes], server: Server) -> AsyncIterator[tuple[str, Any]]:
    """The text so far and the event, of each server-sent event of a chat."""
    text, pending = "", b""
    async for piece in pieces:
        *lines, pending = (pending + piece).split(b"\n")
        for line in lines:
            data = line.removeprefix(b"data:").strip() if line.startswith(b"data:") else b""
            if data == b"[DONE]":
                return
            if not data:
                if line.startswith((b"<", b"{")):
                    raise server.unreadable("it is no stream of events")
                continue
            event = json.loads(data)
            if "error" in event:
                raise server.unreadable(event["error"])
            if choices := event.get("choices"):
                text += _text(choices[0].get("delta") or {})
            yield text, event


def _text(message: dict[str, Any]) -> str:
    """The text of a message; of one in parts, as thinking models send it, those that are no thoughts."""
    content = message.get("content") or ""
    if isinstance(content, list):
        return "".join(str(part["text"]) for part in content if part.get("type") == "text")
    if not isinstance(content, str):
        raise TypeError(f"its content is of type {type(content).__name__}")
    return content


async def heard(
    chunks: AsyncIterator[tuple[str, Any]], listen: Callable[[str], None], *, says_end: bool
) -> ChatResponse:
    """The reply of a stream; ``listen`` gets its text as it grows.

    Args:
        chunks: the text so far, and the server's own chunk.
        says_end: the protocol ends every reply with a finish reason, so a stream without one was cut off.
    """
    received, usage, finish, text = ReceivedText(), Usage(), None, None
    async for text, chunk in chunks:
        found = usage_of(chunk)
        usage, finish = found if found.total is not None else usage, finish_reason(chunk) or finish
        listen(received.grown(text, whole=False))
    if text is None:
        raise ModelUnavailable("the stream ended before its first chunk: there is no reply")
    if says_end and finish is None:
        raise ModelUnavailable("the stream ended before its finish reason: the reply is cut off")
    whole = received.grown(text, whole=True)
    listen(whole)
    return reply_of(whole, usage, finish)


class ReceivedText:
    """A text that grows, without secrets; its end stays back while a secret may have begun in it."""

    def __init__(self) -> None:
        self._shown = self._pending = ""
        self._taken = 0

    def grown(self, text: str, *, whole: bool) -> str:
        """What can be shown of it, now that it is ``text``; ``whole``: nothing more will come."""
        self._pending = mask_reply(self._pending + text[self._taken :])
        self._taken = len(text)
        safe = len(self._pending) if whole else safe_length(self._pending)
        self._shown += self._pending[:safe]
        self._pending = self._pending[safe:]
        return self._shown


class GivenClient:
    """A LlamaIndex model that is made already, its own retries turned off where it has a setting for them."""

    def __init__(self, llm: LLM, name: str, timeout_s: float) -> None:
        without = {"max_retries": 0} if getattr(llm, "max_retries", 0) else {}
        self._llm, self._timeout_s = llm.model_copy(update=without) if without else llm, timeout_s
        address = getattr(llm, "api_base", None) or getattr(llm, "endpoint", None) or "its server"
        self._server = Server(name, str(address), getattr(llm, "api_key", None))

    async def chat(self, call: ModelCall) -> ChatResponse:
        """The reply; streamed where somebody listens and the model can."""
        with self._errors():
            async with asyncio.timeout(self._timeout_s):
                if call.listen is not None:
                    try:
                        return await self._heard(call, call.listen)
                    except NotImplementedError:
                        pass
                response = await self._llm.achat(list(call.messages), **call.options)
                text = mask_reply(response.message.content or "")
                return reply_of(text, usage_of(response), finish_reason(response))

    async def _heard(self, call: ModelCall, listen: Callable[[str], None]) -> ChatResponse:
        stream = await self._llm.astream_chat(list(call.messages), **call.options)
        async with aclosing(stream):
            return await heard(((one.message.content or "", one) async for one in stream), listen, says_end=False)

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """Translate what can be told of an unknown driver's errors: an HTTP status, or a broken connection."""
        try:
            yield
        except (TimeoutError, ConnectionError) as error:
            raise self._server.failed_on_the_way(error) from None
        except Exception as error:
            status = getattr(error, "status_code", None)
            if isinstance(status, int) and status >= 400:
                headers = getattr(error, "headers", None) or getattr(getattr(error, "response", None), "headers", {})
                raise self._server.failed_with(status, headers, str(error)) from None
            if {kind.__name__ for kind in type(error).__mro__} & _TRANSPORT:
                raise self._server.failed_on_the_way(error) from None
            raise

    async def close(self) -> None:
        """Its connections are its maker's."""
