"""Replies, errors and headers with the key of the request in them, in one form or another."""

import json
from base64 import b64encode
from collections.abc import Callable
from urllib.parse import quote

from tests.harness.fake_llm.wire import error, packed
from tests.injection.servers.hostile.asked import Content, Mode, OtherBody, Pieces, RawReply, Sent, Whole, Wire

FORMS: dict[str, Callable[[str], str]] = {
    "plain": lambda key: key,
    "upper": str.upper,
    "json": lambda key: "".join(f"\\u{ord(c):04x}" for c in key),
    "json_twice": lambda key: "".join(f"\\\\u{ord(c):04x}" for c in key),
    "quoted": lambda key: "".join(f"%{ord(c):02X}" for c in key),
    "html": lambda key: "".join(f"&#{ord(c)};" for c in key),
    "base64": lambda key: b64encode(f"Bearer {key}".encode()).decode(),
    "hex": lambda key: key.encode().hex(),
    "unseen": "\u200b".join,
}


def _document(key: str) -> str:
    rules = (f"1 duty {key}", f'1 duty {key} if 1"{key}"', f'1 duty: A has {key} "{key}"', f"1 contact | {key}")
    return "\n".join([f"{key}: A you {key}", f"thing: B {key}", *rules, key])


def _echo(form: str) -> Content:
    return Content(f"the key in a rule: {form}", lambda asked: _document(FORMS[form](asked.key)))


def _error(asked: Sent) -> RawReply:
    said = f"wrong key {asked.key} ({FORMS['base64'](asked.key)}, {quote(asked.key)}, {FORMS['json'](asked.key)})"
    return RawReply(error(400, said), 400)


def _headers(asked: Sent) -> RawReply:
    names = ("location", "retry-after", "www-authenticate", "set-cookie", "x-request-id")
    return RawReply(error(429, asked.key), 429, headers=tuple((name, asked.key) for name in names))


def _tool(asked: Sent) -> object:
    function = {"name": asked.key, "arguments": json.dumps({asked.key: asked.key})}
    return asked.with_message(content="", tool_calls=[{"id": asked.key, "type": "function", "function": function}])


async def _events(asked: Sent) -> Pieces:
    yield b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n"
    head = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "fake-small"}
    for text in ["the key is ", *asked.key, ". "]:
        choice = {"index": 0, "delta": {"role": "assistant", "content": text}, "finish_reason": None}
        yield b"data: " + packed(head | {"choices": [choice]}) + b"\n\n"
    choice = {"index": 0, "delta": {"content": asked.key[:-1]}, "finish_reason": "stop"}
    yield b"data: " + packed(head | {"choices": [choice]}) + b"\n\ndata: [DONE]\n\n"


ECHOES: dict[str, Mode] = {
    **{f"key_{form}": _echo(form) for form in FORMS},
    "key_in_prose": Content("the key in prose", lambda asked: f"Authorization: Bearer {asked.key}"),
    "key_in_error": Whole("the key in an error", _error),
    "key_in_headers": Whole("the key in headers", _headers),
    "key_in_redirect": Whole(
        "the key in a redirect",
        lambda asked: RawReply(b"", 307, headers=(("location", f"http://evil.invalid/{asked.key}"),)),
    ),
    "key_in_fields": OtherBody(
        "the key in every other field",
        lambda asked: asked.changed(id=asked.key, model=asked.key, object=asked.key, system_fingerprint=asked.key),
    ),
    "key_in_finish": OtherBody(
        "the key as reason for the end", lambda asked: asked.with_choice(finish_reason=asked.key)
    ),
    "key_in_tool": OtherBody("the key in a tool call", _tool),
    "key_in_types": OtherBody(
        "the key where a number belongs", lambda asked: asked.changed(usage=asked.key, created=asked.key)
    ),
    "key_in_events": Wire("the key in events, a letter in each", _events),
}
