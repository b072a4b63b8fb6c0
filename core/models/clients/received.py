"""A driver's reply in our own form: all that is left of the server's are texts without secrets, and checked figures.

So a reply reads the same whether it came now or from the cache, and what is wrong in one shows here, where the drivers'
errors are translated, and not later.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from llama_index.core.base.llms.types import (
    ChatMessage,
    ChatResponse,
    ContentBlock,
    MessageRole,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
)

from clausegraph.core.models.replies import finish_reason, raw_form, tool_calls_of, usage_of
from clausegraph.core.secrets import mask_reply, safe_length


def received(response: ChatResponse) -> ChatResponse:
    """A whole reply.

    Raises:
        TypeError, ValueError, RecursionError: it is none, as drivers' own errors say.
    """
    message = _message([_clean(block, mask_reply) for block in response.message.blocks], response.message)
    return _response(response, message, message.content)


class ReceivedStream:
    """Makes each chunk of one streamed reply such a reply: the message so far, and what is new in it.

    The end of a text stays back while a secret may have begun in it.
    """

    def __init__(self) -> None:
        self._texts: dict[tuple[str, int], _Text] = {}
        self._delta = ""
        self._last: ChatResponse | None = None

    def chunk(self, response: ChatResponse) -> ChatResponse:
        """The next chunk; errors as of :func:`received`."""
        self._last = response
        return self._shown(response, whole=False)

    def rest(self) -> ChatResponse | None:
        """What was kept back at the end, as a chunk of its own; none where nothing was."""
        if self._last is None or not any(text.pending for text in self._texts.values()):
            return None
        return self._shown(self._last, whole=True)

    def _shown(self, response: ChatResponse, *, whole: bool) -> ChatResponse:
        blocks: list[ContentBlock] = []
        delta = ""
        kinds: Counter[str] = Counter()
        for block in response.message.blocks:
            kinds[block.block_type] += 1
            text = self._texts.setdefault((block.block_type, kinds[block.block_type]), _Text())
            before = len(text.shown)
            blocks.append(_clean(block, lambda new, text=text: text.grown(new, whole=whole)))
            delta += text.shown[before:] if isinstance(block, TextBlock) else ""
        return _response(response, _message(blocks, response.message), delta)


class _Text:
    """One text of a stream, which grows."""

    def __init__(self) -> None:
        self.shown = self.pending = ""
        self._taken = 0

    def grown(self, text: str, *, whole: bool) -> str:
        """What can be shown of it, now that it is ``text``."""
        self.pending = mask_reply(self.pending + text[self._taken :])
        self._taken = len(text)
        safe = len(self.pending) if whole else safe_length(self.pending)
        self.shown += self.pending[:safe]
        self.pending = self.pending[safe:]
        return self.shown


def _clean(block: ContentBlock, clean: Any) -> ContentBlock:
    """A block with its texts cleaned; of the kinds that no text model sends, as it is."""
    match block:
        case TextBlock():
            return TextBlock(text=clean(block.text))
        case ThinkingBlock():
            return ThinkingBlock(content=None if block.content is None else clean(block.content))
        case ToolCallBlock():
            arguments = block.tool_kwargs
            return ToolCallBlock(
                tool_call_id=None if block.tool_call_id is None else mask_reply(block.tool_call_id),
                tool_name=mask_reply(block.tool_name),
                tool_kwargs=clean(arguments) if isinstance(arguments, str) else _masked(arguments),
            )
    return block


def _masked(value: Any) -> Any:
    """JSON values with every text masked."""
    if isinstance(value, str):
        return mask_reply(value)
    if isinstance(value, dict):
        return {_masked(key): _masked(item) for key, item in value.items()}
    return [_masked(item) for item in value] if isinstance(value, list) else value


def _message(blocks: list[ContentBlock], given: ChatMessage) -> ChatMessage:
    message = ChatMessage(role=MessageRole.ASSISTANT, blocks=blocks)
    if given.additional_kwargs.get("tool_calls"):
        message.additional_kwargs["tool_calls"] = tool_calls_of(message)  # they were the driver's objects
    return message


def _response(given: ChatResponse, message: ChatMessage, delta: str | None) -> ChatResponse:
    raw, counts = raw_form(usage_of(given), finish_reason(given))
    return ChatResponse(message=message, raw=raw, delta=delta, additional_kwargs=counts)
