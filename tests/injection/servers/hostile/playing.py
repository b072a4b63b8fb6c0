"""Sends what a hostile mode makes of a request."""

import asyncio
import socket
import struct
from typing import Any

from tests.harness.fake_llm.wire import Exchange, packed
from tests.injection.servers.hostile.asked import Content, Mode, OtherBody, RawReply, Sent, Whole, Wire

_RESET = struct.pack("ii", 1, 0)  # SO_LINGER: closing sends a reset


async def play(
    name: str, mode: Mode, exchange: Exchange, body: dict[str, Any], text: str, good: dict[str, Any]
) -> None:
    """RawReply to a request in flight as the mode of this name does; it counts as failed."""
    asked = Sent(body, exchange.key, text, good)
    exchange.settle(name)
    match mode:
        case Content():
            await _answer(exchange, RawReply(packed(_with_text(asked, mode.make(asked)))))
        case OtherBody():
            made = mode.make(asked)
            await _answer(exchange, RawReply(made if isinstance(made, bytes) else packed(made)))
        case Whole():
            await _answer(exchange, mode.make(asked))
        case Wire():
            await _write(exchange, mode, asked)


def _with_text(asked: Sent, text: str) -> dict[str, object]:
    """A chat's reply with this text; embeddings have no text, so that theirs is no reply at all."""
    return asked.with_content(text) if "choices" in asked.completion else {"text": text}


async def _answer(exchange: Exchange, answer: RawReply) -> None:
    headers = [(name.encode(), value.encode()) for name, value in answer.headers]
    if answer.status in (204, 304):
        await exchange.start(answer.status, answer.kind.encode(), headers)
        await exchange.piece(b"", more=False)
    else:
        await exchange.reply(answer.status, answer.data, answer.kind.encode(), headers)


async def _write(exchange: Exchange, mode: Wire, asked: Sent) -> None:
    connection = exchange.connection
    assert connection is not None  # served by uvicorn, which shows it
    transport = connection.transport
    async for piece in mode.make(asked):
        if transport.is_closing():
            break
        if isinstance(piece, bytes):
            transport.write(piece)
            await connection.flow.drain()
            await asyncio.sleep(0)
        else:
            await asyncio.sleep(piece)
    if mode.ending == "half":
        transport.write_eof()
    elif mode.ending == "abort":
        transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
        transport.abort()
    else:
        transport.close()
    await exchange.wait(None)
