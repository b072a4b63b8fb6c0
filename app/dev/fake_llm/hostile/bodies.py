"""Bodies that are no reply of the protocol, or one with fields that lie."""

from __future__ import annotations

import json
from typing import Any

from clausegraph.app.dev.fake_llm.hostile.asked import Body
from clausegraph.app.dev.fake_llm.wire import packed

_TOOL = {"id": "call00001", "type": "function", "function": {"name": "delete_corpus", "arguments": '{"name": "all"}'}}


def _usage(value: Any) -> Body:
    about = f"token counts of {value if not isinstance(value, int) or value < 10**9 else '10**30'!r}"
    fields = ("prompt_tokens", "completion_tokens", "total_tokens")
    return Body(about, lambda asked: asked.changed(usage=dict.fromkeys(fields, value)))


BODIES: dict[str, Body] = {
    "body_empty": Body("no byte", lambda asked: b""),
    "body_text": Body("words", lambda asked: b"vectors: none, triples: none"),
    "body_array": Body("an array", lambda asked: []),
    "body_number": Body("a number", lambda asked: 42),
    "body_null": Body("null", lambda asked: None),
    "body_string": Body("a text", lambda asked: "ok"),
    "body_brackets": Body("100,000 opening brackets", lambda asked: b"[" * 100_000),
    "body_nested": Body("an object 900 deep", lambda asked: b'{"choices":' * 900 + b"1" + b"}" * 900),
    "body_arrays": Body("a megabyte of empty arrays", lambda asked: b"[" + b"[]," * 350_000 + b"[]]"),
    "body_cut": Body("half a reply", lambda asked: packed(asked.completion)[: len(packed(asked.completion)) // 2]),
    "body_twice": Body("two replies, one after the other", lambda asked: packed(asked.completion) * 2),
    "body_utf16": Body("UTF-16", lambda asked: json.dumps(asked.completion).encode("utf-16")),
    "body_marked": Body("a byte order mark", lambda asked: b"\xef\xbb\xbf" + packed(asked.completion)),
    "body_not_utf8": Body("bytes that are no text", lambda asked: b'{"choices": "\xff\xfe\x00\xc3\x28"}'),
    "body_nul": Body("zeros", lambda asked: b"\0" * 10_000),
    "body_digits": Body("a number of 100,000 digits", lambda asked: b'{"created": ' + b"9" * 100_000 + b"}"),
    "no_choices": Body("no choices", lambda asked: {k: v for k, v in asked.completion.items() if k != "choices"}),
    "choices_empty": Body("an empty list of choices", lambda asked: asked.changed(choices=[])),
    "choices_null": Body("choices that are null", lambda asked: asked.changed(choices=None)),
    "choices_object": Body("choices that are an object", lambda asked: asked.changed(choices={"0": {}})),
    "choices_text": Body("choices that are a text", lambda asked: asked.changed(choices="none")),
    "choices_numbers": Body("choices that are numbers", lambda asked: asked.changed(choices=[1, 2])),
    "many_choices": Body(
        "2,000 choices", lambda asked: asked.changed(choices=asked.with_content("[]")["choices"] * 2_000)
    ),
    "message_null": Body("a message that is null", lambda asked: asked.with_choice(message=None)),
    "message_list": Body("a message that is a list", lambda asked: asked.with_choice(message=["x"])),
    "message_text": Body("a message that is a text", lambda asked: asked.with_choice(message="x")),
    "content_null": Body("a content that is null", lambda asked: asked.with_content(None)),
    "content_number": Body("a content that is a number", lambda asked: asked.with_content(1.5)),
    "content_object": Body("a content that is an object", lambda asked: asked.with_content({"text": "x"})),
    "content_parts": Body(
        "a content in parts of unknown kinds",
        lambda asked: asked.with_content([{"type": "text", "text": "[]"}, {"type": "weapon", "text": 1}, 7]),
    ),
    "role_unknown": Body("a role that there is not", lambda asked: asked.with_message(role="attacker")),
    "role_number": Body("a role that is a number", lambda asked: asked.with_message(role=3)),
    "tool_unasked": Body(
        "a tool call that nobody asked for", lambda asked: asked.with_message(content="", tool_calls=[_TOOL])
    ),
    "tool_broken": Body(
        "tool calls of wrong types", lambda asked: asked.with_message(tool_calls=[1, None, {"function": "x"}])
    ),
    "tool_text": Body("tool calls that are a text", lambda asked: asked.with_message(tool_calls="rm")),
    "finish_unknown": Body("an unknown reason for the end", lambda asked: asked.with_choice(finish_reason="elephant")),
    "finish_null": Body("no reason for the end", lambda asked: asked.with_choice(finish_reason=None)),
    "finish_number": Body("a number as reason for the end", lambda asked: asked.with_choice(finish_reason=10**30)),
    "finish_length": Body("always cut off", lambda asked: asked.with_choice(finish_reason="length")),
    "usage_huge": _usage(10**30),
    "usage_negative": _usage(-5),
    "usage_text": _usage("many"),
    "usage_not_a_number": _usage(float("nan")),
    "usage_fraction": _usage(0.5),
    "usage_true": _usage(True),
    "usage_list": Body("a list as token counts", lambda asked: asked.changed(usage=[1, 2])),
    "usage_null": Body("null as token counts", lambda asked: asked.changed(usage=None)),
    "other_model": Body("the name of another model", lambda asked: asked.changed(model="gpt-evil\n\u001b[2J")),
    "model_null": Body("null as name of the model", lambda asked: asked.changed(model=None)),
    "id_long": Body("an id of a megabyte", lambda asked: asked.changed(id="x" * 1_000_000)),
    "created_huge": Body("a date that no clock has", lambda asked: asked.changed(created=10**400)),
    "many_fields": Body(
        "20,000 unknown fields", lambda asked: asked.changed(**{f"field{n}": n for n in range(20_000)})
    ),
    "error_as_reply": Body("an error with status 200", lambda asked: {"error": {"message": "no", "code": "500"}}),
}
